/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The local address of an identifier.
 */
#ifndef _KRDMA_CMA_BIND_H_
#define _KRDMA_CMA_BIND_H_

#include <linux/socket.h>

struct cma_id;

/**
 * cma_bind - bind a new identifier to an address, its port and its device
 * @id: identifier in state IDLE; after success ADDR_BOUND, after an error IDLE again
 * @addr: the address, as cma_addr_copy() returns it; port 0: any free one
 * @scope: interface index of a link-local address, or 0
 *
 * Return: as rdma_bind_addr().
 */
int cma_bind(struct cma_id *id, const struct sockaddr_storage *addr, int scope);

#endif /* _KRDMA_CMA_BIND_H_ */
