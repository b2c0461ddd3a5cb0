/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Connection endpoints, their states and events. The table in cm_event.c has the handlers of the
 * events in each state; Documentation/architecture.rst draws the states.
 */
#ifndef SIW_CEP_STATE_H
#define SIW_CEP_STATE_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <rdma/iw_cm.h>

#include "drivers/siw/base/sock.h"
#include "drivers/siw/stream/stream.h"

/*
 * Time limit in milliseconds for sending the posted requests after the consumer has closed the
 * connection. After that, the same time limit applies until the peer answers our FIN with its own
 * FIN. While the peer acknowledges bytes of a stream, the end of the time limit is put off, at most
 * SIW_CLOSE_PUT_OFFS times.
 */
#define SIW_CLOSE_MS		5000
#define SIW_CLOSE_PUT_OFFS	11

/*
 * Limits of the bytes that a peer can make a socket hold. SIW_HALF_OPEN_RCVBUF applies before the
 * stream starts, when only a request can come in. SIW_LINGER_RCVBUF applies in SIW_CEP_LINGER:
 * received bytes are dropped in this state, except for the bytes behind a gap, which TCP holds
 * until the gap is filled.
 */
#define SIW_HALF_OPEN_RCVBUF	(16 * 1024)
#define SIW_LINGER_RCVBUF	(64 * 1024)

enum siw_cep_state {
	SIW_CEP_IDLE,		/* allocated; no connection yet */
	SIW_CEP_CONNECTING,	/* TCP sets up the connection */
	SIW_CEP_AWAIT_REPLY,	/* our MPA request is sent */
	SIW_CEP_AWAIT_REQUEST,	/* TCP has accepted the connection; half open */
	SIW_CEP_REQUESTED,	/* the request is delivered to iw_cm, or about to be */
	SIW_CEP_ORPHANED,	/* peer or device left before iw_cm's answer; no socket */
	SIW_CEP_AWAIT_RTR,	/* accepted; the initiator has to send the first FPDU */
	SIW_CEP_RDMA,		/* the stream is open in both directions */
	SIW_CEP_FIN_WAIT,	/* our FIN is sent; the stream is open for what the peer sends */
	SIW_CEP_LINGER,		/* QP and iw_cm are released; TCP delivers the rest */
	SIW_CEP_CLOSED,		/* no socket */
	SIW_CEP_NUM_STATES
};

/*
 * Pending events are handled in the order of this enum. The events of the stream keep the order of
 * enum siw_stream_event.
 */
enum siw_cep_event {
	SIW_CEP_EV_DELIVER,		/* the turn of our request has come: deliver it to iw_cm */
	SIW_CEP_EV_ACCEPTED,		/* we have accepted, and await no RTR message */
	SIW_CEP_EV_CLOSE,		/* the consumer moved the QP to SQD: close gracefully */
	SIW_CEP_EV_STREAM,
	SIW_CEP_EV_STREAM_ESTABLISHED = SIW_CEP_EV_STREAM + SIW_STREAM_ESTABLISHED,
	SIW_CEP_EV_STREAM_DRAINED = SIW_CEP_EV_STREAM + SIW_STREAM_DRAINED,
	SIW_CEP_EV_STREAM_TERM_SENT = SIW_CEP_EV_STREAM + SIW_STREAM_TERM_SENT,
	SIW_CEP_EV_STREAM_TERM_RECEIVED = SIW_CEP_EV_STREAM + SIW_STREAM_TERM_RECEIVED,
	SIW_CEP_EV_STREAM_PEER_FIN = SIW_CEP_EV_STREAM + SIW_STREAM_PEER_FIN,
	SIW_CEP_EV_STREAM_LOST = SIW_CEP_EV_STREAM + SIW_STREAM_LOST,
	SIW_CEP_EV_STREAM_ABORTED = SIW_CEP_EV_STREAM + SIW_STREAM_ABORTED,
	SIW_CEP_EV_SOCKET,		/* data arrived, or the socket's state changed */
	SIW_CEP_EV_QP_DESTROYED,	/* the consumer destroyed the QP */
	SIW_CEP_EV_TIMEOUT,		/* the deadline passed */
	SIW_CEP_EV_ABORT,		/* the consumer moved the QP to ERR: reset the connection */
	SIW_CEP_EV_KILL,		/* the listener or device goes away, or a limit is hit */
	SIW_CEP_EV_NUM
};

