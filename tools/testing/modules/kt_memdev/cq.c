// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of completion queues: events, and queues that are full.
 */
#include "kt_memdev.h"

/* Sends a message from a to b, whose CQ gets a completion with wr_id @id. */
static void send_one(struct ktap *t, struct ktm_pair *p, u64 id, int flags)
{
	struct ktm_wr w;

	KT_EXPECT_EQ(t, ktm_recv(p->qb, &p->b, id, 0, 8), 0);
	ktm_wr(&w, &p->a, IB_WR_SEND, id, 0, 8)->send_flags |= flags;
	KT_EXPECT_EQ(t, ib_post_send(p->qa, &w.xrc.rdma.wr, NULL), 0);
	KTM_EXPECT(t, &p->a, id, SUCCESS, SEND);
}

static void test_solicited(struct ktap *t)
{
	struct ktm_pair p;

	if (!ktm_start_pair(t, &p, IB_QPT_RC))
		return;
	KT_EXPECT_EQ(t, ib_req_notify_cq(p.b.cq, IB_CQ_SOLICITED), 0);
	send_one(t, &p, 1, 0);
	KT_EXPECT_EQ(t, atomic_read(&p.b.cq_events), 0);
	send_one(t, &p, 2, IB_SEND_SOLICITED);
	KT_EXPECT_EQ(t, atomic_read(&p.b.cq_events), 1);
	send_one(t, &p, 3, IB_SEND_SOLICITED);
	KT_EXPECT_EQ(t, atomic_read(&p.b.cq_events), 1);
	KTM_EXPECT(t, &p.b, 1, SUCCESS, RECV);
	KTM_EXPECT(t, &p.b, 2, SUCCESS, RECV);
	KTM_EXPECT(t, &p.b, 3, SUCCESS, RECV);

	/* Errors are always worth an event. */
	KT_EXPECT_EQ(t, ib_req_notify_cq(p.b.cq, IB_CQ_SOLICITED), 0);
	KT_EXPECT_EQ(t, ktm_modify(p.qb, IB_QPS_ERR), 0);
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 4, 0, 8), 0);
	KTM_EXPECT(t, &p.b, 4, WR_FLUSH_ERR, RECV);
	KT_WAIT(t, atomic_read(&p.b.cq_events) == 2);
	ktm_end_pair(t, &p);
}

static void test_next(struct ktap *t)
{
	int flags = IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS;
	struct ktm_pair p;
	int i;

	if (!ktm_start_pair(t, &p, IB_QPT_RC))
		return;
	send_one(t, &p, 1, 0);
	KT_EXPECT_EQ(t, atomic_read(&p.b.cq_events), 0);
	KT_EXPECT_EQ(t, ib_req_notify_cq(p.b.cq, flags), 1);
	KT_EXPECT_EQ(t, ib_peek_cq(p.b.cq, 8), 1);
	KTM_EXPECT(t, &p.b, 1, SUCCESS, RECV);
	KT_EXPECT_EQ(t, ib_req_notify_cq(p.b.cq, flags), 0);
	send_one(t, &p, 2, 0);
	send_one(t, &p, 3, 0);
	KT_EXPECT_EQ(t, atomic_read(&p.b.cq_events), 1);
	KT_EXPECT_EQ(t, ib_peek_cq(p.b.cq, 8), 2);
	KT_EXPECT_EQ(t, ib_peek_cq(p.b.cq, 1), 1);

	/* An event once there are four completions. */
	KT_EXPECT_EQ(t, ib_req_ncomp_notif(p.b.cq, 4), 0);
	send_one(t, &p, 4, 0);
	KT_EXPECT_EQ(t, atomic_read(&p.b.cq_events), 1);
	send_one(t, &p, 5, 0);
	KT_EXPECT_EQ(t, atomic_read(&p.b.cq_events), 2);
	for (i = 2; i <= 5; i++)
		KTM_EXPECT(t, &p.b, i, SUCCESS, RECV);
	ktm_end_pair(t, &p);
}

static void count_error(struct ib_event *event, void *context)
{
	if (event->event == IB_EVENT_CQ_ERR)
		atomic_inc(context);
}

/* A CQ with room for two completions gets three. */
static void test_cq_full(struct ktap *t)
{
	struct ib_cq_init_attr cq_attr = { .cqe = 2 };
	struct ib_qp_init_attr init_attr;
	struct ib_qp_attr attr;
	struct ib_wc wc[4] = {};
	atomic_t errors;
	struct ktm_host h;
	struct ib_cq *cq;
	struct ib_qp *qp;
	int i;

	if (!ktm_start(t, &h, NULL))
		return;
	atomic_set(&errors, 0);
	cq = ib_create_cq(h.dev, NULL, count_error, &errors, &cq_attr);
	if (!KT_EXPECT_ERR(t, cq, 0))
		goto out;
	KT_EXPECT_EQ(t, cq->cqe, 2);
	init_attr = ktm_init_attr(&h, IB_QPT_RC);
	init_attr.send_cq = cq;
	qp = ib_create_qp(h.pd, &init_attr);
	attr = ktm_attr(&h, &h, qp->qp_num);
	ktm_ready(t, qp, &attr, IB_QPS_RTS);
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(t, ktm_recv(qp, &h, 10 + i, 0, 8), 0);
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(t, ktm_send(qp, &h, IB_WR_SEND, i, 0, 8), 0);
	for (i = 0; i < 3; i++)
		KTM_EXPECT(t, &h, 10 + i, SUCCESS, RECV);
	KTM_EXPECT_EVENT(t, &h, QP_FATAL);
	KT_EXPECT_EQ(t, ktm_state(qp), IB_QPS_ERR);
	KT_EXPECT_EQ(t, ktm_send(qp, &h, IB_WR_SEND, 3, 0, 8), 0);
	ktm_expect_none(t, &h);
	KT_EXPECT_EQ(t, atomic_read(&errors), 1);
	/* What the CQ had before is still there. */
	KT_EXPECT_EQ(t, ib_poll_cq(cq, 4, wc), 2);
	KT_EXPECT(t, wc[0].wr_id == 0 && wc[1].wr_id == 1 && !wc[0].status && !wc[1].status);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	KT_EXPECT_EQ(t, ib_destroy_cq_user(cq, NULL), 0);
out:
	ktm_end(t, &h);
}

static const struct ktap_case cq_cases[] = {
	{ "solicited events", test_solicited },
	{ "the next completion, missed ones, and a number of them", test_next },
	{ "a CQ that is full", test_cq_full },
};

KTAP_SUITE(ktm_cq_suite, "memdev CQ", cq_cases);
