// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of the CQ pools of a device. Several consumers share each CQ of a pool.
 */
#include <linux/delay.h>
#include <linux/kthread.h>

#include "kt_verbs.h"

static void test_shared(struct ktap *t)
{
	struct ib_cq *a, *b, *other;
	struct kt_env env;
	int chunk;

	if (!kt_start(t, &env))
		return;
	a = ib_cq_pool_get(env.dev, 100, 1, IB_POLL_WORKQUEUE);
	chunk = min_t(int, env.dev->num_comp_vectors, num_online_cpus());
	KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_CQ), 1 + chunk);
	b = ib_cq_pool_get(env.dev, 100, 1, IB_POLL_WORKQUEUE);
	other = ib_cq_pool_get(env.dev, 100, 1, IB_POLL_SOFTIRQ);
	if (!KT_EXPECT_ERR(t, a, 0) || !KT_EXPECT_ERR(t, b, 0) || !KT_EXPECT_ERR(t, other, 0))
		goto out;
	KT_EXPECT(t, a == b && a != other);
	KT_EXPECT_EQ(t, a->comp_vector, 1);
	KT_EXPECT_EQ(t, a->cqe_used, 200);
	KT_EXPECT_EQ(t, a->poll_ctx, IB_POLL_WORKQUEUE);
	KT_EXPECT_EQ(t, other->poll_ctx, IB_POLL_SOFTIRQ);
	/* Expects that a consumer cannot change or destroy a shared CQ. */
	KT_EXPECT_EQ(t, ib_resize_cq(a, 4), -EINVAL);
	KT_EXPECT_EQ(t, rdma_set_cq_moderation(a, 1, 1), -EINVAL);
	KT_EXPECT_EQ(t, ib_destroy_cq(a), -EINVAL);
	ib_cq_pool_put(a, 100);
	KT_EXPECT_EQ(t, a->cqe_used, 100);
	ib_cq_pool_put(b, 100);
	ib_cq_pool_put(other, 100);
out:
	kt_end_pooled(t, &env);
}

static void test_grows(struct ktap *t)
{
	struct ib_cq *cq[5], *large;
	struct kt_env env;
	int i;

	if (!kt_start(t, &env))
		return;
	for (i = 0; i < ARRAY_SIZE(cq); i++) {
		cq[i] = ib_cq_pool_get(env.dev, 600, 0, IB_POLL_SOFTIRQ);
		if (!KT_EXPECT_ERR(t, cq[i], 0))
			goto out;
		KT_EXPECT(t, cq[i]->cqe_used <= cq[i]->cqe);
		KT_EXPECT_EQ(t, cq[i]->comp_vector, 0);
		KT_EXPECT(t, i == 0 || cq[i] != cq[i - 1]);
	}
	large = ib_cq_pool_get(env.dev, 4096, 0, IB_POLL_SOFTIRQ);
	if (KT_EXPECT_ERR(t, large, 0)) {
		KT_EXPECT(t, large->cqe >= 4096);
		ib_cq_pool_put(large, 4096);
	}
out:
	while (i--)
		ib_cq_pool_put(cq[i], 600);
	kt_end_pooled(t, &env);
}

static void test_small_device(struct ktap *t)
{
	struct kt_env env;
	struct ib_cq *cq;
	int created;

	if (!kt_start(t, &env))
		return;
	env.dev->attrs.max_cqe = 64;
	cq = ib_cq_pool_get(env.dev, 64, 0, IB_POLL_SOFTIRQ);
	if (KT_EXPECT_ERR(t, cq, 0)) {
		KT_EXPECT_EQ(t, cq->cqe, 64);
		ib_cq_pool_put(cq, 64);
	}
	KT_EXPECT_ERR(t, ib_cq_pool_get(env.dev, 65, 0, IB_POLL_SOFTIRQ), -EINVAL);
	/* Where the device sets no limit, that of the type is left. */
	env.dev->attrs.max_cqe = 0;
	created = fakedev_calls(env.fd, FAKEDEV_CREATE_CQ);
	KT_EXPECT_ERR(t, ib_cq_pool_get(env.dev, INT_MAX + 1U, 0, IB_POLL_SOFTIRQ), -EINVAL);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_CREATE_CQ), created);
	fakedev_fail(env.fd, FAKEDEV_CREATE_CQ, 1, -ENOSPC);
	KT_EXPECT_ERR(t, ib_cq_pool_get(env.dev, INT_MAX, 0, IB_POLL_SOFTIRQ), -ENOSPC);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_CREATE_CQ), created + 1);
	kt_end_pooled(t, &env);
}

