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

/**
 * ib_port_register_client_groups - add a client's files to the directory of a port
 * @ibdev: the device
 * @port_num: port number
 * @groups: files, as struct ib_port_attribute; the array ends with NULL, and exists until
 *	ib_port_unregister_client_groups()
 *
 * Process context, may sleep. Called by a client between its add() and its remove() for the device;
 * not in a show() or store() function of a device. Other namespaces than the device's own do not
 * have the files.
 *
 * Return: 0; -EINVAL if there is no such port; -EEXIST if the directory has such a file; -ENOMEM.
 * After an error none of the files has been added.
 */
int ib_port_register_client_groups(struct ib_device *ibdev, u32 port_num,
				   const struct attribute_group **groups);

/**
 * ib_port_unregister_client_groups - remove the files of ib_port_register_client_groups()
 * @ibdev: the device
 * @port_num: port number
 * @groups: the files
 *
 * Process context, may sleep: waits until the show() and store() functions of the files have
 * returned. Called at the latest in the client's remove() for the device.
 */
void ib_port_unregister_client_groups(struct ib_device *ibdev, u32 port_num,
				      const struct attribute_group **groups);

#endif /* _RDMA_IB_SYSFS_H_ */
