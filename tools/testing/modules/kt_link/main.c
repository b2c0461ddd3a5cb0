// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Link type "fake" has devices without a data path, to test what netlink and sysfs report of
 * devices.
 *
 * A device has two ports: port 1 is up and uses the netdev, port 2 is down and has no netdev. A
 * loopback netdev can have any number of devices, an Ethernet netdev one device, and other netdevs
 * no device.
 *
 * Devices of link type "bare" are the same but without counters. Like hardware, they cannot be
 * deleted by users, and their CQs can be moderated.
 *
 * Devices of link type "user" can be opened by processes. Their ports have a speed and a LID that
 * the ABI of processes cannot express, need a global route in each address, and have GIDs that are
 * IP addresses.
 */
#include <linux/if_arp.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>
#include <rdma/krdma.h>
#include <rdma/rdma_netlink.h>

KRDMA_NEEDS_IB_CORE;

#define FAKE_DRIVER	RDMA_DRIVER_USNIC
#define FAKE_PORTS	2

static int enable_error;
module_param(enable_error, int, 0644);
MODULE_PARM_DESC(enable_error, "result of enable_driver()");

struct fake_device {
	struct ib_device ibdev;
	bool bare;
};

#define FAKE_COUNTERS	4

/*
 * The second one has a flag that the core does not know. No port has the last one: it is what an
 * index that is not checked would find.
 */
static const struct rdma_stat_desc fake_counters[FAKE_COUNTERS + 1] = {
	{ .name = "first" },
	{ .name = "second", .flags = 0x80 },
	{ .name = "extra", .flags = IB_STAT_FLAG_OPTIONAL },
	{ .name = "another", .flags = IB_STAT_FLAG_OPTIONAL },
	{ .name = "beyond", .flags = IB_STAT_FLAG_OPTIONAL },
};

static int fake_query_device(struct ib_device *device, struct ib_device_attr *attr,
			     struct ib_udata *udata)
{
	struct fake_device *fake = container_of(device, struct fake_device, ibdev);

	attr->sys_image_guid = cpu_to_be64(0x0123456789abcdefULL);
	attr->device_cap_flags = IB_DEVICE_MEM_MGT_EXTENSIONS | IB_DEVICE_RC_RNR_NAK_GEN;
	attr->kernel_cap_flags = fake->bare ? 0 : IBK_ALLOW_USER_UNREG;
	attr->max_qp = 1;
	attr->max_send_sge = 5;
	attr->max_recv_sge = 3;
	return 0;
}

static int fake_query_port(struct ib_device *device, u32 port, struct ib_port_attr *attr)
{
	attr->state = port == 1 ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->phys_state = port == 1 ? IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_DISABLED;
	/* The bits mean that the port supports CM and DEVICE_MGMT. */
	attr->port_cap_flags = BIT(16) | BIT(19);
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = IB_MTU_1024;
	attr->gid_tbl_len = 1;
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = IB_SPEED_SDR;
	attr->lid = 7 * port;
	return 0;
}

static int fake_get_port_immutable(struct ib_device *device, u32 port,
				   struct ib_port_immutable *immutable)
{
	immutable->gid_tbl_len = 1;
	immutable->core_cap_flags = RDMA_CORE_PORT_IWARP;
	return 0;
}

static void fake_get_fw(struct ib_device *device, char *str)
{
	strscpy(str, "1.2.3", IB_FW_VERSION_NAME_MAX);
}

