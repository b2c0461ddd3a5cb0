// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Streams: which context runs a stream, when it does, and how a stream starts and ends.
 *
 * Sharing: siw_stream.state has a bit for each kind of pending work, and SIW_RUNNING, which is set
 * while a context owns the stream. A context that sets a pending bit becomes the owner if there is
 * none. If there is an owner, the bit is not lost. take_pending() reads the bits and gives up
 * ownership in one atomic step, so the owner sees the bit. An owner that gives up ownership with a
 * bit set has scheduled a tasklet, which becomes the owner. So a stream has one owner at a time,
 * and data that only the owner uses needs no lock. An owner may pass ownership on: to the
 * tasklet if the owner's context may not receive, and to the work item if a process owns the socket
 * or if there are many bytes to move. While there is no stream, there is no owner, but SIW_RUNNING
 * is kept set, so that no context can become the owner.
 *
 * A pass runs with the socket locked: by its spinlock in softirq context, by lock_sock() in the
 * work item. All locks of QP and CQ nest in the socket's spinlock. A pass only queues events of the
 * connection and of the QP; their handlers run later. CQs are notified after the passes.
 */
#include <linux/bottom_half.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/tcp.h>
#include <linux/wait_bit.h>
#include <net/sock.h>

#include "drivers/siw/stream/stream.h"
#include "drivers/siw/base/siw.h"
#include "drivers/siw/base/sock.h"
#include "drivers/siw/queue/qp_state.h"
#include "drivers/siw/queue/sq.h"
#include "drivers/siw/stream/idle.h"
#include "drivers/siw/stream/read.h"
#include "drivers/siw/stream/reasm.h"
#include "drivers/siw/stream/result.h"
#include "drivers/siw/stream/rx.h"
#include "drivers/siw/stream/stream_state.h"
#include "drivers/siw/stream/term.h"
#include "drivers/siw/stream/tx.h"
#include "drivers/siw/stream/txbuf.h"
#include "soft/cq.h"
#include "soft/sq.h"
#include "soft/wqe.h"

/* Passes that softirq context runs in a row before it leaves the stream to the work item. */
#define MAX_PASSES	2
/* Budget of a pass in the tasklet if other streams of the CPU have moved much in this tick. */
#define SHARED_PASS_BYTES	(64 * 1024)
/* Number of passes that the work item runs in a row before it lets other work items run. */
#define MAX_WORK_PASSES	64
/*
 * Largest number of requests that may wait to be sent together; and largest length, in bytes, of a
 * request that may wait, unless it is a read.
 */
#define MAX_GATHERED	64
#define GATHER_BYTES	(16 * 1024)

/*
 * Runs passes in process context; WQ_MEM_RECLAIM, because reclaim may depend on any stream;
 * WQ_SYSFS, so that an administrator can choose the CPUs and the priority.
 */
static struct workqueue_struct *stream_wq;

int siw_streams_init(void)
{
	stream_wq = alloc_workqueue("siw_stream", WQ_UNBOUND | WQ_MEM_RECLAIM | WQ_SYSFS, 0);
	return stream_wq ? 0 : -ENOMEM;
}

void siw_streams_exit(void)
{
	destroy_workqueue(stream_wq);
}

/*
 * Receives before it transmits, so that the responses to received requests, and the requests that
 * waited for a received response, are sent in the same pass. Called by the owner, with the socket
 * locked and BHs off.
 */
