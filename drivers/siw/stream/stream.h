/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A stream: a QP's use of one TCP connection, from the end of the MPA handshake to the connection's
 * end. stream.c runs transmit (tx.c) and receive (rx.c) with the socket locked.
 */
#ifndef SIW_STREAM_H
#define SIW_STREAM_H

#include <linux/types.h>

struct siw_qp;
struct siw_stream;
struct siw_txbuf;
struct socket;

/* The ready-to-receive message that opens a peer-to-peer stream. */
enum siw_rtr { SIW_RTR_NONE, SIW_RTR_SEND, SIW_RTR_WRITE, SIW_RTR_READ };

/**
 * struct siw_stream_cfg - what the handshake agreed on
 * @mpa_rev: revision of MPA, 1 or 2
 * @initiator: this side has connected; a responder sends nothing until it has received an FPDU
 * @crc: FPDUs have a CRC32c, in both directions
 * @large_fpdus: our FPDUs may be larger than a TCP segment
 * @tx_markers: the peer wants markers in what we send
 * @rx_markers: the peer inserts markers
 * @ird: number of reads that the peer may have outstanding
 * @ord: number of reads that we may have outstanding
 * @rtr: message that the initiator sends before all others
 */
struct siw_stream_cfg {
	u8 mpa_rev;
	bool initiator;
	bool crc;
	bool large_fpdus;
	bool tx_markers;
	bool rx_markers;
	u16 ird;
	u16 ord;
	enum siw_rtr rtr;
};

/*
 * Events of a stream, for its connection, which handles pending events in the order of this enum.
 * Therefore, if both a Terminate and a FIN have arrived, the connection handles the Terminate
 * first, and takes the Terminate as the reason for the end.
 */
enum siw_stream_event {
	SIW_STREAM_ESTABLISHED,	/* a responder has received its first FPDU */
	SIW_STREAM_DRAINED,	/* after siw_stream_close(): only our FIN is still to be sent */
	SIW_STREAM_TERM_SENT,	/* TCP has taken our Terminate */
	SIW_STREAM_TERM_RECEIVED, /* the peer sent a Terminate */
	SIW_STREAM_PEER_FIN,	/* the peer sent a FIN between two messages */
	SIW_STREAM_LOST,	/* connection reset or timed out; or our Terminate timed out */
	SIW_STREAM_ABORTED,	/* siw_stream_abort() has ended the stream */
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

/* Called once each, when the module is loaded and unloaded. Returns 0 or -ENOMEM. */
int siw_streams_init(void);
void siw_streams_exit(void);

/* Called when a QP is created and destroyed. Returns 0 or -ENOMEM. Process context. */
int siw_stream_init(struct siw_qp *qp, gfp_t gfp);
void siw_stream_exit(struct siw_qp *qp);

/*
 * Starts a stream on @sock, which the connection still owns. The QP is bound to the connection, so
 * it has no other stream. Moves the QP to RTS, and receives the bytes that are in the socket
 * already. Until siw_stream_stop(), the stream replaces the socket's callbacks and sk_user_data,
 * and holds a reference to @conn. Returns 0; -EINVAL if the QP's state does not allow a stream;
 * -ENOMEM if memory is short. Process context, socket not locked.
 */
int siw_stream_start(struct siw_stream *s, struct socket *sock, const struct siw_stream_ops *ops,
		     void *conn, const struct siw_stream_cfg *cfg);

/*
 * Stops the stream, if there is one. When this function returns, the stream uses neither socket nor
 * connection, and the QP is in ERR and flushed. A second caller waits for the first. Process
 * context, socket not locked. siw_stream_ops.event must not wait for a lock that the caller holds,
 * or for a work item that it runs in.
 */
void siw_stream_stop(struct siw_stream *s);

/*
 * Called by the connection after siw_stream_stop(). Returns what TCP has not taken yet: FPDUs, and
 * perhaps our Terminate. The connection pushes them to TCP before it sends a FIN, and frees them by
 * siw_txbuf_destroy(). Returns NULL if TCP has taken everything, or if another caller has got the
 * rest; -ENOMEM if the rest is lost: the connection then has to be reset. Process context.
 */
struct siw_txbuf *siw_stream_take_rest(struct siw_stream *s);

/*
 * Closes the stream gracefully: SIW_STREAM_DRAINED follows when all posted requests have completed
 * and all responses are sent. The caller limits how long that may take. Any context.
 */
void siw_stream_close(struct siw_stream *s);

/* Returns whether the connection was notified of SIW_STREAM_DRAINED. Any context. */
bool siw_stream_drained(const struct siw_stream *s);

/*
 * Makes the next pass abort the stream: nothing more is sent or received, the queues are flushed,
 * and SIW_STREAM_ABORTED follows. If our Terminate is pending, the Terminate is still sent, and
 * ends the stream instead. If there is no stream, the QP is in ERR and flushed when this function
 * returns. Any context, but not with siw_qp.state_lock held.
 */
void siw_stream_abort(struct siw_stream *s);

/*
 * Returns whether our Terminate ends, or has ended, the QP's present or last stream. If so, the
 * connection must not be reset, so that the peer receives the Terminate. Any context.
 */
bool siw_stream_terminating(const struct siw_stream *s);

/*
 * Sends newly posted requests of the QP, in the caller's context if possible. Any context, but not
 * with soft_sq.lock held.
 */
void siw_stream_kick(struct siw_stream *s);

#endif /* SIW_STREAM_H */
