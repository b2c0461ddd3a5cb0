// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A provider whose verbs do nothing.
 */
#include <rdma/ib_sysfs.h>

#include "provider.h"

atomic_t ktp_deallocs;

static int query_device(struct ib_device *dev, struct ib_device_attr *attr, struct ib_udata *udata)
{
	if (!udata || udata->inlen || udata->outlen)
		return -EPROTO;
	attr->sys_image_guid = cpu_to_be64(0x0011223344556677ULL);
	return to_ktp(dev)->fail_query;
}

static int modify_device(struct ib_device *dev, int mask, struct ib_device_modify *modify)
{
	if (mask & IB_DEVICE_MODIFY_NODE_DESC)
		memcpy(dev->node_desc, modify->node_desc, sizeof(dev->node_desc));
	return 0;
}

static void get_dev_fw_str(struct ib_device *dev, char *str)
{
	strscpy(str, "1.2.3", IB_FW_VERSION_NAME_MAX);
}

static int query_port(struct ib_device *dev, u32 port, struct ib_port_attr *attr)
{
	attr->state = IB_PORT_ACTIVE;
	attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = IB_SPEED_SDR;
	attr->port_cap_flags = 0x10000;
	return 0;
}

static int get_port_immutable(struct ib_device *dev, u32 port, struct ib_port_immutable *immutable)
{
	struct ktp_device *ktp = to_ktp(dev);

	immutable->core_cap_flags = ktp->caps ?: RDMA_CORE_PORT_IWARP;
	if (immutable->core_cap_flags & RDMA_CORE_CAP_IB_MAD)
		immutable->max_mad_size = 256;
	return port == rdma_end_port(dev) ? ktp->fail_immutable : 0;
}

/* "port" has a flag that the core does not know. */
static const struct rdma_stat_desc descs[KTP_STATS] = {
	{ .name = "reads" },
	{ .name = "port", .flags = 0x80 },
	{ .name = "hidden", .flags = IB_STAT_FLAG_OPTIONAL },
};

static struct rdma_hw_stats *alloc_hw_device_stats(struct ib_device *dev)
{
	if (to_ktp(dev)->fail_device_stats)
		return NULL;
	return rdma_alloc_hw_stats_struct(descs, KTP_STATS, RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static struct rdma_hw_stats *alloc_hw_port_stats(struct ib_device *dev, u32 port)
{
	if (to_ktp(dev)->fail_port_stats && port == rdma_end_port(dev))
		return NULL;
	return rdma_alloc_hw_stats_struct(descs, KTP_STATS, RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static int get_hw_stats(struct ib_device *dev, struct rdma_hw_stats *stats, u32 port, int index)
{
	struct ktp_device *ktp = to_ktp(dev);

	if (ktp->fail_get_stats)
		return ktp->fail_get_stats;
	stats->value[0] = ++ktp->reads;
	stats->value[1] = port;
	return stats->num_counters;
}

static int enable_driver(struct ib_device *dev)
{
	to_ktp(dev)->enabled++;
	if (to_ktp(dev)->queue_in_enable)
		ib_unregister_device_queued(dev);
	return to_ktp(dev)->fail_enable;
}

static void dealloc_driver(struct ib_device *dev)
{
	atomic_inc(&ktp_deallocs);
}

static ssize_t hca_type_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "kt\n");
}
static DEVICE_ATTR_RO(hca_type);

static struct attribute *device_attrs[] = {
	&dev_attr_hca_type.attr,
	NULL
};

static const struct attribute_group device_group = {
	.attrs = device_attrs,
};

static ssize_t number_show(struct ib_device *dev, u32 port, struct ib_port_attribute *attr,
			   char *buf)
{
	return sysfs_emit(buf, "%u\n", port);
}
static IB_PORT_ATTR_RO(number);

static struct attribute *port_attrs[] = {
	&ib_port_attr_number.attr,
	NULL
};

static const struct attribute_group port_group = {
	.name = "kt",
	.attrs = port_attrs,
};

static const struct attribute_group *port_groups[] = {
	&port_group,
	NULL
};

static int alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	return -EOPNOTSUPP;
}

static int modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	return -EOPNOTSUPP;
}

