/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Connection endpoints, for the files that make up connection management.
 *
 * An endpoint is a state machine. Anything that happens to it is an event bit, raised from any
 * context; its work item takes the bits and calls the handler that the table in cm_event.c has for
 * the state and the event, under the endpoint's lock. Handlers note which events are due to iw_cm;
 * the work item delivers them when it has let go of the lock. So the events of one iw_cm identifier
 * come from one thread at a time, in order. iw_cm's calls (connect, accept, reject) change the
 * state under the lock, too, and deliver nothing.
 *
 * References: one from creation to SIW_CEP_CLOSED; one for each queued run of the work item and
 * the armed timer; one of iw_cm from the delivery of a request to accept or reject; one of the QP
 * while it is bound; one of a running stream.
 */
#ifndef SIW_CEP_H
#define SIW_CEP_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <rdma/iw_cm.h>

#include "drivers/siw/siw.h"
#include "drivers/siw/cm.h"
#include "iwarp/mpa.h"

struct siw_listener;
struct siw_qp;

enum siw_cep_state {
	SIW_CEP_IDLE,		/* being made */
	SIW_CEP_CONNECTING,	/* TCP is */
	SIW_CEP_AWAIT_REPLY,	/* our request is on its way */
	SIW_CEP_AWAIT_REQUEST,	/* accepted by TCP */
	SIW_CEP_REQUESTED,	/* iw_cm is being asked, or has been */
	SIW_CEP_ORPHANED,	/* peer or device did not wait for iw_cm's answer; no socket */
	SIW_CEP_AWAIT_RTR,	/* accepted; the peer has to open the stream */
	SIW_CEP_RDMA,		/* the stream is open */
	SIW_CEP_FIN_WAIT,	/* our FIN is on its way; the stream is open for the peer's last */
	SIW_CEP_LINGER,		/* QP and iw_cm are done with; TCP delivers the rest */
	SIW_CEP_CLOSED,		/* no socket */
	SIW_CEP_NUM_STATES
};

/*
 * In the order in which a run handles them. Those of the stream stand in the order of enum
 * siw_stream_event.
 */
enum siw_cep_event {
	SIW_CEP_EV_ACCEPTED,		/* iw_cm's accept is through */
	SIW_CEP_EV_CLOSE,		/* the QP was told to finish */
	SIW_CEP_EV_STREAM,
	SIW_CEP_EV_STREAM_ESTABLISHED = SIW_CEP_EV_STREAM + SIW_STREAM_ESTABLISHED,
	SIW_CEP_EV_STREAM_DRAINED = SIW_CEP_EV_STREAM + SIW_STREAM_DRAINED,
	SIW_CEP_EV_STREAM_PEER_FIN = SIW_CEP_EV_STREAM + SIW_STREAM_PEER_FIN,
	SIW_CEP_EV_STREAM_TERM_SENT = SIW_CEP_EV_STREAM + SIW_STREAM_TERM_SENT,
	SIW_CEP_EV_STREAM_TERM_RECEIVED = SIW_CEP_EV_STREAM + SIW_STREAM_TERM_RECEIVED,
	SIW_CEP_EV_STREAM_LOST = SIW_CEP_EV_STREAM + SIW_STREAM_LOST,
	SIW_CEP_EV_STREAM_ABORTED = SIW_CEP_EV_STREAM + SIW_STREAM_ABORTED,
	SIW_CEP_EV_SOCKET,		/* data came, or the socket's state changed */
	SIW_CEP_EV_QP_DESTROYED,	/* the QP was destroyed */
	SIW_CEP_EV_TIMEOUT,		/* the deadline passed */
	SIW_CEP_EV_ABORT,		/* the QP was told to reset its connection */
	SIW_CEP_EV_KILL,		/* listener or device end */
	SIW_CEP_EV_NUM
};

#define SIW_NUM_IW_EVENTS	(IW_CM_EVENT_CLOSE + 1)

/*
 * How long it may take to get out what is posted, and then, for the peer to answer our FIN with
 * its own.
 */
#define SIW_CLOSE_MS		5000

/**
 * struct siw_mpa_conn - what an endpoint needs until its connection is set up
 * @settings: of the device, when the handshake began; mpa_rev becomes 1 with the fallback to it
 * @broken: why the connection before the fallback ended
 * @policy: what we ask for
 * @request: the request: ours, as sent, or the peer's; @request.pd of ours is NULL
 * @peer: the frame of the peer, private data in @rx
 * @agreement: what came of it
 * @rx: collects the peer's frame
 * @local: our address, when TCP is connected
 * @remote: the peer's
 * @pd_len: bytes in @pd
 * @pd: private data to go with our request
 */
