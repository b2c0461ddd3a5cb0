/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Comparison and copying of addresses.
 */
#ifndef _KRDMA_IWPM_ADDR_H_
#define _KRDMA_IWPM_ADDR_H_

#include <linux/socket.h>
#include <linux/types.h>
#include <rdma/krdma_addr.h>

/*
 * Returns whether family, address and port are the same. IPv6 scopes are not compared,
 * because the daemon does not know them.
 */
bool iwpm_addr_equal(const struct sockaddr_storage *a, const struct sockaddr_storage *b);

/* Copies an IP address with its IPv6 scope and port. All other bytes of @to become 0. */
void iwpm_addr_copy(struct sockaddr_storage *to, const struct sockaddr_storage *from);

#endif /* _KRDMA_IWPM_ADDR_H_ */
