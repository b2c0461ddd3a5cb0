/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_NET_ROUTE_H
#define KRDMA_COMPAT_NET_ROUTE_H

#include_next <net/route.h>

/*
 * krdma_flow4_set_tos() sets the TOS for a route look-up from @tos, with the same mask that the
 * kernel applies to the TOS of a socket.
 */
static inline void krdma_flow4_set_tos(struct flowi4 *flow, u8 tos)
{
#ifdef flowi4_dscp
	flow->flowi4_dscp = inet_dsfield_to_dscp(tos);
#elif defined(IPTOS_RT_MASK)
	flow->flowi4_tos = RT_TOS(tos);
#else
	flow->flowi4_tos = tos & INET_DSCP_MASK;
#endif
}

#endif
