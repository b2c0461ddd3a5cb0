// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The route by which the network stack would send packets to a destination, and the link address of
 * its next hop.
 */
#include <rdma/krdma_route.h>

#include <linux/export.h>
#include <net/addrconf.h>
#include <net/ip6_route.h>
#include <net/route.h>
#include <rdma/krdma_addr.h>

static struct dst_entry *route_ipv4(const struct krdma_route_key *key, struct krdma_route *route)
{
	struct flowi4 flow = {
		.daddr = krdma_addr4(key->dst)->sin_addr.s_addr,
		.saddr = krdma_addr4(key->src)->sin_addr.s_addr,
		.flowi4_oif = key->oif,
		.flowi4_proto = key->proto,
	};
	struct rtable *rt;

	krdma_flow4_set_tos(&flow, key->tos);
	rt = ip_route_output_key(key->net, &flow);
	if (IS_ERR(rt))
		return ERR_CAST(rt);
	route->src.ss_family = AF_INET;
	krdma_addr4(&route->src)->sin_addr.s_addr = flow.saddr;
	route->hops = ip4_dst_hoplimit(&rt->dst);
	route->gateway = rt->rt_uses_gateway;
	route->local = rt->rt_flags & RTCF_LOCAL;
	return &rt->dst;
}

#if IS_ENABLED(CONFIG_IPV6)
static struct dst_entry *route_ipv6(const struct krdma_route_key *key, struct krdma_route *route)
{
	struct flowi6 flow = {
		.daddr = krdma_addr6(key->dst)->sin6_addr,
		.saddr = krdma_addr6(key->src)->sin6_addr,
		.flowi6_oif = key->oif,
		.flowi6_proto = key->proto,
	};
	struct dst_entry *dst;

	dst = krdma_ip6_route(key->net, &flow);
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
	route->gateway = ((struct rt6_info *)dst)->rt6i_flags & RTF_GATEWAY;
	route->local = ((struct rt6_info *)dst)->rt6i_flags & RTF_LOCAL;
	return dst;
}
#else
static struct dst_entry *route_ipv6(const struct krdma_route_key *key, struct krdma_route *route)
{
	return ERR_PTR(-EAFNOSUPPORT);
}
#endif

/*
 * Finds the link address of the next hop. Returns 0; -ENOMEM; or -EAGAIN if the address is not
 * known yet: then route->neigh is set, with a reference.
 */
static int find_next_hop(struct dst_entry *dst, const void *daddr, struct krdma_route *route)
{
	struct neighbour *neigh;

	/* On these interfaces, the next hop has no link address that could be looked up. */
	if (dst->dev->flags & (IFF_LOOPBACK | IFF_NOARP) || !dst->dev->header_ops)
		return 0;
	neigh = dst_neigh_lookup(dst, daddr);
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

int krdma_route_find(const struct krdma_route_key *key, struct krdma_route *route)
{
	struct dst_entry *dst;
	const void *daddr;
	int ret;

	if (key->dst->ss_family == AF_INET) {
		dst = route_ipv4(key, route);
		daddr = &krdma_addr4(key->dst)->sin_addr;
	} else {
		dst = route_ipv6(key, route);
		daddr = &krdma_addr6(key->dst)->sin6_addr;
	}
	if (IS_ERR(dst))
		return PTR_ERR(dst);
	route->ifindex = dst->dev->ifindex;
	/*
	 * Test route->local, not whether the interface is loopback: inside a VRF, the route to an
	 * address of this host leads over the VRF's master.
	 */
	ret = route->local ? 0 : find_next_hop(dst, daddr, route);
	dst_release(dst);
	return ret;
}
EXPORT_SYMBOL(krdma_route_find);
