// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of CQs that the core polls for a ULP, in each polling context, and of adaptive moderation
 * if the kernel has CONFIG_DIMLIB.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "kt_verbs.h"

static const enum ib_poll_context event_contexts[] = {
	IB_POLL_SOFTIRQ, IB_POLL_WORKQUEUE, IB_POLL_UNBOUND_WORKQUEUE,
};

#define LATE	300	/* number of completions in the test of missed events */

/* A consumer that counts its completions and checks the context in which they are handled. */
struct consumer {
	struct ib_cqe cqe;
	enum ib_poll_context context;
	atomic_t begun;
	atomic_t done;
	atomic_t misplaced;	/* number of completions handled in a wrong context */
	atomic_t unordered;
	int nested;		/* number of completions that the next call of consume() polls */
	unsigned int sleep;	/* ms that consume() sleeps */
};

static bool in_expected_context(const struct consumer *c)
{
	switch (c->context) {
	case IB_POLL_SOFTIRQ:
		return in_serving_softirq();
	case IB_POLL_DIRECT:
		return !in_interrupt();
	default:
		return !in_interrupt() && (current->flags & PF_WQ_WORKER);
	}
}

static void consume(struct ib_cq *cq, struct ib_wc *wc)
{
	struct consumer *c = container_of(wc->wr_cqe, struct consumer, cqe);
	int nested = c->nested;

	if (!in_expected_context(c))
		atomic_inc(&c->misplaced);
	if (wc->byte_len != (u32)atomic_read(&c->done))
		atomic_inc(&c->unordered);
	c->nested = 0;
	atomic_inc(&c->begun);
	if (c->sleep)
		msleep(c->sleep);
	atomic_inc(&c->done);
	if (nested)
		ib_process_cq_direct(cq, nested);
}

static void consumer_init(struct consumer *c, enum ib_poll_context context)
{
	*c = (struct consumer) { .cqe.done = consume, .context = context };
}

static bool push_cq_ulp(struct ib_cq *cq, struct consumer *c, u32 number)
{
	struct ib_wc wc = { .wr_cqe = &c->cqe, .byte_len = number };

	return fakedev_cq_push(cq, &wc, false);
}

static bool wait_for(atomic_t *done, int wanted)
{
	int i;

	for (i = 0; i < 5000 && atomic_read(done) < wanted; i++)
		usleep_range(1000, 2000);
	return atomic_read(done) == wanted;
}

static void complete_many(struct ktap *t, struct kt_env *env, enum ib_poll_context context)
{
	const int total = 20000;
	struct consumer c;
	struct ib_cq *cq;
	int i = 0;

	consumer_init(&c, context);
	cq = ib_alloc_cq(env->dev, &c, 2048, 0, context);
	if (!KT_EXPECT_ERR(t, cq, 0))
		return;
	KT_EXPECT(t, cq->cq_context == &c && cq->poll_ctx == context);
	while (i < total) {
		if (push_cq_ulp(cq, &c, i))
			i++;
		else
			usleep_range(100, 200);
		/* Lets the CQ become empty at times, so that the core has to arm the CQ again. */
		if (i % 997 == 0)
			usleep_range(50, 1000);
	}
	KT_EXPECT(t, wait_for(&c.done, total));
	KT_EXPECT_EQ(t, atomic_read(&c.done), total);
	KT_EXPECT_EQ(t, atomic_read(&c.misplaced), 0);
	KT_EXPECT_EQ(t, atomic_read(&c.unordered), 0);
	ib_free_cq(cq);
}

static void test_cq_ulp_contexts(struct ktap *t)
{
	struct kt_env env;
	int i;

	if (!kt_start(t, &env))
		return;
	for (i = 0; i < ARRAY_SIZE(event_contexts); i++)
		complete_many(t, &env, event_contexts[i]);
	kt_end(t, &env);
}

