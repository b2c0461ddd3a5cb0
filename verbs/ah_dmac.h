/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The MAC addresses of RoCE destinations.
 */
#ifndef _KRDMA_VERBS_AH_DMAC_H_
#define _KRDMA_VERBS_AH_DMAC_H_

#include <rdma/verbs/ah.h>

/**
 * verbs_ah_find_dmac - find the MAC address that frames to a RoCE destination are sent to
 * @attr: in: global route, with a reference to the source GID; out: the MAC address. If a route has
 *	to be looked up, a hop limit of 0 is replaced by the hop limit of the route that was found
 * @may_sleep: wait for the next hop to answer, DMAC_TIMEOUT at most
 *
 * Process context if @may_sleep is true; otherwise any context with interrupts on.
 *
 * Return: 0, or one of the errors that __rdma_create_ah() returns for RoCE without a MAC address.
 */
int verbs_ah_find_dmac(struct rdma_ah_attr *attr, bool may_sleep);

/* Returns 0 or a negative errno. */
int verbs_ah_dmac_init(void);
void verbs_ah_dmac_exit(void);

#endif /* _KRDMA_VERBS_AH_DMAC_H_ */
