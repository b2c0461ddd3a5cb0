/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Files of a port in sysfs. */
#ifndef SIW_SYSFS_H
#define SIW_SYSFS_H

struct attribute_group;

extern const struct attribute_group *siw_port_groups[];

#endif /* SIW_SYSFS_H */
