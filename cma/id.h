/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Identifiers: memory, references, states.
 */
#ifndef _KRDMA_CMA_ID_H_
#define _KRDMA_CMA_ID_H_

#include "cma/cma.h"

/**
 * cma_id_new - allocate an identifier in state IDLE
 * @net: namespace, to which the identifier takes a reference
 * @event_handler: the consumer's handler
 * @context: the consumer's context
 * @ps: port space
 * @qp_type: type of the QP that goes with the identifier
 * @caller: name of the module that is the consumer; NULL: the consumer is a process. The active
 *	memory cgroup or, if none is active, that of the current process pays for the identifier of
 *	a process
 * @gfp: further flags for the allocation
 *
 * The caller initializes the work items, which belong to handler.c.
 *
 * Return: the identifier, with one reference; NULL: no memory.
 */
struct cma_id *cma_id_new(struct net *net, rdma_cm_event_handler event_handler, void *context,
			  enum rdma_ucm_port_space ps, enum ib_qp_type qp_type,
			  const char *caller, gfp_t gfp);

/* Frees an identifier that has no references left. */
void cma_id_free(struct cma_id *id);

static inline void cma_id_get(struct cma_id *id)
{
	refcount_inc(&id->refs);
}

/* Takes a reference. Returns false if the last reference has been dropped already. */
static inline bool cma_id_tryget(struct cma_id *id)
{
	return refcount_inc_not_zero(&id->refs);
}

void cma_id_put(struct cma_id *id);

enum rdma_cm_state cma_state(struct cma_id *id);

/* Changes the state from @from to @to. Returns false if the state was not @from. */
bool cma_cmpxchg_state(struct cma_id *id, enum rdma_cm_state from, enum rdma_cm_state to);

/*
 * Changes the state, unless the state is DESTROYING. Returns whether the state was changed. Called
 * with the handler lock held.
 */
bool cma_set_state(struct cma_id *id, enum rdma_cm_state to);

#endif /* _KRDMA_CMA_ID_H_ */
