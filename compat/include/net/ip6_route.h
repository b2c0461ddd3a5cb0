/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_NET_IP6_ROUTE_H
#define KRDMA_COMPAT_NET_IP6_ROUTE_H

#include <krdma/has.h>
#include_next <net/ip6_route.h>

#if KRDMA_HAS_IPV6_STUB
#include <net/ipv6_stubs.h>
#endif

/*
 * krdma_ip6_route() looks up the route of a flow, and sets the flow's source address. The function
 * also works if IPv6 is a module.
 */
static inline struct dst_entry *krdma_ip6_route(struct net *net, struct flowi6 *flow)
{
#if KRDMA_HAS_IPV6_STUB
	return ipv6_stub->ipv6_dst_lookup_flow(net, NULL, flow, NULL);
#else
	return ip6_dst_lookup_flow(net, NULL, flow, NULL);
#endif
}

#endif