static void test_direct(struct ktap *t)
{
	struct kt_env env;
	struct consumer c;
	struct ib_cq *cq;
	int i, armed;

	if (!kt_start(t, &env))
		return;
	consumer_init(&c, IB_POLL_DIRECT);
	armed = fakedev_calls(env.fd, FAKEDEV_REQ_NOTIFY_CQ);
	cq = ib_alloc_cq(env.dev, &c, 64, 0, IB_POLL_DIRECT);
	if (KT_EXPECT_ERR(t, cq, 0)) {
		for (i = 0; i < 30; i++)
			push_cq_ulp(cq, &c, i);
		KT_EXPECT_EQ(t, atomic_read(&c.done), 0);
		KT_EXPECT_EQ(t, ib_process_cq_direct(cq, 0), 0);
		KT_EXPECT_EQ(t, ib_process_cq_direct(cq, 11), 11);
		KT_EXPECT_EQ(t, atomic_read(&c.done), 11);
		KT_EXPECT_EQ(t, ib_process_cq_direct(cq, -1), 19);
		KT_EXPECT_EQ(t, ib_process_cq_direct(cq, -1), 0);
		KT_EXPECT_EQ(t, atomic_read(&c.unordered), 0);
		KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_REQ_NOTIFY_CQ), armed);

		/*
		 * The first completion's done() polls the CQ itself, and handles the other four
		 * completions.
		 */
		for (i = 0; i < 5; i++)
			push_cq_ulp(cq, &c, 30 + i);
		c.nested = 4;
		KT_EXPECT_EQ(t, ib_process_cq_direct(cq, 1), 1);
		KT_EXPECT_EQ(t, atomic_read(&c.done), 35);
		KT_EXPECT_EQ(t, atomic_read(&c.misplaced), 0);
		ib_free_cq(cq);
	}
	kt_end(t, &env);
}

static void test_cq_ulp_errors(struct ktap *t)
{
	struct ib_device *dev;
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	dev = env.dev;
	KT_EXPECT_ERR(t, ib_alloc_cq(dev, NULL, 0, 0, IB_POLL_SOFTIRQ), -EINVAL);
	KT_EXPECT_ERR(t, ib_alloc_cq(dev, NULL, -5, 0, IB_POLL_SOFTIRQ), -EINVAL);
	KT_EXPECT_ERR(t, ib_alloc_cq(dev, NULL, 1, -1, IB_POLL_SOFTIRQ), -EINVAL);
	KT_EXPECT_ERR(t, ib_alloc_cq(dev, NULL, 1, dev->num_comp_vectors, IB_POLL_SOFTIRQ),
		      -EINVAL);
	KT_EXPECT_ERR(t, ib_alloc_cq(dev, NULL, 1, 0, IB_POLL_DIRECT + 1), -EINVAL);
	KT_EXPECT_ERR(t, ib_alloc_cq(dev, NULL, 1, 0, -1), -EINVAL);
	KT_WITHOUT(&env, create_cq,
		   KT_EXPECT_ERR(t, ib_alloc_cq(dev, NULL, 1, 0, IB_POLL_WORKQUEUE), -EOPNOTSUPP));
	fakedev_fail(env.fd, FAKEDEV_CREATE_CQ, 1, -ENOMEM);
	KT_EXPECT_ERR(t, ib_alloc_cq(dev, NULL, 1, 0, IB_POLL_WORKQUEUE), -ENOMEM);
	fakedev_fail(env.fd, FAKEDEV_REQ_NOTIFY_CQ, 1, -EIO);
	KT_EXPECT_ERR(t, ib_alloc_cq(dev, NULL, 1, 0, IB_POLL_SOFTIRQ), -EIO);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DESTROY_CQ), 1);
	KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_CQ), 1);
	kt_end(t, &env);
}

/*
 * State of poll_late(), which adds a completion whenever a poll has emptied the CQ, LATE
 * completions in all.
 */
static struct late {
	struct ib_cq *cq;
	struct consumer consumer;
	atomic_t left;
	int (*poll_cq)(struct ib_cq *cq, int num_entries, struct ib_wc *wc);
} late;

static int poll_late(struct ib_cq *cq, int num_entries, struct ib_wc *wc)
{
	int got = late.poll_cq(cq, num_entries, wc);

	if (cq == late.cq && got < num_entries && atomic_dec_if_positive(&late.left) >= 0)
		push_cq_ulp(cq, &late.consumer, LATE - atomic_read(&late.left));
	return got;
}

/*
 * Completions that are added between an empty poll and the arming of the CQ raise no event. Expects
 * that the core handles these completions.
 */
