// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of shared receive queues.
 */
#include "kt_memdev.h"

static void count_limit(struct ib_event *event, void *context)
{
	if (event->event == IB_EVENT_SRQ_LIMIT_REACHED)
		atomic_inc(context);
}

static struct ib_srq *make_srq(struct ktap *t, struct ktm_host *h, atomic_t *limits)
{
	struct ib_srq_init_attr attr = {
		.event_handler = count_limit,
		.srq_context = limits,
		.attr = { .max_wr = 8, .max_sge = 2 },
	};
	struct ib_srq *srq = ib_create_srq(h->pd, &attr);

	KT_EXPECT_ERR(t, srq, 0);
	return srq;
}

/* Two connections whose QPs at host b have one SRQ. */
struct srq_fixture {
	struct ktm_host a, b;
	struct ib_qp *qa[2], *qb[2];
	struct ib_srq *srq;
	atomic_t limits;
};

static void connect_srq(struct ktap *t, struct srq_fixture *f, enum ib_qp_type type)
{
	struct ib_qp_init_attr init_attr;
	struct ib_qp_attr attr;
	int i;

	for (i = 0; i < 2; i++) {
		f->qa[i] = ktm_qp(t, &f->a, type);
		init_attr = ktm_init_attr(&f->b, type);
		init_attr.srq = f->srq;
		f->qb[i] = ib_create_qp(f->b.pd, &init_attr);
		KT_EXPECT_ERR(t, f->qb[i], 0);
		attr = ktm_attr(&f->a, &f->b, f->qb[i]->qp_num);
		ktm_ready(t, f->qa[i], &attr, IB_QPS_RTS);
		attr = ktm_attr(&f->b, &f->a, f->qa[i]->qp_num);
		ktm_ready(t, f->qb[i], &attr, IB_QPS_RTS);
	}
}

static bool start_srq(struct ktap *t, struct srq_fixture *f, enum ib_qp_type type)
{
	atomic_set(&f->limits, 0);
	if (!ktm_start(t, &f->a, NULL))
		return false;
	if (!ktm_start(t, &f->b, NULL)) {
		ktm_end(t, &f->a);
		return false;
	}
	f->srq = make_srq(t, &f->b, &f->limits);
	connect_srq(t, f, type);
	return true;
}

static void end_srq(struct ktap *t, struct srq_fixture *f)
{
	int i;

	for (i = 0; i < 2; i++) {
		KT_EXPECT_EQ(t, ib_destroy_qp(f->qa[i]), 0);
		KT_EXPECT_EQ(t, ib_destroy_qp(f->qb[i]), 0);
	}
	KT_EXPECT_EQ(t, ib_destroy_srq_user(f->srq, NULL), 0);
	ktm_end(t, &f->a);
	ktm_end(t, &f->b);
}

/* Requests are taken in the order of messages, whichever connection they come from. */
static void test_shared(struct ktap *t)
{
	struct srq_fixture f;
	struct ib_wc wc;
	int i;

	if (!start_srq(t, &f, IB_QPT_RC))
		return;
	KT_EXPECT_EQ(t, ktm_recv(f.qb[0], &f.b, 1, 0, 8), -EINVAL);
	for (i = 0; i < 4; i++)
		KT_EXPECT_EQ(t, ktm_srq_recv(f.srq, &f.b, 10 + i, 100 * i, 100), 0);
	for (i = 0; i < 4; i++) {
		kt_fill(f.a.buf, 50, i);
		KT_EXPECT_EQ(t, ktm_send(f.qa[i % 2], &f.a, IB_WR_SEND, i, 0, 50), 0);
		KTM_EXPECT(t, &f.a, i, SUCCESS, SEND);
		wc = KTM_EXPECT(t, &f.b, 10 + i, SUCCESS, RECV);
		KT_EXPECT(t, wc.qp == f.qb[i % 2] && wc.byte_len == 50);
		KT_EXPECT(t, kt_is(f.b.buf + 100 * i, 50, i));
	}
	/* Both senders wait for a request. */
	KT_EXPECT_EQ(t, ktm_send(f.qa[0], &f.a, IB_WR_SEND, 7, 0, 8), 0);
	KT_EXPECT_EQ(t, ktm_send(f.qa[1], &f.a, IB_WR_SEND, 7, 0, 8), 0);
	ktm_expect_none(t, &f.a);
	KT_EXPECT_EQ(t, ktm_srq_recv(f.srq, &f.b, 20, 0, 100), 0);
	KTM_EXPECT(t, &f.b, 20, SUCCESS, RECV);
	KTM_EXPECT(t, &f.a, 7, SUCCESS, SEND);
	KT_EXPECT_EQ(t, ktm_srq_recv(f.srq, &f.b, 21, 0, 100), 0);
	KTM_EXPECT(t, &f.b, 21, SUCCESS, RECV);
	KTM_EXPECT(t, &f.a, 7, SUCCESS, SEND);
	end_srq(t, &f);
}

