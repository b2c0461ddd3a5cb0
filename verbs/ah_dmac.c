// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The MAC addresses of RoCE destinations. The MAC address of a multicast group, or of a link-local
 * GID that was made from a MAC address, follows from the GID. Any other GID equals an IP address.
 * For such a GID, packets are sent to the MAC address of the next hop on the network stack's route
 * to the IP address.
 */
#include "verbs/ah_dmac.h"

#include <linux/wait.h>
#include <net/addrconf.h>
#include <net/ip6_route.h>
#include <net/neighbour.h>
#include <net/netevent.h>
#include <net/route.h>
#include <rdma/ib_addr.h>

/* The longest time to wait for a next hop, in jiffies. */
#define DMAC_TIMEOUT	HZ

/* Woken when the state of a neighbour has changed. */
static DECLARE_WAIT_QUEUE_HEAD(neighbour_changed);

static int netevent(struct notifier_block *nb, unsigned long event, void *info)
{
	if (event == NETEVENT_NEIGH_UPDATE)
		wake_up_all(&neighbour_changed);
	return NOTIFY_DONE;
}

static struct notifier_block netevent_notifier = {
	.notifier_call = netevent,
};

int verbs_ah_dmac_init(void)
{
	return register_netevent_notifier(&netevent_notifier);
}

void verbs_ah_dmac_exit(void)
{
	unregister_netevent_notifier(&netevent_notifier);
}

static struct dst_entry *ah_route_ipv4(struct net_device *ndev, struct ib_global_route *grh)
{
	struct flowi4 flow = {
		.daddr = ((struct in6_addr *)&grh->dgid)->s6_addr32[3],
		.saddr = ((struct in6_addr *)&grh->sgid_attr->gid)->s6_addr32[3],
		.flowi4_oif = ndev->ifindex,
		.flowi4_proto = IPPROTO_UDP,
	};
	struct rtable *rt;

	krdma_flow4_set_tos(&flow, grh->traffic_class);
	rt = ip_route_output_key(dev_net(ndev), &flow);
	if (IS_ERR(rt))
		return ERR_CAST(rt);
	if (rt->rt_uses_gateway && grh->sgid_attr->gid_type == IB_GID_TYPE_ROCE) {
		ip_rt_put(rt);
		return ERR_PTR(-ENETUNREACH);
	}
	grh->hop_limit = grh->hop_limit ?: ip4_dst_hoplimit(&rt->dst);
	return &rt->dst;
}

static struct dst_entry *ah_route_ipv6(struct net_device *ndev, struct ib_global_route *grh)
{
	struct flowi6 flow = {
		.daddr = *(struct in6_addr *)&grh->dgid,
		.saddr = *(struct in6_addr *)&grh->sgid_attr->gid,
		.flowi6_oif = ndev->ifindex,
		.flowi6_proto = IPPROTO_UDP,
	};
	struct dst_entry *dst;

	if (!IS_ENABLED(CONFIG_IPV6))
		return ERR_PTR(-EAFNOSUPPORT);
	dst = krdma_ip6_route(dev_net(ndev), &flow);
	if (IS_ERR(dst))
		return dst;
	if (((struct rt6_info *)dst)->rt6i_flags & RTF_GATEWAY &&
	    grh->sgid_attr->gid_type == IB_GID_TYPE_ROCE) {
		dst_release(dst);
		return ERR_PTR(-ENETUNREACH);
	}
	grh->hop_limit = grh->hop_limit ?: ip6_dst_hoplimit(dst);
	return dst;
}

static bool neighbour_settled(const struct neighbour *neigh)
{
	return READ_ONCE(neigh->nud_state) & (NUD_VALID | NUD_FAILED);
}

/*
 * Returns 0 if the MAC address of a neighbour is known. Otherwise asks the neighbour, and waits for
 * the answer or, without @may_sleep, returns -EAGAIN.
 */
