// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_gid.ko: tests of GID and P_Key tables. With the parameter "netdev=", the module runs no tests
 * but keeps a device ktg0 on that network interface, for selftests/rdma/core/gids.sh. With "leak"
 * in addition, the module takes a reference to the device's first GID and puts it only after the
 * device has been unregistered.
 */
#include <linux/delay.h>
#include <linux/netdevice.h>
#include <rdma/krdma.h>

#include "kt_gid.h"

KRDMA_NEEDS_IB_CORE;

static char *netdev;
module_param(netdev, charp, 0444);
MODULE_PARM_DESC(netdev, "network interface to keep a RoCE device on, instead of tests");

static bool leak;
module_param(leak, bool, 0444);
MODULE_PARM_DESC(leak, "put a reference to the device's first GID only after its unregistration");

static int query_device(struct ib_device *dev, struct ib_device_attr *attr, struct ib_udata *udata)
{
	return 0;
}

static int query_port(struct ib_device *dev, u32 port, struct ib_port_attr *attr)
{
	*attr = to_ktg(dev)->attr;
	return 0;
}

static int get_port_immutable(struct ib_device *dev, u32 port, struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = to_ktg(dev)->caps;
	immutable->gid_tbl_len = to_ktg(dev)->gid_tbl_len;
	immutable->pkey_tbl_len = KTG_PKEYS;
	immutable->max_mad_size = 256;
	return 0;
}

static enum rdma_link_layer get_link_layer(struct ib_device *dev, u32 port)
{
	return to_ktg(dev)->caps & RDMA_CORE_CAP_PROT_IB ? IB_LINK_LAYER_INFINIBAND :
							   IB_LINK_LAYER_ETHERNET;
}

static int query_gid(struct ib_device *dev, u32 port, int index, union ib_gid *gid)
{
	*gid = to_ktg(dev)->gids[port][index];
	return to_ktg(dev)->fail_gid;
}

static int query_pkey(struct ib_device *dev, u32 port, u16 index, u16 *pkey)
{
	if (index >= KTG_PKEYS)
		return -EINVAL;
	*pkey = to_ktg(dev)->pkeys[port][index];
	return to_ktg(dev)->fail_pkey;
}

/*
 * Adds the GID to @gids, the device's own table. Increases @wrong for each call that must not
 * happen.
 */
static int add_gid(const struct ib_gid_attr *attr, void **context)
{
	struct ktg_device *ktg = to_ktg(attr->device);
	union ib_gid *slot = &ktg->gids[attr->port_num][attr->index];

	if (ktg->fail_add)
		return ktg->fail_add;
	if (attr->index >= ktg->gid_tbl_len || !rdma_is_zero_gid(slot) || *context ||
	    !rcu_access_pointer(attr->ndev))
		atomic_inc(&ktg->wrong);
	*slot = attr->gid;
	*context = slot;
	atomic_inc(&ktg->held);
	return 0;
}

static int del_gid(const struct ib_gid_attr *attr, void **context)
{
	struct ktg_device *ktg = to_ktg(attr->device);
	union ib_gid *slot = &ktg->gids[attr->port_num][attr->index];

	if (*context != slot || memcmp(slot, &attr->gid, sizeof(*slot)))
		atomic_inc(&ktg->wrong);
	memset(slot, 0, sizeof(*slot));
	atomic_dec(&ktg->held);
	return 0;
}

static ssize_t show_text(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "ktg\n");
}

static ssize_t show_zero(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0\n");
}

static struct device_attribute hca_type = __ATTR(hca_type, 0444, show_text, NULL);
static struct device_attribute board_id = __ATTR(board_id, 0444, show_text, NULL);
static struct device_attribute hw_rev = __ATTR(hw_rev, 0444, show_zero, NULL);

static struct attribute *device_attrs[] = {
	&hca_type.attr,
	&board_id.attr,
	&hw_rev.attr,
	NULL
};

static const struct attribute_group device_group = {
	.attrs = device_attrs,
};

/* The directory "counters" of each port has no files. */
static struct attribute *no_attrs[] = {
	NULL
};

static const struct attribute_group counters_group = {
	.name = "counters",
	.attrs = no_attrs,
};

static const struct attribute_group *port_groups[] = {
	&counters_group,
	NULL
};

static const struct ib_device_ops ktg_ops = {
	.owner = THIS_MODULE,
	.driver_id = (enum rdma_driver_id)1001,
	.device_group = &device_group,
	.port_groups = port_groups,
	.add_gid = add_gid,
	.del_gid = del_gid,
	.get_link_layer = get_link_layer,
	.get_port_immutable = get_port_immutable,
	.query_device = query_device,
	.query_gid = query_gid,
	.query_pkey = query_pkey,
	.query_port = query_port,
};

/*
 * Reads the first GID in the event handler, so that tests can check that the core has changed the
 * table before it delivers the event.
 */