static void test_limit(struct ktap *t)
{
	struct ib_srq_attr attr = { .srq_limit = 3 };
	struct srq_fixture f;
	int i;

	if (!start_srq(t, &f, IB_QPT_RC))
		return;
	for (i = 0; i < 5; i++)
		KT_EXPECT_EQ(t, ktm_srq_recv(f.srq, &f.b, 10 + i, 0, 100), 0);
	KT_EXPECT_EQ(t, ib_modify_srq(f.srq, &attr, IB_SRQ_LIMIT), 0);
	for (i = 0; i < 5; i++) {
		KT_EXPECT_EQ(t, ktm_send(f.qa[0], &f.a, IB_WR_SEND, i, 0, 8), 0);
		KTM_EXPECT(t, &f.a, i, SUCCESS, SEND);
		KTM_EXPECT(t, &f.b, 10 + i, SUCCESS, RECV);
		/* The event is raised once, when the third request has been taken. */
		KT_EXPECT_EQ(t, atomic_read(&f.limits), i >= 2);
	}
	KT_EXPECT_EQ(t, ib_query_srq(f.srq, &attr), 0);
	KT_EXPECT(t, attr.max_wr == 8 && attr.max_sge == 2 && !attr.srq_limit);
	attr.srq_limit = 9;
	KT_EXPECT_EQ(t, ib_modify_srq(f.srq, &attr, IB_SRQ_LIMIT), -EINVAL);
	end_srq(t, &f);
}

static void test_size(struct ktap *t)
{
	struct ib_srq_attr attr = { .max_wr = 9 };
	struct srq_fixture f;
	int i;

	if (!start_srq(t, &f, IB_QPT_RC))
		return;
	for (i = 0; i < 8; i++)
		KT_EXPECT_EQ(t, ktm_srq_recv(f.srq, &f.b, i, 0, 100), 0);
	KT_EXPECT_EQ(t, ktm_srq_recv(f.srq, &f.b, 8, 0, 100), -ENOMEM);
	KT_EXPECT_EQ(t, ib_modify_srq(f.srq, &attr, IB_SRQ_MAX_WR), 0);
	KT_EXPECT_EQ(t, ktm_srq_recv(f.srq, &f.b, 8, 0, 100), 0);
	KT_EXPECT_EQ(t, ktm_srq_recv(f.srq, &f.b, 9, 0, 100), -ENOMEM);
	attr.max_wr = 8;
	KT_EXPECT_EQ(t, ib_modify_srq(f.srq, &attr, IB_SRQ_MAX_WR), -EINVAL);
	end_srq(t, &f);
}

/* A QP that fails takes no more requests; the other QP goes on. */
static void test_error(struct ktap *t)
{
	struct srq_fixture f;

	if (!start_srq(t, &f, IB_QPT_RC))
		return;
	KT_EXPECT_EQ(t, ktm_srq_recv(f.srq, &f.b, 1, 0, 7), 0);
	KT_EXPECT_EQ(t, ktm_srq_recv(f.srq, &f.b, 2, 0, 8), 0);
	KT_EXPECT_EQ(t, ktm_send(f.qa[0], &f.a, IB_WR_SEND, 3, 0, 8), 0);
	KTM_EXPECT(t, &f.a, 3, REM_INV_REQ_ERR, SEND);
	KTM_EXPECT(t, &f.b, 1, LOC_LEN_ERR, RECV);
	KTM_EXPECT_EVENT(t, &f.b, QP_LAST_WQE_REACHED);
	ktm_expect_none(t, &f.b);
	KT_EXPECT_EQ(t, ktm_send(f.qa[1], &f.a, IB_WR_SEND, 4, 0, 8), 0);
	KTM_EXPECT(t, &f.a, 4, SUCCESS, SEND);
	KTM_EXPECT(t, &f.b, 2, SUCCESS, RECV);

	f.b.qp_events = 0;
	KT_EXPECT_EQ(t, ktm_modify(f.qb[1], IB_QPS_ERR), 0);
	KTM_EXPECT_EVENT(t, &f.b, QP_LAST_WQE_REACHED);
	end_srq(t, &f);
}

