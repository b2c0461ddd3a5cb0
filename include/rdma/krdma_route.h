/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Routes of the network stack and their next hops, for krdma's own modules.
 */
#ifndef _RDMA_KRDMA_ROUTE_H_
#define _RDMA_KRDMA_ROUTE_H_

#include <linux/netdevice.h>
#include <linux/socket.h>
#include <linux/workqueue.h>
#include <net/neighbour.h>
#include <net/net_namespace.h>

/**
 * struct krdma_route_key - what a route is looked up by
 * @net: network namespace
 * @src: source address; a wildcard lets the route choose one
 * @dst: destination address, of the same family, which is IPv4 or IPv6
 * @oif: index of the interface that packets leave by, or of a VRF's master; 0: any outside of VRFs
 * @tos: type of service; ignored for IPv6
 * @proto: protocol of the packets, an IPPROTO_ constant
 */
struct krdma_route_key {
	struct net		*net;
	const struct sockaddr_storage *src;
	const struct sockaddr_storage *dst;
	int			oif;
	u8			tos;
	u8			proto;
};

/**
 * struct krdma_route - a route
 * @src: source address of packets that take the route; its port is 0
 * @local: the destination is this host
 * @gateway: the next hop is not the destination
 * @ifindex: index of the interface that packets leave by; if @local, that of the loopback interface
 *	or of the VRF's master
 * @next_hop_lladdr: link address of the next hop; zeros if the link has no addresses
 * @hops: hop limit of packets
 * @neigh: next hop whose link address is not known yet, with a reference
 */
struct krdma_route {
	struct sockaddr_storage	src;
	bool			local;
	bool			gateway;
	int			ifindex;
	u8			next_hop_lladdr[MAX_ADDR_LEN];
	int			hops;
	struct neighbour	*neigh;
};

/**
 * krdma_route_find - look up a route
 * @key: what to look for
 * @route: is set to the route; zeroed by the caller
 *
 * Process context.
 *
 * Return: 0; -EAGAIN: the next hop is being asked for its link address, and the caller has to drop
 * the reference in @route->neigh; -ENOMEM: no memory; or an error of the route look-up.
 */
int krdma_route_find(const struct krdma_route_key *key, struct krdma_route *route);

/**
 * struct krdma_neigh_waiter - something that waits for the link address of a next hop
 * @list: entry in the list of those that wait
 * @neigh: the next hop, with a reference; NULL: nothing waits
 * @wq: workqueue on which @work is queued
 * @work: queued when the link address is known, or when the time is over
 */
struct krdma_neigh_waiter {
	struct list_head	list;
	struct neighbour	*neigh;
	struct workqueue_struct	*wq;
	struct delayed_work	*work;
};

/* Prepares a waiter. Nothing waits yet. */
void krdma_neigh_waiter_init(struct krdma_neigh_waiter *waiter, struct workqueue_struct *wq,
			     struct delayed_work *work);

/**
 * krdma_neigh_wait - wait for the link address of a next hop
 * @waiter: a waiter that does not wait
 * @neigh: the next hop; the waiter takes over the caller's reference
 * @timeout: greatest time to wait, in jiffies
 *
 * Process context. The work item runs when the neighbour table reports that the next hop has
 * answered, after @timeout, and at least once a second, so that it can look up the route again and
 * another solicitation is sent if one is due.
 */
void krdma_neigh_wait(struct krdma_neigh_waiter *waiter, struct neighbour *neigh,
		      unsigned long timeout);

/**
 * krdma_neigh_stop - end a wait, if there is one
 * @waiter: the waiter
 *
 * Process context. If the work item is queued, it stays queued; after the call, it is not queued on
 * behalf of this waiter.
 */
void krdma_neigh_stop(struct krdma_neigh_waiter *waiter);

/* Returns whether the interface has @addr, by an address of its own or by a local route. */
bool krdma_netdev_has_addr(struct net_device *ndev, const struct sockaddr_storage *addr);

/*
 * Returns the interface of @net that has @addr, with a reference; NULL: no interface has @addr.
 * Prefers an interface with an RDMA device, then one outside of all VRFs. @scope: index of the
 * interface if @addr is link-local, or 0 for any; otherwise ignored. Process context.
 */
struct net_device *krdma_addr_netdev(struct net *net, const struct sockaddr_storage *addr,
				     int scope);

/*
 * Returns the index of the VRF's master (l3mdev) in whose tables the routes from @addr are; 0: no
 * interface has @addr, or the interface is in no VRF. @scope: as of krdma_addr_netdev().
 */
int krdma_addr_vrf(struct net *net, const struct sockaddr_storage *addr, int scope);

/* Returns the smallest index of a VRF's master that is greater than @vrf; 0: there is none. */
int krdma_vrf_next(struct net *net, int vrf);

/* Returns whether the address is link-local, and so valid on one interface only. */
bool krdma_addr_is_link_local(const struct sockaddr_storage *addr);

#endif /* _RDMA_KRDMA_ROUTE_H_ */
