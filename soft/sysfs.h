/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Files that tools expect of every RDMA device. */
#ifndef SOFT_SYSFS_H
#define SOFT_SYSFS_H

struct attribute_group;

/* ib_device_ops.device_group of a provider that has no files of its own. */
extern const struct attribute_group soft_device_group;

#endif /* SOFT_SYSFS_H */
