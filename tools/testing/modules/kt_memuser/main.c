// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_memuser.ko: devices of memdev that processes can open with a library of rdma-core. mem0, mem1
 * and so on are InfiniBand devices; roce0, roce1 and so on belong to the network interfaces that
 * the parameter netdevs names.
 */
#include <linux/module.h>
#include <linux/netdevice.h>
#include <rdma/krdma.h>

#include "kt_memuser.h"
#include "../memdev/memdev.h"

KRDMA_NEEDS_IB_CORE;

#define MAX_DEVICES	8

static char *driver = "hfi1";
module_param(driver, charp, 0444);
MODULE_PARM_DESC(driver, "library that processes use: hfi1 (libhfi1verbs) or qib (libipathverbs)");

static unsigned int devices = 2;
module_param(devices, uint, 0444);
MODULE_PARM_DESC(devices, "number of InfiniBand devices");

static char *netdevs[MAX_DEVICES];
static int nr_netdevs;
module_param_array(netdevs, charp, &nr_netdevs, 0444);
MODULE_PARM_DESC(netdevs, "network interfaces of RoCE devices");

static struct fakedev *made[2 * MAX_DEVICES];
static int nr_made;

static int make(struct memdev_config *config)
{
	struct fakedev *fd;

	config->driver_id = strcmp(driver, "qib") ? RDMA_DRIVER_HFI1 : RDMA_DRIVER_QIB;
	fd = memdev_create(config);
	if (IS_ERR(fd))
		return PTR_ERR(fd);
	made[nr_made++] = fd;
	return 0;
}

static int make_roce(const char *name)
{
	struct memdev_config config = { .name = "roce%d" };
	int ret;

	config.ndev = dev_get_by_name(&init_net, name);
	if (!config.ndev)
		return -ENODEV;
	ret = make(&config);
	dev_put(config.ndev);
	return ret;
}

static int set_make(const char *value, const struct kernel_param *param)
{
	return nr_made ? memuser_make(&made[0]->ibdev, value) : -ENODEV;
}

static const struct kernel_param_ops make_ops = {
	.set = set_make,
};

module_param_cb(make, &make_ops, NULL, 0200);
MODULE_PARM_DESC(make, "makes an object of the kernel on the first device, and destroys it");

static void destroy_all(void)
{
	while (nr_made)
		memdev_destroy(made[--nr_made]);
}

static int __init memuser_init(void)
{
	unsigned int i;
	int ret = 0;

	if (devices > MAX_DEVICES || (strcmp(driver, "hfi1") && strcmp(driver, "qib")))
		return -EINVAL;
	for (i = 0; i < devices && !ret; i++)
		ret = make(&(struct memdev_config) { .name = "mem%d" });
	for (i = 0; i < nr_netdevs && !ret; i++)
		ret = make_roce(netdevs[i]);
	if (ret)
		destroy_all();
	return ret;
}
module_init(memuser_init);

static void __exit memuser_exit(void)
{
	destroy_all();
}
module_exit(memuser_exit);

MODULE_DESCRIPTION("Devices for processes with a data path in memory, for tests with real programs");
MODULE_LICENSE("Dual BSD/GPL");
