// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of how sends end without a response: timeouts, cancellation, and the end of the agent.
 */
#include <linux/kthread.h>

#include "kt_mad.h"

static struct kmd_pair ends;

static void test_timeout(struct ktap *t)
{
	struct ib_mad_send_buf *buf, *late;
	unsigned long begin;

	if (!kmd_start(t, &ends, &kmd_plain))
		return;
	buf = kmd_new(t, &ends.from, memdev_lid(ends.b, 1), IB_MGMT_METHOD_GET, 0);
	late = kmd_new(t, &ends.to, memdev_lid(ends.a, 1), IB_MGMT_METHOD_GET_RESP, 0);
	if (!buf || !late)
		goto out;
	buf->timeout_ms = KMD_SHORT;
	buf->retries = 3;
	begin = jiffies;
	kmd_post(t, buf);
	KMD_ENDS(t, &ends.from, buf, IB_WC_RESP_TIMEOUT_ERR);
	KT_EXPECT(t, time_after_eq(jiffies, begin + msecs_to_jiffies(4 * KMD_SHORT)));
	kmd_wait(t, &ends.to, 4);
	KMD_COUNTS(t, ends.a, RESENT, 3);
	KMD_COUNTS(t, ends.a, TIMEOUTS, 1);
	/* A response that comes now has no request. */
	kmd_forget(&ends.to);
	kmd_hdr(late)->tid = kmd_hdr(buf)->tid;
	kmd_post(t, late);
	KMD_ENDS(t, &ends.to, late, IB_WC_SUCCESS);
	KMD_COUNTS(t, ends.a, UNMATCHED, 1);
	/* The MAD can be sent again, and a response to a later try counts. */
	ends.to.answers = true;
	kmd_post(t, buf);
	KT_EXPECT(t, kmd_wait(t, &ends.from, 2).status == IB_WC_SUCCESS);
	KT_EXPECT(t, ends.from.events[0].recv);
out:
	if (buf)
		kmd_free(buf);
	if (late)
		kmd_free(late);
	kmd_end(&ends);
}

/* The second try cannot be posted. */
static void test_no_try(struct ktap *t)
{
	struct ib_mad_send_buf *buf;

	if (!kmd_start(t, &ends, &kmd_plain))
		return;
	buf = kmd_new(t, &ends.from, memdev_lid(ends.b, 1), IB_MGMT_METHOD_GET, 0);
	if (buf) {
		buf->timeout_ms = KMD_SHORT;
		buf->retries = 3;
		fakedev_fail(ends.fa, FAKEDEV_POST_SEND, 2, -ENOMEM);
		kmd_post(t, buf);
		KMD_ENDS(t, &ends.from, buf, IB_WC_LOC_QP_OP_ERR);
		kmd_wait(t, &ends.to, 1);
		kmd_free(buf);
	}
	kmd_end(&ends);
}

/* Deadlines are kept in order, whatever the order of the sends. */
static void test_order(struct ktap *t)
{
	static const int timeouts[] = { 300, 40, KMD_LONG, 150 };
	static const int order[] = { 1, 3, 0 };
	struct ib_mad_send_buf *bufs[ARRAY_SIZE(timeouts)] = {};
	size_t i;

	if (!kmd_start(t, &ends, &kmd_plain))
		return;
	for (i = 0; i < ARRAY_SIZE(bufs); i++) {
		bufs[i] = kmd_new(t, &ends.from, memdev_lid(ends.b, 1), IB_MGMT_METHOD_GET, 0);
		if (!bufs[i])
			goto out;
		bufs[i]->timeout_ms = timeouts[i];
		kmd_post(t, bufs[i]);
	}
	kmd_wait(t, &ends.from, ARRAY_SIZE(order));
	for (i = 0; i < ARRAY_SIZE(order); i++)
		KT_EXPECT(t, ends.from.events[i].send == bufs[order[i]]);
	/* A shorter time is a time from now on. */
	KT_EXPECT_EQ(t, ib_modify_mad(bufs[2], KMD_SHORT), 0);
	KT_EXPECT(t, kmd_wait(t, &ends.from, 4).send == bufs[2]);
	for (i = 0; i < ends.from.nr; i++)
		KT_EXPECT_EQ(t, ends.from.events[i].status, IB_WC_RESP_TIMEOUT_ERR);
	KT_EXPECT_EQ(t, ib_modify_mad(bufs[2], KMD_SHORT), -EINVAL);
out:
	for (i = 0; i < ARRAY_SIZE(bufs); i++)
		if (bufs[i])
			kmd_free(bufs[i]);
	kmd_end(&ends);
}

