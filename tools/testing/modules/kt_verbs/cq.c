// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of CQs that the consumer polls: creation, destruction, notification, resizing, moderation.
 */
#include "kt_verbs.h"

static void count_event(struct ib_cq *cq, void *context)
{
	atomic_inc(context);
}

static struct ib_cq *counting_cq(struct kt_env *env, int cqe, atomic_t *events)
{
	struct ib_cq_init_attr attr = { .cqe = cqe, .comp_vector = 1 };

	atomic_set(events, 0);
	return ib_create_cq(env->dev, count_event, NULL, events, &attr);
}

static bool push_cq(struct ib_cq *cq, u64 id, bool solicited)
{
	struct ib_wc wc = { .wr_id = id };

	return fakedev_cq_push(cq, &wc, solicited);
}

static void test_cq_create(struct ktap *t)
{
	struct kt_env env;
	struct ib_cq *cq;
	atomic_t events;

	if (!kt_start(t, &env))
		return;
	cq = counting_cq(&env, 100, &events);
	if (KT_EXPECT_ERR(t, cq, 0)) {
		KT_EXPECT_EQ(t, cq->cqe, 128);
		KT_EXPECT_EQ(t, cq->comp_vector, 1);
		KT_EXPECT_EQ(t, atomic_read(&cq->usecnt), 0);
		KT_EXPECT(t, cq->device == env.dev && cq->cq_context == &events);
		KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_CQ), 2);
		KT_EXPECT_EQ(t, ib_destroy_cq_user(cq, NULL), 0);
	}
	kt_end(t, &env);
}

static void test_cq_create_errors(struct ktap *t)
{
	struct ib_cq_init_attr attr = { .cqe = 8 }, none = { }, vector = { .cqe = 8 },
			       large = { .cqe = 4097 }, negative = { .cqe = -1 },
			       most = { .cqe = INT_MAX };
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	vector.comp_vector = env.dev->num_comp_vectors;
	KT_EXPECT_ERR(t, ib_create_cq(env.dev, NULL, NULL, NULL, &none), -EINVAL);
	KT_EXPECT_ERR(t, ib_create_cq(env.dev, NULL, NULL, NULL, &vector), -EINVAL);
	KT_EXPECT_ERR(t, ib_create_cq(env.dev, NULL, NULL, NULL, &large), -EINVAL);
	KT_EXPECT_ERR(t, ib_create_cq(env.dev, NULL, NULL, NULL, &negative), -EINVAL);
	KT_WITHOUT(&env, create_cq,
		   KT_EXPECT_ERR(t, ib_create_cq(env.dev, NULL, NULL, NULL, &attr), -EOPNOTSUPP));
	fakedev_fail(env.fd, FAKEDEV_CREATE_CQ, 1, -ENOMEM);
	KT_EXPECT_ERR(t, ib_create_cq(env.dev, NULL, NULL, NULL, &attr), -ENOMEM);
	/* Where the device sets no limit, the provider is asked for any positive number. */
	env.dev->attrs.max_cqe = 0;
	KT_EXPECT_ERR(t, ib_create_cq(env.dev, NULL, NULL, NULL, &negative), -EINVAL);
	fakedev_fail(env.fd, FAKEDEV_CREATE_CQ, 1, -ENOSPC);
	KT_EXPECT_ERR(t, ib_create_cq(env.dev, NULL, NULL, NULL, &most), -ENOSPC);
	KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_CQ), 1);
	kt_end(t, &env);
}

/* A device without completion vectors has CQs of vector 0. */
static void test_no_vectors(struct ktap *t)
{
	struct ib_cq_init_attr attr = { .cqe = 8 };
	struct kt_env env;
	struct ib_cq *cq;

	if (!kt_start(t, &env))
		return;
	env.dev->num_comp_vectors = 0;
	cq = ib_create_cq(env.dev, NULL, NULL, NULL, &attr);
	if (KT_EXPECT_ERR(t, cq, 0))
		KT_EXPECT_EQ(t, ib_destroy_cq(cq), 0);
	attr.comp_vector = 1;
	KT_EXPECT_ERR(t, ib_create_cq(env.dev, NULL, NULL, NULL, &attr), -EINVAL);
	cq = ib_alloc_cq_any(env.dev, NULL, 8, IB_POLL_DIRECT);
	if (KT_EXPECT_ERR(t, cq, 0)) {
		KT_EXPECT_EQ(t, cq->comp_vector, 0);
		ib_free_cq(cq);
	}
	cq = ib_cq_pool_get(env.dev, 8, 3, IB_POLL_SOFTIRQ);
	if (KT_EXPECT_ERR(t, cq, 0)) {
		KT_EXPECT_EQ(t, cq->comp_vector, 0);
		KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_CQ), 2);
		ib_cq_pool_put(cq, 8);
	}
	kt_end_pooled(t, &env);
}

