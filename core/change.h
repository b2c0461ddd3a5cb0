/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Changes of a registered device, of which its views, the clients and `rdma monitor` are told. */
#ifndef _KRDMA_CORE_CHANGE_H_
#define _KRDMA_CORE_CHANGE_H_

struct ib_device;

/**
 * ib_core_device_rename - give a registered device another name
 * @dev: the device, to which the caller holds a reference
 * @name: the new name, for which ib_core_device_name_valid() is true
 *
 * Process context. Calls rename() of the clients. If the device has the name already, nothing
 * happens.
 *
 * Return: 0; -EEXIST: another device has the name; -ENODEV: the device is being unregistered or
 * moved; or an error of device_rename().
 */
int ib_core_device_rename(struct ib_device *dev, const char *name);

/*
 * Between these two calls, ib_core is notified of changes of network interfaces.
 * ib_core_change_init() returns 0 or an errno.
 */
int ib_core_change_init(void);
void ib_core_change_exit(void);

#endif /* _KRDMA_CORE_CHANGE_H_ */