/**
 * struct siw_cep - connection endpoint
 * @ref: references, listed at the head of cep.h
 * @dev: our device; valid until SIW_CEP_CLOSED or SIW_CEP_ORPHANED
 * @net: network namespace of our socket; outlives the socket (net.c)
 * @dev_entry: entry in siw_device.ceps while @dev is valid; protected by siw_device.cm_lock
 * @linger_entry: entry in siw_device.refused or siw_device.closing; protected by siw_device.cm_lock
 * @work: handles events; queued by siw_cep_post_event()
 * @pending: bits of enum siw_cep_event; changed atomically
 * @timer: posts SIW_CEP_EV_TIMEOUT
 * @lock: protects the members that follow, except those that siw_listener.lock protects; taken
 *	before the locks of sockets and QPs; not held while iw_cm is called
 * @state: enum siw_cep_state
 * @closing: the consumer has closed the connection
 * @terminated: our Terminate ended the stream; set when @qp is unbound
 * @deadline: time limit of the present state, in jiffies; SIW_CEP_EV_TIMEOUT is ignored before it
 * @acked: TCP sequence number up to which the peer had acknowledged our bytes when
 *	siw_cep_set_close_deadline() set @deadline
 * @put_offs: how often @deadline may still be put off because the peer acknowledges bytes
 * @sock: socket of the TCP connection; NULL before it is created and after it is released; replaced
 *	by the fallback to MPA revision 1
 * @saved: the socket's own callbacks, while ours replace them; else zero
 * @cm_id: identifier of iw_cm, referenced from connect or accept until the identifier's last event
 *	is delivered
 * @qp: QP that is bound, referenced from connect or accept to the end of the stream
 * @rest: FPDUs that the stream had not pushed to TCP when it stopped, or an error pointer; pushed
 *	to TCP in SIW_CEP_LINGER, before our FIN
 * @pushing: @rest is being pushed; changed with the socket locked
 * @refused: set in SIW_CEP_LINGER if the connection never had a stream
 * @listener: our listener, referenced until the request is delivered or the connection ends
 * @bucket: index of the remote host's bucket in siw_listener.half_open and siw_listener.hosts; does
 *	not change while the endpoint has a listener
 * @half_open_entry: entry in siw_listener.half_open; protected by siw_listener.lock
 * @order_entry: entry in siw_listener.order while the endpoint is in the queue of its host;
 *	protected by siw_listener.lock, like the next three members
 * @host_entry: links the endpoints of the queue of a host; the first endpoint is the list's head
 * @host_node: entry of the queue's first endpoint in siw_listener.hosts
 * @waiting: the request is complete and waits for its turn
 * @accepted: when the endpoint was added to siw_listener.order, in jiffies; does not change
 * @mpa: handshake state; freed when the stream is open and the handshake's outcome was delivered
 * @iw_events: mask of the events to be delivered to iw_cm, BIT(enum iw_cm_event_type)
 * @status: status of each event in @iw_events
 */
struct siw_cep {
	struct kref ref;
	struct siw_device *dev;
	struct net *net;
	struct list_head dev_entry;
	struct list_head linger_entry;
	struct work_struct work;
	unsigned long pending;
	struct timer_list timer;

	struct mutex lock; /* protects what follows, except what siw_listener.lock protects */
	enum siw_cep_state state;
	bool closing;
	bool terminated;
	unsigned long deadline;
	u32 acked;
	u8 put_offs;
	struct socket *sock;
	struct siw_sock_hooks saved;
	struct iw_cm_id *cm_id;
	struct siw_qp *qp;
	struct siw_txbuf *rest;
	bool pushing;
	bool refused;
	struct siw_listener *listener;
	unsigned int bucket;
	struct list_head half_open_entry;
	struct list_head order_entry;
	struct list_head host_entry;
	struct hlist_node host_node;
	bool waiting;
	unsigned long accepted;
	struct siw_mpa_conn *mpa;
	unsigned long iw_events;
	int status[IW_CM_EVENT_CLOSE + 1];
};

#endif /* SIW_CEP_STATE_H */
