/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Routes of the network stack.
 */
#ifndef _KRDMA_CMA_ROUTE_H_
#define _KRDMA_CMA_ROUTE_H_

#include <linux/netdevice.h>
#include <linux/socket.h>
#include <net/neighbour.h>

struct cma_id;

/**
 * struct cma_route - the route to the peer
 * @src: source address of packets that take the route
 * @local: the peer is this host
 * @next_hop_lladdr: link address of the next hop; zeros if the link has no addresses
 * @hops: hop limit of packets
 * @neigh: next hop whose link address is not known yet, with a reference
 */
struct cma_route {
	struct sockaddr_storage	src;
	bool			local;
	u8			next_hop_lladdr[MAX_ADDR_LEN];
	int			hops;
	struct neighbour	*neigh;
};

/**
 * cma_route_find - look up the route from an identifier's source to its destination address
 * @id: the identifier, with its handler lock held
 * @route: is set to the route; zeroed by the caller
 *
 * Return: 0; -EAGAIN: the next hop is being asked for its link address, and the caller has to drop
 * the reference in @route->neigh; -ENOMEM: no memory; or an error of the route look-up.
 */
int cma_route_find(struct cma_id *id, struct cma_route *route);

#endif /* _KRDMA_CMA_ROUTE_H_ */
