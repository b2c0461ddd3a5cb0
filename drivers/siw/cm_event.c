// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The events of connections: what each means in each state, and which iw_cm is told of.
 */
#include <linux/slab.h>
#include <trace/events/siw.h>

#include "drivers/siw/cm_event.h"
#include "drivers/siw/backlog.h"
#include "drivers/siw/cep.h"
#include "drivers/siw/close.h"
#include "drivers/siw/handshake.h"
#include "drivers/siw/stats.h"

/* The outcome of the handshake; private data stay where the peer's frame is. */
static void fill_event(const struct siw_mpa_conn *hs, struct iw_cm_event *event)
{
	event->local_addr = hs->local;
	event->remote_addr = hs->remote;
	event->ird = hs->agreement.ird;
	event->ord = hs->agreement.ord;
	if (event->event != IW_CM_EVENT_ESTABLISHED) {
		event->private_data = (void *)hs->peer.pd;
		event->private_data_len = hs->peer.pd_len;
	}
}

/* iw_cm has copied the event when it returns. */
static int cep_deliver(struct siw_cep *cep, struct iw_cm_id *cm_id, enum iw_cm_event_type type)
{
	struct iw_cm_event event = {
		.event = type,
		.status = cep->status[type],
		.provider_data = cep,
	};

	if (type <= IW_CM_EVENT_ESTABLISHED)
		fill_event(cep->hs, &event);
	trace_siw_cm_event(cm_id, &event, event.remote_addr.ss_family ? &event.remote_addr :
								      &cm_id->m_remote_addr);
	return cm_id->event_handler(cm_id, &event);
}

/* Rejects a request that iw_cm has not taken. */
static void reject_undelivered(struct siw_cep *cep)
{
	siw_count(cep->dev, SIW_BACKLOG_DROPS);
	mutex_lock(&cep->lock);
	if (cep->state == SIW_CEP_REQUESTED)
		siw_mpa_reject(cep, NULL, 0);
	mutex_unlock(&cep->lock);
}

static void deliver_connect_request(struct siw_cep *cep)
{
	struct siw_listener *listener = cep->listener;
	struct iw_cm_id *cm_id = siw_listener_begin_request(listener, cep);

	if (!cm_id) {
		mutex_lock(&cep->lock);
		siw_cep_close(cep, true);
		mutex_unlock(&cep->lock);
		return;
	}
	cep->listener = NULL;
	siw_cep_get(cep);
	if (cep_deliver(cep, cm_id, IW_CM_EVENT_CONNECT_REQUEST)) {
		reject_undelivered(cep);
		siw_cep_put(cep);
	}
	siw_listener_end_request(listener, cep);
}

/* A connection that did not come about ends with the reply that says so. */
static bool is_last(enum iw_cm_event_type type, int status)
{
	return type == IW_CM_EVENT_CLOSE || (type <= IW_CM_EVENT_ESTABLISHED && status);
}

static void deliver_iw_events(struct siw_cep *cep, unsigned long events)
{
	struct iw_cm_id *cm_id = cep->cm_id;
	int type;

	for_each_set_bit(type, &events, SIW_NUM_IW_EVENTS) {
		if (type == IW_CM_EVENT_CONNECT_REQUEST) {
			deliver_connect_request(cep);
			continue;
		}
		cep_deliver(cep, cm_id, type);
		if (!is_last(type, cep->status[type]))
			continue;
		mutex_lock(&cep->lock);
		cep->cm_id = NULL;
		mutex_unlock(&cep->lock);
		cm_id->rem_ref(cm_id);
		break;
	}
}

/* The first bytes of the stream are its engine's; what the handshake has left is needed no more. */
static void forget_handshake(struct siw_cep *cep)
{
	mutex_lock(&cep->lock);
	if (cep->state >= SIW_CEP_RDMA && !cep->iw_events) {
		kfree(cep->hs);
		cep->hs = NULL;
	}
	mutex_unlock(&cep->lock);
}

typedef void (*siw_cep_handler)(struct siw_cep *cep);

