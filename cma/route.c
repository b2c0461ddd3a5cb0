// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The route by which the network stack would send packets to the peer, and the link address of its
 * next hop.
 */
#include "cma/route.h"

#include <net/addrconf.h>
#include <net/ip6_route.h>
#include <net/ipv6_stubs.h>
#include <net/route.h>

#include "cma/cma.h"

static struct dst_entry *route_ipv4(struct cma_id *id, struct cma_route *route)
{
	struct flowi4 flow = {
		.daddr = krdma_addr4(cma_dst(id))->sin_addr.s_addr,
		.saddr = krdma_addr4(cma_src(id))->sin_addr.s_addr,
		.flowi4_tos = RT_TOS(id->tos),
		.flowi4_proto = IPPROTO_TCP,
	};
	struct rtable *rt = ip_route_output_key(id->net, &flow);

	if (IS_ERR(rt))
		return ERR_CAST(rt);
	route->src.ss_family = AF_INET;
	krdma_addr4(&route->src)->sin_addr.s_addr = flow.saddr;
	route->hops = ip4_dst_hoplimit(&rt->dst);
	return &rt->dst;
}

#if IS_ENABLED(CONFIG_IPV6)
static struct dst_entry *route_ipv6(struct cma_id *id, struct cma_route *route)
{
	struct sockaddr_in6 *to = krdma_addr6(cma_dst(id));
	bool to_link = ipv6_addr_type(&to->sin6_addr) & IPV6_ADDR_LINKLOCAL;
	struct flowi6 flow = {
		.daddr = to->sin6_addr,
		.saddr = krdma_addr6(cma_src(id))->sin6_addr,
		.flowi6_oif = to_link ? to->sin6_scope_id : id->scope,
		.flowi6_proto = IPPROTO_TCP,
	};
	struct dst_entry *dst;

	dst = ipv6_stub->ipv6_dst_lookup_flow(id->net, NULL, &flow, NULL);
	if (IS_ERR(dst))
		return dst;
	route->src.ss_family = AF_INET6;
	krdma_addr6(&route->src)->sin6_addr = flow.saddr;
	/*
	 * Prefer the interface that was asked for (flowi6_oif) to that of the route: the route to
	 * an address of this host leads over the loopback interface, whichever interface has the
	 * address.
	 */
	if (ipv6_addr_type(&flow.saddr) & IPV6_ADDR_LINKLOCAL)
		krdma_addr6(&route->src)->sin6_scope_id = flow.flowi6_oif ?: dst->dev->ifindex;
	route->hops = ip6_dst_hoplimit(dst);
	return dst;
}
#else
static struct dst_entry *route_ipv6(struct cma_id *id, struct cma_route *route)
{
	return ERR_PTR(-EAFNOSUPPORT);
}
#endif

int cma_route_find(struct cma_id *id, struct cma_route *route)
{
	const struct sockaddr_storage *to = cma_dst(id);
	struct neighbour *neigh;
	struct dst_entry *dst;
	const void *daddr;
	int ret = 0;

	lockdep_assert_held(&id->handler);
	if (to->ss_family == AF_INET) {
		dst = route_ipv4(id, route);
		daddr = &krdma_addr4(to)->sin_addr;
	} else {
		dst = route_ipv6(id, route);
		daddr = &krdma_addr6(to)->sin6_addr;
	}
	if (IS_ERR(dst))
		return PTR_ERR(dst);
	route->local = dst->dev->flags & IFF_LOOPBACK;
	/* On these interfaces, the next hop has no link address that could be looked up. */
	if (dst->dev->flags & (IFF_LOOPBACK | IFF_NOARP) || !dst->dev->header_ops)
		goto release_dst;
	neigh = dst_neigh_lookup(dst, daddr);
	if (!neigh) {
		ret = -ENOMEM;
		goto release_dst;
	}
	if (!(READ_ONCE(neigh->nud_state) & NUD_VALID)) {
		neigh_event_send(neigh, NULL);
		route->neigh = neigh;
		ret = -EAGAIN;
		goto release_dst;
	}
	neigh_ha_snapshot((char *)route->next_hop_lladdr, neigh, dst->dev);
	neigh_release(neigh);
release_dst:
	dst_release(dst);
	return ret;
}
