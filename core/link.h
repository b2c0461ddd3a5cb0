/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Types of link, that is, of device that is created on a netdev.
 */
#ifndef _KRDMA_CORE_LINK_H_
#define _KRDMA_CORE_LINK_H_

struct net_device;
struct netlink_ext_ack;

/**
 * ib_core_link_new - create a device of a type on a netdev
 * @type: name of the type, whose module is loaded if need be
 * @name: name of the device
 * @ndev: the netdev, kept by the caller
 * @extack: gets the reason of an error
 *
 * Process context.
 *
 * Return: 0; -EEXIST: a device has the name; -EINVAL: unknown type; or what newlink() of the type
 * returned.
 */
int ib_core_link_new(const char *type, const char *name, struct net_device *ndev,
		     struct netlink_ext_ack *extack);

#endif /* _KRDMA_CORE_LINK_H_ */
