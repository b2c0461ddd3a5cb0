// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Client "kt" has character devices, for tests of RDMA_NLDEV_CMD_GET_CHARDEV: kt_global, which the
 * client reports for no particular device, and kt_port, which it reports for port 1 of each device.
 * The client declines devices whose name begins with "no".
 */
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <net/netlink.h>
#include <rdma/ib_verbs.h>
#include <rdma/krdma.h>
#include <rdma/rdma_netlink.h>

KRDMA_NEEDS_IB_CORE;

static int room = -1;
module_param(room, int, 0644);
MODULE_PARM_DESC(room, "bytes that kt_global leaves for others in a reply; -1: as many as it has");

static const struct file_operations fops = {
	.owner = THIS_MODULE,
};

static struct miscdevice global_device = {
	.minor = MISC_DYNAMIC_MINOR, .name = "kt_global", .fops = &fops,
};

static struct miscdevice port_device = {
	.minor = MISC_DYNAMIC_MINOR, .name = "kt_port", .fops = &fops,
};

static int add(struct ib_device *dev)
{
	return strncmp(dev->name, "no", 2) ? 0 : -EOPNOTSUPP;
}

static void remove(struct ib_device *dev, void *data)
{
}

static int get_port_info(struct ib_device *dev, void *data, struct ib_client_nl_info *info)
{
	if (info->port != 1)
		return -EADDRNOTAVAIL;
	info->cdev = port_device.this_device;
	info->abi = 100 + info->port;
	return nla_put_u32(info->nl_msg, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID, 7);
}

/* Puts an attribute that leaves @left bytes of the message, and up to 3 more. */
static int fill_reply(struct sk_buff *msg, int left)
{
	int length = (skb_tailroom(msg) - NLA_HDRLEN - left) & ~(NLA_ALIGNTO - 1);
	struct nlattr *attr;

	attr = length < 0 ? NULL : nla_reserve(msg, RDMA_NLDEV_ATTR_PAD, length);
	if (!attr)
		return -EMSGSIZE;
	memset(nla_data(attr), 0, length);
	return 0;
}

static int get_global_info(struct ib_client_nl_info *info)
{
	int left = READ_ONCE(room);

	info->cdev = global_device.this_device;
	info->abi = 42;
	return left < 0 ? 0 : fill_reply(info->nl_msg, left);
}

static struct ib_client client = {
	.name = "kt",
	.add = add,
	.remove = remove,
	.get_nl_info = get_port_info,
	.get_global_nl_info = get_global_info,
	.no_kverbs_req = true,
};

static int __init kt_chardev_init(void)
{
	int err;

	err = misc_register(&global_device);
	if (err)
		return err;
	err = misc_register(&port_device);
	if (err)
		goto out_global;
	err = ib_register_client(&client);
	if (err)
		goto out_port;
	return 0;

out_port:
	misc_deregister(&port_device);
out_global:
	misc_deregister(&global_device);
	return err;
}

static void __exit kt_chardev_exit(void)
{
	ib_unregister_client(&client);
	misc_deregister(&port_device);
	misc_deregister(&global_device);
}

module_init(kt_chardev_init);
module_exit(kt_chardev_exit);

MODULE_DESCRIPTION("Client of RDMA devices with character devices, for tests of netlink");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_ALIAS_RDMA_CLIENT("kt");
