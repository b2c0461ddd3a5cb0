/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The state of a stream, for the files that move its bytes: stream.c, tx.c, rx.c, term.c. One owner
 * at a time transmits and receives; stream.c says which context that is.
 */
#ifndef SIW_STREAM_STATE_H
#define SIW_STREAM_STATE_H

#include <linux/atomic.h>
#include <linux/interrupt.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "drivers/siw/qp.h"
#include "drivers/siw/read.h"
#include "drivers/siw/rx.h"
#include "drivers/siw/stream.h"
#include "drivers/siw/tx.h"
#include "iwarp/fault.h"

/* Bits of siw_stream.state. */
#define SIW_PENDING_TX		BIT(0)	/* something may be sent */
#define SIW_PENDING_RX		BIT(1)	/* bytes may be there, or the connection has changed */
#define SIW_PENDING_ABORT	BIT(2)	/* siw_stream_abort() */
#define SIW_PENDING_ALL		(SIW_PENDING_TX | SIW_PENDING_RX | SIW_PENDING_ABORT)
#define SIW_RUNNING		BIT(3)	/* a context owns the stream */
#define SIW_STOPPING		BIT(4)	/* siw_stream_stop() waits for ownership */
#define SIW_CLOSING		BIT(5)	/* siw_stream_close() */

/* Bytes in one pass, in either direction, so that others get the socket and the CPU. */
#define SIW_PASS_BYTES	(128 * 1024)

/* Delay of a retry after SIW_NO_MEMORY, in jiffies. */
#define SIW_RETRY_DELAY	max(HZ / 100, 1)

/* Longest time that a Terminate waits for TCP to take it, in jiffies. */
#define SIW_TERMINATE_TIMEOUT	(2 * HZ)

/* The Terminate of a stream: there is at most one. */
enum siw_term_state {
	SIW_TERM_NONE,
	SIW_TERM_DUE,		/* will be built when the FPDUs before it are */
	SIW_TERM_BUILT,		/* TCP has not taken it yet */
	SIW_TERM_SENT,
};

/**
 * struct siw_stream - transmit and receive state of a QP; lives as long as the QP
 * @qp: our QP
 * @state: SIW_PENDING_*, SIW_RUNNING, SIW_STOPPING, SIW_CLOSING
 * @tasklet: runs passes that receive, and those of a poster that has interrupts off
 * @work: runs passes after one that found the socket owned by a process, which lock_sock() waits
 *	for, and those of bulk transfers
 * @retry: schedules a pass after memory was short, or when a Terminate times out; armed by the
 *	owner only
 * @control: serialises start and stop
 * @live_lock: guards @live; interrupts off; the QP's locks nest in it
 * @live: there is a stream
 * @saved: the socket's callbacks, user data and allocation mode while the stream's are in place;
 *	written under sk_callback_lock
 * @sock: the connection's socket; valid while @live
 * @ops: operations of @conn
 * @conn: the connection; referenced while @live
 * @cfg: what the handshake agreed on; does not change while @live
 * @pending: SIW_PENDING_* found by the current pass
 * @tick: the tick that @moved counts in, in jiffies
 * @moved: bytes sent and received in @tick
 * @failed: the QP has failed: only a pending Terminate is sent, nothing is received
 * @ended: the stream is lost or aborted, and the connection was notified
 * @peer_fin: the peer's FIN was received
 * @drained: the connection was notified of SIW_STREAM_DRAINED
 * @term_state: enum siw_term_state; siw_stream_stop() waits on it
 * @term_len: bytes in @term
 * @term: payload of the Terminate
 * @term_deadline: when TCP must have taken it, in jiffies
 * @reads: reads in flight, both ways
 * @tx: transmit
 * @rx: receive
 *
 * Members after @cfg are the owner's.
 */
struct siw_stream {
	struct siw_qp *qp;
	atomic_t state;
	struct tasklet_struct tasklet;
	struct work_struct work;
	struct timer_list retry;

	struct mutex control; /* start and stop */
	spinlock_t live_lock; /* protects live */
	bool live;
	struct {
		void (*data_ready)(struct sock *sk);
		void (*write_space)(struct sock *sk);
		void (*state_change)(struct sock *sk);
		void (*error_report)(struct sock *sk);
		void *user_data;
		gfp_t allocation;
	} saved;

	/* Not on the cache line of @state, which all that kick the stream write to. */
	struct socket *sock;
	const struct siw_stream_ops *ops;
	void *conn;
	struct siw_stream_cfg cfg;

	int pending;
	unsigned long tick;
	u64 moved;
	bool failed;
	bool ended;
	bool peer_fin;
	bool drained;
	u8 term_state;
	u8 term_len;
	u8 term[TERM_PAYLOAD_MAX];
	unsigned long term_deadline;
	struct siw_reads reads;
	struct siw_tx tx ____cacheline_aligned_in_smp;
	struct siw_rx rx ____cacheline_aligned_in_smp;
};

static inline struct sock *siw_stream_sk(const struct siw_qp *qp)
{
	return qp->stream->sock->sk;
}

/* The functions below are for the owner. */

/* Makes this pass, or the next, handle @pending. */
static inline void siw_stream_set_pending(struct siw_stream *s, int pending)
{
	s->pending |= pending;
}

static inline void siw_stream_notify(const struct siw_qp *qp, enum siw_stream_event event)
{
	qp->stream->ops->event(qp->stream->conn, event);
}

/* Returns whether TCP has yet to take our Terminate. Any context, once the stream has failed. */
static inline bool siw_terminate_pending(const struct siw_stream *s)
{
	u8 state = READ_ONCE(s->term_state);

	return (state == SIW_TERM_DUE || state == SIW_TERM_BUILT) && !READ_ONCE(s->ended);
}

#endif /* SIW_STREAM_STATE_H */
