// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_siw.ko: tests of siw's queues with kernel verbs, on the device kt_siw0. QPs need no
 * connection, because requests that are posted in the error state complete as flushed.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/scatterlist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <net/netlink.h>
#include <rdma/iw_cm.h>
#include <rdma/krdma.h>

#include "../kt_verbs/kt_verbs.h"
#include "limits.h"

KRDMA_NEEDS_IB_CORE;

#define DEVICE		"kt_siw0"
#define DEPTH		32768
#define LONGEST_CQ	(1024 * 1024)
#define PATIENCE	(20 * HZ)

/* A PD and a CQ on the device, and the number of the CQ's error events. */
struct site {
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_cq *cq;
	int cq_errors;
};

static void count_cq_error(struct ib_event *event, void *context)
{
	struct site *site = context;

	site->cq_errors++;
}

static void close_site(struct ktap *t, struct site *site)
{
	if (!IS_ERR_OR_NULL(site->cq))
		KT_EXPECT_EQ(t, ib_destroy_cq(site->cq), 0);
	if (!IS_ERR_OR_NULL(site->pd))
		ib_dealloc_pd(site->pd);
	ib_device_put(site->dev);
}

static bool open_site(struct ktap *t, struct site *site, int cqe)
{
	struct ib_cq_init_attr attr = { .cqe = cqe };

	*site = (struct site) { .dev = ib_device_get_by_name(DEVICE, RDMA_DRIVER_UNKNOWN) };
	if (!site->dev) {
		ktap_skip(t, "no device " DEVICE);
		return false;
	}
	site->pd = ib_alloc_pd(site->dev, 0);
	site->cq = ib_create_cq(site->dev, NULL, count_cq_error, site, &attr);
	if (KT_EXPECT_ERR(t, site->pd, 0) && KT_EXPECT_ERR(t, site->cq, 0))
		return true;
	close_site(t, site);
	return false;
}

static int move_to(struct ib_qp *qp, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };

	return ib_modify_qp(qp, &attr, IB_QP_STATE);
}

/* Returns a QP in @state, or NULL after a failure. */
static struct ib_qp *open_qp(struct ktap *t, struct site *site, u32 depth, enum ib_qp_state state)
{
	struct ib_qp_init_attr init = {
		.send_cq = site->cq,
		.recv_cq = site->cq,
		.cap = {
			.max_send_wr = depth, .max_recv_wr = depth,
			.max_send_sge = 1, .max_recv_sge = 1,
		},
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_ALL_WR,
	};
	struct ib_qp *qp = ib_create_qp(site->pd, &init);

	if (!KT_EXPECT_ERR(t, qp, 0))
		return NULL;
	if (KT_EXPECT_EQ(t, move_to(qp, IB_QPS_INIT), 0) &&
	    (state == IB_QPS_INIT || KT_EXPECT_EQ(t, move_to(qp, state), 0)))
		return qp;
	ib_destroy_qp(qp);
	return NULL;
}

/* Posts @count receives, with the wr_ids @first, @first + 1 and so on. */
static bool post_receives(struct ktap *t, struct ib_qp *qp, u64 first, u32 count)
{
	struct ib_recv_wr wr = { };
	u32 i;

	for (i = 0; i < count; i++) {
		wr.wr_id = first + i;
		if (!KT_EXPECT_EQ(t, ib_post_recv(qp, &wr, NULL), 0))
			return false;
	}
	return true;
}

/* Expects that the next @count completions are flushed receives of @qp, in the order of posting. */
static bool flushed_in_order(struct ktap *t, struct site *site, struct ib_qp *qp, u64 first,
			     u32 count)
{
	unsigned long end = jiffies + PATIENCE;
	struct ib_wc wc;
	u32 seen = 0;

	while (seen < count && time_before(jiffies, end)) {
		if (ib_poll_cq(site->cq, 1, &wc) != 1) {
			usleep_range(100, 200);
			continue;
		}
		if (!KT_EXPECT(t, wc.qp == qp) || !KT_EXPECT_EQ(t, wc.wr_id, first + seen) ||
		    !KT_EXPECT_EQ(t, wc.status, IB_WC_WR_FLUSH_ERR))
			return false;
		seen++;
	}
	return KT_EXPECT_EQ(t, seen, count);
}

static void nothing_left(struct ktap *t, struct site *site)
{
	struct ib_wc wc;

	KT_EXPECT_EQ(t, ib_poll_cq(site->cq, 1, &wc), 0);
	KT_EXPECT_EQ(t, site->cq_errors, 0);
}

/*
 * The selftest also checks, by the tracepoint siw_flush, how many receives siw flushes at a time.
 */
static void test_flush(struct ktap *t)
{
	struct site site;
	struct ib_qp *qp;

	if (!open_site(t, &site, 2 * DEPTH))
		return;
	qp = open_qp(t, &site, DEPTH, IB_QPS_INIT);
	if (qp && post_receives(t, qp, 0, DEPTH)) {
		KT_EXPECT_EQ(t, move_to(qp, IB_QPS_ERR), 0);
		/*
		 * Expects that a flushed batch has made room for more receives, and that order is
		 * kept.
		 */
		post_receives(t, qp, DEPTH, 1000);
		flushed_in_order(t, &site, qp, 0, DEPTH + 1000);
		post_receives(t, qp, 0, 1);
		flushed_in_order(t, &site, qp, 0, 1);
	}
	nothing_left(t, &site);
	if (qp)
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	close_site(t, &site);
}