static void stream_pass(struct siw_stream *s, int pending)
{
	struct siw_result result;

	lockdep_assert(lockdep_sock_is_held(siw_stream_sk(s)));
	s->pending = 0;
	if (pending & SIW_PENDING_ABORT)
		siw_stream_do_abort(s);
	if (pending & SIW_PENDING_RX) {
		result = siw_rx_run(s);
		siw_stream_act(s, &result);
	}
	pending |= s->pending & SIW_PENDING_TX;
	s->pending &= ~SIW_PENDING_TX;
	if (pending & SIW_PENDING_TX && !s->ended) {
		/* stream_leave() may have set the flag. Transmit sets it again if TCP is full. */
		clear_bit(SOCK_NOSPACE, &siw_stream_sk(s)->sk_socket->flags);
		result = siw_tx_run(s);
		siw_stream_act(s, &result);
		siw_terminate_check(s);
	}
	if (atomic_read(&s->state) & SIW_CLOSING && !s->drained && !s->failed &&
	    siw_sq_empty(s->qp) && !siw_irrq_used(&s->reads) && siw_tx_idle(s->tx)) {
		WRITE_ONCE(s->drained, true);
		siw_stream_notify(s, SIW_STREAM_DRAINED);
		if (READ_ONCE(s->qp->attr.en_sqd_async_notify))
			siw_qp_event(s->qp, IB_EVENT_SQ_DRAINED);
	}
	siw_idle_check(s);
	if (s->pending)
		atomic_or(s->pending, &s->state);
}

/*
 * Takes and returns the pending bits. Returns 0 if there are none, or if the stream is being
 * stopped; the caller then owns the stream no longer.
 */
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
 * Returns whether the caller should leave the next passes to the work item, because the stream
 * moves much. The work item can run on a CPU other than the one that is busy with softirqs, for
 * example with the softirqs in which a peer on this host sends. @may: SIW_PENDING_* that the caller
 * may handle. Returns false if @may lacks SIW_PENDING_RX: then the caller is a poster that sends
 * what it has posted.
 */
static bool stream_is_bulk(struct siw_stream *s, int may)
{
	return may & SIW_PENDING_RX && siw_moderation_is_bulk(&s->moderation);
}

/*
 * Returns the budget of a pass that the tasklet or a poster runs. In the tasklet, the budget is
 * small if other streams have moved much, because the tasklets of many streams may run in one
 * softirq, while none of these streams counts as bulk yet.
 */
static u32 stream_budget(const struct siw_stream *s, int may)
{
	if (may & SIW_PENDING_RX && siw_moderation_shares_cpu(&s->moderation))
		return SHARED_PASS_BYTES;
	return SIW_PASS_BYTES;
}

static void schedule_notify_cqs(const struct siw_stream *s)
{
	const struct ib_qp *qp = &s->qp->soft.base;

	soft_cq_schedule_notify(to_soft_cq(qp->recv_cq));
	soft_cq_schedule_notify(to_soft_cq(qp->send_cq));
}

/*
 * Runs passes as the owner, until nothing is pending or ownership is passed on. @may: SIW_PENDING_*
 * that may be handled in this context. Called with BHs off.
 */
static void stream_run(struct siw_stream *s, int may)
{
	int pending, passes = 0;
	u64 moved;

	while ((pending = take_pending(s))) {
		struct sock *sk = siw_stream_sk(s);

		if (pending & ~may) {
			atomic_or(pending, &s->state);
			tasklet_schedule(&s->tasklet);
			return;
		}
		bh_lock_sock(sk);
		if (sock_owned_by_user(sk) || passes++ == MAX_PASSES || stream_is_bulk(s, may)) {
			bh_unlock_sock(sk);
			atomic_or(pending, &s->state);
			queue_work(stream_wq, &s->work);
			return;
		}
		moved = s->moderation.moved;
		s->pass_bytes = stream_budget(s, may);
		stream_pass(s, pending);
		siw_moderation_charge_cpu(s->moderation.moved - moved);
		bh_unlock_sock(sk);
		/*
		 * A poster schedules the notification of the CQs before it gives up ownership,
		 * because the QP may be freed after that.
		 */
		if (!(may & SIW_PENDING_RX))
			schedule_notify_cqs(s);
	}
}

/*
 * Runs the stream in softirq. May call completion handlers, because no lock is held after the
 * passes, and no posting call waits for the handlers.
 */
