// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Events of connection endpoints: the handler of each event in each state, the work item that runs
 * the handlers, and the delivery of events to iw_cm.
 */
#include <linux/slab.h>
#include <rdma/krdma_addr.h>
#include <trace/events/siw.h>

#include "drivers/siw/conn/cm_event.h"
#include "drivers/siw/base/siw.h"
#include "drivers/siw/base/stats.h"
#include "drivers/siw/conn/backlog.h"
#include "drivers/siw/conn/cep.h"
#include "drivers/siw/conn/close.h"
#include "drivers/siw/conn/handshake.h"

/*
 * Puts the port that the ULP knows back into @event, because the setting port_map may have replaced
 * the port. Does nothing if the port mapper has chosen the ports, because iw_cm then restores them.
 */
static void restore_port(const struct iw_cm_id *cm_id, struct iw_cm_event *event)
{
	if (cm_id->mapped)
		return;
	if (event->event == IW_CM_EVENT_CONNECT_REPLY)
		krdma_addr_set_port(&event->remote_addr, krdma_addr_port(&cm_id->remote_addr));
	else
		krdma_addr_set_port(&event->local_addr, krdma_addr_port(&cm_id->local_addr));
}

/*
 * Delivers an event to iw_cm. The event types up to IW_CM_EVENT_ESTABLISHED carry the outcome of
 * the handshake. The event may point to the private data in cep->mpa, because iw_cm copies the data
 * before its handler returns.
 */
static int cep_deliver(struct siw_cep *cep, struct iw_cm_id *cm_id, enum iw_cm_event_type type)
{
	const struct siw_mpa_conn *mpa = cep->mpa;
	struct iw_cm_event event = {
		.event = type,
		.status = cep->status[type],
		.provider_data = cep,
	};

	if (type <= IW_CM_EVENT_ESTABLISHED) {
		event.local_addr = mpa->local;
		event.remote_addr = mpa->remote;
		restore_port(cm_id, &event);
		event.ird = mpa->agreement.ird;
		event.ord = mpa->agreement.ord;
	}
	if (type < IW_CM_EVENT_ESTABLISHED) {
		event.private_data = (void *)mpa->peer.pd;
		event.private_data_len = mpa->peer.pd_len;
	}
	trace_siw_cm_event(cm_id, &event, event.remote_addr.ss_family ? &event.remote_addr :
								      &cm_id->m_remote_addr);
	return cm_id->event_handler(cm_id, &event);
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
	/* This reference is iw_cm's; siw_accept() or siw_reject_data() drops it. */
	siw_cep_get(cep);
	if (cep_deliver(cep, cm_id, IW_CM_EVENT_CONNECT_REQUEST)) {
		/* iw_cm refused the request, for example because the backlog is full. */
		siw_count(cep->dev, SIW_BACKLOG_DROPS);
		mutex_lock(&cep->lock);
		if (cep->state == SIW_CEP_REQUESTED)
			siw_mpa_reject(cep, NULL, 0);
		mutex_unlock(&cep->lock);
		siw_cep_put(cep);
	}
	siw_cep_post_deliver(siw_listener_end_request(listener, cep));
}

/*
 * Delivers @events. Drops the reference to the identifier after the identifier's last event, which
 * is CLOSE or a failed handshake.
 */
static void deliver_iw_events(struct siw_cep *cep, unsigned long events)
{
	struct iw_cm_id *cm_id = cep->cm_id;
	int type;

	for_each_set_bit(type, &events, ARRAY_SIZE(cep->status)) {
		if (type == IW_CM_EVENT_CONNECT_REQUEST) {
			deliver_connect_request(cep);
			continue;
		}
		cep_deliver(cep, cm_id, type);
		if (type == IW_CM_EVENT_CLOSE ||
		    (type <= IW_CM_EVENT_ESTABLISHED && cep->status[type])) {
			mutex_lock(&cep->lock);
			cep->cm_id = NULL;
			mutex_unlock(&cep->lock);
			cm_id->rem_ref(cm_id);
			break;
		}
	}
}

typedef void (*siw_cep_handler)(struct siw_cep *cep);

