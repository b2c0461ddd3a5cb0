// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_umad.ko: devices of memdev for processes that send MADs, made and removed by writing to the
 * module's parameters:
 *
 *	add	NAME KIND NUMBER: a device of the kind "ca", with NUMBER ports, or "switch"; or a
 *		device of the kind "roce", on the network interface dmNUMBER; or one with NUMBER
 *		ports of the kind "partial", whose last port has no MADs, or of the kind "userns",
 *		as if the owner of a user namespace had made it
 *	remove	NAME
 *	link	NAME PORT NAME PORT: links two ports
 *	lose	class of the MADs that are lost; 0: none
 *	send_error	status with which all sends complete; 0: each with its own
 *	modify_error	errno with which ib_modify_port() fails; 0: it succeeds
 *
 * In contrast to memdev's, these devices have a capability mask, and their completions of receives
 * have a flag for IPoIB, as those of some adapters.
 */
#include <linux/cred.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/user_namespace.h>
#include <rdma/ib_mad.h>
#include <rdma/krdma.h>

#include "../memdev/memdev.h"

KRDMA_NEEDS_IB_CORE;

#define MAX_DEVICES	8
#define MAX_PORT	4

/**
 * struct made_device - a device
 * @name: its name; empty: there is none
 * @fd: the device
 * @capabilities: of each port
 */
struct made_device {
	char name[IB_DEVICE_NAME_MAX];
	struct fakedev *fd;
	u32 capabilities[MAX_PORT + 1];
};

static struct made_device made[MAX_DEVICES];
static DEFINE_MUTEX(made_lock); /* protects names and devices in @made */
static int (*memdev_query_port)(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr);
static int (*memdev_poll_cq)(struct ib_cq *cq, int num_entries, struct ib_wc *wc);

static unsigned int lose;
static int send_error;
module_param(send_error, int, 0644);
MODULE_PARM_DESC(send_error, "status of all sends");
static int modify_error;
module_param(modify_error, int, 0644);
MODULE_PARM_DESC(modify_error, "errno of ib_modify_port()");

static struct made_device *find_made(const char *name)
{
	int i;

	for (i = 0; i < MAX_DEVICES; i++)
		if (!strcmp(made[i].name, name))
			return &made[i];
	return NULL;
}

static u32 *capabilities_of(struct ib_device *ibdev, u32 port)
{
	int i;

	for (i = 0; i < MAX_DEVICES; i++)
		if (made[i].fd && &made[i].fd->ibdev == ibdev)
			return &made[i].capabilities[port];
	return NULL;
}

static int query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr)
{
	u32 *capabilities = capabilities_of(ibdev, port);
	int ret = memdev_query_port(ibdev, port, attr);

	if (!ret && capabilities)
		attr->port_cap_flags |= *capabilities;
	return ret;
}

static int modify_port(struct ib_device *ibdev, u32 port, int mask, struct ib_port_modify *modify)
{
	u32 *capabilities = capabilities_of(ibdev, port);

	if (modify_error || mask || !capabilities)
		return modify_error ? -abs(modify_error) : -EINVAL;
	*capabilities |= modify->set_port_cap_mask;
	*capabilities &= ~modify->clr_port_cap_mask;
	return 0;
}

static int poll_cq(struct ib_cq *cq, int num_entries, struct ib_wc *wc)
{
	int got = memdev_poll_cq(cq, num_entries, wc), i;
	int status = READ_ONCE(send_error);

	for (i = 0; i < got; i++) {
		if (wc[i].opcode == IB_WC_RECV)
			wc[i].wc_flags |= IB_WC_IP_CSUM_OK;
		else if (status)
			wc[i].status = status;
	}
	return got;
}

static void take_mads_of_last_port(struct fakedev *fd)
{
	u32 last = rdma_end_port(&fd->ibdev);

	fd->ibdev.port_data[last].immutable.core_cap_flags &= ~RDMA_CORE_CAP_IB_MAD;
}

/* The core drops the reference when it frees the device. */
static void be_of_user_namespace(struct fakedev *fd)
{
	fd->ibdev.maker_ns = get_user_ns(current_user_ns());
}

