// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of shared receive queues: creation, destruction, attributes, QPs on SRQs, posting, and the
 * limit event.
 */
#include "kt_verbs.h"

static struct ib_srq_init_attr srq_attr(void)
{
	return (struct ib_srq_init_attr) { .attr = { .max_wr = 5, .max_sge = 1 } };
}

static struct ib_srq *make(struct kt_env *env)
{
	struct ib_srq_init_attr attr = srq_attr();

	return ib_create_srq(env->pd, &attr);
}

static void test_srq_create(struct ktap *t)
{
	struct ib_srq_init_attr attr = srq_attr();
	struct kt_env env;
	struct ib_srq *srq;

	if (!kt_start(t, &env))
		return;
	attr.srq_context = &env;
	srq = ib_create_srq(env.pd, &attr);
	if (KT_EXPECT_ERR(t, srq, 0)) {
		KT_EXPECT(t, srq->device == env.dev && srq->pd == env.pd);
		KT_EXPECT(t, srq->srq_context == &env && srq->srq_type == IB_SRQT_BASIC);
		/* The provider has rounded up the requested size. */
		KT_EXPECT_EQ(t, attr.attr.max_wr, 8);
		KT_EXPECT_EQ(t, attr.attr.max_sge, 2);
		KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 1);
		KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_SRQ), 1);
		KT_EXPECT(t, srq->res.kern_name == env.pd->res.kern_name);
		KT_EXPECT_EQ(t, ib_dealloc_pd_user(env.pd, NULL), -EBUSY);
		KT_EXPECT_EQ(t, ib_destroy_srq(srq), 0);
	}
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);
	kt_end(t, &env);
}

/*
 * Creates an SRQ with one attribute changed. Expects that the creation returns @errno and does not
 * change the attributes.
 */
#define SRQ_REFUSED(t, env, errno, change)						\
do {										\
	struct ib_srq_init_attr attr = srq_attr(), before;			\
										\
	attr.change;								\
	before = attr;								\
	KT_EXPECT_ERR(t, ib_create_srq((env)->pd, &attr), errno);		\
	KT_EXPECT(t, attr.attr.max_wr == before.attr.max_wr &&			\
		     attr.attr.max_sge == before.attr.max_sge);			\
} while (0)

static void test_srq_create_errors(struct ktap *t)
{
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	SRQ_REFUSED(t, &env, -EINVAL, attr.max_wr = 0);
	SRQ_REFUSED(t, &env, -EINVAL, attr.max_wr = FAKEDEV_QUEUE + 1);
	SRQ_REFUSED(t, &env, -EINVAL, attr.max_wr = U32_MAX);
	SRQ_REFUSED(t, &env, -EINVAL, attr.max_sge = 9);
	KT_WITHOUT(&env, alloc_xrcd, SRQ_REFUSED(t, &env, -EOPNOTSUPP, srq_type = IB_SRQT_XRC));
	SRQ_REFUSED(t, &env, -EOPNOTSUPP, srq_type = IB_SRQT_TM);
	SRQ_REFUSED(t, &env, -EOPNOTSUPP, srq_type = -1);
	KT_WITHOUT(&env, create_srq, SRQ_REFUSED(t, &env, -EOPNOTSUPP, srq_context = NULL));
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_CREATE_SRQ), 0);

	fakedev_fail(env.fd, FAKEDEV_CREATE_SRQ, 1, -ENOMEM);
	SRQ_REFUSED(t, &env, -ENOMEM, srq_context = NULL);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DESTROY_SRQ), 0);
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);
	kt_end(t, &env);
}

static void test_srq_destroy_errors(struct ktap *t)
{
	struct kt_env env;
	struct ib_srq *srq;

	if (!kt_start(t, &env))
		return;
	srq = make(&env);
	if (KT_EXPECT_ERR(t, srq, 0)) {
		fakedev_fail(env.fd, FAKEDEV_DESTROY_SRQ, 1, -EAGAIN);
		KT_EXPECT_EQ(t, ib_destroy_srq(srq), -EAGAIN);
		KT_EXPECT_EQ(t, kt_count(&env, RDMA_RESTRACK_SRQ), 1);
		KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 1);
		KT_EXPECT_EQ(t, ib_destroy_srq(srq), 0);
	}
	kt_end(t, &env);
}

