/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * States and events of connection endpoints. The table in cm_event.c has the handlers of the events
 * in each state; Documentation/architecture.rst draws the states.
 */
#ifndef SIW_CEP_STATE_H
#define SIW_CEP_STATE_H

#include "drivers/siw/stream.h"

/*
 * Time limit in milliseconds for sending the posted requests after the consumer has closed the
 * connection. After that, the same time limit applies until the peer answers our FIN by its own.
 * While the peer acknowledges bytes of a stream, the end of the time limit is put off, at most
 * SIW_CLOSE_PUT_OFFS times.
 */
#define SIW_CLOSE_MS		5000
#define SIW_CLOSE_PUT_OFFS	11

/*
 * Limits of the bytes that a peer can make a socket hold. SIW_HALF_OPEN_RCVBUF applies before the
 * stream starts, when only a request can come in. SIW_LINGER_RCVBUF applies in SIW_CEP_LINGER, in
 * which received bytes are dropped, but TCP holds bytes behind a gap.
 */
#define SIW_HALF_OPEN_RCVBUF	(16 * 1024)
#define SIW_LINGER_RCVBUF	(64 * 1024)

enum siw_cep_state {
	SIW_CEP_IDLE,		/* allocated; no connection yet */
	SIW_CEP_CONNECTING,	/* TCP connects */
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
 * Pending events are handled in this order. The events of the stream keep the order of enum
 * siw_stream_event.
 */
enum siw_cep_event {
	SIW_CEP_EV_DELIVER,		/* the turn of our request has come: deliver it to iw_cm */
	SIW_CEP_EV_ACCEPTED,		/* accepted, with no RTR message to await: established */
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
	SIW_CEP_EV_KILL,		/* the listener or the device is going away */
	SIW_CEP_EV_NUM
};

#endif /* SIW_CEP_STATE_H */
