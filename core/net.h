/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The mode of network namespaces: all namespaces share the devices, or each device belongs to one
 * namespace.
 */
#ifndef _KRDMA_CORE_NET_H_
#define _KRDMA_CORE_NET_H_

#include <linux/types.h>

struct net;

/*
 * Sets the mode: shared if @wanted, else exclusive. Returns 0, also if the mode is set already;
 * -EBUSY: the mode cannot change, because namespaces other than the initial one exist. Process
 * context.
 */
int ib_core_netns_set_shared(bool wanted);

/*
 * Count the namespaces other than the initial one. ib_core_netns_begin() is called when @net is
 * created, ib_core_netns_end() when @net has neither processes nor devices left. Process context.
 */
void ib_core_netns_begin(const struct net *net);
void ib_core_netns_end(const struct net *net);

#endif /* _KRDMA_CORE_NET_H_ */
