// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Devices, and their ports.
 */
#include <linux/slab.h>

#include "../support/support.h"
#include "internal.h"

/* The upper half of the second half of each GID of an InfiniBand port. */
#define GUID_PREFIX	0x6d656d00

union ib_gid memdev_gid(struct ib_device *ibdev, u32 port, int index)
{
	u64 guid = (u64)GUID_PREFIX << 32 | memdev_lid(ibdev, port) << 8 | index;

	return (union ib_gid) {
		.global.subnet_prefix = cpu_to_be64(0xfe80000000000000),
		.global.interface_id = cpu_to_be64(guid),
	};
}
EXPORT_SYMBOL(memdev_gid);

static int query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
			struct ib_udata *udata)
{
	attr->sys_image_guid = ibdev->node_guid;
	attr->vendor_id = 0x6d656d;
	attr->vendor_part_id = 1;
	attr->max_mr_size = U64_MAX;
	attr->page_size_cap = PAGE_SIZE;
	attr->max_qp = 1024;
	attr->max_qp_wr = MEMDEV_MAX_WR;
	attr->max_send_sge = MEMDEV_MAX_SGE;
	attr->max_recv_sge = MEMDEV_MAX_SGE;
	attr->max_sge_rd = MEMDEV_MAX_SGE;
	attr->max_srq = 1024;
	attr->max_srq_wr = MEMDEV_MAX_SRQ_WR;
	attr->max_srq_sge = MEMDEV_MAX_SGE;
	attr->max_cq = 1024;
	attr->max_cqe = 4096;
	attr->max_mr = 65536;
	attr->max_mw = 65536;
	attr->max_pd = 1024;
	attr->max_ah = 65536;
	attr->max_qp_rd_atom = MEMDEV_MAX_RD_ATOMIC;
	attr->max_qp_init_rd_atom = MEMDEV_MAX_RD_ATOMIC;
	attr->max_res_rd_atom = 1024 * MEMDEV_MAX_RD_ATOMIC;
	attr->atomic_cap = IB_ATOMIC_HCA;
	attr->max_mcast_grp = 1024;
	attr->max_mcast_qp_attach = 1024;
	attr->max_total_mcast_qp_attach = 1024 * MEMDEV_MAX_GROUPS;
	attr->max_fast_reg_page_list_len = MEMDEV_MAX_PAGES;
	attr->max_pkeys = 1;
	attr->device_cap_flags = IB_DEVICE_MEM_MGT_EXTENSIONS | IB_DEVICE_XRC |
				 IB_DEVICE_RC_RNR_NAK_GEN | IB_DEVICE_SRQ_RESIZE |
				 IB_DEVICE_CURR_QP_STATE_MOD | IB_DEVICE_UD_AV_PORT_ENFORCE |
				 IB_DEVICE_N_NOTIFY_CQ | IB_DEVICE_MEM_WINDOW |
				 IB_DEVICE_MEM_WINDOW_TYPE_2B;
	attr->max_pi_fast_reg_page_list_len = MEMDEV_MAX_PI_PAGES;
	attr->sig_prot_cap = IB_PROT_T10DIF_TYPE_1 | IB_PROT_T10DIF_TYPE_2 | IB_PROT_T10DIF_TYPE_3;
	attr->sig_guard_cap = IB_GUARD_T10DIF_CRC | IB_GUARD_T10DIF_CSUM;
	attr->kernel_cap_flags = IBK_LOCAL_DMA_LKEY | IBK_BLOCK_MULTICAST_LOOPBACK |
				 IBK_INTEGRITY_HANDOVER;
	return 0;
}

static int query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr)
{
	struct ib_port_immutable *immutable = &ibdev->port_data[port].immutable;

	attr->state = IB_PORT_ACTIVE;
	attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = IB_MTU_4096;
	attr->gid_tbl_len = immutable->gid_tbl_len;
	attr->pkey_tbl_len = immutable->pkey_tbl_len;
	attr->max_msg_sz = MEMDEV_MAX_MSG;
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = IB_SPEED_SDR;
	attr->max_vl_num = 1;
	if (rdma_protocol_roce(ibdev, port))
		return 0;
	attr->lid = memdev_lid(ibdev, port);
	attr->sm_lid = attr->lid;
	return 0;
}

static int query_gid(struct ib_device *ibdev, u32 port, int index, union ib_gid *gid)
{
	*gid = memdev_gid(ibdev, port, index);
	return 0;
}

static int query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = 0xffff;
	return 0;
}

/* Puts the device on the fabric before clients use it. */
static int enable_driver(struct ib_device *ibdev)
{
	struct memdev *dev = to_memdev(ibdev);

	mutex_lock(&memdev_fabric.mutex);
	dev->fd = to_fakedev(ibdev);
	ibdev->node_guid = memdev_gid(ibdev, 0, 0).global.interface_id;
	if (ibdev->ops.alloc_ucontext)
		memdev_offer_commands(ibdev);
	if (dev->prepare)
		dev->prepare(dev->fd);
	if (list_empty(&dev->entry))
		list_add_tail(&dev->entry, &memdev_fabric.devices);
	mutex_unlock(&memdev_fabric.mutex);
	return 0;
}