static struct rdma_hw_stats *fake_alloc_stats(struct ib_device *device, u32 port)
{
	return rdma_alloc_hw_stats_struct(fake_counters, FAKE_COUNTERS,
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static int fake_get_stats(struct ib_device *device, struct rdma_hw_stats *stats, u32 port,
			  int index)
{
	int i;

	for (i = 0; i < stats->num_counters; i++)
		stats->value[i] = 1000 * port + i;
	return stats->num_counters;
}

static int fake_modify_stat(struct ib_device *device, u32 port, unsigned int index, bool enable)
{
	return 0;
}

static int fake_enable_driver(struct ib_device *device)
{
	return READ_ONCE(enable_error);
}

static void fake_dealloc_driver(struct ib_device *device)
{
}

static const struct ib_device_ops fake_ops = {
	.owner = THIS_MODULE,
	.driver_id = FAKE_DRIVER,
	.dealloc_driver = fake_dealloc_driver,
	.enable_driver = fake_enable_driver,
	.get_dev_fw_str = fake_get_fw,
	.get_port_immutable = fake_get_port_immutable,
	.query_device = fake_query_device,
	.query_port = fake_query_port,
};

static const struct ib_device_ops fake_counter_ops = {
	.alloc_hw_port_stats = fake_alloc_stats,
	.get_hw_stats = fake_get_stats,
	.modify_hw_stat = fake_modify_stat,
};

static int bare_modify_cq(struct ib_cq *cq, u16 count, u16 period)
{
	return 0;
}

static const struct ib_device_ops bare_ops = {
	.modify_cq = bare_modify_cq,
};

struct user_context {
	struct ib_ucontext base;
};

static int user_alloc_ucontext(struct ib_ucontext *context, struct ib_udata *udata)
{
	return 0;
}

static void user_dealloc_ucontext(struct ib_ucontext *context)
{
}

static int user_query_port(struct ib_device *device, u32 port, struct ib_port_attr *attr)
{
	int ret = fake_query_port(device, port, attr);

	attr->active_speed = 256;
	attr->ip_gids = true;
	/* The first extended LID of Omni-Path, and the last other one. */
	attr->lid = 0xc000;
	attr->sm_lid = 0xbfff;
	return ret;
}

static int user_get_port_immutable(struct ib_device *device, u32 port,
				   struct ib_port_immutable *immutable)
{
	immutable->gid_tbl_len = 1;
	immutable->core_cap_flags = RDMA_CORE_PORT_IWARP | RDMA_CORE_PORT_IB_GRH_REQUIRED |
				    RDMA_CORE_CAP_OPA_AH;
	return 0;
}

static const struct ib_device_ops user_ops = {
	.alloc_ucontext = user_alloc_ucontext,
	.dealloc_ucontext = user_dealloc_ucontext,
	.get_port_immutable = user_get_port_immutable,
	.query_port = user_query_port,

	INIT_RDMA_OBJ_SIZE(ib_ucontext, user_context, base),
};

static int check_netdev(struct net_device *ndev)
{
	struct ib_device *other;

	if (ndev->type == ARPHRD_LOOPBACK)
		return 0;
	if (ndev->type != ARPHRD_ETHER)
		return -EINVAL;
	other = ib_device_get_by_netdev(ndev, FAKE_DRIVER);
	if (!other)
		return 0;
	ib_device_put(other);
	return -EEXIST;
}

/*
 * Adds a device. @ops are the operations of its link type; where @ops has none, fake_ops applies.
 */
static int add_device(const char *name, struct net_device *ndev, const struct ib_device_ops *ops)
{
	struct fake_device *fake;
	int err;

	err = check_netdev(ndev);
	if (err)
		return err;
	fake = ib_alloc_device(fake_device, ibdev);
	if (!fake)
		return -ENOMEM;
	fake->ibdev.node_type = RDMA_NODE_RNIC;
	fake->ibdev.node_guid = cpu_to_be64(0x0200000000000001ULL);
	fake->ibdev.phys_port_cnt = FAKE_PORTS;
	fake->bare = ops == &bare_ops;
	ib_set_device_ops(&fake->ibdev, ops);
	ib_set_device_ops(&fake->ibdev, &fake_ops);
	err = ib_device_set_netdev(&fake->ibdev, ndev, 1);
	if (!err)
		err = ib_register_device(&fake->ibdev, name, NULL);
	if (err)
		ib_dealloc_device(&fake->ibdev);
	return err;
}

static int fake_newlink(const char *name, struct net_device *ndev)
{
	return add_device(name, ndev, &fake_counter_ops);
}

static int bare_newlink(const char *name, struct net_device *ndev)
{
	return add_device(name, ndev, &bare_ops);
}

static int user_newlink(const char *name, struct net_device *ndev)
{
	return add_device(name, ndev, &user_ops);
}

static struct rdma_link_ops fake_link = {
	.type = "fake",
	.newlink = fake_newlink,
};

static struct rdma_link_ops bare_link = {
	.type = "bare",
	.newlink = bare_newlink,
};

static struct rdma_link_ops user_link = {
	.type = "user",
	.newlink = user_newlink,
};

/*
 * Called when "DEVICE NETDEV" is written to the parameter: port 1 of the device uses the netdev
 * from now on. If NETDEV is missing or does not exist, port 1 uses no netdev.
 */
static int set_netdev(const char *value, const struct kernel_param *param)
{
	char name[IB_DEVICE_NAME_MAX], ndev_name[IFNAMSIZ] = "";
	struct net_device *ndev = NULL;
	struct ib_device *dev;
	int err;

	if (sscanf(value, "%63s %15s", name, ndev_name) < 1)
		return -EINVAL;
	dev = ib_device_get_by_name(name, FAKE_DRIVER);
	if (!dev)
		return -ENODEV;
	if (*ndev_name)
		ndev = dev_get_by_name(&init_net, ndev_name);
	err = ib_device_set_netdev(dev, ndev, 1);
	dev_put(ndev);
	ib_device_put(dev);
	return err;
}

static const struct kernel_param_ops netdev_ops = {
	.set = set_netdev,
};

module_param_cb(netdev, &netdev_ops, NULL, 0200);
MODULE_PARM_DESC(netdev, "write \"DEVICE NETDEV\" to put the device's port 1 on the netdev");

static int __init kt_link_init(void)
{
	rdma_link_register(&fake_link);
	rdma_link_register(&bare_link);
	rdma_link_register(&user_link);
	return 0;
}

static void __exit kt_link_exit(void)
{
	rdma_link_unregister(&user_link);
	rdma_link_unregister(&bare_link);
	rdma_link_unregister(&fake_link);
	ib_unregister_driver(FAKE_DRIVER);
}

module_init(kt_link_init);
module_exit(kt_link_exit);

MODULE_DESCRIPTION("RDMA link types without a data path, for tests of netlink and sysfs");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_ALIAS_RDMA_LINK("fake");
MODULE_ALIAS_RDMA_LINK("bare");
MODULE_ALIAS_RDMA_LINK("user");