static void stream_tasklet(struct tasklet_struct *tasklet)
{
	struct siw_stream *s = from_tasklet(s, tasklet, tasklet);

	stream_run(s, SIW_PENDING_ALL);
	soft_cq_notify(to_soft_cq(s->qp->soft.base.recv_cq));
	soft_cq_notify(to_soft_cq(s->qp->soft.base.send_cq));
}

/*
 * Runs passes under lock_sock(). TCP segments that arrive during a pass wait in the socket's
 * backlog; release_sock() processes them, and so calls stream_sk_readable().
 */
static void stream_work(struct work_struct *work)
{
	struct siw_stream *s = container_of(work, struct siw_stream, work);
	struct sock *sk = siw_stream_sk(s);
	int pending, passes = 0;
	u32 messages, seq;

	while ((pending = take_pending(s))) {
		if (passes++ == MAX_WORK_PASSES) {
			atomic_or(pending, &s->state);
			queue_work(stream_wq, &s->work);
			return;
		}
		lock_sock(sk);
		local_bh_disable();
		s->pass_bytes = SIW_PASS_BYTES;
		messages = s->rx->messages;
		seq = tcp_sk(sk)->copied_seq;
		stream_pass(s, pending);
		siw_moderation_sample(&s->moderation, s->rx->messages - messages,
				      tcp_sk(sk)->copied_seq - seq, s->tx->buf.pushed);
		schedule_notify_cqs(s);
		local_bh_enable();
		release_sock(sk);
		cond_resched();
	}
}

/*
 * Sets the bits @pending. Returns whether the caller has become the owner. A caller that has
 * become the owner must run the stream or pass ownership on.
 */
static bool stream_try_own(struct siw_stream *s, int pending)
{
	return !(atomic_fetch_or(pending | SIW_RUNNING, &s->state) & SIW_RUNNING);
}

static void stream_schedule(struct siw_stream *s, int pending)
{
	if (stream_try_own(s, pending))
		tasklet_schedule(&s->tasklet);
}

static void stream_retry(struct timer_list *timer)
{
	struct siw_stream *s = timer_container_of(s, timer, retry);

	stream_schedule(s, SIW_PENDING_TX | SIW_PENDING_RX);
}

/*
 * Runs on the CPU of a poster that has left requests unsent, when that CPU has time. Sets
 * SIW_PENDING_TX even if there is an owner, because the owner may be about to leave requests
 * unsent, see stream_leave().
 */
static void stream_gather_tasklet(struct tasklet_struct *tasklet)
{
	struct siw_stream *s = from_tasklet(s, tasklet, gather);

	if (atomic_read(&s->state) & (SIW_RUNNING | SIW_PENDING_TX))
		stream_schedule(s, SIW_PENDING_TX);
}

/*
 * Returns whether the peer has yet to acknowledge sent bytes, or owes several responses. The
 * responses do not count while built bytes wait to be pushed to TCP, because the requests for the
 * responses may be among these bytes.
 */
static bool stream_peer_is_busy(const struct siw_stream *s)
{
	return READ_ONCE(tcp_sk(siw_stream_sk(s))->packets_out) ||
	       (siw_orrq_used(&s->reads) > 1 && siw_txbuf_empty(&s->tx->buf));
}

/* Returns whether the request's message is short. The message of a read is the Read Request. */
static bool stream_request_is_short(const struct soft_send_wqe *wqe)
{
	return wqe->length <= GATHER_BYTES || wqe->opcode == IB_WR_RDMA_READ ||
	       wqe->opcode == IB_WR_RDMA_READ_WITH_INV;
}

/*
 * Returns whether the newest request may wait, to be sent together with requests that are posted
 * later, because a walk through TCP costs more than a short request. Requests wait only while the
 * peer has something to do, and only a limited number of requests waits. A request is sent at once
 * if there were few posts in this tick, or if the request is long and so fills segments by itself.
 * Requests that are still in a process's ring do not count. Called by the owner.
 */
