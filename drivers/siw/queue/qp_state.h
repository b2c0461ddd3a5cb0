/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * References, states and events of queue pairs.
 */
#ifndef SIW_QP_STATE_H
#define SIW_QP_STATE_H

#include <rdma/ib_verbs.h>

#include "drivers/siw/qp.h"

struct siw_cep;

/* Create and destroy the workqueue that flushes QPs. siw_flush_init() returns 0 or -ENOMEM. */
int siw_flush_init(void);
void siw_flush_exit(void);

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
 * Return: 0; -EISCONN if @qp is bound to a connection; -EINVAL if the state of @qp is past RTR, or
 * if @qp is being reset or destroyed.
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

/*
 * siw_qp_begin_reset() moves the QP to RESET, in which nothing is flushed any more. Returns 0;
 * -EBUSY if the QP is bound to a connection, or is in RTS or SQD. After success, the caller empties
 * the queues, and calls siw_qp_end_reset(). Until then, no connection can be bound. Process
 * context.
 */
int siw_qp_begin_reset(struct siw_qp *qp);
void siw_qp_end_reset(struct siw_qp *qp);

/* Moves the QP from RESET, INIT or RTR to RTS. Returns 0; -EINVAL in other states. Any context. */
int siw_qp_connected(struct siw_qp *qp);
/*
 * Moves the QP from RTS to SQD. Returns 0; also 0, without a change, in SQD and ERR; -EINVAL in
 * other states. Any context.
 */
int siw_qp_drain(struct siw_qp *qp);
/*
 * Moves the QP to @to, which is INIT or RTR: these states need no connection. Returns 0; -EINVAL if
 * @to is another state, or a state before the present one. Any context.
 */
int siw_qp_modify_unconnected(struct siw_qp *qp, enum ib_qp_state to);
/*
 * Moves the QP from any state to ERR; siw_qp_flush() has to follow. Called when the stream uses no
 * entries of the queues any more and has completed its current receive request. Any context.
 */
void siw_qp_set_err(struct siw_qp *qp);
/*
 * Flushes a batch of each queue of a QP in ERR; a work item flushes what is left. The work item is
 * queued again until both queues are empty, because a process may post as fast as entries are
 * flushed, and rings no doorbell for entries that a batch leaves. Any context.
 */
void siw_qp_flush(struct siw_qp *qp);

/*
 * Raises an asynchronous event, whose handler runs later, in softirq context. May be called in any
 * context and with any lock held.
 */
void siw_qp_event(struct siw_qp *qp, enum ib_event_type event);

#endif /* SIW_QP_STATE_H */
