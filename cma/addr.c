// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Addresses: their sizes, and whether two of them overlap.
 */
#include "cma/addr.h"

#include <linux/export.h>
#include <net/ipv6.h>
#include <rdma/ib.h>

#include "cma/cma.h"

int rdma_addr_size(const struct sockaddr *addr)
{
	if (addr->sa_family == AF_INET6)
		return sizeof(struct sockaddr_in6);
	if (addr->sa_family == AF_IB)
		return sizeof(struct sockaddr_ib);
	return addr->sa_family == AF_INET ? sizeof(struct sockaddr_in) : 0;
}
EXPORT_SYMBOL(rdma_addr_size);

/* Returns the size of an address in bytes, or 0 if the size exceeds @room. */
static int size_within(const struct sockaddr *addr, int room)
{
	int size = rdma_addr_size(addr);

	return size <= room ? size : 0;
}

int rdma_addr_size_in6(struct sockaddr_in6 *addr)
{
	return size_within((struct sockaddr *)addr, sizeof(*addr));
}
EXPORT_SYMBOL(rdma_addr_size_in6);

int rdma_addr_size_kss(struct __kernel_sockaddr_storage *addr)
{
	return size_within((struct sockaddr *)addr, sizeof(*addr));
}
EXPORT_SYMBOL(rdma_addr_size_kss);

int cma_addr_copy(struct sockaddr_storage *to, const struct sockaddr *from, int *scope)
{
	struct sockaddr_storage addr = {};

	if (from->sa_family != AF_INET && from->sa_family != AF_INET6)
		return -EAFNOSUPPORT;
	memcpy(&addr, from, rdma_addr_size(from));
	if (krdma_addr_is_link_local(&addr)) {
		if (!krdma_addr6(&addr)->sin6_scope_id)
			return -EINVAL;
		*scope = krdma_addr6(&addr)->sin6_scope_id;
	}
	*to = addr;
	return 0;
}

bool cma_addr_is_loopback(const struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET ?
		       ipv4_is_loopback(krdma_addr4(addr)->sin_addr.s_addr) :
		       ipv6_addr_loopback(&krdma_addr6(addr)->sin6_addr);
}

/*
 * Returns whether @addr is an IPv6 wildcard that stands for all IPv4 addresses, too, as it does
 * unless id->afonly is set.
 */
static bool covers_ipv4(const struct cma_id *id, const struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET6 && krdma_addr_is_any(addr) && !id->afonly;
}

bool cma_addr_overlap(const struct cma_id *a, const struct cma_id *b)
{
	const struct sockaddr_storage *at = &a->base.route.addr.src_addr;
	const struct sockaddr_storage *bt = &b->base.route.addr.src_addr;

	if (at->ss_family != bt->ss_family)
		return covers_ipv4(a, at) || covers_ipv4(b, bt);
	if (krdma_addr_is_any(at) || krdma_addr_is_any(bt))
		return true;
	if (!krdma_addr_same_host(at, bt))
		return false;
	return !krdma_addr_is_link_local(at) || a->scope == b->scope;
}

bool cma_addr_set_link(struct cma_id *id, const struct net_device *ndev)
{
	struct rdma_dev_addr *addr = &id->base.route.addr.dev_addr;
	bool changed = memcmp(addr->src_dev_addr, ndev->dev_addr, ndev->addr_len);

	memcpy(addr->src_dev_addr, ndev->dev_addr, ndev->addr_len);
	return changed;
}
