/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * RDMA link types: kinds of devices that `rdma link add` creates on a netdev.
 */
#ifndef _KRDMA_CORE_LINK_H_
#define _KRDMA_CORE_LINK_H_

struct net_device;
struct netlink_ext_ack;
struct user_namespace;

/**
 * ib_core_link_new - create a device of a type on a netdev
 * @type: name of the type; the module that registers the type is loaded if needed
 * @name: name of the device
 * @ndev: the netdev, to which the caller holds a reference
 * @owner: user namespace whose owner makes the device, so that the namespace's limit of devices
 *	applies; NULL: an administrator makes the device, and no limit applies
 * @extack: gets the reason of an error
 *
 * Process context.
 *
 * Return: 0; -EEXIST: a device has the name; -EINVAL: unknown type; -ENOSPC: @owner has as many
 * devices as it may have; or the error of the type's newlink().
 */
int ib_core_link_new(const char *type, const char *name, struct net_device *ndev,
		     struct user_namespace *owner, struct netlink_ext_ack *extack);

#endif /* _KRDMA_CORE_LINK_H_ */