static void test_srq_modify(struct ktap *t)
{
	struct ib_srq_attr attr = { .max_wr = 20, .max_sge = 77, .srq_limit = 3 };
	struct ib_srq_attr refused = { .max_wr = FAKEDEV_QUEUE + 1, .srq_limit = 9 };
	struct kt_env env;
	struct ib_srq *srq;

	if (!kt_start(t, &env))
		return;
	srq = make(&env);
	if (!KT_EXPECT_ERR(t, srq, 0))
		goto out;
	KT_EXPECT_EQ(t, ib_modify_srq(srq, &attr, IB_SRQ_MAX_WR | IB_SRQ_LIMIT), 0);
	KT_EXPECT_EQ(t, attr.max_wr, 32);
	KT_EXPECT_EQ(t, attr.srq_limit, 3);
	memset(&attr, 0, sizeof(attr));
	KT_EXPECT_EQ(t, ib_query_srq(srq, &attr), 0);
	KT_EXPECT(t, attr.max_wr == 32 && attr.max_sge == 2 && attr.srq_limit == 3);

	KT_EXPECT_EQ(t, ib_modify_srq(srq, &refused, IB_SRQ_MAX_WR), -EINVAL);
	refused.max_wr = 0;
	KT_EXPECT_EQ(t, ib_modify_srq(srq, &refused, IB_SRQ_MAX_WR), -EINVAL);
	KT_EXPECT_EQ(t, ib_modify_srq(srq, &refused, BIT(2)), -EINVAL);
	KT_WITHOUT(&env, modify_srq,
		   KT_EXPECT_EQ(t, ib_modify_srq(srq, &refused, IB_SRQ_LIMIT), -EOPNOTSUPP));
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_MODIFY_SRQ), 1);
	/*
	 * Expects that a size that the mask does not select is not checked, and that @refused does
	 * not change if the provider fails.
	 */
	fakedev_fail(env.fd, FAKEDEV_MODIFY_SRQ, 1, -EIO);
	KT_EXPECT_EQ(t, ib_modify_srq(srq, &refused, IB_SRQ_LIMIT), -EIO);
	KT_EXPECT(t, !refused.max_wr && refused.srq_limit == 9);
	KT_WITHOUT(&env, query_srq, KT_EXPECT_EQ(t, ib_query_srq(srq, &attr), -EOPNOTSUPP));
	KT_EXPECT_EQ(t, ib_destroy_srq(srq), 0);
out:
	kt_end(t, &env);
}

static struct ib_qp *make_srq_qp(struct kt_env *env, struct ib_srq *srq)
{
	struct ib_qp_init_attr attr = kt_qp_attr(env->cq);

	attr.srq = srq;
	attr.cap.max_recv_wr = 0;
	return ib_create_qp(env->pd, &attr);
}

static void test_qps(struct ktap *t)
{
	struct kt_env env, foreign;
	struct ib_qp *qps[2];
	struct ib_srq *srq;

	if (!kt_start(t, &env))
		return;
	if (!kt_start(t, &foreign))
		goto out;
	srq = make(&env);
	if (!KT_EXPECT_ERR(t, srq, 0))
		goto out_foreign;
	qps[0] = make_srq_qp(&env, srq);
	qps[1] = make_srq_qp(&env, srq);
	if (KT_EXPECT_ERR(t, qps[0], 0) && KT_EXPECT_ERR(t, qps[1], 0)) {
		KT_EXPECT(t, qps[0]->srq == srq);
		KT_EXPECT_EQ(t, atomic_read(&srq->usecnt), 2);
		KT_EXPECT_EQ(t, ib_destroy_srq(srq), -EBUSY);
		KT_EXPECT_EQ(t, ib_destroy_qp(qps[0]), 0);
		KT_EXPECT_EQ(t, ib_destroy_srq(srq), -EBUSY);
		KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DESTROY_SRQ), 0);
		KT_EXPECT_EQ(t, ib_destroy_qp(qps[1]), 0);
	}
	KT_EXPECT_ERR(t, make_srq_qp(&foreign, srq), -EINVAL);
	fakedev_fail(env.fd, FAKEDEV_CREATE_QP, 1, -ENOMEM);
	KT_EXPECT_ERR(t, make_srq_qp(&env, srq), -ENOMEM);
	KT_EXPECT_EQ(t, atomic_read(&srq->usecnt), 0);
	KT_EXPECT_EQ(t, ib_destroy_srq(srq), 0);
out_foreign:
	kt_end(t, &foreign);
out:
	kt_end(t, &env);
}

/*
 * The own receive queue of a QP on an SRQ has no entries. Expects that the QP needs a receive CQ
 * nevertheless.
 */
static void test_no_cq(struct ktap *t)
{
	struct ib_qp_init_attr attr;
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	attr = kt_qp_attr(env.cq);
	attr.srq = make(&env);
	attr.recv_cq = NULL;
	attr.cap.max_recv_wr = 0;
	if (KT_EXPECT_ERR(t, attr.srq, 0)) {
		KT_EXPECT_ERR(t, ib_create_qp(env.pd, &attr), -EINVAL);
		KT_EXPECT_EQ(t, ib_destroy_srq(attr.srq), 0);
	}
	kt_end(t, &env);
}

