/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Waiting for the link addresses of next hops. <rdma/krdma_route.h> declares what waiters call. */
#ifndef _KRDMA_CORE_NEIGH_H_
#define _KRDMA_CORE_NEIGH_H_

/* Returns 0 or a negative errno. */
int ib_core_neigh_init(void);
void ib_core_neigh_exit(void);

#endif /* _KRDMA_CORE_NEIGH_H_ */
