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
/* Called when neither references nor a stream are left. Process context. */
void siw_qp_state_exit(struct siw_qp *qp);

/* Returns the QP with a reference, or NULL. Softirq or process context. */
struct siw_qp *siw_qp_find(struct siw_device *dev, u32 qpn);
void siw_qp_get(struct siw_qp *qp);
void siw_qp_put(struct siw_qp *qp);

/**
 * siw_qp_bind() - bind a QP to a connection, at connect or accept
 * @qp: the QP
 * @cep: the connection, which holds a reference to @qp
 *
 * On success the caller's reference to @cep becomes that of @qp. Process context.
 *
 * Return: 0; -EISCONN if @qp is bound to a connection; -EINVAL if the state of @qp is past RTR.
 */
int siw_qp_bind(struct siw_qp *qp, struct siw_cep *cep);
/**
 * siw_qp_unbind() - unbind a QP, at the end of its connection or when the QP is destroyed
 * @qp: the QP
 * @cep: the connection to unbind from; NULL when the QP is destroyed, to unbind from whatever
 *	connection there is. In the latter case the caller then calls siw_cep_qp_destroyed().
 *
 * Any context.
 *
 * Return: the connection that was bound, whose reference becomes the caller's; NULL if @qp was not
 * bound to it any more.
 */
struct siw_cep *siw_qp_unbind(struct siw_qp *qp, struct siw_cep *cep);

/* Moves the QP from RESET, INIT or RTR to RTS. Returns 0; -EINVAL in other states. Any context. */
int siw_qp_connected(struct siw_qp *qp);
/*
 * Moves the QP from RTS to SQD. Returns 0; also 0, without a change, in SQD and ERR; -EINVAL in
 * other states. Any context.
 */
int siw_qp_drain(struct siw_qp *qp);
/*
 * Moves the QP to INIT or RTR, which need no connection. Returns 0; -EINVAL if @to is another
 * state, or one before the present state. Any context.
 */
int siw_qp_modify_unconnected(struct siw_qp *qp, enum ib_qp_state to);
/*
 * Moves the QP from any state to ERR and flushes both queues: later posts complete with
 * IB_WC_WR_FLUSH_ERR. A second call flushes what a process has posted since the first. Called when
 * the stream uses no entries of the queues any more and has completed its current receive request.
 * Any context.
 */
void siw_qp_fail(struct siw_qp *qp);

/* Raises an asynchronous event. Its handler runs in softirq context. Any context, any lock held. */
void siw_qp_event(struct siw_qp *qp, enum ib_event_type event);

/* Largest number of a process's entries that one flush takes, because interrupts are off. */
#define SIW_FLUSH_BATCH	256u

/*
 * Schedules a work item that flushes the entries that a batch has left in both queues. The work
 * item is scheduled again until both queues are empty, because the process may post as fast as
 * entries are flushed, and rings no doorbell for those that are left.
 */
static inline void siw_qp_schedule_flush(struct siw_qp *qp)
{
	queue_work(system_unbound_wq, &qp->flush_work);
}

#endif /* SIW_QP_STATE_H */
