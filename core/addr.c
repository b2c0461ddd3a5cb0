// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The network interfaces that have IP addresses, and their link addresses.
 */
#include <rdma/ib_addr.h>

#include <linux/export.h>
#include <net/addrconf.h>
#include <rdma/krdma_addr.h>
#include <rdma/krdma_route.h>

bool krdma_addr_is_link_local(const struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET6 &&
	       ipv6_addr_type(&krdma_addr6(addr)->sin6_addr) & IPV6_ADDR_LINKLOCAL;
}
EXPORT_SYMBOL(krdma_addr_is_link_local);

#if IS_ENABLED(CONFIG_IPV6)
static struct net_device *netdev_with_ipv6(struct net *net, const struct in6_addr *addr, int scope)
{
	struct net_device *ndev, *found = NULL;

	rcu_read_lock();
	for_each_netdev_rcu(net, ndev) {
		if (scope && ndev->ifindex != scope)
			continue;
		if (ipv6_chk_addr(net, addr, ndev, 1)) {
			found = ndev;
			break;
		}
	}
	dev_hold(found);
	rcu_read_unlock();
	return found;
}
#else
static struct net_device *netdev_with_ipv6(struct net *net, const struct in6_addr *addr, int scope)
{
	return NULL;
}
#endif

struct net_device *krdma_addr_netdev(struct net *net, const struct sockaddr_storage *addr,
				     int scope)
{
	if (addr->ss_family == AF_INET)
		return ip_dev_find(net, krdma_addr4(addr)->sin_addr.s_addr);
	return netdev_with_ipv6(net, &krdma_addr6(addr)->sin6_addr,
				krdma_addr_is_link_local(addr) ? scope : 0);
}
EXPORT_SYMBOL(krdma_addr_netdev);

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
