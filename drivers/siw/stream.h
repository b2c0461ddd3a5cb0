/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A stream: a QP's use of one TCP connection, from the end of the MPA handshake to the connection's
 * end. stream.c runs transmit (tx.c) and receive (rx.c) with the socket locked.
 */
#ifndef SIW_STREAM_H
#define SIW_STREAM_H

#include <linux/types.h>

struct siw_qp;
struct socket;

/* The ready-to-receive message that opens a peer-to-peer stream. */
enum siw_rtr { SIW_RTR_NONE, SIW_RTR_SEND, SIW_RTR_WRITE, SIW_RTR_READ };

/**
 * struct siw_stream_cfg - what the handshake agreed on
 * @mpa_rev: revision of MPA, 1 or 2
 * @initiator: we connected; a responder sends nothing before it has received an FPDU
 * @crc: CRC32c is used both ways
 * @tx_markers: the peer wants markers in what we send
 * @rx_markers: the peer inserts markers
 * @ird: reads the peer may have outstanding with us
 * @ord: reads we may have outstanding with the peer
 * @rtr: the initiator's first message
 */
struct siw_stream_cfg {
	u8 mpa_rev;
	bool initiator;
	bool crc;
	bool tx_markers;
	bool rx_markers;
	u16 ird;
	u16 ord;
	enum siw_rtr rtr;
};

/*
 * Events of a stream, for its connection. Of several that are pending, the connection handles them
 * in this order, because the FIN behind a Terminate is not what ended the stream.
 */
enum siw_stream_event {
	SIW_STREAM_ESTABLISHED,	/* a responder has received its first FPDU */
	SIW_STREAM_DRAINED,	/* after siw_stream_close(): all is sent but our FIN */
	SIW_STREAM_TERM_SENT,	/* TCP has taken our Terminate */
	SIW_STREAM_TERM_RECEIVED, /* the peer terminated */
	SIW_STREAM_PEER_FIN,	/* the peer closed between messages */
	SIW_STREAM_LOST,	/* reset, timeout, or TCP did not take our Terminate in time */
	SIW_STREAM_ABORTED,	/* after siw_stream_abort(): the connection is to be reset */
};

/**
 * struct siw_stream_ops - operations of the stream's connection
 * @event: queues an event; called in any context, with the socket locked
 * @get: takes a reference to the connection
 * @put: drops a reference to the connection
 */
struct siw_stream_ops {
	void (*event)(void *conn, enum siw_stream_event event);
	void (*get)(void *conn);
	void (*put)(void *conn);
};

/* Called once, when the module is loaded and unloaded. Returns 0 or -ENOMEM. */
int siw_streams_init(void);
void siw_streams_exit(void);

/* For QP creation and destruction. Returns 0 or -ENOMEM. Process context. */
int siw_stream_init(struct siw_qp *qp, gfp_t gfp);
void siw_stream_exit(struct siw_qp *qp);

/*
 * Starts a stream on @sock, which stays the connection's: moves the QP to RTS, and receives bytes
 * that are in the socket already. Replaces the socket's callbacks and sk_user_data until
 * siw_stream_stop(), and holds a reference to @conn until then. Returns 0; -EINVAL if the QP's
 * state does not allow it, -EISCONN if there is a stream, -ENOMEM. Process context, socket not
 * locked.
 */
int siw_stream_start(struct siw_qp *qp, struct socket *sock, const struct siw_stream_ops *ops,
		     void *conn, const struct siw_stream_cfg *cfg);

/*
 * Stops the stream. After it has returned the stream uses neither socket nor connection, and the QP
 * is in ERR and flushed. Idempotent; a second caller waits for the first. Process context, socket
 * not locked; not from a work item, or with a lock held, that events of the connection wait for.
 */
void siw_stream_stop(struct siw_qp *qp);

/*
 * Closes the stream gracefully: SIW_STREAM_DRAINED follows when all posted requests have completed
 * and all responses are sent. The caller bounds the time. Any context.
 */
void siw_stream_close(struct siw_qp *qp);

/* Returns whether the connection was notified of SIW_STREAM_DRAINED. Any context. */
bool siw_stream_drained(const struct siw_qp *qp);

/*
 * Aborts the stream, in softirq context shortly after: nothing more is sent or received, the queues
 * are flushed, and SIW_STREAM_ABORTED follows. A pending Terminate is sent nevertheless, and ends
 * the stream instead. Without a stream, fails the QP before it returns. Any context; not under
 * siw_qp.state_lock.
 */
void siw_stream_abort(struct siw_qp *qp);

/*
 * Returns whether this stream, or the QP's last one, was ended by a Terminate of ours. If so its
 * connection must not be reset, so that the peer receives the Terminate. Any context.
 */
bool siw_stream_terminating(struct siw_qp *qp);

/*
 * Sends newly posted requests, in the caller's context if possible. Any context; not under
 * siw_sq.lock.
 */
void siw_stream_kick(struct siw_qp *qp);

#endif /* SIW_STREAM_H */