static bool stream_may_wait(struct siw_stream *s)
{
	if (s->failed || s->drained || !stream_peer_is_busy(s))
		return false;
	if (!siw_moderation_gathers(&s->moderation))
		return false;
	return siw_sq_peek(s->qp) && soft_sq_waiting(&s->qp->soft.sq) <= MAX_GATHERED &&
	       stream_request_is_short(soft_sq_newest(&s->qp->soft.sq));
}

/*
 * Gives up ownership, and leaves the posted requests unsent. The first of three events then sends
 * them: the peer's ACK, for which TCP calls write_space if SOCK_NOSPACE is set; a response of the
 * peer; or the gather tasklet, which may not run for a tick while a process keeps its CPU busy.
 * Returns false, and keeps ownership, if no ACK or response of the peer is outstanding.
 */
static bool stream_leave(struct siw_stream *s)
{
	int state;

	/*
	 * If another context sets SIW_PENDING_TX from here on, the loop below sees the bit. If the
	 * bit was set before, the next owner handles it, because the bit is set again below.
	 */
	atomic_fetch_andnot(SIW_PENDING_TX, &s->state);
	set_bit(SOCK_NOSPACE, &siw_stream_sk(s)->sk_socket->flags);
	smp_mb__after_atomic(); /* pairs with tcp_check_space() */
	if (!stream_peer_is_busy(s)) {
		atomic_or(SIW_PENDING_TX, &s->state);
		return false;
	}
	tasklet_schedule(&s->gather);

	state = atomic_read(&s->state);
	do {
		if (state & SIW_PENDING_ALL) {
			atomic_or(SIW_PENDING_TX, &s->state);
			tasklet_schedule(&s->tasklet);
			return true;
		}
	} while (!atomic_try_cmpxchg(&s->state, &state,
				     (state & ~SIW_RUNNING) | SIW_PENDING_TX));
	if (state & SIW_STOPPING)
		wake_up_var(&s->state);
	return true;
}

void siw_stream_kick(struct siw_stream *s)
{
	if (!stream_try_own(s, SIW_PENDING_TX))
		return;
	if (in_hardirq() || irqs_disabled()) {
		tasklet_schedule(&s->tasklet);
		return;
	}
	/* Do not disable BHs here, because enabling them would run the tasklet at once. */
	if (stream_may_wait(s) && stream_leave(s))
		return;
	local_bh_disable();
	stream_run(s, SIW_PENDING_TX);
	local_bh_enable();
}

bool siw_stream_terminating(const struct siw_stream *s)
{
	return READ_ONCE(s->term_state) != SIW_TERM_NONE;
}

bool siw_stream_drained(const struct siw_stream *s)
{
	return READ_ONCE(s->drained);
}

void siw_stream_close(struct siw_stream *s)
{
	unsigned long flags;

	spin_lock_irqsave(&s->live_lock, flags);
	if (s->live)
		stream_schedule(s, SIW_CLOSING | SIW_PENDING_TX);
	spin_unlock_irqrestore(&s->live_lock, flags);
}

void siw_stream_abort(struct siw_stream *s)
{
	unsigned long flags;
	bool live;

	spin_lock_irqsave(&s->live_lock, flags);
	live = s->live;
	if (live)
		stream_schedule(s, SIW_PENDING_ABORT);
	else
		siw_qp_set_err(s->qp);
	spin_unlock_irqrestore(&s->live_lock, flags);
	/* In ERR, no stream can start, so the queues can be flushed without the lock. */
	if (!live)
		siw_qp_flush(s->qp);
}

/*
 * The socket's callbacks. TCP calls them with the socket locked. The callbacks and sk_user_data
 * change only under lock_sock(), so sk_user_data is the stream while a callback runs.
 */

/* Called for data and for changes of state. siw_rx_run() finds out which of the two it was. */
static void stream_sk_readable(struct sock *sk)
{
	stream_schedule(sk->sk_user_data, SIW_PENDING_RX);
}

static void stream_sk_error(struct sock *sk)
{
	const struct siw_stream *s = sk->sk_user_data;

	siw_sock_log_abort(to_siw_dev(s->qp->soft.base.device), sk);
	stream_sk_readable(sk);
}