static void test_cancel(struct ktap *t)
{
	struct ib_mad_send_buf *buf;
	int i;

	if (!kmd_start(t, &ends, &kmd_plain))
		return;
	buf = kmd_new(t, &ends.from, memdev_lid(ends.b, 1), IB_MGMT_METHOD_GET, 0);
	if (!buf)
		goto out;
	buf->timeout_ms = KMD_LONG;
	for (i = 0; i < 4; i++) {
		kmd_post(t, buf);
		/* Once it waits, once at once, and then after it was made longer. */
		if (i == 0)
			kmd_wait(t, &ends.to, 1);
		if (i >= 2) {
			KT_EXPECT_EQ(t, ib_modify_mad(buf, i == 2 ? 2 * KMD_LONG : U32_MAX), 0);
			KT_EXPECT_EQ(t, buf->timeout_ms, i == 2 ? 2 * KMD_LONG : INT_MAX);
		}
		KT_EXPECT_EQ(t, ib_modify_mad(buf, 0), 0);
		KMD_ENDS(t, &ends.from, buf, IB_WC_WR_FLUSH_ERR);
		KT_EXPECT_EQ(t, ib_modify_mad(buf, 0), -EINVAL);
	}
	kmd_free(buf);
out:
	kmd_end(&ends);
}

/* Posts requests that are not answered. Returns their number. */
static unsigned int post_many(struct ktap *t, struct ib_mad_send_buf **bufs, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		bufs[i] = kmd_new(t, &ends.from, memdev_lid(ends.b, 1), IB_MGMT_METHOD_GET, 0);
		if (!bufs[i])
			break;
		bufs[i]->timeout_ms = i % 2 ? KMD_LONG : 0;
		kmd_post(t, bufs[i]);
	}
	return i;
}

/* All sends have completed when the unregistration returns: once each. */
static void test_unregister(struct ktap *t)
{
	static struct ib_mad_send_buf *bufs[200];
	unsigned int nr, i;

	if (!kmd_start(t, &ends, &kmd_plain))
		return;
	ends.to.silent = true;
	nr = post_many(t, bufs, ARRAY_SIZE(bufs));
	ib_unregister_mad_agent(ends.from.agent);
	KT_EXPECT_EQ(t, ends.from.nr, nr);
	for (i = 0; i < nr; i++)
		KT_EXPECT_EQ(t, kmd_completions(&ends.from, bufs[i]), 1);
	/* Those that wait for a response are cancelled, others may have been sent. */
	for (i = 0; i < ends.from.nr; i++)
		if (ends.from.events[i].send->timeout_ms)
			KT_EXPECT_EQ(t, ends.from.events[i].status, IB_WC_WR_FLUSH_ERR);
	kmd_forget(&ends.from);
	for (i = 0; i < nr; i++) {
		rdma_destroy_ah(bufs[i]->ah, 0);
		ib_free_send_mad(bufs[i]);
	}
	if (kmd_register(t, &ends.from, ends.a, &kmd_plain))
		kmd_end(&ends);
}

static struct ib_mad_send_buf *last_one;
static int posted_late;

static void post_late(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	if (wc->send_buf != last_one)
		posted_late = ib_post_send_mad(last_one, NULL);
}

/* The handler of a send that is cancelled because the agent ends posts another one, in vain. */
static void test_post_late(struct ktap *t)
{
	struct ib_mad_send_buf *buf;

	if (!kmd_start(t, &ends, &kmd_plain))
		return;
	ends.to.silent = true;
	buf = kmd_new(t, &ends.from, memdev_lid(ends.b, 1), IB_MGMT_METHOD_GET, 0);
	last_one = kmd_new(t, &ends.from, memdev_lid(ends.b, 1), IB_MGMT_METHOD_GET, 0);
	if (!buf || !last_one) {
		kmd_end(&ends);
		return;
	}
	buf->timeout_ms = KMD_LONG;
	kmd_post(t, buf);
	posted_late = 0;
	ends.from.agent->send_handler = post_late;
	ib_unregister_mad_agent(ends.from.agent);
	KT_EXPECT_EQ(t, posted_late, -ENODEV);
	rdma_destroy_ah(buf->ah, 0);
	rdma_destroy_ah(last_one->ah, 0);
	ib_free_send_mad(buf);
	ib_free_send_mad(last_one);
	if (kmd_register(t, &ends.from, ends.a, &kmd_plain))
		kmd_end(&ends);
}

