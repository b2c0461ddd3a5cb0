// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The network interfaces that have IP addresses, and their link addresses.
 */
#include <rdma/ib_addr.h>

#include <linux/export.h>
#include <linux/inetdevice.h>
#include <net/addrconf.h>
#include <net/l3mdev.h>
#include <net/route.h>
#include <rdma/ib_verbs.h>
#include <rdma/krdma_addr.h>
#include <rdma/krdma_route.h>

bool krdma_addr_is_link_local(const struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET6 &&
	       ipv6_addr_type(&krdma_addr6(addr)->sin6_addr) & IPV6_ADDR_LINKLOCAL;
}
EXPORT_SYMBOL(krdma_addr_is_link_local);

static bool has_ipv4(struct net_device *ndev, __be32 addr)
{
	struct in_device *in_dev;
	bool found;

	rcu_read_lock();
	in_dev = __in_dev_get_rcu(ndev);
	found = in_dev && inet_confirm_addr(dev_net(ndev), in_dev, 0, addr, RT_SCOPE_HOST) == addr;
	rcu_read_unlock();
	/* A local route, such as that of 127.0.0.0/8, gives a netdev further addresses. */
	return found || inet_dev_addr_type(dev_net(ndev), ndev, addr) == RTN_LOCAL;
}

bool krdma_netdev_has_addr(struct net_device *ndev, const struct sockaddr_storage *addr)
{
	if (addr->ss_family == AF_INET)
		return has_ipv4(ndev, krdma_addr4(addr)->sin_addr.s_addr);
	return IS_ENABLED(CONFIG_IPV6) &&
	       ipv6_chk_addr(dev_net(ndev), &krdma_addr6(addr)->sin6_addr, ndev, 1);
}
EXPORT_SYMBOL(krdma_netdev_has_addr);

/*
 * Returns the rank of a netdev among those that have the same address: a netdev with an RDMA device
 * is preferred, then a netdev outside of all VRFs, because VRFs may repeat addresses.
 */
static int netdev_rank(struct net_device *ndev)
{
	struct ib_device *ibdev = ib_device_get_by_netdev(ndev, RDMA_DRIVER_UNKNOWN);
	int rank = l3mdev_master_ifindex(ndev) ? 1 : 2;

	if (!ibdev)
		return rank;
	ib_device_put(ibdev);
	return rank + 2;
}

#define BEST_RANK 4

static struct net_device *best_netdev(struct net *net, const struct sockaddr_storage *addr,
				      int scope)
{
	struct net_device *ndev, *best = NULL;
	int rank, best_rank = 0;

	rcu_read_lock();
	for_each_netdev_rcu(net, ndev) {
		if (scope && ndev->ifindex != scope)
			continue;
		if (!krdma_netdev_has_addr(ndev, addr))
			continue;
		rank = netdev_rank(ndev);
		if (rank > best_rank) {
			best = ndev;
			best_rank = rank;
		}
		if (rank == BEST_RANK)
			break;
	}
	dev_hold(best);
	rcu_read_unlock();
	return best;
}

struct net_device *krdma_addr_netdev(struct net *net, const struct sockaddr_storage *addr,
				     int scope)
{
	struct net_device *ndev;

	if (addr->ss_family == AF_INET6)
		return best_netdev(net, addr, krdma_addr_is_link_local(addr) ? scope : 0);
	/*
	 * Look the address up in the table of IPv4 addresses first, because this usually saves a
	 * walk over all netdevs.
	 */
	ndev = ip_dev_find(net, krdma_addr4(addr)->sin_addr.s_addr);
	if (!ndev || netdev_rank(ndev) == BEST_RANK)
		return ndev;
	dev_put(ndev);
	return best_netdev(net, addr, 0);
}
EXPORT_SYMBOL(krdma_addr_netdev);

int krdma_addr_vrf(struct net *net, const struct sockaddr_storage *addr, int scope)
{
	struct net_device *ndev = krdma_addr_netdev(net, addr, scope);
	int vrf;

	if (!ndev)
		return 0;
	/* The master of a VRF may have addresses itself, and is in its own VRF. */
	vrf = netif_is_l3_master(ndev) ? ndev->ifindex : l3mdev_master_ifindex(ndev);
	dev_put(ndev);
	return vrf;
}
EXPORT_SYMBOL(krdma_addr_vrf);

int krdma_vrf_next(struct net *net, int vrf)
{
	struct net_device *ndev;
	int next = 0;

	rcu_read_lock();
	for_each_netdev_rcu(net, ndev)
		if (netif_is_l3_master(ndev) && ndev->ifindex > vrf &&
		    (!next || ndev->ifindex < next))
			next = ndev->ifindex;
	rcu_read_unlock();
	return next;
}
EXPORT_SYMBOL(krdma_vrf_next);

/* Copies the link address @from of @len bytes, and pads it with zeros. */
static void copy_lladdr(unsigned char *to, const unsigned char *from, unsigned char len)
{
	memset(to, 0, MAX_ADDR_LEN);
	memcpy(to, from, min_t(unsigned int, len, MAX_ADDR_LEN));
}

void rdma_copy_src_l2_addr(struct rdma_dev_addr *dev_addr, const struct net_device *dev)
{
	dev_addr->dev_type = dev->type;
	dev_addr->bound_dev_if = dev->ifindex;
	copy_lladdr(dev_addr->src_dev_addr, dev->dev_addr, dev->addr_len);
	copy_lladdr(dev_addr->broadcast, dev->broadcast, dev->addr_len);
}
EXPORT_SYMBOL(rdma_copy_src_l2_addr);

int rdma_translate_ip(const struct sockaddr *addr, struct rdma_dev_addr *dev_addr)
{
	struct sockaddr_storage copy = {};
	struct net_device *ndev;

	if (addr->sa_family != AF_INET && addr->sa_family != AF_INET6)
		return -EAFNOSUPPORT;
	if (dev_addr->bound_dev_if) {
		ndev = dev_get_by_index(dev_addr->net, dev_addr->bound_dev_if);
		if (!ndev)
			return -ENODEV;
	} else {
		copy.ss_family = addr->sa_family;
		memcpy(&copy, addr, krdma_addr_len(&copy));
		ndev = krdma_addr_netdev(dev_addr->net, &copy, krdma_addr_is_link_local(&copy) ?
					 krdma_addr6(&copy)->sin6_scope_id : 0);
		if (!ndev)
			return -EADDRNOTAVAIL;
	}
	rdma_copy_src_l2_addr(dev_addr, ndev);
	dev_put(ndev);
	return 0;
}
EXPORT_SYMBOL(rdma_translate_ip);
