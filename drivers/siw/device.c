// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Devices: attributes, the table of operations, creation and release.
 */
#include <linux/rtnetlink.h>
#include <linux/sysfs.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>
#include <rdma/iw_cm.h>
#include <rdma/krdma.h>
#include <rdma/rdma_netlink.h>
#include <trace/events/siw.h>
#include <uapi/rdma/siw-abi.h>

#include "drivers/siw/device.h"
#include "drivers/siw/base/guid.h"
#include "drivers/siw/base/port.h"
#include "drivers/siw/base/settings.h"
#include "drivers/siw/base/siw.h"
#include "drivers/siw/base/stats.h"
#include "drivers/siw/base/sysfs.h"
#include "drivers/siw/conn/cep.h"
#include "drivers/siw/conn/cm.h"
#include "drivers/siw/conn/listen.h"
#include "drivers/siw/post.h"
#include "drivers/siw/qp.h"
#include "drivers/siw/queue/cq.h"
#include "drivers/siw/queue/qp_state.h"
#include "drivers/siw/queue/srq.h"
#include "drivers/siw/queue/user.h"
#include "drivers/siw/queue/user_cq.h"
#include "drivers/siw/restrack.h"
#include "soft/counter.h"
#include "soft/cq.h"
#include "soft/fmr.h"
#include "soft/mr.h"
#include "soft/mr_pi.h"
#include "soft/mw.h"
#include "soft/restrack.h"
#include "soft/srq.h"
#include "soft/sysfs.h"
#include "soft/user_mr.h"

/* Vendor ID by which libraries recognise siw. */
#define SIW_VENDOR_ID	0x626d74

static int query_device(struct ib_device *base, struct ib_device_attr *attr,
			struct ib_udata *udata)
{
	bool for_process = attr != &base->attrs;
	u32 major, minor, patch;

	*attr = (struct ib_device_attr) {
		.sys_image_guid = base->node_guid,
		.max_mr_size = SIW_MAX_MR_SIZE,
		.page_size_cap = PAGE_SIZE,
		.max_qp = SIW_MAX_QP,
		.max_qp_wr = SIW_MAX_QP_WR,
		.device_cap_flags = IB_DEVICE_MEM_MGT_EXTENSIONS | IB_DEVICE_SRQ_RESIZE |
				    IB_DEVICE_MEM_WINDOW | IB_DEVICE_MEM_WINDOW_TYPE_2B,
		.kernel_cap_flags = IBK_LOCAL_DMA_LKEY | IBK_ALLOW_USER_UNREG |
				    IBK_READ_LOCAL_SINK | IBK_SG_GAPS_REG | IBK_INTEGRITY_HANDOVER,
		.max_send_sge = SOFT_SGE_MAX,
		.max_recv_sge = SOFT_SGE_MAX,
		.max_sge_rd = SOFT_SGE_MAX,
		.max_cq = SIW_MAX_CQ,
		.max_cqe = SIW_MAX_CQE,
		.max_srq = SIW_MAX_SRQ,
		.max_srq_wr = SIW_MAX_SRQ_WR,
		.max_srq_sge = SOFT_SGE_MAX,
		.max_mr = SIW_MAX_MR,
		.max_mw = SIW_MAX_MW,
		.max_pd = SIW_MAX_PD,
		.max_qp_rd_atom = SIW_MAX_IRD,
		.max_qp_init_rd_atom = SIW_MAX_ORD,
		.max_res_rd_atom = SIW_MAX_QP * SIW_MAX_IRD,
		.atomic_cap = IB_ATOMIC_HCA,
		.masked_atomic_cap = IB_ATOMIC_HCA,
		.max_fast_reg_page_list_len = SIW_MAX_PAGE_LIST,
		.cq_caps.max_cq_moderation_count = U16_MAX,
		.cq_caps.max_cq_moderation_period = U16_MAX,
		.max_pi_fast_reg_page_list_len = SIW_MAX_PAGE_LIST,
		.sig_prot_cap = IB_PROT_T10DIF_TYPE_1 | IB_PROT_T10DIF_TYPE_2 |
				IB_PROT_T10DIF_TYPE_3,
		.sig_guard_cap = IB_GUARD_T10DIF_CRC | IB_GUARD_T10DIF_CSUM,
		.vendor_id = SIW_VENDOR_ID,
		.vendor_part_id = base->index,
	};
	if (for_process) {
		/*
		 * The ABI has no atomic operations. The ring of an SRQ cannot be replaced, because
		 * the process has mapped it. libsiw has no functions for memory windows, and an
		 * application that is told of windows would take them for usable.
		 */
		attr->atomic_cap = IB_ATOMIC_NONE;
		attr->masked_atomic_cap = IB_ATOMIC_NONE;
		attr->max_mw = 0;
		attr->device_cap_flags &= ~(IB_DEVICE_SRQ_RESIZE | IB_DEVICE_MEM_WINDOW |
					    IB_DEVICE_MEM_WINDOW_TYPE_2B);
	}
	/* libsiw expects this encoding of the version. */
	if (sscanf(KRDMA_VERSION, "%u.%u.%u", &major, &minor, &patch) == 3)
		attr->fw_ver = (u64)major << 32 | minor << 16 | patch;
	return 0;
}

