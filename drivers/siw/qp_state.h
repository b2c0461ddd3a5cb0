/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * References, states and events of queue pairs.
 */
#ifndef SIW_QP_STATE_H
#define SIW_QP_STATE_H

#include <rdma/ib_verbs.h>

#include "drivers/siw/qp.h"

struct siw_cep;

void siw_qp_state_init(struct siw_qp *qp);
/* When neither references nor a stream are left. */
void siw_qp_state_exit(struct siw_qp *qp);

/* With a reference, or NULL. */
struct siw_qp *siw_qp_find(struct siw_device *dev, u32 qpn);
void siw_qp_get(struct siw_qp *qp);
void siw_qp_put(struct siw_qp *qp);

/*
 * The binding of a QP and its connection, which has a reference to @cep. siw_qp_bind(): at connect
 * or accept. Returns 0, and the caller's reference goes with it; -EINVAL if the QP is not in INIT
 * or RTR (or RESET), -EISCONN if it is bound. siw_qp_unbind(): at the connection's end, and with
 * NULL when the QP is destroyed, which then calls siw_cep_qp_destroyed(). Returns the connection
 * that was bound, whose reference is the caller's now; NULL if the other one was first. Any
 * context.
 */
int siw_qp_bind(struct siw_qp *qp, struct siw_cep *cep);
struct siw_cep *siw_qp_unbind(struct siw_qp *qp, struct siw_cep *cep);

/*
 * States. siw_qp_connected() moves INIT or RTR to RTS, or returns -EINVAL. siw_qp_drain() moves RTS
 * to SQD; 0 in SQD and ERR, too, else -EINVAL. siw_qp_modify_unconnected(): between the states that
 * a consumer may choose without a connection; -EINVAL for others. siw_qp_fail() moves any state to
 * ERR and flushes both queues: later posts complete with IB_WC_WR_FLUSH_ERR; a second call flushes
 * what a process has posted since. The engine must have stopped touching the queues' entries, and
 * completed its own receive in progress.
 */
int siw_qp_connected(struct siw_qp *qp);
int siw_qp_drain(struct siw_qp *qp);
int siw_qp_modify_unconnected(struct siw_qp *qp, enum ib_qp_state to);
void siw_qp_fail(struct siw_qp *qp);

/* Has an asynchronous event of the QP raised, in softirq context. Any context, any lock. */
void siw_qp_event(struct siw_qp *qp, enum ib_event_type event);

/* Entries of a process that are flushed at a time, with interrupts off. */
#define SIW_FLUSH_BATCH	256u

/*
 * Has a work item flush what a batch has left in both queues. It queues itself again until it has
 * found an end of both: the process may go on posting as fast as we flush, and need not ring for
 * what is left.
 */
static inline void siw_qp_schedule_flush(struct siw_qp *qp)
{
	queue_work(system_unbound_wq, &qp->flush_work);
}

#endif /* SIW_QP_STATE_H */