static void test_missed_events(struct ktap *t)
{
	struct kt_env env;
	int i;

	if (!kt_start(t, &env))
		return;
	late.poll_cq = env.dev->ops.poll_cq;
	env.dev->ops.poll_cq = poll_late;
	for (i = 0; i < ARRAY_SIZE(event_contexts); i++) {
		consumer_init(&late.consumer, event_contexts[i]);
		atomic_set(&late.left, LATE);
		late.cq = ib_alloc_cq(env.dev, NULL, 64, 0, event_contexts[i]);
		if (!KT_EXPECT_ERR(t, late.cq, 0))
			break;
		push_cq_ulp(late.cq, &late.consumer, 0);
		if (!KT_EXPECT(t, wait_for(&late.consumer.done, LATE + 1)))
			ktap_note(t, "context %d: %d handled", event_contexts[i],
				  atomic_read(&late.consumer.done));
		KT_EXPECT_EQ(t, atomic_read(&late.consumer.unordered), 0);
		ib_free_cq(late.cq);
	}
	env.dev->ops.poll_cq = late.poll_cq;
	kt_end(t, &env);
}

/* Adds a completion when the CQ was armed, once. */
static struct {
	struct consumer consumer;
	struct ib_cq *cq;
	int (*req_notify_cq)(struct ib_cq *cq, enum ib_cq_notify_flags flags);
	bool due;
} rearmed;

static int arm_and_push(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	int ret = rearmed.req_notify_cq(cq, flags);

	if (cq == rearmed.cq && rearmed.due) {
		rearmed.due = false;
		push_cq_ulp(cq, &rearmed.consumer, 1);
	}
	return ret;
}

/* An event that comes before the poller has ended is not lost. */
static void test_event_when_armed(struct ktap *t)
{
	struct kt_env env;
	int i;

	if (!kt_start(t, &env))
		return;
	rearmed.req_notify_cq = env.dev->ops.req_notify_cq;
	env.dev->ops.req_notify_cq = arm_and_push;
	for (i = 0; i < ARRAY_SIZE(event_contexts); i++) {
		consumer_init(&rearmed.consumer, event_contexts[i]);
		rearmed.due = false;
		rearmed.cq = ib_alloc_cq(env.dev, NULL, 16, 0, event_contexts[i]);
		if (!KT_EXPECT_ERR(t, rearmed.cq, 0))
			break;
		rearmed.due = true;
		push_cq_ulp(rearmed.cq, &rearmed.consumer, 0);
		KT_EXPECT(t, wait_for(&rearmed.consumer.done, 2));
		KT_EXPECT_EQ(t, atomic_read(&rearmed.consumer.unordered), 0);
		ib_free_cq(rearmed.cq);
	}
	env.dev->ops.req_notify_cq = rearmed.req_notify_cq;
	kt_end(t, &env);
}

static void test_any_vector(struct ktap *t)
{
	unsigned int spread, seen = 0, i;
	struct ib_cq *cq[8];
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	spread = min_t(unsigned int, env.dev->num_comp_vectors, num_online_cpus());
	for (i = 0; i < ARRAY_SIZE(cq); i++) {
		cq[i] = ib_alloc_cq_any(env.dev, NULL, 4, IB_POLL_SOFTIRQ);
		if (KT_EXPECT_ERR(t, cq[i], 0))
			seen |= BIT(cq[i]->comp_vector);
	}
	KT_EXPECT_EQ(t, hweight32(seen), spread);
	for (i = 0; i < ARRAY_SIZE(cq); i++)
		if (!IS_ERR(cq[i]))
			ib_free_cq(cq[i]);
	/* A device that names no vectors has one. */
	env.dev->num_comp_vectors = 0;
	cq[0] = ib_alloc_cq_any(env.dev, NULL, 4, IB_POLL_SOFTIRQ);
	if (KT_EXPECT_ERR(t, cq[0], 0)) {
		KT_EXPECT_EQ(t, cq[0]->comp_vector, 0);
		ib_free_cq(cq[0]);
	}
	kt_end(t, &env);
}

static void test_bad_completions(struct ktap *t)
{
	struct ib_wc flushed = { .status = IB_WC_WR_FLUSH_ERR };
	struct kt_env env;
	struct consumer c;
	struct ib_cq *cq;

	if (!kt_start(t, &env))
		return;
	consumer_init(&c, IB_POLL_WORKQUEUE);
	cq = ib_alloc_cq(env.dev, NULL, 16, 0, IB_POLL_WORKQUEUE);
	if (KT_EXPECT_ERR(t, cq, 0)) {
		/*
		 * Expects that the core arms the CQ again after a flushed completion without
		 * wr_cqe, and after a failed poll.
		 */
		fakedev_cq_push(cq, &flushed, false);
		push_cq_ulp(cq, &c, 0);
		KT_EXPECT(t, wait_for(&c.done, 1));
		fakedev_fail(env.fd, FAKEDEV_POLL_CQ, 1, -EIO);
		push_cq_ulp(cq, &c, 1);
		KT_EXPECT(t, wait_for(&c.done, 2));
		ib_free_cq(cq);
	}
	kt_end(t, &env);
}

