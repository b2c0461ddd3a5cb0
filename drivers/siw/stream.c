// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The engine of a stream: who runs it, when, and how it starts and ends.
 *
 * Sharing: siw_stream.state has a bit for each thing that is due, and the bit SIW_RUNNING, the
 * runner's role. Whoever sets a due bit and finds the role free takes it; if it is taken, its
 * holder sees the bit before it can give the role up (take_pending(), one atomic step). So there is
 * one runner at a time, and all that only a runner touches needs no lock. A holder may hand the
 * role over: to the tasklet, when it may not receive here, and to the work item, when a process
 * owns the socket or there is much to be moved. Without a stream the role is held by nobody in
 * particular, so that nothing runs.
 *
 * A pass has the socket locked: by its spinlock in softirq context, by lock_sock() in the work
 * item. The socket's spinlock nests outside all locks of QP and CQ. Events of the connection are
 * only queued there, as those of siw_qp_event() are. CQs are notified when the passes are over.
 */
#include <linux/bottom_half.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/tcp.h>
#include <linux/wait_bit.h>
#include <net/sock.h>

#include "drivers/siw/stream.h"
#include "drivers/siw/cep.h"
#include "drivers/siw/cq.h"
#include "drivers/siw/qp.h"
#include "drivers/siw/qp_state.h"
#include "drivers/siw/read.h"
#include "drivers/siw/reasm.h"
#include "drivers/siw/result.h"
#include "drivers/siw/rx.h"
#include "drivers/siw/sq.h"
#include "drivers/siw/stream_state.h"
#include "drivers/siw/term.h"
#include "drivers/siw/tx.h"
#include "drivers/siw/txbuf.h"

/* Passes in a row, and bytes within a tick, before the role goes to the work item. */
#define MAX_PASSES	2
/* Passes of the work item in a row, before other work items run. */
#define MAX_OWNER_PASSES	64
#define BULK_BYTES	(128 * 1024)

/* For passes that find the socket owned by a process. One, as reclaim may wait for any stream. */
static struct workqueue_struct *stream_wq;

