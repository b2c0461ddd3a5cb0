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
 * @id: identifier in state IDLE; its state is ADDR_BOUND after success, and IDLE after an error
 * @addr: an address that cma_addr_copy() has checked; port 0 stands for any free port
 * @scope: interface index of a link-local address; 0 for other addresses
 *
 * Return: 0; -EINVAL: @id is not new; -ENODEV: there is no interface @scope; or an error of
 * cma_port_get() or cma_device_find().
 */
int cma_bind(struct cma_id *id, const struct sockaddr_storage *addr, int scope);

#endif /* _KRDMA_CMA_BIND_H_ */
