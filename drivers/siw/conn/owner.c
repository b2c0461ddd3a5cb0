// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Finds the device of a connection that a wildcard listener has accepted.
 *
 * A connection belongs to the device whose netdev has the connection's local address. If several
 * netdevs have the address, or if the address is on a netdev without a device, such as lo, a bridge
 * or the master of a VRF, the interface at which packets arrive decides. Packets from this host
 * arrive at lo; if nothing else decides, such a connection belongs to the device whose netdev has
 * the peer's address. Documentation/architecture.rst has the rules as a table.
 */
#include <linux/netdevice.h>
#include <net/dst.h>
#include <net/l3mdev.h>
#include <net/sock.h>
#include <rdma/krdma_route.h>

#include "drivers/siw/conn/owner.h"
#include "drivers/siw/base/siw.h"
#include "drivers/siw/base/sock.h"
#include "drivers/siw/conn/backlog.h"

/* How well a device fits a connection. The best fit wins; of equal fits, the oldest listener. */
enum fit {
	FIT_NONE,
	/* The connection is from this host to itself, and the netdev has the peer's address. */
	FIT_PEER,
	/* The packets pass a netdev above the device's netdev: a bridge, bond, VLAN or VRF. */
	FIT_UPPER,
	/* The packets pass the device's netdev. */
	FIT_PATH,
	/* The device's netdev has the local address. */
	FIT_ADDR,
	FIT_ADDR_AND_PATH,
};

/**
 * struct conn_ends - what is known about a connection
 * @net: network namespace
 * @local: local address; an IPv4 address that is mapped into IPv6 is stored as IPv4
 * @remote: the peer's address
 * @ifindex: interface at which the first packet arrived; 0 if not known. In a VRF, TCP notes only
 *	the VRF's master, so this is the interface that leads to the peer
 * @from_here: the peer is this host
 */
struct conn_ends {
	struct net *net;
	struct sockaddr_storage local;
	struct sockaddr_storage remote;
	int ifindex;
	bool from_here;
};

/* Sets @ifindex and @from_here of a connection. */
static void find_interface(struct conn_ends *conn, struct sock *sk)
{
	struct net_device *ndev;
	struct dst_entry *dst;

	/* TCP notes the interface at which the connection's first packet arrived. */
	if (conn->local.ss_family == AF_INET)
		conn->ifindex = inet_sk(sk)->mc_index;
	else
		conn->ifindex = inet6_sk(sk)->mcast_oif;

	rcu_read_lock();
	ndev = dev_get_by_index_rcu(conn->net, conn->ifindex);
	dst = __sk_dst_get(sk);
	if (dst && (!ndev || netif_is_l3_master(ndev))) {
		ndev = dst->dev;
		conn->ifindex = ndev->ifindex;
	}
	/* A connection to a link-local address is bound to the interface that has the address. */
	if (krdma_addr_is_link_local(&conn->local) && sk->sk_bound_dev_if &&
	    !netif_index_is_l3_master(conn->net, sk->sk_bound_dev_if))
		conn->ifindex = sk->sk_bound_dev_if;
	conn->from_here = ndev && (ndev->flags & IFF_LOOPBACK || netif_is_l3_master(ndev));
	rcu_read_unlock();
}

/* Returns whether the packets pass a netdev that is above the device's netdev. */
static bool passes_upper(const struct siw_device *dev, const struct conn_ends *conn)
{
	struct net_device *ndev;
	bool above;

	rcu_read_lock();
	ndev = dev_get_by_index_rcu(conn->net, conn->ifindex);
	above = ndev && netdev_has_upper_dev_all_rcu(dev->netdev, ndev);
	rcu_read_unlock();
	return above;
}

static enum fit fit_of(const struct siw_device *dev, const struct conn_ends *conn)
{
	bool on_path = conn->ifindex == dev->netdev->ifindex;

	if (!net_eq(dev_net(dev->netdev), conn->net))
		return FIT_NONE;
	/* Several interfaces may have the same link-local address, each on its own link. */
	if (krdma_addr_is_link_local(&conn->local) && !on_path)
		return FIT_NONE;
	if (krdma_netdev_has_addr(dev->netdev, &conn->local))
		return on_path ? FIT_ADDR_AND_PATH : FIT_ADDR;
	if (on_path)
		return FIT_PATH;
	if (passes_upper(dev, conn))
		return FIT_UPPER;
	if (conn->from_here && krdma_netdev_has_addr(dev->netdev, &conn->remote))
		return FIT_PEER;
	return FIT_NONE;
}

struct siw_listener *siw_owner_find(const struct list_head *listeners, struct socket *sock)
{
	struct conn_ends conn = { .net = sock_net(sock->sk) };
	struct siw_listener *l, *owner = NULL;
	enum fit fit, best = FIT_NONE;

	siw_sock_names(sock, &conn.local, &conn.remote);
	find_interface(&conn, sock->sk);
	list_for_each_entry(l, listeners, lsock_entry) {
		fit = fit_of(l->dev, &conn);
		if (fit > best) {
			best = fit;
			owner = l;
		}
	}
	return owner;
}
