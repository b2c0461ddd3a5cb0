// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Where the network stack would send packets to the peer, and the next hop's link address.
 */
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
	/* Of a link's own address the route leads over the loopback interface. */
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

static const void *host_part(const struct sockaddr_storage *addr)
{
	if (addr->ss_family == AF_INET)
		return &krdma_addr4(addr)->sin_addr;
	return &krdma_addr6(addr)->sin6_addr;
}

static bool has_link_addresses(const struct net_device *ndev)
{
	return !(ndev->flags & (IFF_LOOPBACK | IFF_NOARP)) && ndev->header_ops;
}

/* Asks the next hop, should its link address not be known. */
static int find_hop(struct dst_entry *dst, const struct sockaddr_storage *to,
		    struct cma_route *route)
{
	struct neighbour *neigh;

	route->local = dst->dev->flags & IFF_LOOPBACK;
	if (!has_link_addresses(dst->dev))
		return 0;
	neigh = dst_neigh_lookup(dst, host_part(to));
	if (!neigh)
		return -ENOMEM;
	if (!(READ_ONCE(neigh->nud_state) & NUD_VALID)) {
		neigh_event_send(neigh, NULL);
		route->neigh = neigh;
		return -EAGAIN;
	}
	neigh_ha_snapshot((char *)route->next_hop_lladdr, neigh, dst->dev);
	neigh_release(neigh);
	return 0;
}

int cma_route_find(struct cma_id *id, struct cma_route *route)
{
	struct dst_entry *dst;
	int ret;

	if (cma_dst(id)->ss_family == AF_INET)
		dst = route_ipv4(id, route);
	else
		dst = route_ipv6(id, route);
	if (IS_ERR(dst))
		return PTR_ERR(dst);
	ret = find_hop(dst, cma_dst(id), route);
	dst_release(dst);
	return ret;
}