static int make_device(const char *name, const char *kind, u32 number)
{
	struct memdev_config config = { .name = name, .node_type = RDMA_NODE_IB_CA };
	struct made_device *device = find_made("");
	char ndev[IFNAMSIZ];
	int ret = 0;

	if (!device || find_made(name) || number > MAX_PORT)
		return -EEXIST;
	if (!strcmp(kind, "roce")) {
		snprintf(ndev, sizeof(ndev), "dm%u", number);
		config.ndev = dev_get_by_name(&init_net, ndev);
		if (!config.ndev)
			return -ENODEV;
	} else if (!strcmp(kind, "switch")) {
		config.node_type = RDMA_NODE_IB_SWITCH;
	} else {
		config.nr_ports = number;
		if (!strcmp(kind, "partial"))
			config.prepare = take_mads_of_last_port;
		else if (!strcmp(kind, "userns"))
			config.prepare = be_of_user_namespace;
	}
	memset(device->capabilities, 0, sizeof(device->capabilities));
	device->fd = memdev_create(&config);
	dev_put(config.ndev);
	if (IS_ERR(device->fd)) {
		ret = PTR_ERR(device->fd);
		device->fd = NULL;
		return ret;
	}
	strscpy(device->name, name, sizeof(device->name));
	memdev_query_port = device->fd->ibdev.ops.query_port;
	device->fd->ibdev.ops.query_port = query_port;
	device->fd->ibdev.ops.modify_port = modify_port;
	memdev_poll_cq = device->fd->ibdev.ops.poll_cq;
	device->fd->ibdev.ops.poll_cq = poll_cq;
	return 0;
}

/* Lets the device have its port query until it is gone, because clients may still call it. */
static void destroy_device(struct made_device *device)
{
	memdev_destroy(device->fd);
	device->fd = NULL;
	device->name[0] = '\0';
}

static int set_add(const char *value, const struct kernel_param *param)
{
	char name[32], kind[32];
	u32 number;
	int ret = -EINVAL;

	if (sscanf(value, "%31s %31s %u", name, kind, &number) != 3)
		return ret;
	mutex_lock(&made_lock);
	ret = make_device(name, kind, number);
	mutex_unlock(&made_lock);
	return ret;
}

static int set_remove(const char *value, const struct kernel_param *param)
{
	struct made_device *device = NULL;
	char name[32];

	if (sscanf(value, "%31s", name) != 1)
		return -EINVAL;
	mutex_lock(&made_lock);
	device = find_made(name);
	if (device)
		destroy_device(device);
	mutex_unlock(&made_lock);
	return device ? 0 : -ENODEV;
}

static int set_link(const char *value, const struct kernel_param *param)
{
	struct made_device *a, *b;
	char names[2][32];
	u32 ports[2];
	int ret = -ENODEV;

	if (sscanf(value, "%31s %u %31s %u", names[0], &ports[0], names[1], &ports[1]) != 4 ||
	    ports[0] > MAX_PORT || ports[1] > MAX_PORT)
		return -EINVAL;
	mutex_lock(&made_lock);
	a = find_made(names[0]);
	b = find_made(names[1]);
	if (a && b) {
		memdev_link(&a->fd->ibdev, ports[0], &b->fd->ibdev, ports[1]);
		ret = 0;
	}
	mutex_unlock(&made_lock);
	return ret;
}

static bool is_lost(void *context, const u8 *data, u32 length)
{
	return length >= IB_MGMT_MAD_HDR &&
	       ((const struct ib_mad_hdr *)data)->mgmt_class == READ_ONCE(lose);
}

static int set_lose(const char *value, const struct kernel_param *param)
{
	int ret = param_set_uint(value, param);

	if (!ret)
		memdev_lose(lose ? is_lost : NULL, NULL);
	return ret;
}

static const struct kernel_param_ops add_ops = { .set = set_add };
static const struct kernel_param_ops remove_ops = { .set = set_remove };
static const struct kernel_param_ops link_ops = { .set = set_link };
static const struct kernel_param_ops lose_ops = { .set = set_lose, .get = param_get_uint };

module_param_cb(add, &add_ops, NULL, 0200);
MODULE_PARM_DESC(add, "makes a device");
module_param_cb(remove, &remove_ops, NULL, 0200);
MODULE_PARM_DESC(remove, "removes a device");
module_param_cb(link, &link_ops, NULL, 0200);
MODULE_PARM_DESC(link, "links two ports");
module_param_cb(lose, &lose_ops, &lose, 0644);
MODULE_PARM_DESC(lose, "class of MADs that are lost");

static int __init kt_umad_init(void)
{
	return 0;
}
module_init(kt_umad_init);

static void __exit kt_umad_exit(void)
{
	int i;

	memdev_lose(NULL, NULL);
	for (i = 0; i < MAX_DEVICES; i++)
		if (made[i].fd)
			destroy_device(&made[i]);
}
module_exit(kt_umad_exit);

MODULE_DESCRIPTION("Devices with a data path in memory, for tests of management datagrams of processes");
MODULE_LICENSE("Dual BSD/GPL");