/* In each state, events without an entry are ignored. */
static const siw_cep_handler cep_handlers[SIW_CEP_NUM_STATES][SIW_CEP_EV_NUM] = {
	[SIW_CEP_CONNECTING] = {
		[SIW_CEP_EV_SOCKET]			= siw_mpa_handle_connected,
		[SIW_CEP_EV_QP_DESTROYED]		= siw_mpa_connect_aborted,
		[SIW_CEP_EV_TIMEOUT]			= siw_mpa_connect_timeout,
		[SIW_CEP_EV_ABORT]			= siw_mpa_connect_aborted,
		[SIW_CEP_EV_KILL]			= siw_mpa_connect_aborted,
	},
	[SIW_CEP_AWAIT_REPLY] = {
		[SIW_CEP_EV_SOCKET]			= siw_mpa_handle_reply,
		[SIW_CEP_EV_QP_DESTROYED]		= siw_mpa_connect_aborted,
		[SIW_CEP_EV_TIMEOUT]			= siw_mpa_connect_timeout,
		[SIW_CEP_EV_ABORT]			= siw_mpa_connect_aborted,
		[SIW_CEP_EV_KILL]			= siw_mpa_connect_aborted,
	},
	[SIW_CEP_AWAIT_REQUEST] = {
		[SIW_CEP_EV_SOCKET]			= siw_mpa_handle_request,
		[SIW_CEP_EV_TIMEOUT]			= siw_mpa_request_timeout,
		[SIW_CEP_EV_KILL]			= siw_close_now,
	},
	[SIW_CEP_REQUESTED] = {
		[SIW_CEP_EV_DELIVER]			= siw_mpa_requested_deliver,
		[SIW_CEP_EV_SOCKET]			= siw_mpa_requested_socket,
		[SIW_CEP_EV_KILL]			= siw_mpa_requested_kill,
	},
	[SIW_CEP_AWAIT_RTR] = {
		[SIW_CEP_EV_ACCEPTED]			= siw_mpa_established,
		[SIW_CEP_EV_CLOSE]			= siw_mpa_rtr_close,
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
		[SIW_CEP_EV_CLOSE]			= siw_close_begin,
		[SIW_CEP_EV_STREAM_DRAINED]		= siw_close_drained,
		[SIW_CEP_EV_STREAM_PEER_FIN]		= siw_close_graceful,
		[SIW_CEP_EV_STREAM_TERM_SENT]		= siw_close_terminated,
		[SIW_CEP_EV_STREAM_TERM_RECEIVED]	= siw_close_terminated,
		[SIW_CEP_EV_STREAM_LOST]		= siw_close_reset,
		[SIW_CEP_EV_STREAM_ABORTED]		= siw_close_aborted,
		[SIW_CEP_EV_QP_DESTROYED]		= siw_close_graceful,
		[SIW_CEP_EV_TIMEOUT]			= siw_close_timeout,
		[SIW_CEP_EV_ABORT]			= siw_close_aborted,
		[SIW_CEP_EV_KILL]			= siw_close_reset,
	},
	[SIW_CEP_FIN_WAIT] = {
		[SIW_CEP_EV_STREAM_PEER_FIN]		= siw_close_graceful,
		[SIW_CEP_EV_STREAM_TERM_SENT]		= siw_close_graceful,
		[SIW_CEP_EV_STREAM_TERM_RECEIVED]	= siw_close_graceful,
		[SIW_CEP_EV_STREAM_LOST]		= siw_close_reset,
		[SIW_CEP_EV_STREAM_ABORTED]		= siw_close_graceful,
		[SIW_CEP_EV_QP_DESTROYED]		= siw_close_graceful,
		[SIW_CEP_EV_TIMEOUT]			= siw_close_timeout,
		[SIW_CEP_EV_ABORT]			= siw_close_graceful,
		[SIW_CEP_EV_KILL]			= siw_close_reset,
	},
	[SIW_CEP_LINGER] = {
		[SIW_CEP_EV_SOCKET]			= siw_close_linger,
		[SIW_CEP_EV_TIMEOUT]			= siw_close_timeout,
		[SIW_CEP_EV_KILL]			= siw_close_now,
	},
};

/* Frees the state of the handshake once its outcome is delivered. */
static void end_handshake(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	if (cep->state < SIW_CEP_RDMA || cep->iw_events)
		return;
	kfree(cep->mpa);
	cep->mpa = NULL;
}

void siw_cep_work(struct work_struct *work)
{
	struct siw_cep *cep = container_of(work, struct siw_cep, work);
	unsigned long pending = xchg(&cep->pending, 0);
	struct device *dev = NULL;
	siw_cep_handler handler;
	unsigned long events;
	int event;

	mutex_lock(&cep->lock);
	/*
	 * The device may be released as soon as the endpoint is closed. The reference keeps the
	 * device's name valid for the tracepoints after that.
	 */
	if (cep->state != SIW_CEP_ORPHANED && cep->state != SIW_CEP_CLOSED)
		dev = get_device(&cep->dev->soft.base.dev);
	for_each_set_bit(event, &pending, SIW_CEP_EV_NUM) {
		/*
		 * The deadline has not passed. Either the deadline was moved after the timer had
		 * fired, or the timer was set to an earlier time, to push siw_cep.rest to TCP
		 * again.
		 */
		if (event == SIW_CEP_EV_TIMEOUT && time_before(jiffies, cep->deadline)) {
			siw_close_retry(cep);
			continue;
		}
		handler = cep_handlers[cep->state][event];
		if (handler)
			handler(cep);
	}
	events = cep->iw_events;
	if (!events)
		end_handshake(cep);
	cep->iw_events = 0;
	mutex_unlock(&cep->lock);

	if (events) {
		deliver_iw_events(cep, events);
		mutex_lock(&cep->lock);
		end_handshake(cep);
		mutex_unlock(&cep->lock);
	}
	put_device(dev);
	siw_cep_put(cep);
}