static void count_gid_change(struct ib_event_handler *handler, struct ib_event *event)
{
	struct ktg_device *ktg = container_of(handler, struct ktg_device, handler);

	if (event->event != IB_EVENT_GID_CHANGE || event->element.port_num != 1)
		return;
	if (rdma_query_gid(&ktg->ibdev, 1, 0, &ktg->seen))
		memset(&ktg->seen, 0, sizeof(ktg->seen));
	atomic_inc(&ktg->events);
}

static void fill_pkeys(struct ktg_device *ktg)
{
	static const u16 pkeys[KTG_PKEYS] = { 0xffff, 0x0001, 0x8001, 0x0002 };
	u32 port;

	for (port = 1; port <= 2; port++)
		memcpy(ktg->pkeys[port], pkeys, sizeof(pkeys));
}

struct ktg_device *ktg_alloc(u32 caps)
{
	struct ktg_device *ktg = ib_alloc_device(ktg_device, ibdev);

	if (!ktg)
		return NULL;
	ib_set_device_ops(&ktg->ibdev, &ktg_ops);
	ktg->ibdev.node_type = RDMA_NODE_IB_CA;
	ktg->ibdev.phys_port_cnt = 2;
	ktg->caps = caps;
	ktg->gid_tbl_len = KTG_GIDS;
	ktg->attr.state = IB_PORT_ACTIVE;
	ktg->attr.phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	ktg->attr.active_width = IB_WIDTH_4X;
	ktg->attr.active_speed = IB_SPEED_SDR;
	ktg->attr.lmc = 3;
	fill_pkeys(ktg);
	INIT_IB_EVENT_HANDLER(&ktg->handler, &ktg->ibdev, count_gid_change);
	ib_register_event_handler(&ktg->handler);
	return ktg;
}

int ktg_register(struct ktg_device *ktg)
{
	return ib_register_device(&ktg->ibdev, "ktg%d", NULL);
}

static struct ktg_device *make(u32 caps, struct net_device *ndev)
{
	struct ktg_device *ktg = ktg_alloc(caps);
	int ret;

	if (!ktg)
		return ERR_PTR(-ENOMEM);
	ret = ib_device_set_netdev(&ktg->ibdev, ndev, 1);
	if (!ret)
		ret = ktg_register(ktg);
	if (!ret)
		return ktg;
	ib_dealloc_device(&ktg->ibdev);
	return ERR_PTR(ret);
}

struct ktg_device *ktg_create(struct ktap *t, u32 caps, struct net_device *ndev)
{
	struct ktg_device *ktg = make(caps, ndev);

	if (KT_EXPECT_EQ(t, PTR_ERR_OR_ZERO(ktg), 0))
		return ktg;
	return NULL;
}

void ktg_destroy(struct ktg_device *ktg)
{
	ib_unregister_device(&ktg->ibdev);
	ib_dealloc_device(&ktg->ibdev);
}

void ktg_dispatch(struct ktg_device *ktg, enum ib_event_type type)
{
	struct ib_event event = {
		.device = &ktg->ibdev,
		.element.port_num = 1,
		.event = type,
	};

	ib_dispatch_event(&event);
	flush_work(&ktg->ibdev.event_work);
}

static const struct ktap_suite * const suites[] = {
	&kt_gid_ib_suite,
	&kt_gid_roce_suite,
	&kt_gid_upper_suite,
};

static struct ktap *report;
static struct ktg_device *kept;
static const struct ib_gid_attr *leaked;

/* Drops the device's network interface when the interface is unregistered, as a provider must. */
static int handle_netdev_event(struct notifier_block *nb, unsigned long event, void *info)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(info);

	if (event == NETDEV_UNREGISTER && !strcmp(ndev->name, netdev))
		ib_device_set_netdev(&kept->ibdev, NULL, 1);
	return NOTIFY_DONE;
}

static struct notifier_block netdev_notifier = {
	.notifier_call = handle_netdev_event,
};

static int keep_device(void)
{
	struct net_device *ndev = dev_get_by_name(&init_net, netdev);
	int ret;

	if (!ndev)
		return -ENODEV;
	kept = make(RDMA_CORE_PORT_IBA_ROCE | RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP, ndev);
	dev_put(ndev);
	if (IS_ERR(kept))
		return PTR_ERR(kept);
	ret = register_netdevice_notifier(&netdev_notifier);
	if (ret)
		ktg_destroy(kept);
	else if (leak)
		leaked = rdma_get_gid_attr(&kept->ibdev, 1, 0);
	return ret;
}

static void drop_device(void)
{
	unregister_netdevice_notifier(&netdev_notifier);
	ktg_destroy(kept);
	if (!IS_ERR_OR_NULL(leaked))
		rdma_put_gid_attr(leaked);
}

static int __init kt_gid_init(void)
{
	if (netdev)
		return keep_device();
	report = ktap_run(KBUILD_MODNAME, suites, ARRAY_SIZE(suites));
	return PTR_ERR_OR_ZERO(report);
}
module_init(kt_gid_init);

static void __exit kt_gid_exit(void)
{
	if (report)
		ktap_free(report);
	if (kept)
		drop_device();
}
module_exit(kt_gid_exit);

MODULE_DESCRIPTION("krdma in-kernel tests: GID and P_Key tables");
MODULE_LICENSE("Dual BSD/GPL");
