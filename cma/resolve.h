/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Resolution of addresses and routes.
 */
#ifndef _KRDMA_CMA_RESOLVE_H_
#define _KRDMA_CMA_RESOLVE_H_

#include <linux/types.h>

struct cma_id;
struct rdma_cm_event;

int cma_resolve_init(void);
void cma_resolve_exit(void);

/**
 * cma_resolve_step - advance the resolution of an address or a route
 * @id: the identifier, with its handler lock held
 * @event: is set to the event to deliver; zeroed by the caller
 *
 * Return: whether there is an event to deliver.
 */
bool cma_resolve_step(struct cma_id *id, struct rdma_cm_event *event);

/* Ends the identifier's wait for a next hop. If id->step is queued, it stays queued. */
void cma_resolve_del_pending(struct cma_id *id);

#endif /* _KRDMA_CMA_RESOLVE_H_ */
