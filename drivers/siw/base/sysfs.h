/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Attributes of a device and its port in sysfs, other than the settings.
 */
#ifndef SIW_SYSFS_H
#define SIW_SYSFS_H

struct attribute_group;

extern const struct attribute_group siw_device_group;
extern const struct attribute_group *siw_port_groups[];

#endif /* SIW_SYSFS_H */
