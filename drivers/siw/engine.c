// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The engine of a stream: who runs it, when, and how it starts and ends.
 *
 * Sharing: siw_engine.state has a bit for each thing that is due, and the bit SIW_RUNNING, the
 * runner's role. Whoever sets a due bit and finds the role free takes it; if it is taken, its
 * holder sees the bit before it can give the role up (next_due(), one atomic step). So there is one
 * runner at a time, and all that only a runner touches needs no lock. A holder may hand the role
 * over: to the tasklet, when it may not receive here, and to the work item, when a process owns the
 * socket or there is much to be moved. Without a stream the role is held by nobody in particular,
 * so that nothing runs.
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

#include "drivers/siw/siw_engine.h"

/* Passes in a row, and bytes within a tick, before the role goes to the work item. */
#define MAX_PASSES	2
/* Passes of the work item in a row, before other work items run. */
#define MAX_OWNER_PASSES	64
#define BULK_BYTES	(128 * 1024)

/* For passes that find the socket owned by a process. One, as reclaim may wait for any stream. */
static struct workqueue_struct *engine_wq;

int siw_engine_init(void)
{
	engine_wq = alloc_workqueue("siw_engine", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return engine_wq ? 0 : -ENOMEM;
}

void siw_engine_exit(void)
{
	destroy_workqueue(engine_wq);
}

static void check_drained(struct siw_qp *qp)
{
	struct siw_engine *e = siw_engine(qp);

	if (!(atomic_read(&e->state) & SIW_CLOSING) || e->drained || e->failed)
		return;
	if (!siw_sq_empty(qp) || siw_reads_owed(&e->reads) || !siw_tx_idle(qp))
		return;
	WRITE_ONCE(e->drained, true);
	siw_stream_notify(qp, SIW_STREAM_DRAINED);
	if (READ_ONCE(qp->attr.en_sqd_async_notify))
		siw_qp_event(qp, IB_EVENT_SQ_DRAINED);
}

/* Receive comes first: what it completes or owes is then sent in the same pass. */
static void engine_pass(struct siw_qp *qp, int due)
{
	struct siw_engine *e = siw_engine(qp);
	struct siw_result result;

	e->due = 0;
	if (due & SIW_DUE_ABORT)
		siw_stream_do_abort(qp);
	if (due & SIW_DUE_RX) {
		result = siw_rx_run(qp);
		siw_stream_act(qp, &result);
	}
	due |= e->due & SIW_DUE_TX;
	e->due &= ~SIW_DUE_TX;
	if (due & SIW_DUE_TX && !e->ended) {
		result = siw_tx_run(qp);
		siw_stream_act(qp, &result);
		siw_terminate_check(qp);
	}
	check_drained(qp);
	if (e->due)
		atomic_or(e->due, &e->state);
}

/* Takes what is due; 0: nothing, and the role has been given up. */
static int next_due(struct siw_engine *e)
{
	int state = atomic_read(&e->state);
	int due;

	do {
		due = state & SIW_STOPPING ? 0 : state & SIW_DUE_ALL;
	} while (!atomic_try_cmpxchg(&e->state, &state,
				     due ? state & ~SIW_DUE_ALL : state & ~SIW_RUNNING));

	if (!due && state & SIW_STOPPING)
		wake_up_var(&e->state);
	return due;
}

/*
 * A stream that moves much is better off in a process: the scheduler finds a CPU for it other than
 * the one that softirqs keep busy, where a local peer sends, too.
 */
static bool is_bulk(struct siw_engine *e, int may)
{
	/* A poster sends its own, however much that is. */
	if (!(may & SIW_DUE_RX))
		return false;
	if (time_is_before_jiffies(e->tick)) {
		e->tick = jiffies;
		e->moved = 0;
	}
	return e->moved >= BULK_BYTES;
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
static void engine_run(struct siw_qp *qp, int may)
{
	struct siw_engine *e = siw_engine(qp);
	int due, passes = 0;

	while ((due = next_due(e))) {
		struct sock *sk = siw_engine_sk(qp);

		if (due & ~may) {
			atomic_or(due, &e->state);
			tasklet_schedule(&e->tasklet);
			return;
		}
		bh_lock_sock(sk);
		if (sock_owned_by_user(sk) || passes++ == MAX_PASSES || is_bulk(e, may)) {
			bh_unlock_sock(sk);
			atomic_or(due, &e->state);
			queue_work(engine_wq, &e->work);
			return;
		}
		engine_pass(qp, due);
		bh_unlock_sock(sk);
		/* When a poster has given up the role, somebody else may be destroying the QP. */
		if (!(may & SIW_DUE_RX))
			schedule_notify_cqs(qp);
	}
}

/* Nothing is locked here, and no poster is waiting below us for the handlers to return. */
static void notify_cqs(struct siw_qp *qp)
{
	siw_cq_notify(to_siw_cq(qp->base.recv_cq));
	siw_cq_notify(to_siw_cq(qp->base.send_cq));
}

static void engine_tasklet(struct tasklet_struct *tasklet)
{
	struct siw_engine *e = from_tasklet(e, tasklet, tasklet);

	engine_run(e->qp, SIW_DUE_ALL);
	notify_cqs(e->qp);
}

/*
 * Passes as the socket's owner. What comes in meanwhile is in the socket's backlog, and due when
 * that has been worked off.
 */
static void run_owner(struct work_struct *work)
{
	struct siw_engine *e = container_of(work, struct siw_engine, work);
	struct sock *sk = siw_engine_sk(e->qp);
	int due, passes = 0;

	while ((due = next_due(e))) {
		if (passes++ == MAX_OWNER_PASSES) {
			atomic_or(due, &e->state);
			queue_work(engine_wq, &e->work);
			return;
		}
		lock_sock(sk);
		local_bh_disable();
		engine_pass(e->qp, due);
		schedule_notify_cqs(e->qp);
		local_bh_enable();
		release_sock(sk);
		cond_resched();
	}
}

/* Has @due done; true: the caller has got the role for it. */
static bool claim(struct siw_engine *e, int due)
{
	return !(atomic_fetch_or(due | SIW_RUNNING, &e->state) & SIW_RUNNING);
}

static void notify(struct siw_engine *e, int due)
{
	if (claim(e, due))
		tasklet_schedule(&e->tasklet);
}

bool siw_stream_terminating(struct siw_qp *qp)
{
	return READ_ONCE(siw_engine(qp)->term_state) != SIW_TERM_NONE;
}

void siw_stream_kick(struct siw_qp *qp)
{
	struct siw_engine *e = siw_engine(qp);

	if (!claim(e, SIW_DUE_TX))
		return;
	if (in_hardirq() || irqs_disabled()) {
		tasklet_schedule(&e->tasklet);
		return;
	}
	local_bh_disable();
	engine_run(qp, SIW_DUE_TX);
	local_bh_enable();
}

static void retry(struct timer_list *timer)
{
	struct siw_engine *e = from_timer(e, timer, retry);

	notify(e, SIW_DUE_TX | SIW_DUE_RX);
}

void siw_stream_close(struct siw_qp *qp)
{
	struct siw_engine *e = siw_engine(qp);
	unsigned long flags;

	spin_lock_irqsave(&e->live_lock, flags);
	if (e->live)
		notify(e, SIW_CLOSING | SIW_DUE_TX);
	spin_unlock_irqrestore(&e->live_lock, flags);
}

bool siw_stream_drained(const struct siw_qp *qp)
{
	return READ_ONCE(siw_engine(qp)->drained);
}

void siw_stream_abort(struct siw_qp *qp)
{
	struct siw_engine *e = siw_engine(qp);
	unsigned long flags;

	spin_lock_irqsave(&e->live_lock, flags);
	if (e->live)
		notify(e, SIW_DUE_ABORT);
	else
		siw_qp_fail(qp);
	spin_unlock_irqrestore(&e->live_lock, flags);
}

/*
 * The socket's callbacks. TCP calls them with the socket locked, and they change only under
 * lock_sock(): sk_user_data is ours.
 */

static void data_ready(struct sock *sk)
{
	notify(sk->sk_user_data, SIW_DUE_RX);
}

static void write_space(struct sock *sk)
{
	if (!sk_stream_is_writeable(sk))
		return;
	clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	notify(sk->sk_user_data, SIW_DUE_TX);
}

static void state_change(struct sock *sk)
{
	notify(sk->sk_user_data, SIW_DUE_RX);
}

static void error_report(struct sock *sk)
{
	notify(sk->sk_user_data, SIW_DUE_RX);
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
static void attach(struct siw_engine *e, struct sock *sk)
{
	lock_sock(sk);
	drop_fragment(sk);
	e->saved.allocation = sk->sk_allocation;
	sk->sk_allocation = GFP_ATOMIC;

	write_lock_bh(&sk->sk_callback_lock);
	e->saved.data_ready = sk->sk_data_ready;
	e->saved.write_space = sk->sk_write_space;
	e->saved.state_change = sk->sk_state_change;
	e->saved.error_report = sk->sk_error_report;
	e->saved.user_data = sk->sk_user_data;
	sk->sk_user_data = e;
	sk->sk_data_ready = data_ready;
	sk->sk_write_space = write_space;
	sk->sk_state_change = state_change;
	sk->sk_error_report = error_report;
	write_unlock_bh(&sk->sk_callback_lock);
	release_sock(sk);
}

static void engine_detach_sock(struct siw_engine *e, struct sock *sk)
{
	lock_sock(sk);
	sk->sk_allocation = e->saved.allocation;

	write_lock_bh(&sk->sk_callback_lock);
	sk->sk_user_data = e->saved.user_data;
	sk->sk_data_ready = e->saved.data_ready;
	sk->sk_write_space = e->saved.write_space;
	sk->sk_state_change = e->saved.state_change;
	sk->sk_error_report = e->saved.error_report;
	write_unlock_bh(&sk->sk_callback_lock);
	release_sock(sk);
}

static void reset(struct siw_engine *e)
{
	e->failed = false;
	e->ended = false;
	e->peer_fin = false;
	e->drained = false;
	e->tick = jiffies;
	e->moved = 0;
	e->term_state = SIW_TERM_NONE;
	siw_tx_init(e->qp);
	siw_rx_init(e->qp);
}

/* From here on an abort goes to the stream, and before it to the QP alone. */
static int go_live(struct siw_engine *e)
{
	int ret;

	spin_lock_irq(&e->live_lock);
	ret = siw_qp_connected(e->qp);
	e->live = !ret;
	spin_unlock_irq(&e->live_lock);
	return ret;
}

static int start(struct siw_qp *qp, struct socket *sock, const struct siw_stream_ops *ops,
		 void *conn, const struct siw_stream_cfg *cfg)
{
	struct siw_engine *e = siw_engine(qp);
	int ret;

	lockdep_assert_held(&e->control);
	if (e->live)
		return -EISCONN;
	ret = siw_reads_alloc(&e->reads, cfg);
	if (ret)
		return ret;
	qp->stream.sock = sock;
	qp->stream.ops = ops;
	qp->stream.conn = conn;
	qp->stream.cfg = *cfg;
	reset(e);
	ret = go_live(e);
	if (ret) {
		siw_reads_free(&e->reads);
		qp->stream.sock = NULL;
		qp->stream.conn = NULL;
		return ret;
	}

	qp->attr.max_rd_atomic = cfg->ord;
	qp->attr.max_dest_rd_atomic = cfg->ird;
	ops->get(conn);
	tcp_sock_set_nodelay(sock->sk);
	attach(e, sock->sk);
	/* The role, held since there was no stream, begins to be of use. */
	atomic_or(SIW_DUE_RX | SIW_DUE_TX, &e->state);
	tasklet_schedule(&e->tasklet);
	return 0;
}

int siw_stream_start(struct siw_qp *qp, struct socket *sock, const struct siw_stream_ops *ops,
		     void *conn, const struct siw_stream_cfg *cfg)
{
	struct siw_engine *e = siw_engine(qp);
	int ret;

	mutex_lock(&e->control);
	ret = start(qp, sock, ops, conn, cfg);
	mutex_unlock(&e->control);
	return ret;
}

/*
 * In stages: a Terminate on its way goes out, if TCP takes it in time; nothing new comes from the
 * socket; the runner is asked to leave, and its role is ours; the timer, which only a runner arms,
 * is stopped; then all that the runner held can be given back.
 */
static void stop(struct siw_qp *qp)
{
	struct siw_engine *e = siw_engine(qp);
	void *conn = qp->stream.conn;

	lockdep_assert_held(&e->control);
	wait_var_event_timeout(&e->term_state, !siw_terminate_pending(e), SIW_TERMINATE_TIMEOUT);
	engine_detach_sock(e, siw_engine_sk(qp));
	atomic_or(SIW_STOPPING, &e->state);
	wait_var_event(&e->state, claim(e, 0));
	del_timer_sync(&e->retry);

	siw_stream_fail(qp);
	siw_reasm_clear(&e->rx.reasm);
	siw_txbuf_free(&e->tx.buf);
	siw_reads_free(&e->reads);

	spin_lock_irq(&e->live_lock);
	e->live = false;
	atomic_set(&e->state, SIW_RUNNING);
	spin_unlock_irq(&e->live_lock);
	qp->stream.sock = NULL;
	qp->stream.conn = NULL;
	qp->stream.ops->put(conn);
}

void siw_stream_stop(struct siw_qp *qp)
{
	struct siw_engine *e = siw_engine(qp);

	mutex_lock(&e->control);
	if (e->live)
		stop(qp);
	else
		siw_qp_fail(qp);
	mutex_unlock(&e->control);
}

int siw_stream_init(struct siw_qp *qp, gfp_t gfp)
{
	struct siw_engine *e = kzalloc(sizeof(*e), gfp);

	if (!e)
		return -ENOMEM;
	e->qp = qp;
	atomic_set(&e->state, SIW_RUNNING);
	tasklet_setup(&e->tasklet, engine_tasklet);
	INIT_WORK(&e->work, run_owner);
	timer_setup(&e->retry, retry, 0);
	mutex_init(&e->control);
	spin_lock_init(&e->live_lock);
	qp->stream.engine = e;
	return 0;
}

/*
 * The role was given up by whoever had it last, but may be on the way out of tasklet or work item.
 */
void siw_stream_exit(struct siw_qp *qp)
{
	struct siw_engine *e = siw_engine(qp);

	siw_stream_stop(qp);
	tasklet_kill(&e->tasklet);
	cancel_work_sync(&e->work);
	mutex_destroy(&e->control);
	kfree(e);
	qp->stream.engine = NULL;
}