/* A thread that adds completions until the core calls the provider's destroy_cq. */
static struct pusher {
	struct task_struct *thread;
	struct ib_cq *cq;
	struct consumer consumer;
	int (*destroy_cq)(struct ib_cq *cq, struct ib_udata *udata);
	int pushed;
	int done_at_destroy;
} pusher;

static int push_repeatedly(void *data)
{
	while (!kthread_should_stop()) {
		bool pushed = push_cq_ulp(pusher.cq, &pusher.consumer, pusher.pushed);

		pusher.pushed += pushed;
		/* A full CQ is emptied by other threads, which may have to run on this CPU. */
		if (!pushed || pusher.pushed % 64 == 0)
			cond_resched();
	}
	return 0;
}

static int destroy_pushed_cq(struct ib_cq *cq, struct ib_udata *udata)
{
	if (pusher.thread && cq == pusher.cq) {
		pusher.done_at_destroy = atomic_read(&pusher.consumer.done);
		usleep_range(1000, 2000);
		kthread_stop(pusher.thread);
		pusher.thread = NULL;
	}
	return pusher.destroy_cq(cq, udata);
}

static void free_while_completing(struct ktap *t, struct kt_env *env, enum ib_poll_context context)
{
	consumer_init(&pusher.consumer, context);
	pusher.pushed = 0;
	pusher.cq = ib_alloc_cq(env->dev, NULL, 256, 0, context);
	if (!KT_EXPECT_ERR(t, pusher.cq, 0))
		return;
	pusher.thread = kthread_run(push_repeatedly, NULL, "kt_pusher");
	if (!KT_EXPECT_ERR(t, pusher.thread, 0)) {
		pusher.thread = NULL;
		ib_free_cq(pusher.cq);
		return;
	}
	usleep_range(200, 2000);
	ib_free_cq(pusher.cq);
	/* Expects that no completion is handled once the core has called destroy_cq. */
	KT_EXPECT_EQ(t, atomic_read(&pusher.consumer.done), pusher.done_at_destroy);
	KT_EXPECT_EQ(t, atomic_read(&pusher.consumer.unordered), 0);
}

static void test_free_while_completing(struct ktap *t)
{
	struct kt_env env;
	int i;

	if (!kt_start(t, &env))
		return;
	pusher.destroy_cq = env.dev->ops.destroy_cq;
	env.dev->ops.destroy_cq = destroy_pushed_cq;
	for (i = 0; i < 150; i++)
		free_while_completing(t, &env, event_contexts[i % ARRAY_SIZE(event_contexts)]);
	env.dev->ops.destroy_cq = pusher.destroy_cq;
	kt_end(t, &env);
}

/* Frees CQs before the softirq that is to poll them runs, or while it does. */
static void test_free_at_once(struct ktap *t)
{
	struct consumer c;
	struct kt_env env;
	struct ib_cq *cq;
	int i;

	if (!kt_start(t, &env))
		return;
	for (i = 0; i < 50; i++) {
		consumer_init(&c, IB_POLL_SOFTIRQ);
		cq = ib_alloc_cq(env.dev, NULL, 16, 0, IB_POLL_SOFTIRQ);
		if (!KT_EXPECT_ERR(t, cq, 0))
			break;
		push_cq_ulp(cq, &c, 0);
		ib_free_cq(cq);
		KT_EXPECT(t, atomic_read(&c.done) == atomic_read(&c.begun));
	}
	kt_end(t, &env);
}

static void test_free_waits(struct ktap *t)
{
	struct kt_env env;
	struct consumer c;
	struct ib_cq *cq;

	if (!kt_start(t, &env))
		return;
	consumer_init(&c, IB_POLL_UNBOUND_WORKQUEUE);
	c.sleep = 50;
	cq = ib_alloc_cq(env.dev, NULL, 16, 0, IB_POLL_UNBOUND_WORKQUEUE);
	if (KT_EXPECT_ERR(t, cq, 0)) {
		push_cq_ulp(cq, &c, 0);
		KT_EXPECT(t, wait_for(&c.begun, 1));
		ib_free_cq(cq);
		KT_EXPECT_EQ(t, atomic_read(&c.done), 1);
	}
	kt_end(t, &env);
}

/*
 * Adds completions until the core calls modify_cq: in turn 100 single ones, and 100 bursts of 64.
 * Returns whether the core has called modify_cq.
 */
