/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Resolution of addresses and routes.
 */
#ifndef _KRDMA_CMA_RESOLVE_H_
#define _KRDMA_CMA_RESOLVE_H_

#include <linux/types.h>

struct cma_id;
struct rdma_cm_event;

/**
 * cma_resolve_step - advance the resolution of an address or a route
 * @id: the identifier, with its handler lock held
 * @event: is set to the event to deliver; zeroed by the caller
 *
 * Return: whether there is an event to deliver.
 */
bool cma_resolve_step(struct cma_id *id, struct rdma_cm_event *event);

/**
 * cma_resolve_mapped - end the resolution of a route
 * @id: the identifier, with its handler lock held
 * @ret: result of the transport's operation map
 * @event: is set to the event to deliver; zeroed by the caller
 *
 * Return: whether there is an event to deliver.
 */
bool cma_resolve_mapped(struct cma_id *id, int ret, struct rdma_cm_event *event);

#endif /* _KRDMA_CMA_RESOLVE_H_ */
