// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Files that tools and collectors expect of every RDMA device, in /sys/class/infiniband/DEVICE/.
 * The type of adapter and the board are called like the module, by which the rules of udev
 * recognise its devices.
 */
#include "soft/sysfs.h"

#include <linux/module.h>
#include <linux/sysfs.h>
#include <rdma/ib_verbs.h>

static ssize_t hca_type_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", module_name(rdma_device_to_ibdev(device)->ops.owner));
}
static DEVICE_ATTR_RO(hca_type);

static ssize_t board_id_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return hca_type_show(device, attr, buf);
}
static DEVICE_ATTR_RO(board_id);

static ssize_t hw_rev_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%x\n", rdma_device_to_ibdev(device)->attrs.hw_ver);
}
static DEVICE_ATTR_RO(hw_rev);

static struct attribute *soft_device_attrs[] = {
	&dev_attr_board_id.attr,
	&dev_attr_hca_type.attr,
	&dev_attr_hw_rev.attr,
	NULL
};

const struct attribute_group soft_device_group = {
	.attrs = soft_device_attrs,
};
