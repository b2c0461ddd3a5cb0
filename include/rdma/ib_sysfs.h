/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Attributes that a provider adds to the directories of its ports (ib_device_ops.port_groups).
 */
#ifndef _RDMA_IB_SYSFS_H_
#define _RDMA_IB_SYSFS_H_

#ifdef DEF_RDMA_IB_SYSFS_H
#error "the kernel's <rdma/ib_sysfs.h> was included before krdma's"
#endif
#define DEF_RDMA_IB_SYSFS_H

#include <linux/sysfs.h>
#include <linux/types.h>

struct ib_device;

/**
 * struct ib_port_attribute - a file in /sys/class/infiniband/<device>/ports/<port>/
 * @attr: name and mode
 * @show: writes at most one page of text to @buf; returns the length of the text, or a negative
 *	errno. NULL: the file cannot be read
 * @store: reads @count bytes of text in @buf; returns the number of bytes used, or a negative
 *	errno. NULL: the file cannot be written
 *
 * @show and @store run in process context; unregistration of the device waits until they return.
 */
struct ib_port_attribute {
	struct attribute attr;
	ssize_t (*show)(struct ib_device *ibdev, u32 port_num, struct ib_port_attribute *attr,
			char *buf);
	ssize_t (*store)(struct ib_device *ibdev, u32 port_num, struct ib_port_attribute *attr,
			 const char *buf, size_t count);
};

/**
 * IB_PORT_ATTR_RW - define ib_port_attr_<name>, which everybody can read and root can write
 * @_name: name of the file; <name>_show() and <name>_store() are its functions
 */
#define IB_PORT_ATTR_RW(_name)							\
	struct ib_port_attribute ib_port_attr_##_name = __ATTR_RW(_name)

/**
 * IB_PORT_ATTR_ADMIN_RW - define ib_port_attr_<name>, which only root can read and write
 * @_name: name of the file; <name>_show() and <name>_store() are its functions
 */
#define IB_PORT_ATTR_ADMIN_RW(_name)						\
	struct ib_port_attribute ib_port_attr_##_name = __ATTR_RW_MODE(_name, 0600)

/**
 * IB_PORT_ATTR_RO - define ib_port_attr_<name>, which everybody can read
 * @_name: name of the file; <name>_show() is its function
 */
#define IB_PORT_ATTR_RO(_name)							\
	struct ib_port_attribute ib_port_attr_##_name = __ATTR_RO(_name)

/**
 * IB_PORT_ATTR_WO - define ib_port_attr_<name>, which root can write
 * @_name: name of the file; <name>_store() is its function
 */
#define IB_PORT_ATTR_WO(_name)							\
	struct ib_port_attribute ib_port_attr_##_name = __ATTR_WO(_name)

/**
 * ib_port_sysfs_get_ibdev_kobj - get device and number of the port that a directory belongs to
 * @kobj: directory of a port
 * @port_num: out: the port's number
 *
 * Any context.
 *
 * Return: the device.
 */
struct ib_device *ib_port_sysfs_get_ibdev_kobj(struct kobject *kobj, u32 *port_num);

#endif /* _RDMA_IB_SYSFS_H_ */