/* What is not in the table is of no importance in that state. */
static const siw_cep_handler handlers[SIW_CEP_NUM_STATES][SIW_CEP_EV_NUM] = {
	[SIW_CEP_CONNECTING] = {
		[SIW_CEP_EV_SOCKET]			= siw_mpa_connected,
		[SIW_CEP_EV_QP_DESTROYED]		= siw_mpa_connect_killed,
		[SIW_CEP_EV_TIMEOUT]			= siw_mpa_connect_timeout,
		[SIW_CEP_EV_ABORT]			= siw_mpa_connect_killed,
		[SIW_CEP_EV_KILL]			= siw_mpa_connect_killed,
	},
	[SIW_CEP_AWAIT_REPLY] = {
		[SIW_CEP_EV_SOCKET]			= siw_mpa_reply,
		[SIW_CEP_EV_QP_DESTROYED]		= siw_mpa_connect_killed,
		[SIW_CEP_EV_TIMEOUT]			= siw_mpa_connect_timeout,
		[SIW_CEP_EV_ABORT]			= siw_mpa_connect_killed,
		[SIW_CEP_EV_KILL]			= siw_mpa_connect_killed,
	},
	[SIW_CEP_AWAIT_REQUEST] = {
		[SIW_CEP_EV_SOCKET]			= siw_mpa_request,
		[SIW_CEP_EV_TIMEOUT]			= siw_mpa_request_timeout,
		[SIW_CEP_EV_KILL]			= siw_close_now,
	},
	[SIW_CEP_REQUESTED] = {
		[SIW_CEP_EV_SOCKET]			= siw_mpa_peer_left,
		[SIW_CEP_EV_KILL]			= siw_mpa_gone,
	},
	[SIW_CEP_AWAIT_RTR] = {
		[SIW_CEP_EV_ACCEPTED]			= siw_mpa_established,
		[SIW_CEP_EV_CLOSE]			= siw_mpa_closing,
		[SIW_CEP_EV_STREAM_ESTABLISHED]		= siw_mpa_established,
		[SIW_CEP_EV_STREAM_PEER_FIN]		= siw_mpa_rtr_failed,
		[SIW_CEP_EV_STREAM_TERM_SENT]		= siw_mpa_rtr_failed,
		[SIW_CEP_EV_STREAM_TERM_RECEIVED]	= siw_mpa_rtr_failed,
		[SIW_CEP_EV_STREAM_LOST]		= siw_mpa_rtr_failed,
		[SIW_CEP_EV_STREAM_ABORTED]		= siw_mpa_rtr_failed,
		[SIW_CEP_EV_QP_DESTROYED]		= siw_mpa_rtr_failed,
		[SIW_CEP_EV_TIMEOUT]			= siw_mpa_rtr_timeout,
		[SIW_CEP_EV_ABORT]			= siw_mpa_rtr_failed,
		[SIW_CEP_EV_KILL]			= siw_mpa_rtr_failed,
	},
	[SIW_CEP_RDMA] = {
		[SIW_CEP_EV_CLOSE]			= siw_close_begun,
		[SIW_CEP_EV_STREAM_DRAINED]		= siw_close_drained,
		[SIW_CEP_EV_STREAM_PEER_FIN]		= siw_close_graceful,
		[SIW_CEP_EV_STREAM_TERM_SENT]		= siw_close_terminated,
		[SIW_CEP_EV_STREAM_TERM_RECEIVED]	= siw_close_terminated,
		[SIW_CEP_EV_STREAM_LOST]		= siw_close_abort,
		[SIW_CEP_EV_STREAM_ABORTED]		= siw_close_aborted,
		[SIW_CEP_EV_QP_DESTROYED]		= siw_close_graceful,
		[SIW_CEP_EV_TIMEOUT]			= siw_close_abort,
		[SIW_CEP_EV_ABORT]			= siw_close_aborted,
		[SIW_CEP_EV_KILL]			= siw_close_abort,
	},
	[SIW_CEP_FIN_WAIT] = {
		[SIW_CEP_EV_STREAM_PEER_FIN]		= siw_close_graceful,
		[SIW_CEP_EV_STREAM_TERM_SENT]		= siw_close_graceful,
		[SIW_CEP_EV_STREAM_TERM_RECEIVED]	= siw_close_graceful,
		[SIW_CEP_EV_STREAM_LOST]		= siw_close_abort,
		[SIW_CEP_EV_STREAM_ABORTED]		= siw_close_graceful,
		[SIW_CEP_EV_QP_DESTROYED]		= siw_close_graceful,
		[SIW_CEP_EV_TIMEOUT]			= siw_close_abort,
		[SIW_CEP_EV_ABORT]			= siw_close_graceful,
		[SIW_CEP_EV_KILL]			= siw_close_abort,
	},
	[SIW_CEP_LINGER] = {
		[SIW_CEP_EV_SOCKET]			= siw_close_linger,
		[SIW_CEP_EV_TIMEOUT]			= siw_close_now,
		[SIW_CEP_EV_KILL]			= siw_close_now,
	},
};

static void handle_one(struct siw_cep *cep, enum siw_cep_event event)
{
	siw_cep_handler handler = handlers[cep->state][event];

	/* The deadline may have been put off since the timer fired. */
	if (event == SIW_CEP_EV_TIMEOUT && time_before(jiffies, cep->deadline))
		return;
	if (handler)
		handler(cep);
}

static unsigned long handle(struct siw_cep *cep)
{
	unsigned long pending = xchg(&cep->pending, 0);
	unsigned long events;
	int event;

	mutex_lock(&cep->lock);
	for_each_set_bit(event, &pending, SIW_CEP_EV_NUM)
		handle_one(cep, event);
	events = cep->iw_events;
	cep->iw_events = 0;
	mutex_unlock(&cep->lock);
	return events;
}

/* Tracepoints name the device, which may go as soon as the endpoint has closed. NULL: it has. */
static struct device *hold_device(struct siw_cep *cep)
{
	struct device *dev = NULL;

	mutex_lock(&cep->lock);
	if (cep->state != SIW_CEP_ORPHANED && cep->state != SIW_CEP_CLOSED)
		dev = get_device(&cep->dev->base.dev);
	mutex_unlock(&cep->lock);
	return dev;
}

void siw_cep_work(struct work_struct *work)
{
	struct siw_cep *cep = container_of(work, struct siw_cep, work);
	struct device *dev = hold_device(cep);
	unsigned long events = handle(cep);

	if (events) {
		deliver_iw_events(cep, events);
		forget_handshake(cep);
	}
	put_device(dev);
	siw_cep_put(cep);
}