int siw_streams_init(void)
{
	stream_wq = alloc_workqueue("siw_stream", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return stream_wq ? 0 : -ENOMEM;
}

void siw_streams_exit(void)
{
	destroy_workqueue(stream_wq);
}

static void check_drained(struct siw_qp *qp)
{
	struct siw_stream *s = qp->stream;

	if (!(atomic_read(&s->state) & SIW_CLOSING) || s->drained || s->failed)
		return;
	if (!siw_sq_empty(qp) || siw_irrq_used(&s->reads) || !siw_tx_idle(qp))
		return;
	WRITE_ONCE(s->drained, true);
	siw_stream_notify(qp, SIW_STREAM_DRAINED);
	if (READ_ONCE(qp->attr.en_sqd_async_notify))
		siw_qp_event(qp, IB_EVENT_SQ_DRAINED);
}

/* Receive comes first: what it completes or owes is then sent in the same pass. */
static void stream_pass(struct siw_qp *qp, int pending)
{
	struct siw_stream *s = qp->stream;
	struct siw_result result;

	s->pending = 0;
	if (pending & SIW_PENDING_ABORT)
		siw_stream_do_abort(qp);
	if (pending & SIW_PENDING_RX) {
		result = siw_rx_run(qp);
		siw_stream_act(qp, &result);
	}
	pending |= s->pending & SIW_PENDING_TX;
	s->pending &= ~SIW_PENDING_TX;
	if (pending & SIW_PENDING_TX && !s->ended) {
		result = siw_tx_run(qp);
		siw_stream_act(qp, &result);
		siw_terminate_check(qp);
	}
	check_drained(qp);
	if (s->pending)
		atomic_or(s->pending, &s->state);
}

/* Takes what is pending; 0: nothing, and the role has been given up. */
static int take_pending(struct siw_stream *s)
{
	int state = atomic_read(&s->state);
	int pending;

	do {
		pending = state & SIW_STOPPING ? 0 : state & SIW_PENDING_ALL;
	} while (!atomic_try_cmpxchg(&s->state, &state,
				     pending ? state & ~SIW_PENDING_ALL : state & ~SIW_RUNNING));

	if (!pending && state & SIW_STOPPING)
		wake_up_var(&s->state);
	return pending;
}

/*
 * A stream that moves much is better off in a process: the scheduler finds a CPU for it other than
 * the one that softirqs keep busy, where a local peer sends, too.
 */
static bool is_bulk(struct siw_stream *s, int may)
{
	/* A poster sends its own, however much that is. */
	if (!(may & SIW_PENDING_RX))
		return false;
	if (time_is_before_jiffies(s->tick)) {
		s->tick = jiffies;
		s->moved = 0;
	}
	return s->moved >= BULK_BYTES;
}

static void schedule_notify_cqs(struct siw_qp *qp)
{
	siw_cq_schedule_notify(to_siw_cq(qp->base.recv_cq));
	siw_cq_schedule_notify(to_siw_cq(qp->base.send_cq));
}

/*
 * Runs with the role held, and gives it up or hands it over. @may: what may be done here. BHs are
 * off.
 */
static void stream_run(struct siw_qp *qp, int may)
{
	struct siw_stream *s = qp->stream;
	int pending, passes = 0;

	while ((pending = take_pending(s))) {
		struct sock *sk = siw_stream_sk(qp);

		if (pending & ~may) {
			atomic_or(pending, &s->state);
			tasklet_schedule(&s->tasklet);
			return;
		}
		bh_lock_sock(sk);
		if (sock_owned_by_user(sk) || passes++ == MAX_PASSES || is_bulk(s, may)) {
			bh_unlock_sock(sk);
			atomic_or(pending, &s->state);
			queue_work(stream_wq, &s->work);
			return;
		}
		stream_pass(qp, pending);
		bh_unlock_sock(sk);
		/* When a poster has given up the role, somebody else may be destroying the QP. */
		if (!(may & SIW_PENDING_RX))
			schedule_notify_cqs(qp);
	}
}

/* Nothing is locked here, and no poster is waiting below us for the handlers to return. */
static void notify_cqs(struct siw_qp *qp)
{
	siw_cq_notify(to_siw_cq(qp->base.recv_cq));
	siw_cq_notify(to_siw_cq(qp->base.send_cq));
}

static void stream_tasklet(struct tasklet_struct *tasklet)
{
	struct siw_stream *s = from_tasklet(s, tasklet, tasklet);

	stream_run(s->qp, SIW_PENDING_ALL);
	notify_cqs(s->qp);
}

/*
 * Passes as the socket's owner. What comes in meanwhile is in the socket's backlog, and due when
 * that has been worked off.
 */
static void stream_work(struct work_struct *work)
{
	struct siw_stream *s = container_of(work, struct siw_stream, work);
	struct sock *sk = siw_stream_sk(s->qp);
	int pending, passes = 0;

	while ((pending = take_pending(s))) {
		if (passes++ == MAX_OWNER_PASSES) {
			atomic_or(pending, &s->state);
			queue_work(stream_wq, &s->work);
			return;
		}
		lock_sock(sk);
		local_bh_disable();
		stream_pass(s->qp, pending);
		schedule_notify_cqs(s->qp);
		local_bh_enable();
		release_sock(sk);
		cond_resched();
	}
}

/* Has @due done; true: the caller has got the role for it. */
static bool stream_try_own(struct siw_stream *s, int pending)
{
	return !(atomic_fetch_or(pending | SIW_RUNNING, &s->state) & SIW_RUNNING);
}

static void stream_schedule(struct siw_stream *s, int pending)
{
	if (stream_try_own(s, pending))
		tasklet_schedule(&s->tasklet);
}

bool siw_stream_terminating(struct siw_qp *qp)
{
	return READ_ONCE(qp->stream->term_state) != SIW_TERM_NONE;
}

void siw_stream_kick(struct siw_qp *qp)
{
	struct siw_stream *s = qp->stream;

	if (!stream_try_own(s, SIW_PENDING_TX))
		return;
	if (in_hardirq() || irqs_disabled()) {
		tasklet_schedule(&s->tasklet);
		return;
	}
	local_bh_disable();
	stream_run(qp, SIW_PENDING_TX);
	local_bh_enable();
}

static void retry(struct timer_list *timer)
{
	struct siw_stream *s = from_timer(s, timer, retry);

	stream_schedule(s, SIW_PENDING_TX | SIW_PENDING_RX);
}

void siw_stream_close(struct siw_qp *qp)
{
	struct siw_stream *s = qp->stream;
	unsigned long flags;

	spin_lock_irqsave(&s->live_lock, flags);
	if (s->live)
		stream_schedule(s, SIW_CLOSING | SIW_PENDING_TX);
	spin_unlock_irqrestore(&s->live_lock, flags);
}

bool siw_stream_drained(const struct siw_qp *qp)
{
	return READ_ONCE(qp->stream->drained);
}

void siw_stream_abort(struct siw_qp *qp)
{
	struct siw_stream *s = qp->stream;
	unsigned long flags;

	spin_lock_irqsave(&s->live_lock, flags);
	if (s->live)
		stream_schedule(s, SIW_PENDING_ABORT);
	else
		siw_qp_fail(qp);
	spin_unlock_irqrestore(&s->live_lock, flags);
}

/*
 * The socket's callbacks. TCP calls them with the socket locked, and they change only under
 * lock_sock(): sk_user_data is ours.
 */

static void data_ready(struct sock *sk)
{
	stream_schedule(sk->sk_user_data, SIW_PENDING_RX);
}

static void write_space(struct sock *sk)
{
	if (!sk_stream_is_writeable(sk))
		return;
	clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	stream_schedule(sk->sk_user_data, SIW_PENDING_TX);
}

static void state_change(struct sock *sk)
{
	stream_schedule(sk->sk_user_data, SIW_PENDING_RX);
}

static void error_report(struct sock *sk)
{
	stream_schedule(sk->sk_user_data, SIW_PENDING_RX);
}

/*
 * 32 KiB, into which the messages of the handshake were copied. From now on there are copies only
 * where nothing gathers, and these get a new one.
 */
static void drop_fragment(struct sock *sk)
{
	if (sk->sk_frag.page)
		put_page(sk->sk_frag.page);
	sk->sk_frag = (struct page_frag) {};
}

/* Passes allocate where sleeping is not allowed, hence the allocation mode. */
static void stream_attach_sock(struct siw_stream *s, struct sock *sk)
{
	lock_sock(sk);
	drop_fragment(sk);
	s->saved.allocation = sk->sk_allocation;
	sk->sk_allocation = GFP_ATOMIC;

	write_lock_bh(&sk->sk_callback_lock);
	s->saved.data_ready = sk->sk_data_ready;
	s->saved.write_space = sk->sk_write_space;
	s->saved.state_change = sk->sk_state_change;
	s->saved.error_report = sk->sk_error_report;
	s->saved.user_data = sk->sk_user_data;
	sk->sk_user_data = s;
	sk->sk_data_ready = data_ready;
	sk->sk_write_space = write_space;
	sk->sk_state_change = state_change;
	sk->sk_error_report = error_report;
	write_unlock_bh(&sk->sk_callback_lock);
	release_sock(sk);
}

static void stream_detach_sock(struct siw_stream *s, struct sock *sk)
{
	lock_sock(sk);
	sk->sk_allocation = s->saved.allocation;

	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_user_data = s->saved.user_data;
	sk->sk_data_ready = s->saved.data_ready;
	sk->sk_write_space = s->saved.write_space;
	sk->sk_state_change = s->saved.state_change;
	sk->sk_error_report = s->saved.error_report;
	write_unlock_bh(&sk->sk_callback_lock);
	release_sock(sk);
}

static void reset(struct siw_stream *s)
{
	s->failed = false;
	s->ended = false;
	s->peer_fin = false;
	s->drained = false;
	s->tick = jiffies;
	s->moved = 0;
	s->term_state = SIW_TERM_NONE;
	siw_tx_init(s->qp);
	siw_rx_init(s->qp);
}

/* From here on an abort goes to the stream, and before it to the QP alone. */
static int go_live(struct siw_stream *s)
{
	int ret;

	spin_lock_irq(&s->live_lock);
	ret = siw_qp_connected(s->qp);
	s->live = !ret;
	spin_unlock_irq(&s->live_lock);
	return ret;
}

static int start(struct siw_qp *qp, struct socket *sock, const struct siw_stream_ops *ops,
		 void *conn, const struct siw_stream_cfg *cfg)
{
	struct siw_stream *s = qp->stream;
	int ret;

	lockdep_assert_held(&s->control);
	if (s->live)
		return -EISCONN;
	ret = siw_reads_alloc(&s->reads, cfg);
	if (ret)
		return ret;
	qp->stream->sock = sock;
	qp->stream->ops = ops;
	qp->stream->conn = conn;
	qp->stream->cfg = *cfg;
	reset(s);
	ret = go_live(s);
	if (ret) {
		siw_reads_free(&s->reads);
		qp->stream->sock = NULL;
		qp->stream->conn = NULL;
		return ret;
	}

	qp->attr.max_rd_atomic = cfg->ord;
	qp->attr.max_dest_rd_atomic = cfg->ird;
	ops->get(conn);
	tcp_sock_set_nodelay(sock->sk);
	stream_attach_sock(s, sock->sk);
	/* The role, held since there was no stream, begins to be of use. */
	atomic_or(SIW_PENDING_RX | SIW_PENDING_TX, &s->state);
	tasklet_schedule(&s->tasklet);
	return 0;
}

int siw_stream_start(struct siw_qp *qp, struct socket *sock, const struct siw_stream_ops *ops,
		     void *conn, const struct siw_stream_cfg *cfg)
{
	struct siw_stream *s = qp->stream;
	int ret;

	mutex_lock(&s->control);
	ret = start(qp, sock, ops, conn, cfg);
	mutex_unlock(&s->control);
	return ret;
}

/*
 * In stages: a Terminate on its way goes out, if TCP takes it in time; nothing new comes from the
 * socket; the runner is asked to leave, and its role is ours; the timer, which only a runner arms,
 * is stopped; then all that the runner held can be given back.
 */
static void stop(struct siw_qp *qp)
{
	struct siw_stream *s = qp->stream;
	void *conn = qp->stream->conn;

	lockdep_assert_held(&s->control);
	wait_var_event_timeout(&s->term_state, !siw_terminate_pending(s), SIW_TERMINATE_TIMEOUT);
	stream_detach_sock(s, siw_stream_sk(qp));
	atomic_or(SIW_STOPPING, &s->state);
	wait_var_event(&s->state, stream_try_own(s, 0));
	del_timer_sync(&s->retry);

	siw_stream_fail(qp);
	siw_reasm_clear(&s->rx.reasm);
	siw_txbuf_free(&s->tx.buf);
	siw_reads_free(&s->reads);

	spin_lock_irq(&s->live_lock);
	s->live = false;
	atomic_set(&s->state, SIW_RUNNING);
	spin_unlock_irq(&s->live_lock);
	qp->stream->sock = NULL;
	qp->stream->conn = NULL;
	qp->stream->ops->put(conn);
}

void siw_stream_stop(struct siw_qp *qp)
{
	struct siw_stream *s = qp->stream;

	mutex_lock(&s->control);
	if (s->live)
		stop(qp);
	else
		siw_qp_fail(qp);
	mutex_unlock(&s->control);
}

int siw_stream_init(struct siw_qp *qp, gfp_t gfp)
{
	struct siw_stream *s = kzalloc(sizeof(*s), gfp);

	if (!s)
		return -ENOMEM;
	s->qp = qp;
	atomic_set(&s->state, SIW_RUNNING);
	tasklet_setup(&s->tasklet, stream_tasklet);
	INIT_WORK(&s->work, stream_work);
	timer_setup(&s->retry, retry, 0);
	mutex_init(&s->control);
	spin_lock_init(&s->live_lock);
	qp->stream = s;
	return 0;
}

/*
 * The role was given up by whoever had it last, but may be on the way out of tasklet or work item.
 */
void siw_stream_exit(struct siw_qp *qp)
{
	struct siw_stream *s = qp->stream;

	siw_stream_stop(qp);
	tasklet_kill(&s->tasklet);
	cancel_work_sync(&s->work);
	mutex_destroy(&s->control);
	kfree(s);
	qp->stream = NULL;
}
