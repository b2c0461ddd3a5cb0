/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Files of devices in sysfs. */
#ifndef _KRDMA_SIB_SYSFS_H_
#define _KRDMA_SIB_SYSFS_H_

#include <linux/sysfs.h>

/* Files in /sys/class/infiniband/DEVICE/. */
extern const struct attribute_group sib_device_group;

#endif /* _KRDMA_SIB_SYSFS_H_ */
