/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The NETLINK_RDMA family, for the files of ib_core.
 */
#ifndef _IB_CORE_NETLINK_H
#define _IB_CORE_NETLINK_H

#include <rdma/rdma_netlink.h>

/*
 * Called when the module is loaded and unloaded. ib_core_netlink_init() returns 0, or an errno if
 * the sockets of the namespaces could not be created.
 */
int ib_core_netlink_init(void);
void ib_core_netlink_exit(void);

/* Returns whether the multicast group has members in the namespace. Any context. */
bool ib_core_nl_has_listeners(const struct net *net, unsigned int group);

/*
 * Tells the group's members in the namespace that a message was lost: sets the error -ENOBUFS on
 * their sockets. Any context.
 */
void ib_core_nl_report_loss(const struct net *net, unsigned int group);

#endif /* _IB_CORE_NETLINK_H */
