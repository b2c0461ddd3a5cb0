/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the files of ib_core use of the netlink family and of the link types.
 */
#ifndef _IB_CORE_NETLINK_H
#define _IB_CORE_NETLINK_H

#include <rdma/rdma_netlink.h>

/**
 * ib_core_link_new - create a device of a link type on a netdev
 * @type: name of the type; its module is loaded if need be
 * @name: name of the new device
 * @ndev: the netdev, with a reference of the caller
 * @extack: for the reason of a failure
 *
 * Process context.
 *
 * Return: what the type's newlink() returned; -EINVAL: unknown type.
 */
int ib_core_link_new(const char *type, const char *name, struct net_device *ndev,
		     struct netlink_ext_ack *extack);

/* Returns whether the multicast group has members in the namespace. Any context. */
bool ib_core_nl_has_listeners(const struct net *net, unsigned int group);

/* Sets -ENOBUFS on the sockets of the group's members in the namespace. Any context. */
void ib_core_nl_report_loss(const struct net *net, unsigned int group);

#endif /* _IB_CORE_NETLINK_H */