/* An unreliable connection that has taken a request cannot drop the message any more. */
static void test_unreliable(struct ktap *t)
{
	struct srq_fixture f;

	if (!start_srq(t, &f, IB_QPT_UC))
		return;
	KT_EXPECT_EQ(t, ktm_srq_recv(f.srq, &f.b, 1, 0, 7), 0);
	KT_EXPECT_EQ(t, ktm_send(f.qa[0], &f.a, IB_WR_SEND, 3, 0, 8), 0);
	KTM_EXPECT(t, &f.a, 3, SUCCESS, SEND);
	KTM_EXPECT(t, &f.b, 1, LOC_LEN_ERR, RECV);
	KT_EXPECT_EQ(t, ktm_state(f.qb[0]), IB_QPS_ERR);
	KT_EXPECT_EQ(t, ktm_state(f.qb[1]), IB_QPS_RTS);
	end_srq(t, &f);
}

/* L_Keys are those of the SRQ's PD, not of the QP's. */
static void test_domain(struct ktap *t)
{
	struct ib_sge sge = { .length = 100 };
	struct ib_recv_wr wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1 };
	struct ib_qp_init_attr init_attr;
	struct ib_qp_attr attr;
	struct ib_pd *pd;
	struct srq_fixture f;

	if (!start_srq(t, &f, IB_QPT_RC))
		return;
	pd = ib_alloc_pd(f.b.dev, 0);
	KT_EXPECT_ERR(t, pd, 0);
	/* The region's PD is that of the SRQ; the region is registered by a QP of that PD. */
	if (ktm_register(t, &f.b, f.qb[1], KTM_ACCESS)) {
		KT_EXPECT_EQ(t, ib_destroy_qp(f.qb[0]), 0);
		init_attr = ktm_init_attr(&f.b, IB_QPT_RC);
		init_attr.srq = f.srq;
		f.qb[0] = ib_create_qp(pd, &init_attr);
		attr = ktm_attr(&f.b, &f.a, f.qa[0]->qp_num);
		ktm_ready(t, f.qb[0], &attr, IB_QPS_RTS);
		KT_EXPECT_EQ(t, ktm_modify(f.qa[0], IB_QPS_RESET), 0);
		attr = ktm_attr(&f.a, &f.b, f.qb[0]->qp_num);
		ktm_ready(t, f.qa[0], &attr, IB_QPS_RTS);
		sge.addr = f.b.mr->iova;
		sge.lkey = f.b.mr->lkey;
		kt_fill(f.a.buf, 8, 6);
		KT_EXPECT_EQ(t, ib_post_srq_recv(f.srq, &wr, NULL), 0);
		KT_EXPECT_EQ(t, ktm_send(f.qa[0], &f.a, IB_WR_SEND, 2, 0, 8), 0);
		KTM_EXPECT(t, &f.a, 2, SUCCESS, SEND);
		KTM_EXPECT(t, &f.b, 1, SUCCESS, RECV);
		KT_EXPECT(t, kt_is(f.b.buf, 8, 6));
		KT_EXPECT_EQ(t, ib_destroy_qp(f.qb[0]), 0);
		f.qb[0] = ktm_qp(t, &f.b, IB_QPT_RC);
	}
	KT_EXPECT_EQ(t, ib_dealloc_pd_user(pd, NULL), 0);
	end_srq(t, &f);
}

static const struct ktap_case srq_cases[] = {
	{ "two connections take requests of one SRQ", test_shared },
	{ "the limit event", test_limit },
	{ "full, and resized", test_size },
	{ "a QP that fails takes no more requests", test_error },
	{ "unreliable connections", test_unreliable },
	{ "L_Keys belong to the SRQ's PD", test_domain },
};

KTAP_SUITE(ktm_srq_suite, "memdev SRQ", srq_cases);