static void test_cq_destroy_errors(struct ktap *t)
{
	struct kt_env env;
	struct ib_qp *qp;
	struct ib_cq *ulp;

	if (!kt_start(t, &env))
		return;
	qp = kt_qp(&env, env.cq);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		KT_EXPECT_EQ(t, ib_destroy_cq(env.cq), -EBUSY);
		KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DESTROY_CQ), 0);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	fakedev_fail(env.fd, FAKEDEV_DESTROY_CQ, 1, -EAGAIN);
	KT_EXPECT_EQ(t, ib_destroy_cq(env.cq), -EAGAIN);
	KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_CQ), 1);

	ulp = ib_alloc_cq(env.dev, NULL, 4, 0, IB_POLL_DIRECT);
	if (KT_EXPECT_ERR(t, ulp, 0)) {
		KT_EXPECT_EQ(t, ib_destroy_cq(ulp), -EINVAL);
		ib_free_cq(ulp);
	}
	kt_end(t, &env);
}

static void test_poll_and_peek(struct ktap *t)
{
	struct ib_wc wc[4];
	struct kt_env env;
	int i;

	if (!kt_start(t, &env))
		return;
	KT_EXPECT_EQ(t, ib_peek_cq(env.cq, 4), 0);
	for (i = 0; i < 6; i++)
		push_cq(env.cq, i, false);
	KT_EXPECT_EQ(t, ib_peek_cq(env.cq, 4), 4);
	KT_EXPECT_EQ(t, ib_peek_cq(env.cq, 100), 6);
	KT_EXPECT_EQ(t, ib_poll_cq(env.cq, 4, wc), 4);
	KT_EXPECT_EQ(t, wc[0].wr_id, 0);
	KT_EXPECT_EQ(t, wc[3].wr_id, 3);
	KT_EXPECT_EQ(t, ib_poll_cq(env.cq, 4, wc), 2);
	KT_EXPECT_EQ(t, wc[1].wr_id, 5);
	KT_EXPECT_EQ(t, ib_poll_cq(env.cq, 4, wc), 0);
	fakedev_fail(env.fd, FAKEDEV_POLL_CQ, 1, -EIO);
	KT_EXPECT_EQ(t, ib_poll_cq(env.cq, 4, wc), -EIO);

	KT_EXPECT_EQ(t, ib_peek_cq(env.cq, 0), -EINVAL);
	KT_WITHOUT(&env, peek_cq, KT_EXPECT_EQ(t, ib_peek_cq(env.cq, 1), -EOPNOTSUPP));
	kt_end(t, &env);
}

static void test_notify(struct ktap *t)
{
	const enum ib_cq_notify_flags report = IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS;
	struct ib_wc wc[4];
	struct kt_env env;
	struct ib_cq *cq;
	atomic_t events;

	if (!kt_start(t, &env))
		return;
	cq = counting_cq(&env, 16, &events);
	if (!KT_EXPECT_ERR(t, cq, 0))
		goto out;
	push_cq(cq, 0, false);
	KT_EXPECT_EQ(t, atomic_read(&events), 0);

	/*
	 * A completion is in the CQ already. Expects that ib_req_notify_cq() raises no event for
	 * this completion, and returns a positive number only if IB_CQ_REPORT_MISSED_EVENTS is set.
	 */
	KT_EXPECT_EQ(t, ib_req_notify_cq(cq, IB_CQ_NEXT_COMP), 0);
	KT_EXPECT(t, ib_req_notify_cq(cq, report) > 0);
	KT_EXPECT_EQ(t, ib_poll_cq(cq, 4, wc), 1);
	KT_EXPECT_EQ(t, ib_req_notify_cq(cq, report), 0);
	push_cq(cq, 1, false);
	push_cq(cq, 2, false);
	KT_EXPECT_EQ(t, atomic_read(&events), 1);

	KT_EXPECT_EQ(t, ib_req_notify_cq(cq, IB_CQ_SOLICITED), 0);
	push_cq(cq, 3, false);
	KT_EXPECT_EQ(t, atomic_read(&events), 1);
	push_cq(cq, 4, true);
	KT_EXPECT_EQ(t, atomic_read(&events), 2);

	fakedev_fail(env.fd, FAKEDEV_REQ_NOTIFY_CQ, 1, -EIO);
	KT_EXPECT_EQ(t, ib_req_notify_cq(cq, IB_CQ_NEXT_COMP), -EIO);
	KT_EXPECT_EQ(t, ib_destroy_cq(cq), 0);
out:
	kt_end(t, &env);
}

