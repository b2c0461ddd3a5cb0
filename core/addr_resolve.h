/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Resolution of IP addresses to link addresses, for the functions of <rdma/ib_addr.h>.
 */
#ifndef _KRDMA_CORE_ADDR_RESOLVE_H_
#define _KRDMA_CORE_ADDR_RESOLVE_H_

/* Returns 0 or a negative errno. */
int ib_core_addr_resolve_init(void);
void ib_core_addr_resolve_exit(void);

#endif /* _KRDMA_CORE_ADDR_RESOLVE_H_ */
