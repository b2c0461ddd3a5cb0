/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Connection endpoints.
 *
 * An endpoint is a state machine. Each event of its connection sets a bit in siw_cep.pending, in
 * any context, and queues the work item. The work item takes all bits, and calls, under the
 * endpoint's lock, the handler that the table in cm_event.c has for the state and the event.
 * Handlers queue events for iw_cm; the work item delivers these after it has released the lock. A
 * work item does not run concurrently with itself, so iw_cm gets the events of an identifier
 * one at a time and in order. iw_cm's calls (connect, accept, reject) change the state under the
 * lock, too, and deliver nothing.
 *
 * The first reference lasts from creation to SIW_CEP_CLOSED. Each queued run of the work item holds
 * one; the timer holds one while it is armed; iw_cm holds one from the delivery of a request until
 * iw_cm accepts or rejects it; the QP holds one while it is bound; the stream holds one while there
 * is a stream.
 */
#ifndef SIW_CEP_H
#define SIW_CEP_H

#include <linux/bits.h>
#include <linux/lockdep.h>

#include "drivers/siw/conn/cep_state.h"

/* Runs the work items of endpoints and of listening sockets. */
extern struct workqueue_struct *siw_cm_wq;

/* The operations by which a stream calls its endpoint. */
extern const struct siw_stream_ops siw_cep_stream_ops;

/* Called once each, when the module is loaded and unloaded. Returns 0 or -ENOMEM. */
int siw_cm_init(void);
void siw_cm_exit(void);

/**
 * siw_cep_new() - allocate an endpoint and add it to its device
 * @dev: the device
 * @work: function that handles the events of the endpoint
 *
 * Return: the endpoint, in SIW_CEP_IDLE, with the reference that siw_cep_close() drops;
 * ERR_PTR(-ENOMEM) if memory is short; ERR_PTR(-ENODEV) if the device is going away. May sleep.
 */
struct siw_cep *siw_cep_new(struct siw_device *dev, work_func_t work);

void siw_cep_free(struct kref *ref);

static inline void siw_cep_get(struct siw_cep *cep)
{
	kref_get(&cep->ref);
}

static inline void siw_cep_put(struct siw_cep *cep)
{
	kref_put(&cep->ref, siw_cep_free);
}

/* Sets the event's bit and queues the work item. Any context; the caller has a reference. */
void siw_cep_post_event(struct siw_cep *cep, enum siw_cep_event event);

/* Posts SIW_CEP_EV_DELIVER and drops the caller's reference. @cep may be NULL. Any context. */
void siw_cep_post_deliver(struct siw_cep *cep);

/*
 * The functions from here to siw_cep_queue_iw_event() are called in process context, with the lock
 * held.
 */

/*
 * Replaces the socket's callbacks by ours, which post SIW_CEP_EV_SOCKET. The caller expects
 * sk_user_data to be @owner: NULL, or the value that was inherited from the listening socket.
 * Returns 0; or -EBUSY if sk_user_data has another value, for example because a BPF program has put
 * the socket into a map, or if the socket has a TCP ULP.
 */
int siw_cep_attach(struct siw_cep *cep, const void *owner);
/* Releases the socket, if there is one. With @abort, resets a connection that is still open. */
void siw_cep_release_socket(struct siw_cep *cep, bool abort);

/* Sets the deadline, after which SIW_CEP_EV_TIMEOUT is handled, to @ms milliseconds from now. */
void siw_cep_set_deadline(struct siw_cep *cep, unsigned int ms);
void siw_cep_clear_deadline(struct siw_cep *cep);
/* Sets the timer to fire at @when, in jiffies; the deadline stays. */
void siw_cep_set_timer(struct siw_cep *cep, unsigned long when);
/*
 * Sets the deadline of a connection that is being closed, and notes how much the peer has
 * acknowledged, for siw_close_timeout().
 */
void siw_cep_set_close_deadline(struct siw_cep *cep);

/*
 * Binds the QP with the number @qpn to the endpoint. Returns 0; -EINVAL if there is no QP with this
 * number, or if the QP's state does not allow a connection; -EISCONN if the QP has a connection.
 */
int siw_cep_bind(struct siw_cep *cep, u32 qpn);
/*
 * Stops the stream, if there is one, and releases the QP. A QP that had no stream keeps its state
 * and its receive requests.
 */
void siw_cep_unbind(struct siw_cep *cep);
/*
 * Returns whether our Terminate may still be on its way to the peer. If so, the connection must not
 * be reset.
 */
bool siw_cep_terminating(const struct siw_cep *cep);

/*
 * Moves to SIW_CEP_CLOSED: releases QP, listener and socket, and drops the first reference. Keeps
 * @cep->cm_id and @cep->mpa, because the delivery of pending events needs them. With @abort, resets
 * a connection that is still open.
 */
void siw_cep_close(struct siw_cep *cep, bool abort);
/*
 * Moves to SIW_CEP_LINGER, in which the endpoint sends siw_cep.rest and our FIN, drops what it
 * receives, and awaits the peer's FIN.
 */
void siw_cep_linger(struct siw_cep *cep);

static inline void siw_cep_queue_iw_event(struct siw_cep *cep, enum iw_cm_event_type event,
					  int status)
{
	lockdep_assert_held(&cep->lock);
	cep->iw_events |= BIT(event);
	cep->status[event] = status;
}

/*
 * Called when a QP is destroyed, after it was unbound and removed from siw_device.qps. Stops the
 * stream if there is one, drops the endpoint's and iw_cm's references to the QP, and ends the
 * connection gracefully. May sleep.
 */
void siw_cep_qp_destroyed(struct siw_cep *cep, struct siw_qp *qp);

/*
 * Called by ib_modify_qp(SQD): starts the orderly close. If a step of the close exceeds its time
 * limit, which SIW_CLOSE_MS sets, the connection is reset. Any context.
 */
void siw_cep_closing(struct siw_cep *cep);
/* Called by ib_modify_qp(ERR): resets the connection, with or without a stream. Any context. */
void siw_cep_abort(struct siw_cep *cep);

/*
 * Resets every connection. If @down, refuses new connections and listeners from then on. Never
 * waits.
 */
void siw_cm_device_reset(struct siw_device *dev, bool down);
/* Resets every connection, refuses new ones, and waits until no socket is left. May sleep. */
void siw_cm_device_exit(struct siw_device *dev);

#endif /* SIW_CEP_H */
