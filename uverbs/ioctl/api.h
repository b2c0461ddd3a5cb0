/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The methods of ioctl() that a device has: the standard ones, and those that its driver defines in
 * ib_device.driver_def.
 *
 * The driver's definitions are read once, when the device gets its node, and checked. Calls use
 * only the tables that result, because the driver that has the definitions may be unloaded.
 */
#ifndef _KRDMA_UVERBS_IOCTL_API_H_
#define _KRDMA_UVERBS_IOCTL_API_H_

#include <linux/types.h>

struct ib_device;
struct uverbs_api;
struct uverbs_method;

/**
 * uverbs_api_new - read the definitions of a device's driver
 * @ibdev: the device
 *
 * Logs what is wrong with a definition. May sleep.
 *
 * Return: the tables, for uverbs_api_free(); NULL: the driver defines nothing; ERR_PTR: -EINVAL: a
 * definition is wrong; -ENOMEM: no memory.
 */
struct uverbs_api *uverbs_api_new(struct ib_device *ibdev);

/* Frees the tables; @api may be NULL. Called when no object of the driver's types is left. */
void uverbs_api_free(struct uverbs_api *api);

/**
 * uverbs_api_method - look up a method
 * @api: tables of the device; NULL: its driver defines nothing
 * @object: number of the object
 * @number: number of the method
 *
 * Return: the method; ERR_PTR: -EPROTONOSUPPORT: there is no such object or method; -EOPNOTSUPP:
 * the method is known, but not offered.
 */
const struct uverbs_method *uverbs_api_method(const struct uverbs_api *api, u16 object, u16 number);

#endif /* _KRDMA_UVERBS_IOCTL_API_H_ */