static void leave_fabric(struct memdev *dev)
{
	u32 num;

	mutex_lock(&memdev_fabric.mutex);
	for (num = 0; num <= MEMDEV_MAX_PORT; num++) {
		if (dev->links[num])
			dev->links[num]->links[dev->link_ports[num]] = NULL;
		dev->links[num] = NULL;
	}
	list_del_init(&dev->entry);
	mutex_unlock(&memdev_fabric.mutex);
}

/* CQs are those of the fake provider, and are in a list. */
static int create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		     struct ib_udata *udata)
{
	int ret = fakedev_create_cq(ibcq, attr, udata);

	if (ret)
		return ret;
	mutex_lock(&memdev_fabric.mutex);
	list_add_tail(&to_memdev_cq(ibcq)->entry, &to_memdev(ibcq->device)->cqs);
	mutex_unlock(&memdev_fabric.mutex);
	return 0;
}

static int destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	int ret;

	mutex_lock(&memdev_fabric.mutex);
	ret = fakedev_destroy_cq(ibcq, udata);
	if (!ret)
		list_del(&to_memdev_cq(ibcq)->entry);
	mutex_unlock(&memdev_fabric.mutex);
	return ret;
}

/*
 * The test of pyverbs posts requests, and expects that their completions do not fit any more. It
 * does not wait for the completions.
 */
static int resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata)
{
	flush_work(&memdev_fabric.work);
	return fakedev_resize_cq(ibcq, cqe, udata);
}

static const struct ib_device_ops device_ops = {
	.create_cq = create_cq,
	.destroy_cq = destroy_cq,
	.enable_driver = enable_driver,
	.query_device = query_device,
	.query_gid = query_gid,
	.query_pkey = query_pkey,
	.query_port = query_port,
	.resize_cq = resize_cq,

	INIT_RDMA_OBJ_SIZE(ib_cq, memdev_cq, fake.ibcq),
};

static const struct ib_device_ops * const all_ops[] = {
	&device_ops, &memdev_mem_ops, &memdev_qp_ops, &memdev_queue_ops, &memdev_srq_ops,
	&memdev_user_mr_ops, &memdev_window_ops, &memdev_fmr_ops,
	&memdev_integrity_ops, &memdev_mad_ops, NULL
};

static void free_memdev(struct memdev *dev)
{
	xa_destroy(&dev->qps);
	xa_destroy(&dev->srqs);
	xa_destroy(&dev->mrs);
	kfree(dev);
}

struct fakedev *memdev_create(const struct memdev_config *config)
{
	static const struct memdev_config plain;
	struct fakedev_config fake = {
		.nr_gids = MEMDEV_GIDS,
		.own_ops = all_ops,
	};
	u32 nr_lids;
	struct memdev *dev;
	struct fakedev *fd;

	config = config ?: &plain;
	if (config->nr_ports > MEMDEV_MAX_PORT)
		return ERR_PTR(-EINVAL);
	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&dev->entry);
	INIT_LIST_HEAD(&dev->cqs);
	xa_init_flags(&dev->qps, XA_FLAGS_ALLOC);
	xa_init_flags(&dev->srqs, XA_FLAGS_ALLOC);
	xa_init_flags(&dev->mrs, XA_FLAGS_ALLOC);
	/* Port 0 has a LID, too. */
	nr_lids = (config->nr_ports ?: 1) + 1;
	mutex_lock(&memdev_fabric.mutex);
	if (memdev_fabric.next_lid + nr_lids > be16_to_cpu(IB_MULTICAST_LID_BASE))
		memdev_fabric.next_lid = MEMDEV_FIRST_LID;
	dev->first_lid = memdev_fabric.next_lid;
	memdev_fabric.next_lid += nr_lids;
	mutex_unlock(&memdev_fabric.mutex);
	fake.name = config->name ?: "mem%d";
	fake.node_type = config->node_type ?: RDMA_NODE_IB_CA;
	fake.nr_ports = config->nr_ports;
	fake.ndev = config->ndev;
	if (config->driver_id == RDMA_DRIVER_HFI1)
		fake.more_ops = &memdev_hfi1_ops;
	else if (config->driver_id == RDMA_DRIVER_QIB)
		fake.more_ops = &memdev_qib_ops;
	fake.caps = config->ndev ? RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP : RDMA_CORE_PORT_IBA_IB;
	fake.private = dev;
	dev->prepare = config->prepare;
	fd = fakedev_create(&fake);
	if (IS_ERR(fd)) {
		leave_fabric(dev);
		free_memdev(dev);
	}
	return fd;
}
EXPORT_SYMBOL(memdev_create);

void memdev_destroy(struct fakedev *fd)
{
	struct memdev *dev = fd->private;

	leave_fabric(dev);
	fakedev_destroy(fd);
	free_memdev(dev);
}
EXPORT_SYMBOL(memdev_destroy);

int memdev_init(void)
{
	return memdev_fabric_init(memdev_run);
}