static void stream_sk_write_space(struct sock *sk)
{
	struct siw_stream *s = sk->sk_user_data;

	/*
	 * While the stream pushes bytes, TCP calls this function if TCP has nothing queued and
	 * cannot allocate a socket buffer. A pass would fail now, so the retry timer starts one
	 * later.
	 */
	if (s->pushing || !sk_stream_is_writeable(sk))
		return;
	clear_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	stream_schedule(s, SIW_PENDING_TX);
}

static void stream_attach_sock(struct siw_stream *s, struct sock *sk)
{
	const struct siw_sock_hooks hooks = {
		.state_change = stream_sk_readable,
		.data_ready = stream_sk_readable,
		.write_space = stream_sk_write_space,
		.error_report = stream_sk_error,
		.user_data = s,
	};

	lock_sock(sk);
	/* TCP must not sleep when it allocates, because passes must not sleep. */
	s->saved_allocation = sk->sk_allocation;
	sk->sk_allocation = GFP_ATOMIC;

	write_lock_bh(&sk->sk_callback_lock);
	siw_sock_hook(sk, &hooks, &s->saved);
	write_unlock_bh(&sk->sk_callback_lock);
	release_sock(sk);
}

static void stream_detach_sock(struct siw_stream *s, struct sock *sk)
{
	lock_sock(sk);
	sk->sk_allocation = s->saved_allocation;

	write_lock_bh(&sk->sk_callback_lock);
	siw_sock_unhook(sk, &s->saved);
	write_unlock_bh(&sk->sk_callback_lock);
	release_sock(sk);
}

/* Allocates memory that only a live stream needs. On failure, too, stream_free() has to follow. */
static int stream_alloc(struct siw_stream *s, const struct siw_stream_cfg *cfg)
{
	s->tx = siw_qp_kmalloc(s->qp, sizeof(*s->tx), GFP_KERNEL);
	s->rx = siw_qp_kmalloc(s->qp, sizeof(*s->rx), GFP_KERNEL);
	return s->tx && s->rx ? siw_reads_alloc(&s->reads, s->qp, cfg) : -ENOMEM;
}

/* Frees the memory that stream_alloc() has allocated, or the stream has allocated later on. */
static void stream_free(struct siw_stream *s)
{
	soft_sq_trim(&s->qp->soft.sq);
	siw_reads_free(&s->reads);
	kfree(s->tx);
	kfree(s->rx);
	s->tx = NULL;
	s->rx = NULL;
}

int siw_stream_start(struct siw_stream *s, struct socket *sock, const struct siw_stream_ops *ops,
		     void *conn, const struct siw_stream_cfg *cfg)
{
	int ret;

	mutex_lock(&s->control);
	ret = stream_alloc(s, cfg);
	if (ret)
		goto free;
	s->sock = sock;
	s->ops = ops;
	s->conn = conn;
	s->cfg = *cfg;
	s->failed = false;
	s->ended = false;
	s->peer_fin = false;
	s->drained = false;
	siw_moderation_init(&s->moderation);
	s->idle = (struct siw_idle) {};
	s->term_state = SIW_TERM_NONE;
	siw_tx_init(s);
	siw_rx_init(s);

	/* Until here, siw_stream_abort() only fails the QP. From here on, it aborts the stream. */
	spin_lock_irq(&s->live_lock);
	ret = siw_qp_connected(s->qp);
	s->live = !ret;
	spin_unlock_irq(&s->live_lock);
	if (ret)
		goto free;

	s->qp->attr.max_rd_atomic = cfg->ord;
	s->qp->attr.max_dest_rd_atomic = cfg->ird;
	ops->get(conn);
	tcp_sock_set_nodelay(sock->sk);
	stream_attach_sock(s, sock->sk);
	/*
	 * SIW_RUNNING is already set: without a stream it is kept set, so that no context can
	 * become the owner. The tasklet now becomes the owner.
	 */
	atomic_or(SIW_PENDING_RX | SIW_PENDING_TX, &s->state);
	tasklet_schedule(&s->tasklet);
	goto unlock;

free:
	stream_free(s);
	s->sock = NULL;
	s->conn = NULL;
unlock:
	mutex_unlock(&s->control);
	return ret;
}

