/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * IPv4 and IPv6 addresses with their ports, for krdma's own modules.
 */
#ifndef _RDMA_KRDMA_ADDR_H_
#define _RDMA_KRDMA_ADDR_H_

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/socket.h>
#include <net/ipv6.h>

static inline bool krdma_addr_is_ip(const struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET || addr->ss_family == AF_INET6;
}

static inline struct sockaddr_in *krdma_addr4(const struct sockaddr_storage *addr)
{
	return (struct sockaddr_in *)addr;
}

static inline struct sockaddr_in6 *krdma_addr6(const struct sockaddr_storage *addr)
{
	return (struct sockaddr_in6 *)addr;
}

/*
 * The accessors below take IPv4 and IPv6 addresses only. krdma_addr_same_host() also compares such
 * an address with one of another family, and returns false.
 */

static inline bool krdma_addr_is_any(const struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET ? !krdma_addr4(addr)->sin_addr.s_addr :
					    ipv6_addr_any(&krdma_addr6(addr)->sin6_addr);
}

/* Returns whether two addresses are equal except for their ports. */
static inline bool krdma_addr_same_host(const struct sockaddr_storage *a,
					const struct sockaddr_storage *b)
{
	if (a->ss_family != b->ss_family)
		return false;
	if (a->ss_family == AF_INET)
		return krdma_addr4(a)->sin_addr.s_addr == krdma_addr4(b)->sin_addr.s_addr;
	return ipv6_addr_equal(&krdma_addr6(a)->sin6_addr, &krdma_addr6(b)->sin6_addr);
}

static inline int krdma_addr_len(const struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET ? sizeof(struct sockaddr_in) :
					    sizeof(struct sockaddr_in6);
}

static inline __be16 krdma_addr_port(const struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET ? krdma_addr4(addr)->sin_port :
					    krdma_addr6(addr)->sin6_port;
}

static inline void krdma_addr_set_port(struct sockaddr_storage *addr, __be16 port)
{
	if (addr->ss_family == AF_INET)
		krdma_addr4(addr)->sin_port = port;
	else
		krdma_addr6(addr)->sin6_port = port;
}

#endif /* _RDMA_KRDMA_ADDR_H_ */
