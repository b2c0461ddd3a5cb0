// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Devices: attributes, the table of operations, creation and release. */
#include "drivers/sib/device.h"

#include <linux/netdevice.h>
#include <rdma/krdma.h>
#include <rdma/rdma_netlink.h>

#include "drivers/sib/attach.h"
#include "drivers/sib/fabric.h"
#include "drivers/sib/net.h"
#include "drivers/sib/object.h"
#include "drivers/sib/port.h"
#include "drivers/sib/qp.h"
#include "drivers/sib/restrack.h"
#include "drivers/sib/send.h"
#include "drivers/sib/sib.h"
#include "drivers/sib/slot.h"
#include "drivers/sib/stats.h"
#include "soft/counter.h"
#include "soft/cq.h"
#include "soft/mr.h"
#include "soft/restrack.h"
#include "soft/sysfs.h"

static int query_device(struct ib_device *base, struct ib_device_attr *attr,
			struct ib_udata *udata)
{
	*attr = (struct ib_device_attr) {
		.sys_image_guid = cpu_to_be64(to_sib_dev(base)->node->system_guid),
		.max_mr_size = U64_MAX,
		.page_size_cap = PAGE_SIZE,
		.max_qp = SIB_MAX_QP,
		.max_qp_wr = SIB_MAX_QP_WR,
		.kernel_cap_flags = IBK_LOCAL_DMA_LKEY | IBK_ALLOW_USER_UNREG |
				    IBK_BLOCK_MULTICAST_LOOPBACK,
		.max_send_sge = SOFT_SGE_MAX,
		.max_recv_sge = SOFT_SGE_MAX,
		.max_sge_rd = SOFT_SGE_MAX,
		.max_cq = SIB_MAX_CQ,
		.max_cqe = SIB_MAX_CQE,
		.max_mr = SIB_MAX_MR,
		.max_pd = SIB_MAX_PD,
		.max_ah = SIB_MAX_AH,
		.max_mcast_grp = SIB_MAX_ATTACHED,
		.max_mcast_qp_attach = SIB_MAX_GROUP_QPS,
		.max_total_mcast_qp_attach = SIB_MAX_ATTACHED,
		.max_pkeys = SIB_PKEYS,
		.atomic_cap = IB_ATOMIC_NONE,
		.masked_atomic_cap = IB_ATOMIC_NONE,
		.vendor_id = SIB_VENDOR_ID,
		.vendor_part_id = SIB_DEVICE_ID,
	};
	return 0;
}

static void get_fw_str(struct ib_device *base, char *str)
{
	strscpy(str, KRDMA_VERSION, IB_FW_VERSION_NAME_MAX);
}

/* Describes the node by the name of the device, unless it has a description already. */
static int enable_driver(struct ib_device *base)
{
	struct sib_node *node = to_sib_dev(base)->node;

	mutex_lock(&node->mgmt);
	if (!node->desc[0])
		ib_device_name_get(base, node->desc);
	memcpy(base->node_desc, node->desc, sizeof(base->node_desc));
	mutex_unlock(&node->mgmt);
	return 0;
}

/* Frees all but the device's memory. The device may not have come as far as to have a CA. */
static void dealloc_driver(struct ib_device *base)
{
	struct sib_device *dev = to_sib_dev(base);

	if (dev->node && dev->fabric->net)
		sib_net_leave(dev);
	else if (dev->node)
		sib_fabric_detach(dev->node);
	WARN_ON(atomic_read(&dev->num_qp) || atomic_read(&dev->num_ah));
	WARN_ON(dev->num_attached);
	mutex_destroy(&dev->groups_lock);
	mutex_destroy(&dev->special_lock);
	xa_destroy(&dev->qps);
	soft_device_exit(&dev->soft);
}