static void test_spread(struct ktap *t)
{
	unsigned int chunk, i, n = 0, used = 0;
	struct ib_cq *cq[8];
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	chunk = min_t(unsigned int, env.dev->num_comp_vectors, num_online_cpus());
	for (n = 0; n < ARRAY_SIZE(cq); n++) {
		cq[n] = ib_cq_pool_get(env.dev, 8, -1, IB_POLL_UNBOUND_WORKQUEUE);
		if (!KT_EXPECT_ERR(t, cq[n], 0))
			break;
		used |= BIT(cq[n]->comp_vector);
	}
	KT_EXPECT_EQ(t, hweight32(used), chunk);
	for (i = 0; i < n; i++)
		ib_cq_pool_put(cq[i], 8);

	/* Expects that a hint beyond the last vector is taken modulo the number of vectors. */
	cq[0] = ib_cq_pool_get(env.dev, 8, env.dev->num_comp_vectors + 1, IB_POLL_SOFTIRQ);
	if (KT_EXPECT_ERR(t, cq[0], 0)) {
		KT_EXPECT_EQ(t, cq[0]->comp_vector, 1);
		ib_cq_pool_put(cq[0], 8);
	}
	kt_end_pooled(t, &env);
}

/* Entries are taken of the CQ with the hinted vector, although another CQ has as much room. */
static void test_hints(struct ktap *t)
{
	struct ib_cq *cq[3];
	struct kt_env env;
	int i;

	if (!kt_start(t, &env))
		return;
	for (i = 0; i < ARRAY_SIZE(cq); i++) {
		cq[i] = ib_cq_pool_get(env.dev, 8, i, IB_POLL_SOFTIRQ);
		if (!KT_EXPECT_ERR(t, cq[i], 0))
			break;
		KT_EXPECT_EQ(t, cq[i]->comp_vector, i);
		KT_EXPECT_EQ(t, cq[i]->cqe_used, 8);
	}
	while (i--)
		ib_cq_pool_put(cq[i], 8);
	kt_end_pooled(t, &env);
}

/* Takes 8 entries of a pool whose CQs all have the same vector. */
static bool takes_of(struct ktap *t, struct kt_env *env, struct ib_cq *wanted)
{
	struct ib_cq *cq = ib_cq_pool_get(env->dev, 8, -1, IB_POLL_SOFTIRQ);

	return KT_EXPECT_ERR(t, cq, 0) && KT_EXPECT(t, cq == wanted);
}

/* Entries are taken of the CQ that has the most room, and of the older one if both have as much. */
static void test_most_room(struct ktap *t)
{
	struct ib_cq *a, *b;
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	env.dev->num_comp_vectors = 1;
	a = ib_cq_pool_get(env.dev, 600, 0, IB_POLL_SOFTIRQ);
	b = ib_cq_pool_get(env.dev, 600, 0, IB_POLL_SOFTIRQ);
	if (KT_EXPECT_ERR(t, a, 0) && KT_EXPECT_ERR(t, b, 0) && KT_EXPECT(t, a != b)) {
		takes_of(t, &env, a);
		takes_of(t, &env, b);
		ib_cq_pool_put(a, 600);
		takes_of(t, &env, a);
		KT_EXPECT_EQ(t, a->cqe_used, 16);
		KT_EXPECT_EQ(t, b->cqe_used, 608);
		ib_cq_pool_put(a, 16);
		ib_cq_pool_put(b, 608);
	}
	kt_end_pooled(t, &env);
}

static int cqs_of(struct kt_env *env)
{
	return kt_count(env, RDMA_RESTRACK_CQ);
}