/* Agents come and go while MADs come for them, and messages of RMPP. */
static void test_traffic(struct ktap *t)
{
	static const struct kmd_reg rmpp_too = {
		IB_QPT_GSI, KMD_VENDOR, .rmpp = 1, .methods = KMD_GET | KMD_SEND
	};
	static struct ib_mad_send_buf *bufs[40];
	unsigned int round, i, nr;

	if (!kmd_start(t, &ends, &rmpp_too))
		return;
	for (round = 0; round < 20; round++) {
		ends.to.silent = true;
		ends.to.answers = round % 2;
		ends.to.answer_len = 3000;
		for (nr = 0; nr < ARRAY_SIZE(bufs); nr++) {
			bufs[nr] = kmd_new(t, &ends.from, memdev_lid(ends.b, 1), IB_MGMT_METHOD_GET,
					   nr % 2 ? 2000 : 0);
			if (!bufs[nr])
				break;
			bufs[nr]->timeout_ms = KMD_SHORT;
			bufs[nr]->retries = nr % 3;
			kmd_post(t, bufs[nr]);
		}
		/* One time the receiver goes, and one time the sender, whose sends then end. */
		if (round % 4 < 2) {
			kmd_unregister(&ends.to);
			KT_EXPECT(t, kmd_register(t, &ends.to, ends.b, &rmpp_too));
		} else {
			ib_unregister_mad_agent(ends.from.agent);
		}
		for (i = 0; i < nr; i++)
			KT_WAIT(t, kmd_completions(&ends.from, bufs[i]) == 1);
		kmd_forget(&ends.from);
		for (i = 0; i < nr; i++) {
			rdma_destroy_ah(bufs[i]->ah, 0);
			ib_free_send_mad(bufs[i]);
		}
		if (round % 4 >= 2)
			KT_EXPECT(t, kmd_register(t, &ends.from, ends.a, &rmpp_too));
	}
	kmd_end(&ends);
}

/* What a thread does: registers and unregisters agents. */
struct churn {
	struct ib_device *dev;
	u8 mgmt_class;
	unsigned int rounds, failed;
	struct kmd_agent agent;
};

static int churn(void *data)
{
	struct ib_mad_reg_req req = { .mgmt_class_version = 1 };
	struct ib_mad_agent *agent;
	struct churn *c = data;
	unsigned int i;

	req.mgmt_class = c->mgmt_class;
	set_bit(IB_MGMT_METHOD_GET, req.method_mask);
	spin_lock_init(&c->agent.lock);
	c->agent.silent = true;
	for (i = 0; i < c->rounds; i++) {
		agent = ib_register_mad_agent(c->dev, 1, IB_QPT_GSI, &req, 0,
					      ends.from.agent->send_handler,
					      ends.from.agent->recv_handler, &c->agent, 0);
		if (IS_ERR(agent))
			c->failed++;
		else
			ib_unregister_mad_agent(agent);
		cond_resched();
	}
	/* Until kthread_stop() */
	while (!kthread_should_stop())
		usleep_range(1000, 2000);
	return 0;
}

/* Two threads with 1,000 agents of a port between them, while it has traffic, also for them. */
static void test_churn(struct ktap *t)
{
	static struct churn churns[2];
	struct task_struct *tasks[2];
	struct ib_mad_send_buf *buf;
	unsigned int i, rounds = 0;

	if (!kmd_start(t, &ends, &kmd_plain))
		return;
	ends.to.answers = true;
	buf = kmd_new(t, &ends.from, memdev_lid(ends.b, 1), IB_MGMT_METHOD_GET, 0);
	if (!buf)
		goto out;
	for (i = 0; i < 2; i++) {
		churns[i] = (struct churn) {
			.dev = ends.b, .mgmt_class = KMD_PLAIN + 1 + i, .rounds = 500
		};
		tasks[i] = kthread_run(churn, &churns[i], "kt_mad%u", i);
		KT_EXPECT_ERR(t, tasks[i], 0);
	}
	for (rounds = 0; rounds < 300; rounds++) {
		/* Each third one is for the agents that come and go, which do not answer. */
		kmd_hdr(buf)->mgmt_class = KMD_PLAIN + rounds % 3;
		buf->timeout_ms = rounds % 3 ? 1 : KMD_LONG;
		kmd_post(t, buf);
		KT_WAIT(t, kmd_completions(&ends.from, buf) == 1);
		if (rounds % 3 == 0)
			KT_EXPECT_EQ(t, ends.from.events[ends.from.nr - 1].status, IB_WC_SUCCESS);
		kmd_forget(&ends.from);
		kmd_forget(&ends.to);
	}
	for (i = 0; i < 2; i++) {
		if (!IS_ERR(tasks[i]))
			kthread_stop(tasks[i]);
		KT_EXPECT_EQ(t, churns[i].failed, 0);
	}
	kmd_free(buf);
out:
	kmd_end(&ends);
}

static const struct ktap_case ends_cases[] = {
	{ "timeouts and tries", test_timeout },
	{ "a try that cannot be posted", test_no_try },
	{ "the order of deadlines", test_order },
	{ "cancellation", test_cancel },
	{ "a post while the agent ends", test_post_late },
	{ "the end of the agent", test_unregister },
	{ "agents come and go under traffic", test_traffic },
	{ "threads register and unregister under traffic", test_churn },
};

KTAP_SUITE(kmd_ends_suite, "mad ends", ends_cases);
