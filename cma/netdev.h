/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Changes of the link addresses of network interfaces.
 */
#ifndef _KRDMA_CMA_NETDEV_H_
#define _KRDMA_CMA_NETDEV_H_

int cma_netdev_init(void);
void cma_netdev_exit(void);

#endif /* _KRDMA_CMA_NETDEV_H_ */
