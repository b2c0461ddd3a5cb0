/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the files of ib_core ask of the netlink family and of the link types.
 */
#ifndef _IB_CORE_NETLINK_H
#define _IB_CORE_NETLINK_H

#include <rdma/rdma_netlink.h>

/*
 * Makes a device of the given type on a netdev; loads the type's module if need be.
 * Returns what the type's newlink() returns, or -EINVAL for an unknown type, and says in extack
 * what was wrong.
 */
int ib_core_link_new(const char *type, const char *name, struct net_device *ndev,
		     struct netlink_ext_ack *extack);

/* Whether a group has members in a namespace. Any context. */
bool ib_core_nl_has_listeners(const struct net *net, unsigned int group);
/* Tells them that they have missed something. Any context. */
void ib_core_nl_report_loss(const struct net *net, unsigned int group);

#endif /* _IB_CORE_NETLINK_H */
