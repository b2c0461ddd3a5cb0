// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of draining QPs, with CQs of each polling context, with a CQ of a pool, and with the
 * provider's own operations.
 */
#include <linux/delay.h>

#include "kt_verbs.h"

struct request {
	struct ib_cqe cqe;
	atomic_t *flushed;
};

static void request_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct request *request = container_of(wc->wr_cqe, struct request, cqe);

	if (wc->status == IB_WC_WR_FLUSH_ERR)
		atomic_inc(request->flushed);
}

#define NR_REQUESTS 5

static void post_all(struct ktap *t, struct ib_qp *qp, struct request *requests, atomic_t *flushed)
{
	struct ib_send_wr send = { .opcode = IB_WR_SEND };
	struct ib_recv_wr recv = { };
	int i;

	atomic_set(flushed, 0);
	for (i = 0; i < 2 * NR_REQUESTS; i += 2) {
		requests[i] = (struct request) { { request_done }, flushed };
		requests[i + 1] = requests[i];
		send.wr_cqe = &requests[i].cqe;
		recv.wr_cqe = &requests[i + 1].cqe;
		KT_EXPECT_EQ(t, ib_post_send(qp, &send, NULL), 0);
		KT_EXPECT_EQ(t, ib_post_recv(qp, &recv, NULL), 0);
	}
}

static void drain_in(struct ktap *t, struct kt_env *env, enum ib_poll_context context)
{
	struct request requests[2 * NR_REQUESTS];
	atomic_t flushed;
	struct ib_cq *cq;
	struct ib_qp *qp;

	cq = ib_alloc_cq(env->dev, NULL, 64, 0, context);
	if (!KT_EXPECT_ERR(t, cq, 0))
		return;
	qp = kt_qp(env, cq);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		post_all(t, qp, requests, &flushed);
		ib_drain_qp(qp);
		KT_EXPECT_EQ(t, atomic_read(&flushed), 2 * NR_REQUESTS);
		KT_EXPECT_EQ(t, to_fakedev_qp(qp)->attr.qp_state, IB_QPS_ERR);
		/* Expects that draining empty queues returns. */
		ib_drain_sq(qp);
		ib_drain_rq(qp);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	ib_free_cq(cq);
}

static void test_drain_contexts(struct ktap *t)
{
	enum ib_poll_context context;
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	for (context = IB_POLL_SOFTIRQ; context <= IB_POLL_DIRECT; context++)
		drain_in(t, &env, context);
	/* From here on, the provider flushes requests 40 ms after the QP's transition to ERR. */
	env.fd->flush_delay = msecs_to_jiffies(40);
	drain_in(t, &env, IB_POLL_WORKQUEUE);
	drain_in(t, &env, IB_POLL_DIRECT);
	kt_end(t, &env);
}

static void test_drain_pool(struct ktap *t)
{
	struct request requests[2 * NR_REQUESTS];
	atomic_t flushed;
	struct kt_env env;
	struct ib_cq *cq;
	struct ib_qp *qp;

	if (!kt_start(t, &env))
		return;
	cq = ib_cq_pool_get(env.dev, 32, -1, IB_POLL_WORKQUEUE);
	qp = kt_qp(&env, cq);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		post_all(t, qp, requests, &flushed);
		ib_drain_qp(qp);
		KT_EXPECT_EQ(t, atomic_read(&flushed), 2 * NR_REQUESTS);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	ib_cq_pool_put(cq, 32);
	kt_end_pooled(t, &env);
}

static int own_drains;

static void own_drain(struct ib_qp *qp)
{
	own_drains++;
}

static void test_provider_drain(struct ktap *t)
{
	static const struct ib_device_ops ops = { .drain_sq = own_drain, .drain_rq = own_drain };
	const struct fakedev_config config = { .more_ops = &ops };
	struct kt_env env;
	struct ib_qp *qp;

	if (!kt_start_with(t, &env, &config))
		return;
	own_drains = 0;
	qp = kt_qp(&env, env.cq);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		ib_drain_qp(qp);
		KT_EXPECT_EQ(t, own_drains, 2);
		KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_MODIFY_QP), 0);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	kt_end(t, &env);
}

static const struct ktap_case drain_cases[] = {
	{ "after a drain, all requests have completed, in every context", test_drain_contexts },
	{ "a drain over a CQ of a pool", test_drain_pool },
	{ "the provider's drain operation is used if there is one", test_provider_drain },
};

KTAP_SUITE(kt_drain_suite, "drain", drain_cases);