static void get_fw_str(struct ib_device *base, char *str)
{
	strscpy(str, KRDMA_VERSION, IB_FW_VERSION_NAME_MAX);
}

static int alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	struct siw_device *dev = to_siw_dev(pd->device);

	if (atomic_inc_return(&dev->num_pd) <= pd->device->attrs.max_pd)
		return 0;
	atomic_dec(&dev->num_pd);
	return -ENOMEM;
}

static int dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	atomic_dec(&to_siw_dev(pd->device)->num_pd);
	return 0;
}

/*
 * Creates the settings directory in the device's directory in sysfs. If the files exist already,
 * the device has moved to another network namespace, and the files are given to the owner of that
 * namespace. The core removes the files with the device's directory. The views of the device in
 * other namespaces have no settings.
 */
static int add_settings(struct siw_device *dev)
{
	struct device *device = &dev->soft.base.dev;
	kuid_t uid = GLOBAL_ROOT_UID;
	kgid_t gid = GLOBAL_ROOT_GID;
	int err;

	if (dev->has_files) {
		device->class->get_ownership(device, &uid, &gid);
		return sysfs_group_change_owner(&device->kobj, &siw_settings_group, uid, gid);
	}
	err = sysfs_create_group(&device->kobj, &siw_settings_group);
	dev->has_files = !err;
	return err;
}

/*
 * Prepares a device for use: called by the core when it registers the device, and after it has
 * moved the device to another network namespace. From then on, netdev_event() finds the device.
 */
static int enable_driver(struct ib_device *base)
{
	struct siw_device *dev = to_siw_dev(base);
	int err = -ENODEV;

	rtnl_lock();
	/*
	 * Fail if netdev_event() would have unregistered the device, but could not find it yet: if
	 * the netdev was unregistered; or if namespaces share devices, and the netdev was moved to
	 * another namespace.
	 */
	if (dev->netdev->reg_state != NETREG_REGISTERED ||
	    (rdma_netns_is_shared() && !net_eq(dev_net(dev->netdev), rdma_dev_net(base))))
		goto unlock;
	dev->link_up = siw_link_is_up(dev);
	err = add_settings(dev);
unlock:
	rtnl_unlock();
	return err;
}

static void dealloc_driver(struct ib_device *base)
{
	struct siw_device *dev = to_siw_dev(base);

	siw_cm_device_exit(dev);
	siw_guid_drop(dev);
	WARN_ON(atomic_read(&dev->num_qp));
	xa_destroy(&dev->qps);
	soft_device_exit(&dev->soft);
	netdev_put(dev->netdev, &dev->netdev_tracker);
}

