/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Connection endpoints.
 *
 * An endpoint is a state machine. Whatever happens to its connection sets a bit in @pending, in any
 * context, and queues the work item. The work item takes all bits, and calls, under the endpoint's
 * lock, the handler that the table in cm_event.c has for the state and the event. Handlers queue
 * events for iw_cm; the work item delivers them after it has released the lock. A work item does
 * not run concurrently with itself, so that iw_cm gets the events of an identifier one at a time
 * and in order. iw_cm's calls (connect, accept, reject) change the state under the lock, too, and
 * deliver nothing.
 *
 * References: one from creation to SIW_CEP_CLOSED; one for each queued run of the work item and
 * one for the armed timer; iw_cm's from the delivery of a request to accept or reject; the QP's
 * while it is bound; the stream's while it is live.
 */
#ifndef SIW_CEP_H
#define SIW_CEP_H

#include <linux/bits.h>
#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <rdma/iw_cm.h>

#include "drivers/siw/cep_state.h"

struct siw_device;
struct siw_listener;
struct siw_mpa_conn;
struct siw_qp;
struct siw_stream_ops;

#define SIW_NUM_IW_EVENTS	(IW_CM_EVENT_CLOSE + 1)

/*
 * Milliseconds within which posted requests must be sent after the consumer has closed, and then,
 * within which the peer must answer our FIN with its own.
 */
#define SIW_CLOSE_MS		5000

/**
 * struct siw_cep - connection endpoint
 * @ref: see above
 * @dev: our device; valid until SIW_CEP_CLOSED or SIW_CEP_ORPHANED
 * @net: network namespace of our socket; outlives the socket (net.c)
 * @dev_entry: in the device's list, as long as @dev is valid; under siw_device.cm_lock
 * @work: handles events; queued by siw_cep_post_event()
 * @pending: bits of enum siw_cep_event; changed atomically
 * @timer: posts SIW_CEP_EV_TIMEOUT
 * @lock: protects the members that follow, except those of the listener's lock; taken before the
 *	locks of sockets and QPs; not held while iw_cm is called
 * @state: enum siw_cep_state
 * @closing: the consumer has closed the connection
 * @terminated: a Terminate of ours ended the stream; set when @qp is unbound
 * @deadline: of the present state, in jiffies; SIW_CEP_EV_TIMEOUT is ignored before
 * @sock: the TCP connection; NULL before it is created and after it is released; replaced by the
 *	fallback to MPA revision 1
 * @saved: the socket's own callbacks, while ours are in place
 * @cm_id: referenced from connect or accept until the last event is delivered
 * @qp: referenced and bound, from connect or accept to the end of the stream
 * @listener: referenced until the endpoint is no longer half open
 * @half_open_entry: in siw_listener.half_open; under siw_listener.lock
 * @undelivered_entry: in siw_listener.undelivered until @listener is dropped; likewise
 * @delivered: completed when the endpoint leaves siw_listener.undelivered
 * @accepted: when it was added there, in jiffies; constant from then on
 * @hs: handshake state; freed when the connection is set up and its outcome is delivered
 * @iw_events: events to be delivered to iw_cm, BIT(enum iw_cm_event_type)
 * @status: the status of each of these events
 */
struct siw_cep {
	struct kref ref;
	struct siw_device *dev;
	struct net *net;
	struct list_head dev_entry;
	struct work_struct work;
	unsigned long pending;
	struct timer_list timer;

	struct mutex lock; /* protects what follows */
	enum siw_cep_state state;
	bool closing;
	bool terminated;
	unsigned long deadline;
	struct socket *sock;
	struct {
		void (*state_change)(struct sock *sk);
		void (*data_ready)(struct sock *sk);
		void (*error_report)(struct sock *sk);
	} saved;
	struct iw_cm_id *cm_id;
	struct siw_qp *qp;
	struct siw_listener *listener;
	struct list_head half_open_entry;
	struct list_head undelivered_entry;
	struct completion delivered;
	unsigned long accepted;
	struct siw_mpa_conn *hs;
	unsigned long iw_events;
	int status[SIW_NUM_IW_EVENTS];
};