/* Unused CQs are freed after a while, and made again for the next user. */
static void test_unused(struct ktap *t)
{
	struct ib_cq *a, *b;
	struct kt_env env;
	int chunk;

	if (!kt_start(t, &env))
		return;
	chunk = min_t(int, env.dev->num_comp_vectors, num_online_cpus());
	a = ib_cq_pool_get(env.dev, 8, 0, IB_POLL_WORKQUEUE);
	b = ib_cq_pool_get(env.dev, 8, 0, IB_POLL_SOFTIRQ);
	if (!KT_EXPECT_ERR(t, a, 0) || !KT_EXPECT_ERR(t, b, 0))
		goto out;
	ib_cq_pool_put(b, 8);
	KT_WAIT(t, cqs_of(&env) == 1 + chunk);
	b = ib_cq_pool_get(env.dev, 8, 0, IB_POLL_SOFTIRQ);
	if (KT_EXPECT_ERR(t, b, 0))
		ib_cq_pool_put(b, 8);
	ib_cq_pool_put(a, 8);
	KT_WAIT(t, cqs_of(&env) == 1);
out:
	kt_end_pooled(t, &env);
}

static void test_cq_pool_errors(struct ktap *t)
{
	struct ib_device *dev;
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	dev = env.dev;
	KT_EXPECT_ERR(t, ib_cq_pool_get(dev, 1, 0, IB_POLL_DIRECT), -EINVAL);
	KT_EXPECT_ERR(t, ib_cq_pool_get(dev, 1, 0, -1), -EINVAL);
	KT_EXPECT_ERR(t, ib_cq_pool_get(dev, 0, 0, IB_POLL_SOFTIRQ), -EINVAL);
	KT_EXPECT_ERR(t, ib_cq_pool_get(dev, 4097, 0, IB_POLL_SOFTIRQ), -EINVAL);
	KT_WITHOUT(&env, create_cq,
		   KT_EXPECT_ERR(t, ib_cq_pool_get(dev, 1, 0, IB_POLL_SOFTIRQ), -EOPNOTSUPP));
	/* Expects that the other CQs of a chunk are destroyed if the last one cannot be created. */
	fakedev_fail(env.fd, FAKEDEV_CREATE_CQ,
		     min_t(int, dev->num_comp_vectors, num_online_cpus()), -ENOMEM);
	KT_EXPECT_ERR(t, ib_cq_pool_get(dev, 1, 0, IB_POLL_SOFTIRQ), -ENOMEM);
	KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_CQ), 1);
	kt_end(t, &env);
}

static atomic_t threads_done;

static int get_and_put(void *data)
{
	struct kt_env *env = data;
	struct ib_cq *cq;
	int i, failed = 0;

	for (i = 0; i < 500; i++) {
		cq = ib_cq_pool_get(env->dev, 200 + i, -1, IB_POLL_SOFTIRQ);
		if (IS_ERR(cq) || READ_ONCE(cq->cqe_used) > cq->cqe)
			failed++;
		cond_resched();
		if (!IS_ERR(cq))
			ib_cq_pool_put(cq, 200 + i);
	}
	atomic_inc(&threads_done);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return failed;
}

static void test_concurrent(struct ktap *t)
{
	struct task_struct *thread[3];
	struct kt_env env;
	int i, running = 0;

	if (!kt_start(t, &env))
		return;
	atomic_set(&threads_done, 0);
	for (i = 0; i < ARRAY_SIZE(thread); i++) {
		thread[i] = kthread_run(get_and_put, &env, "kt_pool");
		running += !IS_ERR(thread[i]);
	}
	/*
	 * Wait until all threads have run, because a thread that is stopped before it has run would
	 * never run.
	 */
	while (atomic_read(&threads_done) < running)
		usleep_range(1000, 2000);
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		if (KT_EXPECT_ERR(t, thread[i], 0))
			KT_EXPECT_EQ(t, kthread_stop(thread[i]), 0);
	kt_end_pooled(t, &env);
}

static const struct ktap_case cq_pool_cases[] = {
	{ "consumers with the same context and vector share a CQ", test_shared },
	{ "a pool grows when no CQ has room, also for large requests", test_grows },
	{ "shared CQs are no larger than the device allows", test_small_device },
	{ "consumers without a vector hint are spread over the vectors", test_spread },
	{ "consumers with a vector hint get this vector", test_hints },
	{ "the CQ with the most room is taken", test_most_room },
	{ "a pool that nobody uses is freed", test_unused },
	{ "each error, nothing left behind", test_cq_pool_errors },
	{ "concurrent consumers never overfill a CQ", test_concurrent },
};

KTAP_SUITE(kt_cq_pool_suite, "cq_pool", cq_pool_cases);