static int await_neighbour(struct neighbour *neigh, bool may_sleep)
{
	long left;

	if (READ_ONCE(neigh->nud_state) & NUD_VALID)
		return 0;
	neigh_event_send(neigh, NULL);
	if (!may_sleep)
		return -EAGAIN;
	left = wait_event_killable_timeout(neighbour_changed, neighbour_settled(neigh),
					   DMAC_TIMEOUT);
	if (left < 0)
		return left;
	if (!left)
		return -ETIMEDOUT;
	return READ_ONCE(neigh->nud_state) & NUD_VALID ? 0 : -EHOSTUNREACH;
}

static int next_hop_dmac(struct dst_entry *dst, const void *daddr, u8 *dmac, bool may_sleep)
{
	struct neighbour *neigh = dst_neigh_lookup(dst, daddr);
	char lladdr[MAX_ADDR_LEN];
	int ret;

	if (!neigh)
		return -ENOMEM;
	ret = await_neighbour(neigh, may_sleep);
	if (!ret) {
		neigh_ha_snapshot(lladdr, neigh, neigh->dev);
		ether_addr_copy(dmac, lladdr);
	}
	neigh_release(neigh);
	return ret;
}

/* Finds the MAC address of a destination behind an Ethernet interface. */
static int find_behind(struct net_device *ndev, struct rdma_ah_attr *attr, bool may_sleep)
{
	struct in6_addr *to = (struct in6_addr *)&attr->grh.dgid;
	bool ipv4 = ipv6_addr_v4mapped(to);
	struct dst_entry *dst;
	int ret = 0;

	dst = ipv4 ? ah_route_ipv4(ndev, &attr->grh) : ah_route_ipv6(ndev, &attr->grh);
	if (IS_ERR(dst))
		return PTR_ERR(dst);
	/* The route to an address of this host leads over the loopback interface. */
	if (dst->dev->flags & IFF_LOOPBACK)
		ether_addr_copy(attr->roce.dmac, ndev->dev_addr);
	else if (dst->dev != ndev)
		ret = -ENETUNREACH;
	else
		ret = next_hop_dmac(dst, ipv4 ? &to->s6_addr32[3] : (void *)to, attr->roce.dmac,
				    may_sleep);
	dst_release(dst);
	return ret;
}

/*
 * Returns the Ethernet interface of a GID, with a reference; NULL if the GID has none, or if the
 * interface is down.
 */
static struct net_device *hold_ndev(const struct ib_gid_attr *gid)
{
	struct net_device *ndev;

	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(gid);
	if (IS_ERR(ndev) || ndev->type != ARPHRD_ETHER)
		ndev = NULL;
	dev_hold(ndev);
	rcu_read_unlock();
	return ndev;
}

static bool is_made_from_mac(struct in6_addr *addr)
{
	return rdma_link_local_addr(addr) && addr->s6_addr[11] == 0xff && addr->s6_addr[12] == 0xfe;
}

int verbs_ah_find_dmac(struct rdma_ah_attr *attr, bool may_sleep)
{
	struct in6_addr *from = (struct in6_addr *)&attr->grh.sgid_attr->gid;
	struct in6_addr *to = (struct in6_addr *)&attr->grh.dgid;
	struct net_device *ndev;
	int ret;

	might_sleep_if(may_sleep);
	if (rdma_is_multicast_addr(to)) {
		rdma_get_mcast_mac(to, attr->roce.dmac);
		return 0;
	}
	if (is_made_from_mac(to)) {
		rdma_get_ll_mac(to, attr->roce.dmac);
		return 0;
	}
	if (ipv6_addr_any(to) || ipv6_addr_v4mapped(to) != ipv6_addr_v4mapped(from))
		return -EINVAL;

	ndev = hold_ndev(attr->grh.sgid_attr);
	if (!ndev)
		return -ENODEV;
	ret = find_behind(ndev, attr, may_sleep);
	dev_put(ndev);
	return ret;
}