static void test_srq_post(struct ktap *t)
{
	struct ib_recv_wr wr[3] = { { .wr_id = 1, .next = &wr[1] }, { .wr_id = 2, .next = &wr[2] },
				    { .wr_id = 3 } };
	const struct ib_recv_wr *bad = NULL;
	struct ib_srq *srq;
	struct kt_env env;
	struct ib_qp *qp;
	struct ib_wc wc[4];

	if (!kt_start(t, &env))
		return;
	srq = make(&env);
	if (!KT_EXPECT_ERR(t, srq, 0))
		goto out;
	/* Expects that the requests in front of the bad request are queued. */
	fakedev_fail(env.fd, FAKEDEV_POST_SRQ_RECV, 3, -EINVAL);
	KT_EXPECT_EQ(t, ib_post_srq_recv(srq, wr, &bad), -EINVAL);
	KT_EXPECT(t, bad == &wr[2]);
	KT_EXPECT_EQ(t, ib_post_srq_recv(srq, &wr[2], NULL), 0);
	qp = make_srq_qp(&env, srq);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		while (fakedev_srq_take(qp))
			;
		KT_EXPECT_EQ(t, ib_poll_cq(env.cq, ARRAY_SIZE(wc), wc), 3);
		KT_EXPECT(t, wc[0].wr_id == 1 && wc[1].wr_id == 2 && wc[2].wr_id == 3);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	KT_EXPECT_EQ(t, ib_destroy_srq(srq), 0);
out:
	kt_end(t, &env);
}

static int events;

static void note_event(struct ib_event *event, void *context)
{
	if (event->event == IB_EVENT_SRQ_LIMIT_REACHED &&
	    event->element.srq->srq_context == context)
		events++;
}

static void test_event(struct ktap *t)
{
	struct ib_srq_init_attr attr = srq_attr();
	struct ib_srq_attr limit = { .srq_limit = 2 };
	struct ib_recv_wr wr = { .wr_id = 1 };
	struct ib_srq *srq;
	struct kt_env env;
	struct ib_qp *qp;

	if (!kt_start(t, &env))
		return;
	events = 0;
	attr.event_handler = note_event;
	attr.srq_context = &env;
	srq = ib_create_srq(env.pd, &attr);
	if (!KT_EXPECT_ERR(t, srq, 0))
		goto out;
	KT_EXPECT_EQ(t, ib_post_srq_recv(srq, &wr, NULL), 0);
	KT_EXPECT_EQ(t, ib_post_srq_recv(srq, &wr, NULL), 0);
	KT_EXPECT_EQ(t, ib_modify_srq(srq, &limit, IB_SRQ_LIMIT), 0);
	qp = make_srq_qp(&env, srq);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		KT_EXPECT(t, fakedev_srq_take(qp) && fakedev_srq_take(qp));
		KT_EXPECT_EQ(t, events, 1);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	KT_EXPECT_EQ(t, ib_destroy_srq(srq), 0);
out:
	kt_end(t, &env);
}

/* Expects that draining a QP does not complete the requests of the QP's SRQ. */
static void test_drain(struct ktap *t)
{
	struct ib_recv_wr wr = { .wr_id = 1 };
	struct ib_srq *srq;
	struct kt_env env;
	struct ib_qp *qp;

	if (!kt_start(t, &env))
		return;
	srq = make(&env);
	if (!KT_EXPECT_ERR(t, srq, 0))
		goto out;
	qp = make_srq_qp(&env, srq);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		KT_EXPECT_EQ(t, ib_post_srq_recv(srq, &wr, NULL), 0);
		ib_drain_rq(qp);
		KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_MODIFY_QP), 0);
		KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_POST_RECV), 0);
		KT_EXPECT(t, fakedev_srq_take(qp));
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	KT_EXPECT_EQ(t, ib_destroy_srq(srq), 0);
out:
	kt_end(t, &env);
}

static const struct ktap_case srq_cases[] = {
	{ "an SRQ is counted on its PD; the provider sets its attributes", test_srq_create,
	  COVERS(ib_create_srq ib_srq ib_srq_init_attr) },
	{ "creation: each error, nothing left behind", test_srq_create_errors,
	  COVERS(ib_create_srq) },
	{ "destruction: an error changes nothing", test_srq_destroy_errors,
	  COVERS(ib_destroy_srq) },
	{ "size and limit: set, read, refused", test_srq_modify,
	  COVERS(ib_modify_srq ib_query_srq ib_srq_attr ib_srq_attr_mask IB_SRQ_MAX_WR
		 IB_SRQ_LIMIT) },
	{ "QPs are counted on their SRQ; a QP of another device is refused", test_qps },
	{ "a QP on an SRQ needs a CQ to receive into", test_no_cq },
	{ "posting: requests in front of a bad one are queued", test_srq_post,
	  COVERS(ib_post_srq_recv ib_recv_wr) },
	{ "draining a QP leaves its SRQ alone", test_drain },
	{ "the limit event reaches the handler, with its context", test_event,
	  COVERS(IB_SRQ_LIMIT ib_event) },
};

KTAP_SUITE(kt_srq_suite, "srq", srq_cases);