static const struct ib_device_ops ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_SIW,
	.uverbs_abi_ver = SIW_ABI_VERSION,
	.device_group = &soft_device_group,
	.port_groups = siw_port_groups,

	.post_send = siw_post_send,
	.post_recv = siw_post_recv,
	.post_srq_recv = soft_post_srq_recv,
	.poll_cq = soft_poll_cq,
	.peek_cq = soft_peek_cq,
	.req_notify_cq = soft_req_notify_cq,
	.req_ncomp_notif = soft_req_ncomp_notif,

	.query_device = query_device,
	.get_dev_fw_str = get_fw_str,
	.query_port = siw_query_port,
	.get_port_immutable = siw_get_port_immutable,
	.get_link_layer = siw_get_link_layer,
	.query_gid = siw_query_gid,

	.alloc_ucontext = siw_alloc_ucontext,
	.dealloc_ucontext = siw_dealloc_ucontext,
	.mmap_free = siw_mmap_free,

	.alloc_pd = alloc_pd,
	.dealloc_pd = dealloc_pd,
	.create_qp = siw_create_qp,
	.modify_qp = siw_modify_qp,
	.query_qp = siw_query_qp,
	.destroy_qp = siw_destroy_qp,
	.create_srq = siw_create_srq,
	.modify_srq = siw_modify_srq,
	.query_srq = soft_query_srq,
	.destroy_srq = siw_destroy_srq,
	.create_cq = siw_create_cq,
	.modify_cq = soft_modify_cq,
	.destroy_cq = siw_destroy_cq,
	.resize_cq = soft_resize_cq,
	.get_dma_mr = soft_get_dma_mr,
	.alloc_mr = soft_alloc_mr,
	.reg_user_mr = siw_reg_user_mr,
	.rereg_user_mr = soft_rereg_user_mr,
	.map_mr_sg = soft_map_mr_sg,
	.alloc_mr_integrity = soft_alloc_mr_integrity,
	.map_mr_sg_pi = soft_map_mr_sg_pi,
	.check_mr_status = soft_check_mr_status,
	.dereg_mr = soft_dereg_mr,
	.alloc_mw = soft_alloc_mw,
	.dealloc_mw = soft_dealloc_mw,
	.alloc_fmr = soft_alloc_fmr,
	.map_phys_fmr = soft_map_phys_fmr,
	.unmap_fmr = soft_unmap_fmr,
	.dealloc_fmr = soft_dealloc_fmr,

	.alloc_hw_port_stats = soft_alloc_hw_port_stats,
	.get_hw_stats = soft_get_hw_stats,

	.counter_alloc_stats = soft_counter_alloc_stats,
	.counter_bind_qp = soft_counter_bind_qp,
	.counter_unbind_qp = soft_counter_unbind_qp,
	.counter_update_stats = soft_counter_update_stats,
	.counter_dealloc = soft_counter_dealloc,

	.fill_res_qp_entry = siw_fill_res_qp_entry,
	.fill_res_cq_entry = siw_fill_res_cq_entry,
	.fill_res_mr_entry = soft_fill_res_mr_entry,

	.enable_driver = enable_driver,
	.dealloc_driver = dealloc_driver,

	.iw_add_ref = siw_iw_add_ref,
	.iw_rem_ref = siw_iw_rem_ref,
	.iw_get_qp = siw_iw_get_qp,
	.iw_connect = siw_connect,
	.iw_accept = siw_accept,
	.iw_reject = siw_reject,
	.iw_reject_data = siw_reject_data,
	.iw_create_listen = siw_create_listen,
	.iw_destroy_listen = siw_destroy_listen,

	INIT_RDMA_OBJ_SIZE(ib_cq, siw_cq, soft.base),
	INIT_RDMA_OBJ_SIZE(ib_mw, soft_mw, base),
	INIT_RDMA_OBJ_SIZE(ib_pd, siw_pd, base),
	INIT_RDMA_OBJ_SIZE(ib_qp, siw_qp, soft.base),
	INIT_RDMA_OBJ_SIZE(ib_srq, siw_srq, soft.base),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, siw_ucontext, base),
	INIT_RDMA_OBJ_SIZE(rdma_counter, soft_counter_set, base),
};

