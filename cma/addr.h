/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Addresses, and the network interfaces that have them.
 */
#ifndef _KRDMA_CMA_ADDR_H_
#define _KRDMA_CMA_ADDR_H_

#include <linux/netdevice.h>
#include <linux/socket.h>
#include <net/net_namespace.h>

struct cma_id;

/* Whether packets to one address may be for both identifiers, ports aside. */
bool cma_addr_overlap(const struct cma_id *a, const struct cma_id *b);

/*
 * Finds the interface of @net that has @addr; @scope: its index if @addr is link-local. Returns the
 * interface with a reference, or NULL if no interface has the address.
 */
struct net_device *cma_addr_netdev(struct net *net, const struct sockaddr_storage *addr, int scope);

/**
 * cma_addr_copy - check an address of the consumer and copy it
 * @to: where the copy goes
 * @from: the consumer's address, as long as its family says
 * @scope: out: the interface index of a link-local address, else unchanged
 *
 * Return: 0; -EAFNOSUPPORT neither IPv4 nor IPv6; -EINVAL link-local without an interface. After an
 * error @to and @scope are unchanged.
 */
int cma_addr_copy(struct sockaddr_storage *to, const struct sockaddr *from, int *scope);

bool cma_addr_is_loopback(const struct sockaddr_storage *addr);

/* Copies the interface's link address to the identifier. Returns whether this changed it. */
bool cma_addr_set_link(struct cma_id *id, const struct net_device *ndev);

#endif /* _KRDMA_CMA_ADDR_H_ */