/* Runs the work items of endpoints and of listening sockets. */
extern struct workqueue_struct *siw_cm_wq;

/* How a stream calls its endpoint. */
extern const struct siw_stream_ops siw_cep_stream_ops;

/* Called once each, when the module is loaded and unloaded. Returns 0 or -ENOMEM. */
int siw_cm_init(void);
void siw_cm_exit(void);

/**
 * siw_cep_new() - allocate an endpoint and add it to its device
 * @dev: the device
 * @work: handles its events
 *
 * Return: the endpoint, in SIW_CEP_IDLE, with the reference that siw_cep_close() drops;
 * ERR_PTR(-ENOMEM); ERR_PTR(-ENODEV) if the device is going away. May sleep.
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

/* Any context; the caller has a reference. */
void siw_cep_post_event(struct siw_cep *cep, enum siw_cep_event event);

/* All that follows is called with the endpoint's lock held, in process context. */

/* Installs the socket's callbacks, which post SIW_CEP_EV_SOCKET. */
void siw_cep_attach(struct siw_cep *cep);
/* Releases the socket if there is one; with a reset if @abort and the connection is still open. */
void siw_cep_release_socket(struct siw_cep *cep, bool abort);

/* Has SIW_CEP_EV_TIMEOUT handled in @ms milliseconds; replaces the deadline before. */
void siw_cep_set_deadline(struct siw_cep *cep, unsigned int ms);
void siw_cep_clear_deadline(struct siw_cep *cep);

/*
 * Binds the QP of number @qpn. Returns 0; -EINVAL if there is no such QP, or its state does not
 * allow a connection; -EISCONN if it has a connection.
 */
int siw_cep_bind(struct siw_cep *cep, u32 qpn);
/* Stops the stream and releases the QP, if one is bound. */
void siw_cep_unbind(struct siw_cep *cep);
/* Returns true if we end, or ended, the stream by a Terminate, which the peer should receive. */
bool siw_cep_terminating(const struct siw_cep *cep);

/*
 * Moves to SIW_CEP_CLOSED: releases everything except @cm_id and @hs, which events yet to be
 * delivered need, and drops the first reference. @abort as for siw_cep_release_socket().
 */
void siw_cep_close(struct siw_cep *cep, bool abort);
/* Moves to SIW_CEP_LINGER: sends our FIN, and waits until the peer has received it and closed. */
void siw_cep_linger(struct siw_cep *cep);

static inline void siw_cep_queue_iw_event(struct siw_cep *cep, enum iw_cm_event_type event,
					  int status)
{
	lockdep_assert_held(&cep->lock);
	cep->iw_events |= BIT(event);
	cep->status[event] = status;
}

/*
 * From QP destruction, when neither siw_qp_find() nor a binding leads to the QP any more: stops its
 * stream, and drops the endpoint's and iw_cm's references to the QP. The connection ends
 * gracefully. May sleep.
 */
void siw_cep_qp_destroyed(struct siw_cep *cep, struct siw_qp *qp);

/*
 * From ib_modify_qp(), any context. siw_cep_closing(): the consumer closes the connection, and the
 * endpoint bounds the time that this takes. siw_cep_abort(): the consumer resets the connection,
 * whether it has a stream yet or not.
 */
void siw_cep_closing(struct siw_cep *cep);
void siw_cep_abort(struct siw_cep *cep);

/* Resets every connection of a device. Process context; does not wait. */
void siw_cm_device_reset(struct siw_device *dev);
/* Likewise, and refuses new connections and listeners: the device's netdev is leaving. */
void siw_cm_device_down(struct siw_device *dev);
/* Likewise, and waits until the device has no socket left. May sleep. */
void siw_cm_device_exit(struct siw_device *dev);

#endif /* SIW_CEP_H */