static const struct soft_provider provider = {
	.counters = siw_counter_descs,
	.num_counters = SIW_NUM_COUNTERS,
	.num_qp_counters = SIW_NUM_QP_COUNTERS,
	.cq_overflows = SIW_CQ_OVERFLOWS,
	.user_cq_add = siw_user_cq_add,
	.traced_post = trace_siw_post,
	.traced_flush = trace_siw_flush,
	.traced_complete = trace_siw_complete,
};

static struct siw_device *device_alloc(struct net_device *netdev)
{
	struct siw_device *dev;

	dev = ib_alloc_device(siw_device, soft.base);
	if (!dev)
		return NULL;
	if (soft_device_init(&dev->soft, &provider)) {
		/* No operations are set yet, so this call does not lead to dealloc_driver(). */
		ib_dealloc_device(&dev->soft.base);
		return NULL;
	}
	dev->netdev = netdev;
	netdev_hold(netdev, &dev->netdev_tracker, GFP_KERNEL);
	siw_settings_init(&dev->settings);
	siw_port_replace_init(&dev->port_replace);
	xa_init_flags(&dev->qps, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_BH);
	INIT_LIST_HEAD(&dev->guid_entry);
	spin_lock_init(&dev->cm_lock);
	INIT_LIST_HEAD(&dev->ceps);
	INIT_LIST_HEAD(&dev->refused);
	INIT_LIST_HEAD(&dev->closing);
	init_waitqueue_head(&dev->cm_idle);
	spin_lock_init(&dev->backlog_lock);
	INIT_LIST_HEAD(&dev->backlogs);
	return dev;
}

static int add_device_locked(const char *name, struct net_device *netdev)
{
	struct ib_device *base, *other;
	struct siw_device *dev;
	int err;

	other = ib_device_get_by_netdev(netdev, RDMA_DRIVER_SIW);
	if (other) {
		ib_device_put(other);
		return -EEXIST;
	}
	dev = device_alloc(netdev);
	if (!dev)
		return -ENOMEM;
	base = &dev->soft.base;
	ib_set_device_ops(base, &ops);
	base->link_ops = &siw_link_ops;
	base->node_type = RDMA_NODE_RNIC;
	base->phys_port_cnt = 1;
	base->num_comp_vectors = num_online_cpus();
	base->local_dma_lkey = SOFT_LOCAL_DMA_LKEY;
	/* Processes ring the doorbell of their send queue with this command. */
	base->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND);
	siw_guid_take(dev);
	base->dev.parent = netdev->dev.parent;
	base->iw_driver_flags = IW_F_HOST_TCP | IW_F_NO_PORT_MAPPER;
	strscpy(base->iw_ifname, netdev_name(netdev), sizeof(base->iw_ifname));
	strscpy(base->node_desc, "siw: soft-iWARP over TCP", sizeof(base->node_desc));
	err = ib_device_set_netdev(base, netdev, 1);
	if (!err)
		err = ib_register_device(base, name, NULL);
	if (err)
		ib_dealloc_device(base);
	return err;
}

/*
 * Creates and registers a device for @netdev, which may be down and without an address. @name: the
 * core replaces a %d in it by a number. Returns 0; -EEXIST if the netdev has a siw device already;
 * -ENOMEM if memory is short; or the errno of ib_device_set_netdev() or ib_register_device().
 * Called without RTNL. May sleep.
 */
static int add_device(const char *name, struct net_device *netdev)
{
	/* Serialises creation, so that no netdev gets two devices. */
	static DEFINE_MUTEX(add_mutex);
	int err;

	mutex_lock(&add_mutex);
	err = add_device_locked(name, netdev);
	mutex_unlock(&add_mutex);
	return err;
}

struct rdma_link_ops siw_link_ops = {
	.type = "siw",
	.newlink = add_device,
};