static void test_ncomp(struct ktap *t)
{
	struct kt_env env;
	struct ib_cq *cq;
	atomic_t events;
	int i;

	if (!kt_start(t, &env))
		return;
	cq = counting_cq(&env, 16, &events);
	if (!KT_EXPECT_ERR(t, cq, 0))
		goto out;
	KT_EXPECT_EQ(t, ib_req_ncomp_notif(cq, 3), 0);
	for (i = 0; i < 2; i++)
		push_cq(cq, i, false);
	KT_EXPECT_EQ(t, atomic_read(&events), 0);
	push_cq(cq, 2, false);
	KT_EXPECT_EQ(t, atomic_read(&events), 1);
	push_cq(cq, 3, false);
	KT_EXPECT_EQ(t, atomic_read(&events), 1);
	/* Expects an event at once, because four completions are in the CQ already. */
	KT_EXPECT_EQ(t, ib_req_ncomp_notif(cq, 4), 0);
	KT_EXPECT_EQ(t, atomic_read(&events), 2);

	KT_EXPECT_EQ(t, ib_req_ncomp_notif(cq, 0), -EINVAL);
	KT_EXPECT_EQ(t, ib_req_ncomp_notif(cq, cq->cqe + 1), -EINVAL);
	KT_EXPECT_EQ(t, ib_req_ncomp_notif(cq, cq->cqe), 0);
	KT_EXPECT_EQ(t, atomic_read(&events), 2);
	KT_WITHOUT(&env, req_ncomp_notif,
		   KT_EXPECT_EQ(t, ib_req_ncomp_notif(cq, 1), -EOPNOTSUPP));
	KT_EXPECT_EQ(t, ib_destroy_cq(cq), 0);
out:
	kt_end(t, &env);
}

static void test_resize(struct ktap *t)
{
	struct ib_wc wc[8];
	struct kt_env env;
	int i;

	if (!kt_start(t, &env))
		return;
	for (i = 0; i < 5; i++)
		push_cq(env.cq, i, false);
	KT_EXPECT_EQ(t, ib_resize_cq(env.cq, 100), 0);
	KT_EXPECT_EQ(t, env.cq->cqe, 128);
	KT_EXPECT_EQ(t, ib_resize_cq(env.cq, 4), -EINVAL);
	KT_EXPECT_EQ(t, env.cq->cqe, 128);
	KT_EXPECT_EQ(t, ib_resize_cq(env.cq, 5), 0);
	KT_EXPECT_EQ(t, env.cq->cqe, 8);
	KT_EXPECT_EQ(t, ib_poll_cq(env.cq, 8, wc), 5);
	KT_EXPECT_EQ(t, wc[4].wr_id, 4);

	KT_EXPECT_EQ(t, ib_resize_cq(env.cq, 0), -EINVAL);
	KT_EXPECT_EQ(t, ib_resize_cq(env.cq, -1), -EINVAL);
	KT_EXPECT_EQ(t, ib_resize_cq(env.cq, 4097), -EINVAL);
	KT_WITHOUT(&env, resize_cq, KT_EXPECT_EQ(t, ib_resize_cq(env.cq, 8), -EOPNOTSUPP));
	fakedev_fail(env.fd, FAKEDEV_RESIZE_CQ, 1, -ENOMEM);
	KT_EXPECT_EQ(t, ib_resize_cq(env.cq, 16), -ENOMEM);
	KT_EXPECT_EQ(t, env.cq->cqe, 8);
	kt_end(t, &env);
}

static void test_cq_moderation(struct ktap *t)
{
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	KT_EXPECT_EQ(t, rdma_set_cq_moderation(env.cq, 16, 100), 0);
	KT_EXPECT_EQ(t, to_fakedev_cq(env.cq)->moderation_count, 16);
	KT_EXPECT_EQ(t, to_fakedev_cq(env.cq)->moderation_period, 100);
	KT_WITHOUT(&env, modify_cq,
		   KT_EXPECT_EQ(t, rdma_set_cq_moderation(env.cq, 1, 1), -EOPNOTSUPP));
	fakedev_fail(env.fd, FAKEDEV_MODIFY_CQ, 1, -EIO);
	KT_EXPECT_EQ(t, rdma_set_cq_moderation(env.cq, 1, 1), -EIO);
	kt_end(t, &env);
}

static const struct ktap_case cq_cases[] = {
	{ "a CQ has at least the requested entries", test_cq_create,
	  COVERS(ib_create_cq ib_cq ib_cq_init_attr ib_comp_handler) },
	{ "creation: each error, nothing left behind", test_cq_create_errors,
	  COVERS(ib_create_cq) },
	{ "a device without completion vectors", test_no_vectors },
	{ "destruction: each error, nothing changed", test_cq_destroy_errors,
	  COVERS(ib_destroy_cq) },
	{ "polling is in order; peeking removes nothing", test_poll_and_peek,
	  COVERS(ib_poll_cq ib_peek_cq ib_wc) },
	{ "notification: next, solicited, missed events", test_notify,
	  COVERS(ib_req_notify_cq ib_cq_notify_flags IB_CQ_SOLICITED IB_CQ_NEXT_COMP
		 IB_CQ_REPORT_MISSED_EVENTS ib_comp_handler) },
	{ "notification once there are several completions", test_ncomp,
	  COVERS(ib_req_ncomp_notif) },
	{ "resizing keeps the completions in the CQ", test_resize, COVERS(ib_resize_cq) },
	{ "moderation reaches the provider", test_cq_moderation, COVERS(ib_modify_cq) },
};

KTAP_SUITE(kt_cq_suite, "cq", cq_cases);