/* A timer, which notes how many completions the CQ has when its interrupt comes. */
struct interrupt {
	struct hrtimer timer;
	struct ib_cq *cq;
	int seen;
};

static enum hrtimer_restart note_waiting(struct hrtimer *timer)
{
	struct interrupt *irq = container_of(timer, struct interrupt, timer);

	irq->seen = ib_peek_cq(irq->cq, INT_MAX);
	return HRTIMER_NORESTART;
}

/*
 * Posts @list, of @count requests that complete at once, up to 20 times, until an interrupt comes
 * between two of the requests: @recv or @send posts. Interrupts that come before or behind the list
 * prove nothing.
 */
static bool interrupted(struct site *site, struct ib_qp *qp, const struct ib_recv_wr *recv,
			const struct ib_send_wr *send, int count)
{
	struct interrupt *irq = kzalloc(sizeof(*irq), GFP_KERNEL);
	bool between = false;
	struct ib_wc wc;
	int i, ret = 0;

	if (!irq)
		return false;
	irq->cq = site->cq;
	hrtimer_setup(&irq->timer, note_waiting, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	for (i = 0; i < 20 && !ret && !between; i++) {
		irq->seen = 0;
		hrtimer_start(&irq->timer, ns_to_ktime(100 * NSEC_PER_USEC), HRTIMER_MODE_REL_HARD);
		ret = recv ? ib_post_recv(qp, recv, NULL) : ib_post_send(qp, send, NULL);
		hrtimer_cancel(&irq->timer);
		between = irq->seen > 0 && irq->seen < count;
		while (ib_poll_cq(site->cq, 1, &wc) == 1)
			;
	}
	kfree(irq);
	return !ret && between;
}

/* Longer than an interrupt takes on kernels with debug checks, and much shorter than the walk. */
#define TICK_NS	(300 * NSEC_PER_USEC)

/* A timer that ticks while @cq is polled, and the most ticks that have come during one call. */
struct ticks {
	struct hrtimer timer;
	struct ib_cq *cq;
	int seen;
	int most;
};

static enum hrtimer_restart note_tick(struct hrtimer *timer)
{
	container_of(timer, struct ticks, timer)->seen++;
	hrtimer_forward_now(timer, ns_to_ktime(TICK_NS));
	return HRTIMER_RESTART;
}

/*
 * Polls a completion each time that there is a gap in the CQ whose walk takes many ticks. With
 * interrupts off for the whole walk, one may come before, and one behind it.
 */
static int poll_gaps(void *arg)
{
	struct ticks *ticks = arg;
	struct ib_wc wc;
	int waiting;

	while (!kthread_should_stop()) {
		usleep_range(100, 200);
		waiting = ib_peek_cq(ticks->cq, INT_MAX);
		if (!waiting || waiting > LONGEST_CQ / 4)
			continue;
		ticks->seen = 0;
		hrtimer_start(&ticks->timer, ns_to_ktime(TICK_NS), HRTIMER_MODE_REL_HARD);
		ib_poll_cq(ticks->cq, 1, &wc);
		hrtimer_cancel(&ticks->timer);
		ticks->most = max(ticks->most, ticks->seen);
	}
	return 0;
}

/*
 * Destroys a QP with as many completions as a CQ holds, while a thread with a high priority polls.
 * Returns the most interrupts that have come during one call of the thread.
 */
static int ticks_in_gap(struct ktap *t, struct site *site)
{
	struct ticks *ticks = kzalloc(sizeof(*ticks), GFP_KERNEL);
	struct ib_qp *gone = open_qp(t, site, 16, IB_QPS_ERR);
	struct task_struct *poller;
	int most = 0;

	if (!KT_EXPECT(t, ticks) || !gone || !post_receives(t, gone, 0, LONGEST_CQ))
		goto free;
	ticks->cq = site->cq;
	hrtimer_setup(&ticks->timer, note_tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	poller = kthread_create(poll_gaps, ticks, "kt_poller");
	if (!KT_EXPECT_ERR(t, poller, 0))
		goto free;
	sched_set_fifo(poller);
	/* On the same CPU: the poller runs when the destruction gives way between two batches. */
	migrate_disable();
	kthread_bind(poller, smp_processor_id());
	wake_up_process(poller);
	KT_EXPECT_EQ(t, ib_destroy_qp(gone), 0);
	migrate_enable();
	gone = NULL;
	kthread_stop(poller);
	most = ticks->most;
free:
	if (gone)
		ib_destroy_qp(gone);
	kfree(ticks);
	return most;
}

/* The completions of a QP that is being destroyed leave a long gap, which a poller skips. */
static void test_long_gap(struct ktap *t)
{
	struct site site;
	int i, most = 0;

	if (!open_site(t, &site, LONGEST_CQ))
		return;
	for (i = 0; i < 5 && most < 4; i++)
		most = ticks_in_gap(t, &site);
	ktap_note(t, "%d interrupts have come", most);
	KT_EXPECT(t, most >= 4);
	nothing_left(t, &site);
	close_site(t, &site);
}

/* A long list is posted, and interrupts come meanwhile. */
static void test_long_lists(struct ktap *t)
{
	struct ib_recv_wr *recv = kvcalloc(DEPTH, sizeof(*recv), GFP_KERNEL);
	struct ib_send_wr *send = kvcalloc(DEPTH, sizeof(*send), GFP_KERNEL);
	struct site site;
	struct ib_qp *qp;
	int i;

	if (!KT_EXPECT(t, recv && send) || !open_site(t, &site, DEPTH))
		goto free;
	send[DEPTH - 1].opcode = IB_WR_SEND;
	for (i = 0; i < DEPTH - 1; i++) {
		recv[i].next = &recv[i + 1];
		send[i].next = &send[i + 1];
		send[i].opcode = IB_WR_SEND;
	}
	qp = open_qp(t, &site, 16, IB_QPS_ERR);
	if (qp) {
		KT_EXPECT(t, interrupted(&site, qp, recv, NULL, DEPTH));
		KT_EXPECT(t, interrupted(&site, qp, NULL, send, DEPTH));
		nothing_left(t, &site);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	close_site(t, &site);
free:
	kvfree(recv);
	kvfree(send);
}

static void test_destroy_while_flushing(struct ktap *t)
{
	struct site site;
	struct ib_qp *qp;
	int i;

	if (!open_site(t, &site, 2 * DEPTH))
		return;
	for (i = 0; i < 10; i++) {
		qp = open_qp(t, &site, DEPTH, IB_QPS_INIT);
		if (!qp || !post_receives(t, qp, 0, DEPTH))
			break;
		KT_EXPECT_EQ(t, move_to(qp, IB_QPS_ERR), 0);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	nothing_left(t, &site);
	close_site(t, &site);
}

static void note_last_wqe(struct ib_event *event, void *context)
{
	struct completion *last_wqe = context;

	if (event->event == IB_EVENT_QP_LAST_WQE_REACHED)
		complete(last_wqe);
}

/*
 * Expects that a QP with an SRQ reports LAST_WQE_REACHED when the QP is moved to ERR, and not when
 * the QP is destroyed: in INIT, or in ERR after the event.
 */
static void test_events_of_destroyed(struct ktap *t)
{
	struct ib_srq_init_attr srq_init = { .attr = { .max_wr = 16, .max_sge = 1 } };
	DECLARE_COMPLETION_ONSTACK(last_wqe);
	struct ib_qp_init_attr init = {
		.event_handler = note_last_wqe,
		.qp_context = &last_wqe,
		.cap = { .max_send_wr = 16, .max_send_sge = 1 },
		.qp_type = IB_QPT_RC,
	};
	struct site site;
	struct ib_qp *qp;
	int i;

	if (!open_site(t, &site, 64))
		return;
	init.send_cq = site.cq;
	init.recv_cq = site.cq;
	init.srq = ib_create_srq(site.pd, &srq_init);
	if (!KT_EXPECT_ERR(t, init.srq, 0))
		goto close;
	for (i = 0; i < 2; i++) {
		qp = ib_create_qp(site.pd, &init);
		if (!KT_EXPECT_ERR(t, qp, 0))
			break;
		KT_EXPECT_EQ(t, move_to(qp, IB_QPS_INIT), 0);
		if (i) {
			KT_EXPECT_EQ(t, move_to(qp, IB_QPS_ERR), 0);
			KT_EXPECT(t, wait_for_completion_timeout(&last_wqe, PATIENCE));
		}
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
		KT_EXPECT(t, !completion_done(&last_wqe));
	}
	KT_EXPECT_EQ(t, ib_destroy_srq_user(init.srq, NULL), 0);
close:
	close_site(t, &site);
}

/*
 * Adds completions of two QPs to the CQ by turns, polls some, and destroys one of the QPs. Expects
 * that the other QP's completions stay, in order, and that the CQ has room for as many completions
 * as if the destroyed QP had never existed.
 */
static void test_destroy_cleans(struct ktap *t)
{
	struct ib_qp *gone, *stays;
	struct site site;
	struct ib_wc wc;
	u32 room, i;

	if (!open_site(t, &site, 2048))
		return;
	gone = open_qp(t, &site, 64, IB_QPS_ERR);
	stays = open_qp(t, &site, 64, IB_QPS_ERR);
	room = site.cq->cqe;
	for (i = 0; gone && stays && i < 700; i++) {
		post_receives(t, gone, 5000 + i, 1);
		post_receives(t, stays, i, 1);
	}
	for (i = 0; i < 100; i++)
		KT_EXPECT_EQ(t, ib_poll_cq(site.cq, 1, &wc), 1);
	if (gone)
		KT_EXPECT_EQ(t, ib_destroy_qp(gone), 0);
	if (stays) {
		post_receives(t, stays, 700, room - 650);
		flushed_in_order(t, &site, stays, 50, room);
		nothing_left(t, &site);
		KT_EXPECT_EQ(t, ib_destroy_qp(stays), 0);
	}
	close_site(t, &site);
}

static bool post_send(struct ktap *t, struct ib_qp *qp, u64 wr_id)
{
	struct ib_send_wr wr = { .wr_id = wr_id, .opcode = IB_WR_SEND };

	return KT_EXPECT_EQ(t, ib_post_send(qp, &wr, NULL), 0);
}

/*
 * Fills a CQ of the greatest size by turns with receives of one QP and sends of another, resizes
 * the CQ, and destroys the first QP. tools/testing/bench/irqsoff measures for how long interrupts
 * are off meanwhile.
 */
static void test_longest_cq(struct ktap *t)
{
	struct ib_qp *gone, *stays;
	struct site site;
	u32 i;

	if (!open_site(t, &site, LONGEST_CQ))
		return;
	gone = open_qp(t, &site, DEPTH, IB_QPS_ERR);
	stays = open_qp(t, &site, DEPTH, IB_QPS_ERR);
	for (i = 0; gone && stays && i < LONGEST_CQ / 2; i++) {
		if (!post_receives(t, gone, i, 1) || !post_send(t, stays, i))
			break;
		if (i % 1024 == 0)
			cond_resched();
	}
	KT_EXPECT_EQ(t, ib_resize_cq(site.cq, LONGEST_CQ), 0);
	if (gone)
		KT_EXPECT_EQ(t, ib_destroy_qp(gone), 0);
	if (stays) {
		flushed_in_order(t, &site, stays, 0, LONGEST_CQ / 2);
		nothing_left(t, &site);
		KT_EXPECT_EQ(t, ib_destroy_qp(stays), 0);
	}
	close_site(t, &site);
}

static void test_resize(struct ktap *t)
{
	struct site site;
	struct ib_qp *qp;

	if (!open_site(t, &site, 2048))
		return;
	qp = open_qp(t, &site, 64, IB_QPS_ERR);
	if (qp) {
		/*
		 * Moves the CQ's ring on, so that the completions below cross the end of the ring.
		 */
		post_receives(t, qp, 0, 1500);
		flushed_in_order(t, &site, qp, 0, 1500);
		post_receives(t, qp, 0, 1000);
		KT_EXPECT_EQ(t, ib_resize_cq(site.cq, 512), -EINVAL);
		KT_EXPECT_EQ(t, ib_resize_cq(site.cq, 4096), 0);
		KT_EXPECT_EQ(t, site.cq->cqe, 4096);
		post_receives(t, qp, 1000, 3096);
		flushed_in_order(t, &site, qp, 0, 3500);
		KT_EXPECT_EQ(t, ib_resize_cq(site.cq, 1000), 0);
		flushed_in_order(t, &site, qp, 3500, 596);
		nothing_left(t, &site);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	close_site(t, &site);
}

/*
 * Expects that a reset drops the receives, and the completions that were not polled, and that the
 * QP then works like a new one.
 */
static void test_reset(struct ktap *t)
{
	struct ib_recv_wr wr = { };
	struct site site;
	struct ib_qp *qp;
	int i;

	if (!open_site(t, &site, 2048))
		return;
	qp = open_qp(t, &site, 512, IB_QPS_INIT);
	for (i = 0; qp && i < 3; i++) {
		/*
		 * The first round resets the QP in INIT. Each later round first moves the QP to
		 * ERR, which flushes a batch of these receives at once.
		 */
		post_receives(t, qp, 1000, 500);
		if (i)
			KT_EXPECT_EQ(t, move_to(qp, IB_QPS_ERR), 0);
		KT_EXPECT_EQ(t, move_to(qp, IB_QPS_RESET), 0);
		KT_EXPECT_EQ(t, ib_post_recv(qp, &wr, NULL), -EINVAL);
		KT_EXPECT_EQ(t, move_to(qp, IB_QPS_RESET), 0);
		nothing_left(t, &site);
		KT_EXPECT_EQ(t, move_to(qp, IB_QPS_INIT), 0);
		post_receives(t, qp, 0, 500);
		KT_EXPECT_EQ(t, move_to(qp, IB_QPS_ERR), 0);
		flushed_in_order(t, &site, qp, 0, 500);
		KT_EXPECT_EQ(t, move_to(qp, IB_QPS_RESET), 0);
		KT_EXPECT_EQ(t, move_to(qp, IB_QPS_INIT), 0);
	}
	nothing_left(t, &site);
	if (qp)
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	close_site(t, &site);
}

/* A CQ, a QP in ERR whose receives add completions, and the last event and its time. */
struct moderated {
	struct site site;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct completion event;
	ktime_t at;
};

#define PERIOD_US	50000

static void note_event(struct ib_cq *cq, void *context)
{
	struct moderated *m = context;

	m->at = ktime_get();
	complete(&m->event);
}

static void close_moderated(struct ktap *t, struct moderated *m)
{
	if (m->qp)
		KT_EXPECT_EQ(t, ib_destroy_qp(m->qp), 0);
	if (!IS_ERR_OR_NULL(m->cq))
		KT_EXPECT_EQ(t, ib_destroy_cq(m->cq), 0);
	close_site(t, &m->site);
}

static bool open_moderated(struct ktap *t, struct moderated *m)
{
	struct ib_cq_init_attr attr = { .cqe = 256 };
	struct ib_cq *plain;

	*m = (struct moderated) {};
	init_completion(&m->event);
	if (!open_site(t, &m->site, 16))
		return false;
	m->cq = ib_create_cq(m->site.dev, note_event, NULL, m, &attr);
	if (!KT_EXPECT_ERR(t, m->cq, 0)) {
		close_moderated(t, m);
		return false;
	}
	plain = m->site.cq;
	m->site.cq = m->cq;
	m->qp = open_qp(t, &m->site, 16, IB_QPS_ERR);
	m->site.cq = plain;
	if (m->qp)
		return true;
	close_moderated(t, m);
	return false;
}

/*
 * Arms the CQ and adds @count completions. Returns after how many microseconds the event came, or
 * -1 after a failure.
 */
static s64 event_after(struct ktap *t, struct moderated *m, u32 count)
{
	ktime_t start = ktime_get();
	struct ib_wc wc;

	reinit_completion(&m->event);
	while (ib_poll_cq(m->cq, 1, &wc) == 1)
		;
	KT_EXPECT_EQ(t, ib_req_notify_cq(m->cq, IB_CQ_NEXT_COMP), 0);
	if (!post_receives(t, m->qp, 0, count) ||
	    !KT_EXPECT(t, wait_for_completion_timeout(&m->event, PATIENCE)))
		return -1;
	return ktime_us_delta(m->at, start);
}

/*
 * An event that is not to wait for the period may be late all the same, on a machine that is busy.
 * Expects that one of several is not.
 */
static bool event_is_early(struct ktap *t, struct moderated *m, u32 count)
{
	int i;

	for (i = 0; i < 20; i++)
		if (event_after(t, m, count) < PERIOD_US)
			return true;
	return KT_EXPECT(t, false);
}

static void test_moderation(struct ktap *t)
{
	struct moderated m;

	if (!open_moderated(t, &m))
		return;
	KT_EXPECT_EQ(t, m.site.dev->attrs.cq_caps.max_cq_moderation_count, U16_MAX);
	KT_EXPECT_EQ(t, m.site.dev->attrs.cq_caps.max_cq_moderation_period, U16_MAX);
	KT_EXPECT_EQ(t, rdma_set_cq_moderation(m.cq, 3, PERIOD_US), 0);
	KT_EXPECT(t, event_after(t, &m, 1) >= PERIOD_US);
	KT_EXPECT(t, event_after(t, &m, 2) >= PERIOD_US);
	event_is_early(t, &m, 3);
	event_is_early(t, &m, 10);
	/* Completions for which the CQ is not armed raise no event, however many they are. */
	reinit_completion(&m.event);
	post_receives(t, m.qp, 0, 10);
	KT_EXPECT(t, !wait_for_completion_timeout(&m.event, usecs_to_jiffies(2 * PERIOD_US)));
	/* Without a count, or without a period, events are not moderated. */
	KT_EXPECT_EQ(t, rdma_set_cq_moderation(m.cq, 1, PERIOD_US), 0);
	event_is_early(t, &m, 1);
	KT_EXPECT_EQ(t, rdma_set_cq_moderation(m.cq, 1000, 0), 0);
	event_is_early(t, &m, 1);
	close_moderated(t, &m);
}

/* An event that waits is raised when the moderation changes, and does not outlive the CQ. */
static void test_moderation_changes(struct ktap *t)
{
	struct moderated m;

	if (!open_moderated(t, &m))
		return;
	KT_EXPECT_EQ(t, rdma_set_cq_moderation(m.cq, U16_MAX, U16_MAX), 0);
	KT_EXPECT_EQ(t, ib_req_notify_cq(m.cq, IB_CQ_NEXT_COMP), 0);
	post_receives(t, m.qp, 0, 1);
	KT_EXPECT_EQ(t, rdma_set_cq_moderation(m.cq, 0, 0), 0);
	KT_EXPECT(t, wait_for_completion_timeout(&m.event, PATIENCE));
	KT_EXPECT_EQ(t, rdma_set_cq_moderation(m.cq, U16_MAX, U16_MAX), 0);
	KT_EXPECT_EQ(t, ib_req_notify_cq(m.cq, IB_CQ_NEXT_COMP), 0);
	post_receives(t, m.qp, 0, 1);
	close_moderated(t, &m);
}

/* Maps memory into the process that loads the module. Returns its address, or 0 after a failure. */
static unsigned long map_memory(struct ktap *t, size_t size)
{
	unsigned long addr = vm_mmap(NULL, 0, size, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, 0);

	return KT_EXPECT(t, !IS_ERR_VALUE(addr)) ? addr : 0;
}

static s64 pages_pinned(void)
{
	return atomic64_read(&current->mm->pinned_vm);
}

/* A kernel user registers memory of the process. The memory stays pinned when it is unmapped. */
static void test_reg_user_mr(struct ktap *t)
{
	const int rights = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ;
	const size_t size = 3 * PAGE_SIZE;
	s64 before = pages_pinned();
	unsigned long addr;
	struct site site;
	struct ib_mr *mr;

	if (!open_site(t, &site, 16))
		return;
	addr = map_memory(t, size);
	if (!addr)
		goto close;
	mr = ib_reg_user_mr(site.pd, addr + 0x10, size - 0x20, 0x10010, rights);
	if (KT_EXPECT_ERR(t, mr, 0)) {
		KT_EXPECT(t, mr->lkey && mr->rkey);
		KT_EXPECT_EQ(t, mr->length, size - 0x20);
		KT_EXPECT_EQ(t, pages_pinned() - before, 3);
		KT_EXPECT_EQ(t, vm_munmap(addr, size), 0);
		KT_EXPECT_EQ(t, pages_pinned() - before, 3);
		KT_EXPECT_EQ(t, ib_dereg_mr(mr), 0);
	}
	KT_EXPECT_EQ(t, pages_pinned() - before, 0);
	KT_EXPECT_ERR(t, ib_reg_user_mr(site.pd, addr, size, addr, rights), -EFAULT);
	KT_EXPECT_ERR(t, ib_reg_user_mr(site.pd, addr, 0, addr, rights), -EINVAL);
	KT_EXPECT_ERR(t, ib_reg_user_mr(site.pd, addr, size, addr, IB_ACCESS_ON_DEMAND),
		      -EOPNOTSUPP);
	KT_EXPECT_EQ(t, pages_pinned() - before, 0);
	KT_EXPECT_EQ(t, atomic_read(&site.pd->usecnt), 0);
close:
	close_site(t, &site);
}

static void test_advice(struct ktap *t)
{
	struct ib_sge range = { .length = 1 };
	struct site site;

	if (!open_site(t, &site, 16))
		return;
	KT_EXPECT_EQ(t, site.dev->attrs.odp_caps.general_caps, 0);
	KT_EXPECT_EQ(t, ib_advise_mr(site.pd, IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH, 0, &range, 1),
		     -EOPNOTSUPP);
	close_site(t, &site);
}

/* A QP has both CQs, even if one of its queues has no request. */
static void test_without_cq(struct ktap *t)
{
	struct ib_qp_init_attr init = { .qp_type = IB_QPT_RC };
	struct site site;

	if (!open_site(t, &site, 16))
		return;
	init.cap = (struct ib_qp_cap) { .max_recv_wr = 1, .max_recv_sge = 1 };
	init.recv_cq = site.cq;
	KT_EXPECT_ERR(t, ib_create_qp(site.pd, &init), -EINVAL);
	init.cap = (struct ib_qp_cap) { .max_send_wr = 1, .max_send_sge = 1 };
	init.recv_cq = NULL;
	init.send_cq = site.cq;
	KT_EXPECT_ERR(t, ib_create_qp(site.pd, &init), -EINVAL);
	KT_EXPECT_EQ(t, atomic_read(&site.pd->usecnt), 0);
	close_site(t, &site);
}

/* What a QP tells of itself, and attributes that it does not have. */
static void test_query(struct ktap *t)
{
	struct ib_qp_init_attr init = {};
	struct ib_qp_attr attr = {};
	struct site site;
	struct ib_qp *qp;

	if (!open_site(t, &site, 16))
		return;
	qp = open_qp(t, &site, 7, IB_QPS_INIT);
	if (!qp)
		goto close;
	KT_EXPECT_EQ(t, ib_query_qp(qp, &attr, IB_QP_STATE | IB_QP_CAP, &init), 0);
	KT_EXPECT_EQ(t, attr.qp_state, IB_QPS_INIT);
	KT_EXPECT_EQ(t, attr.cap.max_send_wr, 7);
	KT_EXPECT_EQ(t, init.cap.max_recv_wr, 7);
	KT_EXPECT_EQ(t, init.sq_sig_type, IB_SIGNAL_ALL_WR);
	KT_EXPECT(t, init.send_cq == site.cq && init.recv_cq == site.cq);
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_QKEY), -EOPNOTSUPP);
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_PATH_MTU), -EOPNOTSUPP);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
close:
	close_site(t, &site);
}

static void test_without_features(struct ktap *t)
{
	struct ib_fmr_attr small = { .max_pages = 1, .max_maps = 1, .page_shift = PAGE_SHIFT - 1 };
	struct ib_cq_init_attr timestamps = {
		.cqe = 16, .flags = IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION,
	};
	struct site site;

	if (!open_site(t, &site, 16))
		return;
	KT_EXPECT_ERR(t, ib_create_cq(site.dev, NULL, NULL, NULL, &timestamps), -EOPNOTSUPP);
	KT_EXPECT_ERR(t, ib_alloc_fmr(site.pd, IB_ACCESS_LOCAL_WRITE, &small), -EINVAL);
	small.page_shift = PAGE_SHIFT;
	KT_EXPECT_ERR(t, ib_alloc_fmr(site.pd, IB_ZERO_BASED, &small), -EOPNOTSUPP);
	KT_EXPECT_EQ(t, atomic_read(&site.pd->usecnt), 0);
	close_site(t, &site);
}

#define SHORT	100	/* bytes of an element */

/* Maps an element, from behind its end, from its end and from its last byte on. */
static void map_from(struct ktap *t, struct ib_mr *mr, struct scatterlist *sg)
{
	unsigned int skip = SHORT + 1;

	KT_EXPECT_EQ(t, ib_map_mr_sg(mr, sg, 1, &skip, PAGE_SIZE), -EINVAL);
	KT_EXPECT_EQ(t, skip, SHORT + 1);
	skip = SHORT;
	KT_EXPECT_EQ(t, ib_map_mr_sg(mr, sg, 1, &skip, PAGE_SIZE), 1);
	KT_EXPECT_EQ(t, mr->length, 0);
	skip = SHORT - 1;
	KT_EXPECT_EQ(t, ib_map_mr_sg(mr, sg, 1, &skip, PAGE_SIZE), 1);
	KT_EXPECT_EQ(t, mr->length, 1);
	KT_EXPECT_EQ(t, skip, 0);
}

/* The bytes of a region with gaps are those of its list, whatever the offset. */
static void test_offsets(struct ktap *t)
{
	u8 *memory = kmalloc(SHORT, GFP_KERNEL);
	struct scatterlist sg;
	struct site site;
	struct ib_mr *mr;

	if (!KT_EXPECT(t, memory) || !open_site(t, &site, 16))
		goto free;
	sg_init_one(&sg, memory, SHORT);
	mr = ib_alloc_mr(site.pd, IB_MR_TYPE_SG_GAPS, 1);
	if (KT_EXPECT_ERR(t, mr, 0)) {
		if (KT_EXPECT_EQ(t, ib_dma_map_sg(site.dev, &sg, 1, DMA_BIDIRECTIONAL), 1)) {
			map_from(t, mr, &sg);
			ib_dma_unmap_sg(site.dev, &sg, 1, DMA_BIDIRECTIONAL);
		}
		KT_EXPECT_EQ(t, ib_dereg_mr(mr), 0);
	}
	close_site(t, &site);
free:
	kfree(memory);
}

#define ROOM	2048	/* more than the attributes of an object take */

/* An object that netlink shows, and two NULL pointers. */
struct shown {
	struct ib_cq *cq;
	struct ib_mr *mr;
	struct ib_qp *qp;
};

/* Fills a message with @room bytes of room. Returns the result, or the bytes that were filled. */
static int fill(struct ktap *t, const struct ib_device_ops *ops, const struct shown *shown,
		u32 room)
{
	struct sk_buff *msg = nlmsg_new(ROOM, GFP_KERNEL);
	int ret;

	if (!KT_EXPECT(t, msg))
		return -ENOMEM;
	skb_put(msg, skb_tailroom(msg) - room);
	if (shown->cq)
		ret = ops->fill_res_cq_entry(msg, shown->cq);
	else if (shown->mr)
		ret = ops->fill_res_mr_entry(msg, shown->mr);
	else
		ret = ops->fill_res_qp_entry(msg, shown->qp);
	ret = ret ?: room - skb_tailroom(msg);
	kfree_skb(msg);
	return ret;
}

/* Expects that an object is shown as a whole: in a message with less room it is not shown. */
static void fills_all(struct ktap *t, struct site *site, const struct shown *shown)
{
	int room, need = fill(t, &site->dev->ops, shown, ROOM);

	if (!KT_EXPECT(t, need > 0))
		return;
	for (room = 0; room < need; room++)
		if (!KT_EXPECT_EQ(t, fill(t, &site->dev->ops, shown, room), -EMSGSIZE))
			ktap_note(t, "with room for %d of %d bytes", room, need);
	KT_EXPECT_EQ(t, fill(t, &site->dev->ops, shown, need), need);
}

static void fills_all_of_mr(struct ktap *t, struct site *site, struct ib_mr *mr)
{
	if (!KT_EXPECT_ERR(t, mr, 0))
		return;
	fills_all(t, site, &(struct shown) { .mr = mr });
	KT_EXPECT_EQ(t, ib_dereg_mr(mr), 0);
}

static void test_full_messages(struct ktap *t)
{
	struct site site;
	struct ib_qp *qp;

	if (!open_site(t, &site, 16))
		return;
	fills_all(t, &site, &(struct shown) { .cq = site.cq });
	fills_all_of_mr(t, &site, ib_alloc_mr(site.pd, IB_MR_TYPE_MEM_REG, 4));
	fills_all_of_mr(t, &site, ib_alloc_mr_integrity(site.pd, 1, 1));
	qp = open_qp(t, &site, 16, IB_QPS_INIT);
	if (qp) {
		fills_all(t, &site, &(struct shown) { .qp = qp });
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	close_site(t, &site);
}

/* Addresses that only a kernel consumer of iw_cm can give. */
static void test_addresses(struct ktap *t)
{
	struct iw_cm_id id = { .m_local_addr.ss_family = AF_UNIX };
	struct iw_cm_conn_param param = {};
	struct site site;

	if (!open_site(t, &site, 16))
		return;
	id.device = site.dev;
	id.m_remote_addr.ss_family = AF_UNIX;
	KT_EXPECT_EQ(t, site.dev->ops.iw_connect(&id, &param), -EAFNOSUPPORT);
	KT_EXPECT_EQ(t, site.dev->ops.iw_create_listen(&id, 1), -EAFNOSUPPORT);
	KT_EXPECT(t, !id.provider_data);
	close_site(t, &site);
}

/* An identifier whose consumer is this test, and the status of its event. */
struct own_id {
	struct iw_cm_id id;
	int refs;
	int status;
	struct completion event;
};

static void own_add_ref(struct iw_cm_id *id)
{
	container_of(id, struct own_id, id)->refs++;
}

static void own_rem_ref(struct iw_cm_id *id)
{
	container_of(id, struct own_id, id)->refs--;
}

static int own_event(struct iw_cm_id *id, struct iw_cm_event *event)
{
	struct own_id *own = container_of(id, struct own_id, id);

	own->status = event->status;
	complete(&own->event);
	return 0;
}

static void init_own_id(struct own_id *own, struct ib_device *dev)
{
	memset(own, 0, sizeof(*own));
	own->id.device = dev;
	own->id.event_handler = own_event;
	own->id.add_ref = own_add_ref;
	own->id.rem_ref = own_rem_ref;
	init_completion(&own->event);
}

/* A local address that is none of IP is left to TCP. Nobody listens at the remote one. */
static void test_other_source(struct ktap *t)
{
	struct iw_cm_conn_param param = { .ird = 1, .ord = 1 };
	struct sockaddr_in *remote;
	struct own_id own;
	struct site site;
	struct ib_qp *qp;

	if (!open_site(t, &site, 16))
		return;
	qp = open_qp(t, &site, 16, IB_QPS_INIT);
	if (!qp)
		goto close;
	init_own_id(&own, site.dev);
	own.id.m_local_addr.ss_family = AF_UNIX;
	remote = (struct sockaddr_in *)&own.id.m_remote_addr;
	remote->sin_family = AF_INET;
	remote->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	remote->sin_port = htons(7100);
	param.qpn = qp->qp_num;
	if (KT_EXPECT_EQ(t, site.dev->ops.iw_connect(&own.id, &param), 0)) {
		KT_EXPECT(t, wait_for_completion_timeout(&own.event, PATIENCE));
		KT_EXPECT_EQ(t, own.status, -ECONNREFUSED);
		KT_WAIT(t, !READ_ONCE(own.refs));
	}
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
close:
	close_site(t, &site);
}

/* Listeners on the wildcards of both families, each for its own family, do not share a socket. */
static void test_families(struct ktap *t)
{
	struct sockaddr_in6 *in6;
	struct sockaddr_in *in;
	struct own_id ids[2];
	struct site site;
	int i;

	if (!open_site(t, &site, 16))
		return;
	for (i = 0; i < 2; i++) {
		init_own_id(&ids[i], site.dev);
		ids[i].id.afonly = true;
	}
	in = (struct sockaddr_in *)&ids[0].id.m_local_addr;
	in->sin_family = AF_INET;
	in->sin_port = htons(7100);
	in6 = (struct sockaddr_in6 *)&ids[1].id.m_local_addr;
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(7100);
	for (i = 0; i < 2; i++)
		KT_EXPECT_EQ(t, site.dev->ops.iw_create_listen(&ids[i].id, 1), 0);
	for (i = 0; i < 2; i++) {
		if (ids[i].id.provider_data)
			KT_EXPECT_EQ(t, site.dev->ops.iw_destroy_listen(&ids[i].id), 0);
		KT_EXPECT_EQ(t, ids[i].refs, 0);
	}
	close_site(t, &site);
}

/* Two listeners on addresses of which the second one is mapped. */
static void test_listeners(struct ktap *t)
{
	static const struct {
		bool mapped;
		u32 addrs[2];
		u16 ports[2];
		int ret;
	} rows[] = {
		{ false, { INADDR_LOOPBACK, INADDR_LOOPBACK }, { 7100, 7100 }, -EADDRINUSE },
		{ false, { INADDR_ANY, INADDR_ANY }, { 7100, 7100 }, -EADDRINUSE },
		{ true, { INADDR_LOOPBACK, INADDR_LOOPBACK }, { 7100, 7100 }, -EADDRINUSE },
		{ true, { INADDR_ANY, INADDR_LOOPBACK }, { 7100, 7100 }, -EADDRINUSE },
		{ true, { INADDR_LOOPBACK, INADDR_ANY }, { 7100, 7100 }, -EADDRINUSE },
		{ true, { INADDR_LOOPBACK, INADDR_LOOPBACK }, { 7100, 7101 }, 0 },
		{ true, { INADDR_LOOPBACK, INADDR_LOOPBACK + 1 }, { 7100, 7100 }, 0 },
	};
	struct own_id ids[2];
	struct site site;
	int i, j, ret;

	if (!open_site(t, &site, 16))
		return;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (j = 0; j < 2; j++) {
			struct sockaddr_in *in = (struct sockaddr_in *)&ids[j].id.m_local_addr;

			init_own_id(&ids[j], site.dev);
			ids[j].id.mapped = j || rows[i].mapped;
			in->sin_family = AF_INET;
			in->sin_addr.s_addr = htonl(rows[i].addrs[j]);
			in->sin_port = htons(rows[i].ports[j]);
			ret = site.dev->ops.iw_create_listen(&ids[j].id, 1);
			if (ret != (j ? rows[i].ret : 0))
				ktap_fail(t, "row %d, listener %d: %d", i, j, ret);
		}
		for (j = 1; j >= 0; j--) {
			if (ids[j].id.provider_data)
				KT_EXPECT_EQ(t, site.dev->ops.iw_destroy_listen(&ids[j].id), 0);
			KT_EXPECT_EQ(t, ids[j].refs, 0);
		}
	}
	close_site(t, &site);
}

static const struct ktap_case cases[] = {
	{ "a long queue is flushed in order, with receives that are posted meanwhile", test_flush },
	{ "interrupts come while a long list is posted", test_long_lists },
	{ "interrupts come while a poller skips a long gap", test_long_gap },
	{ "a QP is destroyed while its queue is flushed", test_destroy_while_flushing },
	{ "a QP that is destroyed leaves the CQ to others", test_destroy_cleans },
	{ "a QP that is destroyed reports no event", test_events_of_destroyed },
	{ "a QP that is reset works as a new one", test_reset },
	{ "completions stay when a CQ is resized", test_resize },
	{ "a CQ of the greatest size is resized, and cleaned of a QP", test_longest_cq },
	{ "an event waits for completions, or for a time", test_moderation },
	{ "an event waits while the moderation changes", test_moderation_changes },
	{ "a kernel user registers memory of a process", test_reg_user_mr },
	{ "there is no paging on demand, and no advice for it", test_advice },
	{ "a QP has two CQs", test_without_cq },
	{ "what a QP tells of itself", test_query },
	{ "addresses that are none of IP are refused", test_addresses },
	{ "a connection from an address that is none of IP", test_other_source },
	{ "a listener for each family of addresses", test_families },
	{ "a mapped port on which another listener listens", test_listeners },
	{ "there are no timestamps, and no pages that are smaller than those of the host",
	  test_without_features },
	{ "a list is mapped from an offset on", test_offsets },
	{ "no object is shown without some of its attributes", test_full_messages },
};

static KTAP_SUITE(kt_siw_suite, "siw", cases);
static const struct ktap_suite *const suites[] = { &kt_siw_suite, &kt_siw_limits_suite };

KTAP_MODULE(suites);
