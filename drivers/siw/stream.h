/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A stream: a QP's use of one TCP connection, from the end of the MPA handshake to the connection's
 * end. stream.c runs transmit (tx.c) and receive (rx.c) in softirq context under the
 * socket's spinlock.
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
 * @initiator: we connected; the responder sends nothing before the first FPDU came in
 * @crc: CRC32c is used both ways
 * @tx_markers: the peer wants markers in what we send
 * @rx_markers: the peer inserts markers
 * @ird: reads the peer may have outstanding with us
 * @ord: reads we may have outstanding with the peer
 * @rtr: what the initiator sends first
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
 * What the connection of a stream is notified of. It acts on them in this order if
 * several come at once: the FIN behind a Terminate is not what ended the stream.
 */
enum siw_stream_event {
	SIW_STREAM_ESTABLISHED,	/* the responder's first FPDU came in */
	SIW_STREAM_DRAINED,	/* after siw_stream_close(): everything is sent, time for our FIN */
	SIW_STREAM_TERM_SENT,	/* we terminated: close after the Terminate has gone out */
	SIW_STREAM_TERM_RECEIVED, /* the peer terminated */
	SIW_STREAM_PEER_FIN,	/* the peer closed between messages */
	SIW_STREAM_LOST,	/* reset, time out, or the peer closed within a message */
	SIW_STREAM_ABORTED,	/* siw_stream_abort(): reset the connection */
};

/**
 * struct siw_stream_ops - how the stream calls its connection
 * @event: something happened; any context, with the socket locked: only queues
 * @get: takes a reference to the connection
 * @put: drops it
 */
struct siw_stream_ops {
	void (*event)(void *conn, enum siw_stream_event event);
	void (*get)(void *conn);
	void (*put)(void *conn);
};

/* Once, when the module is loaded and unloaded. -ENOMEM. */
int siw_streams_init(void);
void siw_streams_exit(void);

/* Once, at QP creation and destruction; @gfp: who pays for it. -ENOMEM. Process context. */
int siw_stream_init(struct siw_qp *qp, gfp_t gfp);
void siw_stream_exit(struct siw_qp *qp);

/*
 * siw_stream_start() gives the engine the socket, which stays the connection's: QP to RTS, bytes
 * that wait in the socket are received. The socket's callbacks and sk_user_data are replaced, and
 * what was there comes back with siw_stream_stop(). Takes a reference to @conn, dropped by
 * siw_stream_stop(). 0, -EINVAL wrong QP state, -EISCONN a stream exists, -ENOMEM. Process context,
 * socket not locked.
 */
int siw_stream_start(struct siw_qp *qp, struct socket *sock, const struct siw_stream_ops *ops,
		     void *conn, const struct siw_stream_cfg *cfg);

/*
 * siw_stream_stop() ends it: when it returns the engine touches neither socket nor connection any
 * more, the QP is in error and flushed. Idempotent; a second caller waits for the first. Process
 * context, socket not locked, not from a work item or lock that an event of the connection waits
 * for.
 */
void siw_stream_stop(struct siw_qp *qp);

/*
 * Graceful: finish what is posted and owed, then SIW_STREAM_DRAINED. The caller bounds the time it
 * takes. Any context.
 */
void siw_stream_close(struct siw_qp *qp);

/* Whether the connection was notified of that. Any context. */
bool siw_stream_drained(const struct siw_qp *qp);

/*
 * At once: nothing more is sent or received, queues flushed, SIW_STREAM_ABORTED; a Terminate that
 * is due still goes out, and ends it instead; without a stream the QP is failed right here. With
 * one this happens in softirq context shortly after. Any context; not under the QP's state_lock.
 */
void siw_stream_abort(struct siw_qp *qp);

/*
 * We have terminated the stream, or the one it had last: the peer is to receive the Terminate, so
 * its connection is not to be reset. Any context.
 */
bool siw_stream_terminating(struct siw_qp *qp);

/*
 * New work was posted: send it from here if possible, else hand over. Any context; not under the
 * SQ's lock.
 */
void siw_stream_kick(struct siw_qp *qp);

#endif /* SIW_STREAM_H */
