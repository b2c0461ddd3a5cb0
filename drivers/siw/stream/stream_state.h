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

#include "drivers/siw/base/sock.h"
#include "drivers/siw/queue/qp_state.h"
#include "drivers/siw/stream/idle.h"
#include "drivers/siw/stream/moderation.h"
#include "drivers/siw/stream/read.h"
#include "drivers/siw/stream/rx.h"
#include "drivers/siw/stream/stream.h"
#include "drivers/siw/stream/tx.h"
#include "iwarp/fault.h"

/* Bits of siw_stream.state. */
#define SIW_PENDING_TX		BIT(0)	/* something may be sent */
#define SIW_PENDING_RX		BIT(1)	/* bytes may have arrived, or the socket has changed */
#define SIW_PENDING_ABORT	BIT(2)	/* siw_stream_abort() was called */
#define SIW_PENDING_ALL		(SIW_PENDING_TX | SIW_PENDING_RX | SIW_PENDING_ABORT)
#define SIW_RUNNING		BIT(3)	/* a context owns the stream */
#define SIW_STOPPING		BIT(4)	/* siw_stream_stop() waits for ownership */
#define SIW_CLOSING		BIT(5)	/* siw_stream_close() was called */

/*
 * A pass processes about SIW_PASS_BYTES at most in each direction, and then lets others use the
 * socket and the CPU. Each FPDU, socket buffer or local operation counts as SIW_MIN_COST bytes or
 * more.
 */
#define SIW_PASS_BYTES	(128 * 1024)
#define SIW_MIN_COST	256

/* Longest time that received bytes may wait for memory, in jiffies. */
#define SIW_STARVED_TIMEOUT	(5 * HZ)

/* Time within which TCP must take our Terminate, in jiffies. */
#define SIW_TERMINATE_TIMEOUT	(2 * HZ)

/* The state of our Terminate. A stream sends at most one. */
enum siw_term_state {
	SIW_TERM_NONE,
	SIW_TERM_DUE,		/* transmit has not built the Terminate's FPDU yet */
	SIW_TERM_BUILT,		/* TCP has not taken the Terminate's FPDU yet */
	SIW_TERM_SENT,
};

/**
 * struct siw_stream - transmit and receive state of a QP; lives as long as the QP
 * @qp: our QP
 * @state: mask of SIW_PENDING_*, SIW_RUNNING, SIW_STOPPING, SIW_CLOSING
 * @tasklet: runs passes that receive, and passes for a poster that has interrupts off
 * @gather: schedules a pass for requests that posters have left unsent, to be sent together
 * @work: runs passes of bulk transfers, and passes that find the socket owned by a process, for
 *	which a softirq cannot wait
 * @retry: timer that schedules a pass after memory was short, when a Terminate times out, when a
 *	probe is due, or when memory of an idle stream may be freed; armed by the owner only
 * @control: serialises start and stop; protects @rest
 * @rest: what siw_stream_take_rest() returns next
 * @live_lock: protects @live; taken with interrupts off; siw_qp.state_lock nests in it
 * @live: the QP has a stream, from siw_stream_start() to the end of siw_stream_stop()
 * @saved: socket callbacks of the connection, restored when the stream stops; written under
 *	lock_sock()
 * @saved_allocation: sk_allocation of the socket, restored when the stream stops; written under
 *	lock_sock()
 * @sock: the connection's socket; valid while @live is true
 * @ops: operations of @conn
 * @conn: the connection; referenced while @live is true
 * @cfg: what the handshake agreed on; does not change while @live is true
 * @pending: SIW_PENDING_* that the current pass has set; bits that the current pass does not
 *	handle are left to the next pass
 * @pass_bytes: budget of the current pass
 * @moderation: statistics that decide whether the stream works at once or gathers work
 * @idle: when the stream is next checked for memory that it no longer needs
 * @pushing: transmit is handing bytes to TCP; changes with the socket locked
 * @failed: the QP has failed: only a pending Terminate is sent, nothing is received
 * @ended: the stream is lost or aborted, and the connection was notified
 * @peer_fin: the peer's FIN was received
 * @drained: the connection was notified of SIW_STREAM_DRAINED
 * @term_state: enum siw_term_state
 * @term_deadline: when TCP must have taken our Terminate, in jiffies
 * @reads: reads in flight, in both directions
 * @tx: state of transmit; allocated while @live is true, like @rx
 * @rx: state of receive
 *
 * While there is a stream, only its owner changes the members after @cfg, and what @tx and @rx
 * point to.
 */
struct siw_stream {
	struct siw_qp *qp;
	atomic_t state;
	struct tasklet_struct tasklet;
	struct tasklet_struct gather;
	struct work_struct work;
	struct timer_list retry;

	struct mutex control; /* serialises start and stop; protects @rest */
	struct siw_txbuf *rest;
	spinlock_t live_lock; /* protects @live */
	bool live;
	struct siw_sock_hooks saved;
	gfp_t saved_allocation;

	/*
	 * The members from here on are not on the cache line of @state, because every context that
	 * kicks the stream writes @state, and the owner would have to fetch the line again.
	 */
	struct socket *sock;
	const struct siw_stream_ops *ops;
	void *conn;
	struct siw_stream_cfg cfg;

	int pending;
	u32 pass_bytes;
	struct siw_moderation moderation;
	struct siw_idle idle;
	bool pushing;
	bool failed;
	bool ended;
	bool peer_fin;
	bool drained;
	u8 term_state;
	unsigned long term_deadline;
	struct siw_reads reads;
	struct siw_tx *tx;
	struct siw_rx *rx;
};

static inline struct sock *siw_stream_sk(const struct siw_stream *s)
{
	return s->sock->sk;
}

/* The stream's owner calls the functions below. */

/* Sets the bits @pending, so that this pass or the next one handles them. */
static inline void siw_stream_set_pending(struct siw_stream *s, int pending)
{
	s->pending |= pending;
}

static inline void siw_stream_notify(const struct siw_stream *s, enum siw_stream_event event)
{
	s->ops->event(s->conn, event);
}

/* Returns whether we have a Terminate that TCP has not taken yet, but still may take. */
static inline bool siw_terminate_pending(const struct siw_stream *s)
{
	return (s->term_state == SIW_TERM_DUE || s->term_state == SIW_TERM_BUILT) && !s->ended;
}

#endif /* SIW_STREAM_STATE_H */
