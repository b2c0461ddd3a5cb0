/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Addresses of identifiers.
 */
#ifndef _KRDMA_CMA_ADDR_H_
#define _KRDMA_CMA_ADDR_H_

#include <linux/netdevice.h>
#include <linux/socket.h>
#include <net/net_namespace.h>

struct cma_id;

/*
 * Returns whether the source addresses of two identifiers overlap: they are equal, or one of them
 * is a wildcard that includes the other. Ports are ignored.
 */
bool cma_addr_overlap(const struct cma_id *a, const struct cma_id *b);

/**
 * cma_addr_copy - check an address of the consumer and copy it
 * @to: where the copy goes
 * @from: the consumer's address; its family determines how many bytes are read
 * @scope: is set to the interface index of a link-local address; unchanged for other addresses
 *
 * Return: 0; -EAFNOSUPPORT: the address is neither IPv4 nor IPv6; -EINVAL: the address is
 * link-local and has no interface. After an error @to and @scope are unchanged.
 */
int cma_addr_copy(struct sockaddr_storage *to, const struct sockaddr *from, int *scope);

bool cma_addr_is_loopback(const struct sockaddr_storage *addr);

/*
 * Copies the interface's link address to the identifier. Returns whether the identifier's link
 * address has changed.
 */
bool cma_addr_set_link(struct cma_id *id, const struct net_device *ndev);

#endif /* _KRDMA_CMA_ADDR_H_ */