/*
 * Returns the FPDUs that TCP has not taken yet, including a Terminate that is due; NULL if TCP has
 * taken all; -ENOMEM if memory is short.
 */
static struct siw_txbuf *stream_rest(struct siw_stream *s)
{
	struct siw_txbuf *buf = &s->tx->buf;
	struct siw_txbuf *rest;
	int err = 0;

	if (siw_terminate_pending(s)) {
		local_bh_disable();
		err = siw_tx_finish(s);
		local_bh_enable();
	}
	if (!err && siw_txbuf_empty(buf))
		return NULL;
	rest = err ? NULL : kmemdup(buf, sizeof(*buf), GFP_KERNEL);
	if (!rest)
		return ERR_PTR(-ENOMEM);
	memset(buf, 0, sizeof(*buf));
	return rest;
}

/*
 * Stops the stream in this order: removes the stream's callbacks, so that the socket sets no
 * pending bit any more; makes the owner give up ownership, and takes ownership; stops the timer,
 * which only an owner arms; keeps what the connection has to push to TCP; frees what the owner has
 * allocated.
 * Does not wait for the peer.
 */
static void stream_stop(struct siw_stream *s)
{
	void *conn = s->conn;

	lockdep_assert_held(&s->control);
	stream_detach_sock(s, s->sock->sk);
	atomic_or(SIW_STOPPING, &s->state);
	wait_var_event(&s->state, stream_try_own(s, 0));
	timer_delete_sync(&s->retry);

	siw_stream_fail(s);
	s->rest = stream_rest(s);
	siw_reasm_clear(&s->rx->reasm);
	siw_txbuf_free(&s->tx->buf);
	stream_free(s);

	spin_lock_irq(&s->live_lock);
	s->live = false;
	atomic_set(&s->state, SIW_RUNNING);
	spin_unlock_irq(&s->live_lock);
	s->sock = NULL;
	s->conn = NULL;
	s->ops->put(conn);
}

void siw_stream_stop(struct siw_stream *s)
{
	mutex_lock(&s->control);
	if (s->live) {
		stream_stop(s);
	} else {
		siw_qp_set_err(s->qp);
		siw_qp_flush(s->qp);
	}
	mutex_unlock(&s->control);
}

struct siw_txbuf *siw_stream_take_rest(struct siw_stream *s)
{
	struct siw_txbuf *rest;

	mutex_lock(&s->control);
	rest = s->rest;
	s->rest = NULL;
	mutex_unlock(&s->control);
	return rest;
}

int siw_stream_init(struct siw_qp *qp, gfp_t gfp)
{
	struct siw_stream *s = kzalloc(sizeof(*s), gfp);

	if (!s)
		return -ENOMEM;
	s->qp = qp;
	atomic_set(&s->state, SIW_RUNNING);
	tasklet_setup(&s->tasklet, stream_tasklet);
	tasklet_setup(&s->gather, stream_gather_tasklet);
	INIT_WORK(&s->work, stream_work);
	timer_setup(&s->retry, stream_retry, 0);
	mutex_init(&s->control);
	spin_lock_init(&s->live_lock);
	qp->stream = s;
	return 0;
}

/*
 * Stops the stream, waits for its tasklets and its work item, which may still be running after they
 * have given up ownership, and frees what the stream has.
 */
void siw_stream_exit(struct siw_qp *qp)
{
	struct siw_stream *s = qp->stream;

	siw_stream_stop(s);
	tasklet_kill(&s->gather);
	tasklet_kill(&s->tasklet);
	cancel_work_sync(&s->work);
	siw_txbuf_destroy(siw_stream_take_rest(s));
	mutex_destroy(&s->control);
	kfree(s);
	qp->stream = NULL;
}
