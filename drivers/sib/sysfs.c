// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Files that tools expect of every device of InfiniBand. The rules of udev recognise a device of
 * sib by hca_type.
 */
#include "drivers/sib/sysfs.h"

#include <linux/device.h>

static ssize_t hca_type_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "sib\n");
}
static DEVICE_ATTR_RO(hca_type);

static ssize_t board_id_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "sib\n");
}
static DEVICE_ATTR_RO(board_id);

static ssize_t hw_rev_show(struct device *device, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0\n");
}
static DEVICE_ATTR_RO(hw_rev);

static struct attribute *device_attrs[] = {
	&dev_attr_board_id.attr,
	&dev_attr_hca_type.attr,
	&dev_attr_hw_rev.attr,
	NULL
};

const struct attribute_group sib_device_group = {
	.attrs = device_attrs,
};