static int destroy_qp(struct ib_qp *qp, struct ib_udata *udata)
{
	return 0;
}

static int post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
		     const struct ib_send_wr **bad_wr)
{
	return -EOPNOTSUPP;
}

static int post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
		     const struct ib_recv_wr **bad_wr)
{
	return -EOPNOTSUPP;
}

static int create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr, struct ib_udata *udata)
{
	return -EOPNOTSUPP;
}

static int destroy_cq(struct ib_cq *cq, struct ib_udata *udata)
{
	return 0;
}

static int poll_cq(struct ib_cq *cq, int num_entries, struct ib_wc *wc)
{
	return 0;
}

static int req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	return 0;
}

static struct ib_mr *get_dma_mr(struct ib_pd *pd, int access)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static int dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	return 0;
}

#define BARE_OPS								\
	.owner = THIS_MODULE,							\
	.driver_id = KTP_DRIVER,						\
	.alloc_pd = alloc_pd,							\
	.create_cq = create_cq,							\
	.create_qp = create_qp,							\
	.dealloc_pd = dealloc_pd,						\
	.dereg_mr = dereg_mr,							\
	.destroy_cq = destroy_cq,						\
	.destroy_qp = destroy_qp,						\
	.enable_driver = enable_driver,						\
	.get_dev_fw_str = get_dev_fw_str,					\
	.get_dma_mr = get_dma_mr,						\
	.get_port_immutable = get_port_immutable,				\
	.modify_device = modify_device,						\
	.modify_qp = modify_qp,							\
	.poll_cq = poll_cq,							\
	.post_recv = post_recv,							\
	.post_send = post_send,							\
	.query_device = query_device,						\
	.query_port = query_port,						\
	.req_notify_cq = req_notify_cq,						\
	.size_ib_cq = sizeof(struct ib_cq),					\
	.size_ib_pd = sizeof(struct ib_pd),					\
	.size_ib_qp = sizeof(struct ib_qp)

#define ALL_OPS									\
	BARE_OPS,								\
	.device_group = &device_group,						\
	.port_groups = port_groups,						\
	.alloc_hw_device_stats = alloc_hw_device_stats,				\
	.alloc_hw_port_stats = alloc_hw_port_stats,				\
	.get_hw_stats = get_hw_stats

const struct ib_device_ops ktp_bare_ops = {
	BARE_OPS,
};

const struct ib_device_ops ktp_ops = {
	ALL_OPS,
};

const struct ib_device_ops ktp_dealloc_ops = {
	ALL_OPS,
	.dealloc_driver = dealloc_driver,
};

struct ktp_device *ktp_alloc(const struct ib_device_ops *ops)
{
	struct ktp_device *ktp = ib_alloc_device(ktp_device, ibdev);

	if (!ktp)
		return NULL;
	ib_set_device_ops(&ktp->ibdev, ops);
	ktp->ibdev.node_type = RDMA_NODE_RNIC;
	ktp->ibdev.node_guid = cpu_to_be64(0x8899aabbccddeeffULL);
	ktp->ibdev.phys_port_cnt = 2;
	ktp->ibdev.num_comp_vectors = 1;
	strscpy(ktp->ibdev.node_desc, "kt", sizeof(ktp->ibdev.node_desc));
	return ktp;
}

struct ktp_device *ktp_create(struct ktap *t, const char *name, const struct ib_device_ops *ops)
{
	struct ktp_device *ktp = ktp_alloc(ops);
	int ret;

	if (!ktp) {
		ktap_fail(t, "no memory for a device");
		return NULL;
	}
	ret = ib_register_device(&ktp->ibdev, name, NULL);
	if (ret) {
		ktap_fail(t, "registering %s returned %d", name, ret);
		ib_dealloc_device(&ktp->ibdev);
		return NULL;
	}
	return ktp;
}

void ktp_destroy(struct ktp_device *ktp)
{
	if (!ktp)
		return;
	ib_unregister_device(&ktp->ibdev);
	ib_dealloc_device(&ktp->ibdev);
}
