// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * rdma_ucm.ko: the device node, its description in netlink and sysfs, and the limits of backlogs
 * and of unfetched requests.
 */
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/sysctl.h>
#include <net/net_namespace.h>
#include <rdma/krdma.h>
#include <rdma/rdma_netlink.h>

#include "ucma/command.h"
#include "ucma/ctx.h"
#include "ucma/file.h"

KRDMA_NEEDS_IB_CORE;

static const struct file_operations ucma_fops = {
	.owner = THIS_MODULE,
	.open = ucma_file_open,
	.release = ucma_file_release,
	.write = ucma_write,
	.poll = ucma_file_poll,
};

static ssize_t abi_version_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", RDMA_USER_CM_ABI_VERSION);
}
static DEVICE_ATTR_RO(abi_version);

static struct attribute *misc_attrs[] = {
	&dev_attr_abi_version.attr,
	NULL
};
ATTRIBUTE_GROUPS(misc);

static struct miscdevice misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "rdma_cm",
	.nodename = "infiniband/rdma_cm",
	.mode = 0666,
	.groups = misc_groups,
	.fops = &ucma_fops,
};

/* Describes the node, which librdmacm looks up by the client name "rdma_cm". */
static int fill_nl_info(struct ib_client_nl_info *res)
{
	/* The node may not exist yet, because the client is registered first. */
	if (!misc.this_device)
		return -ENODEV;
	res->abi = RDMA_USER_CM_ABI_VERSION;
	res->cdev = misc.this_device;
	return 0;
}

static int add_device(struct ib_device *ibdev)
{
	return -EOPNOTSUPP;
}

static void remove_device(struct ib_device *ibdev, void *client_data)
{
}

static struct ib_client client = {
	.name = "rdma_cm",
	.add = add_device,
	.remove = remove_device,
	.get_global_nl_info = fill_nl_info,
};
MODULE_ALIAS_RDMA_CLIENT("rdma_cm");

static struct ctl_table settings[] = {
	{
		.procname = "max_backlog",
		.data = &ucma_max_backlog,
		.maxlen = sizeof(ucma_max_backlog),
		.mode = 0644,
		.proc_handler = proc_dointvec_minmax,
		.extra1 = SYSCTL_ONE,
		.extra2 = SYSCTL_INT_MAX,
	},
	{
		.procname = "max_requests",
		.data = &ucma_max_requests,
		.maxlen = sizeof(ucma_max_requests),
		.mode = 0644,
		.proc_handler = proc_dointvec_minmax,
		.extra1 = SYSCTL_ONE,
		.extra2 = SYSCTL_INT_MAX,
	},
	KRDMA_SYSCTL_END
};

static struct ctl_table_header *settings_header;

/* Runs ucma_ctx.close, which destroys identifiers whose device is removed. */
struct workqueue_struct *ucma_wq;

/* Registers the node last, because nothing may fail once processes can open it. */
static int __init ucma_init(void)
{
	int ret = -ENOMEM;

	ucma_wq = alloc_workqueue("rdma_ucm", WQ_UNBOUND, 0);
	if (!ucma_wq)
		return -ENOMEM;
	settings_header = register_net_sysctl(&init_net, "net/rdma_ucm", settings);
	if (!settings_header)
		goto destroy_wq;
	ret = ib_register_client(&client);
	if (ret)
		goto unregister_settings;
	ret = misc_register(&misc);
	if (ret)
		goto unregister_client;
	return 0;

unregister_client:
	ib_unregister_client(&client);
unregister_settings:
	unregister_net_sysctl_table(settings_header);
destroy_wq:
	destroy_workqueue(ucma_wq);
	return ret;
}
module_init(ucma_init);

static void __exit ucma_exit(void)
{
	ib_unregister_client(&client);
	misc_deregister(&misc);
	unregister_net_sysctl_table(settings_header);
	destroy_workqueue(ucma_wq);
	ucma_ctxs_exit();
}
module_exit(ucma_exit);

MODULE_DESCRIPTION("RDMA connection manager for processes");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(KRDMA_VERSION);