static const struct ib_device_ops ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.device_group = &soft_device_group,

	.post_send = sib_post_send,
	.post_recv = sib_post_recv,
	.poll_cq = soft_poll_cq,
	.peek_cq = soft_peek_cq,
	.req_notify_cq = soft_req_notify_cq,
	.req_ncomp_notif = soft_req_ncomp_notif,

	.query_device = query_device,
	.modify_device = sib_modify_device,
	.get_dev_fw_str = get_fw_str,
	.query_port = sib_query_port,
	.modify_port = sib_modify_port,
	.get_port_immutable = sib_get_port_immutable,
	.get_link_layer = sib_get_link_layer,
	.query_gid = sib_query_gid,
	.query_pkey = sib_query_pkey,
	.process_mad = sib_process_mad,

	.alloc_pd = sib_alloc_pd,
	.dealloc_pd = sib_dealloc_pd,
	.create_ah = sib_create_ah,
	.modify_ah = sib_modify_ah,
	.query_ah = sib_query_ah,
	.destroy_ah = sib_destroy_ah,
	.create_qp = sib_create_qp,
	.modify_qp = sib_modify_qp,
	.query_qp = sib_query_qp,
	.destroy_qp = sib_destroy_qp,
	.attach_mcast = sib_attach_mcast,
	.detach_mcast = sib_detach_mcast,
	.create_cq = sib_create_cq,
	.modify_cq = soft_modify_cq,
	.destroy_cq = sib_destroy_cq,
	.resize_cq = soft_resize_cq,
	.get_dma_mr = soft_get_dma_mr,
	.dereg_mr = soft_dereg_mr,

	.alloc_hw_port_stats = soft_alloc_hw_port_stats,
	.get_hw_stats = soft_get_hw_stats,
	.counter_alloc_stats = soft_counter_alloc_stats,
	.counter_bind_qp = soft_counter_bind_qp,
	.counter_unbind_qp = soft_counter_unbind_qp,
	.counter_update_stats = soft_counter_update_stats,
	.counter_dealloc = soft_counter_dealloc,

	.fill_res_qp_entry = sib_fill_res_qp_entry,
	.fill_res_cq_entry = sib_fill_res_cq_entry,
	.fill_res_mr_entry = soft_fill_res_mr_entry,

	.enable_driver = enable_driver,
	.dealloc_driver = dealloc_driver,

	INIT_RDMA_OBJ_SIZE(ib_ah, sib_ah, base),
	INIT_RDMA_OBJ_SIZE(ib_cq, soft_cq, base),
	INIT_RDMA_OBJ_SIZE(ib_pd, sib_pd, base),
	INIT_RDMA_OBJ_SIZE(ib_qp, sib_qp, soft.base),
	INIT_RDMA_OBJ_SIZE(rdma_counter, soft_counter_set, base),
};

static const struct soft_provider provider = {
	.counters = sib_stat_descs,
	.num_counters = SIB_NUM_STATS,
	.num_qp_counters = SIB_NUM_QP_STATS,
	.cq_overflows = SIB_CQ_OVERFLOWS,
};

static struct sib_device *device_alloc(void)
{
	struct sib_device *dev = ib_alloc_device(sib_device, soft.base);

	if (!dev)
		return NULL;
	if (soft_device_init(&dev->soft, &provider)) {
		/* No operations are set yet, so this call does not lead to dealloc_driver(). */
		ib_dealloc_device(&dev->soft.base);
		return NULL;
	}
	xa_init_flags(&dev->qps, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_BH);
	mutex_init(&dev->special_lock);
	mutex_init(&dev->groups_lock);
	ib_set_device_ops(&dev->soft.base, &ops);
	return dev;
}

/*
 * Registers a device that is a node, in a network namespace that does not end meanwhile. Returns 0
 * or the errno of ib_register_device(), after which the caller deallocates the device.
 */
static int add_device(struct sib_device *dev, const char *name, struct net *net)
{
	struct ib_device *base = &dev->soft.base;

	base->link_ops = &sib_link_ops;
	base->node_type = RDMA_NODE_IB_CA;
	base->phys_port_cnt = dev->node->num_ports;
	base->num_comp_vectors = num_online_cpus();
	base->local_dma_lkey = SOFT_LOCAL_DMA_LKEY;
	base->node_guid = cpu_to_be64(dev->node->guid);
	krdma_device_set_net(base, net);
	return ib_register_device(base, name, NULL);
}

int sib_device_create(struct sib_slot *slot, const char *name, struct net *net)
{
	struct sib_device *dev = device_alloc();
	int err;

	if (!dev)
		return -ENOMEM;
	err = sib_slot_attach(slot, dev);
	if (!err)
		err = add_device(dev, name, net);
	if (err)
		ib_dealloc_device(&dev->soft.base);
	return err;
}

/*
 * Creates a CA on the default fabric of the namespace of @netdev, a loopback interface, and
 * registers it. Returns 0; -EOPNOTSUPP for another netdev; -EUSERS if the fabric has no room;
 * -ENOMEM; or the errno of ib_register_device(). May sleep.
 */
static int new_link(const char *name, struct net_device *netdev)
{
	struct sib_device *dev;
	int err;

	if (!(netdev->flags & IFF_LOOPBACK))
		return -EOPNOTSUPP;
	dev = device_alloc();
	if (!dev)
		return -ENOMEM;
	err = sib_net_join(dev_net(netdev), dev, name);
	if (!err)
		err = add_device(dev, name, dev_net(netdev));
	if (err)
		ib_dealloc_device(&dev->soft.base);
	return err;
}

struct rdma_link_ops sib_link_ops = {
	.type = "sib",
	.newlink = new_link,
};