struct siw_mpa_conn {
	struct siw_settings settings;
	int broken;
	struct mpa_policy policy;
	struct mpa_frame request;
	struct mpa_frame peer;
	struct mpa_agreement agreement;
	struct mpa_rx rx;
	struct sockaddr_storage local;
	struct sockaddr_storage remote;
	u16 pd_len;
	u8 pd[MPA_PD_MAX];
};

/**
 * struct siw_cep - connection endpoint
 * @ref: see above
 * @dev: our device; valid until SIW_CEP_CLOSED or SIW_CEP_ORPHANED
 * @net: namespace of our socket; outlives the socket (sock.c)
 * @dev_entry: in the device's list, from creation until the socket is released
 * @work: handles events; queued by siw_cep_post_event()
 * @pending: bits of enum siw_cep_event
 * @timer: raises SIW_CEP_EV_TIMEOUT
 * @lock: guards all that follows but what is the listener's; outside of socket and QP locks; not
 *	held while iw_cm is called
 * @state: see above
 * @closing: the consumer asked for the end
 * @terminated: the stream ended by a Terminate of ours; once @qp is let go of
 * @deadline: of the state we are in, in jiffies; what @timer was last set to
 * @sock: set before the endpoint is visible; released by the work item only
 * @saved: the socket's own callbacks
 * @cm_id: referenced, from connect or accept until the last event is delivered
 * @qp: referenced and bound, from connect or accept to the end of the stream
 * @listener: referenced, until the endpoint is no longer half open
 * @half_open_entry: in the listener's list, under its lock
 * @undelivered_entry: in its list of undelivered requests, likewise, until @listener is dropped
 * @delivered: completed when it has left that list
 * @accepted: when it was entered there, in jiffies; unchanged from then on
 * @hs: until the connection is set up and the outcome is delivered
 * @iw_events: events due to iw_cm, BIT(enum iw_cm_event_type)
 * @status: of each of those
 */
struct siw_cep {
	struct kref ref;
	struct siw_device *dev;
	struct net *net;
	struct list_head dev_entry;
	struct work_struct work;
	unsigned long pending;
	struct timer_list timer;

	struct mutex lock; /* guards what follows */
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

/* Where all work of connections and listeners runs. */
extern struct workqueue_struct *siw_cm_wq;

/*
 * A new endpoint, known to the device, whose events @work handles: ERR_PTR(-ENOMEM),
 * ERR_PTR(-ENODEV) when the device is going.
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

/* By which the stream of an endpoint calls it. */
extern const struct siw_stream_ops siw_cep_stream_ops;

/* Any context; the caller has a reference. */
void siw_cep_post_event(struct siw_cep *cep, enum siw_cep_event event);

/* What follows is called with the endpoint's lock held, in process context. */

/* Have the socket's callbacks raise SIW_CEP_EV_SOCKET. */
void siw_cep_attach(struct siw_cep *cep);
/* Ends the socket, with a reset if @abort and the connection is not closed yet. */
void siw_cep_release_socket(struct siw_cep *cep, bool abort);

void siw_cep_set_deadline(struct siw_cep *cep, unsigned int ms);
void siw_cep_clear_deadline(struct siw_cep *cep);

/*
 * Binds a QP by its number: 0, -EINVAL no such QP or not in a state to be connected, -EISCONN it
 * has a connection.
 */
int siw_cep_bind(struct siw_cep *cep, u32 qpn);
/* Stops the stream, lets go of the QP. */
void siw_cep_unbind(struct siw_cep *cep);
/* Has the stream ended by a Terminate of ours, which the peer is to receive? */
bool siw_cep_terminating(const struct siw_cep *cep);

/* To SIW_CEP_CLOSED: lets go of everything but what is still to be delivered. */
void siw_cep_close(struct siw_cep *cep, bool abort);
/*
 * To SIW_CEP_LINGER: sends our FIN, and waits until the peer has everything and has sent its own.
 */
void siw_cep_linger(struct siw_cep *cep);

static inline void siw_cep_queue_iw_event(struct siw_cep *cep, enum iw_cm_event_type event,
					  int status)
{
	lockdep_assert_held(&cep->lock);
	cep->iw_events |= BIT(event);
	cep->status[event] = status;
}

#endif /* SIW_CEP_H */