static bool is_moderated(struct kt_env *env, struct ib_cq *cq, struct consumer *c)
{
	int i, n = 0;

	for (i = 0; i < 400; i++) {
		int burst = i % 200 < 100 ? 1 : 64;

		while (burst--)
			n += push_cq_ulp(cq, c, n);
		if (!wait_for(&c->done, n))
			return false;
		if (fakedev_calls(env->fd, FAKEDEV_MODIFY_CQ))
			return true;
	}
	return false;
}

static void moderate(struct ktap *t, struct kt_env *env, enum ib_poll_context context, bool wanted)
{
	int before = fakedev_calls(env->fd, FAKEDEV_MODIFY_CQ);
	struct consumer c;
	struct ib_cq *cq;

	consumer_init(&c, context);
	cq = ib_alloc_cq(env->dev, NULL, 2048, 0, context);
	if (!KT_EXPECT_ERR(t, cq, 0))
		return;
	KT_EXPECT_EQ(t, !!cq->dim, wanted);
	if (wanted && !before)
		KT_EXPECT(t, is_moderated(env, cq, &c));
	ib_free_cq(cq);
	KT_EXPECT_EQ(t, atomic_read(&c.unordered), 0);
}

static void test_cq_ulp_moderation(struct ktap *t)
{
	struct kt_env env;
	int i;

	if (!IS_ENABLED(CONFIG_DIMLIB)) {
		ktap_skip(t, "kernel without CONFIG_DIMLIB");
		return;
	}
	if (!kt_start(t, &env))
		return;
	for (i = 0; i < ARRAY_SIZE(event_contexts); i++)
		moderate(t, &env, event_contexts[i], false);
	env.dev->use_cq_dim = true;
	for (i = 0; i < ARRAY_SIZE(event_contexts); i++)
		moderate(t, &env, event_contexts[i], true);
	moderate(t, &env, IB_POLL_DIRECT, false);
	KT_WITHOUT(&env, modify_cq, moderate(t, &env, IB_POLL_SOFTIRQ, false));
	kt_end(t, &env);
}

/* The first change is to more than two completions, but the device allows no more than two. */
static void test_moderation_limits(struct ktap *t)
{
	struct fakedev_cq *fcq;
	struct consumer c;
	struct kt_env env;
	struct ib_cq *cq;

	if (!IS_ENABLED(CONFIG_DIMLIB)) {
		ktap_skip(t, "kernel without CONFIG_DIMLIB");
		return;
	}
	if (!kt_start(t, &env))
		return;
	env.dev->use_cq_dim = true;
	env.dev->attrs.cq_caps.max_cq_moderation_count = 2;
	env.dev->attrs.cq_caps.max_cq_moderation_period = 1000;
	consumer_init(&c, IB_POLL_SOFTIRQ);
	cq = ib_alloc_cq(env.dev, NULL, 2048, 0, IB_POLL_SOFTIRQ);
	if (KT_EXPECT_ERR(t, cq, 0)) {
		fcq = to_fakedev_cq(cq);
		if (KT_EXPECT(t, is_moderated(&env, cq, &c))) {
			KT_WAIT(t, READ_ONCE(fcq->moderation_count) == 2);
			KT_EXPECT(t, READ_ONCE(fcq->moderation_period) < 100);
		}
		ib_free_cq(cq);
	}
	kt_end(t, &env);
}

static const struct ktap_case cq_ulp_cases[] = {
	{ "every completion is handled once, in order, in its context", test_cq_ulp_contexts },
	{ "completions that raise no event are not missed", test_missed_events },
	{ "an event while the CQ is armed is not lost", test_event_when_armed },
	{ "direct: polled only when the ULP calls, within its budget", test_direct },
	{ "creation: each error, nothing left behind", test_cq_ulp_errors },
	{ "any vector: CQs are spread over as many vectors as CPUs", test_any_vector },
	{ "flushes without a cqe and failed polls do no harm", test_bad_completions },
	{ "a CQ is freed while completions are added", test_free_while_completing },
	{ "a CQ is freed as soon as it has a completion", test_free_at_once },
	{ "freeing a CQ waits for a running done()", test_free_waits },
	{ "adaptive moderation if the provider asks for it", test_cq_ulp_moderation },
	{ "adaptive moderation within the limits of the device", test_moderation_limits },
};

KTAP_SUITE(kt_cq_ulp_suite, "cq_ulp", cq_ulp_cases);
