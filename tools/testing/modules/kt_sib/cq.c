// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests of completions: notification, solicited events, signals, a CQ that is full. */
#include "kt_sib.h"

static void test_notification(struct ktap *t)
{
	struct ksb_pair p;
	struct ksb_msg msg;
	int i;

	if (!ksb_start(t, &p))
		return;
	msg = ksb_msg(&p, 8);
	for (i = 1; i <= 4; i++)
		KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, i, 0, 100), 0);
	/* Not armed: no call. Armed for solicited ones: the second datagram calls. */
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, ib_req_notify_cq(p.b.cq, IB_CQ_SOLICITED), 0);
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, atomic_read(&p.b.cq_calls), 0);
	msg.flags |= IB_SEND_SOLICITED;
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	KT_WAIT(t, atomic_read(&p.b.cq_calls) == 1);
	KT_EXPECT_EQ(t, ib_req_notify_cq(p.b.cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS), 1);
	for (i = 1; i <= 3; i++)
		ksb_expect(t, &p.b, i, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, ib_req_notify_cq(p.b.cq, IB_CQ_NEXT_COMP), 0);
	msg.flags = IB_SEND_SIGNALED;
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	KT_WAIT(t, atomic_read(&p.b.cq_calls) == 2);
	ksb_expect(t, &p.b, 4, IB_WC_SUCCESS);
	ksb_end(t, &p);
}

static void test_signals(struct ktap *t)
{
	struct ib_qp_init_attr init;
	struct ksb_pair p;
	struct ksb_msg msg;
	struct ib_qp *qp;

	if (!ksb_start(t, &p))
		return;
	msg = ksb_msg(&p, 8);
	msg.flags = 0;
	KT_EXPECT_EQ(t, ksb_post(&p.a, p.qa, &msg), 0);
	ksb_expect_none(t, &p.a);
	init = ksb_init_attr(&p.a);
	init.sq_sig_type = IB_SIGNAL_ALL_WR;
	qp = ib_create_qp(p.a.pd, &init);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		ksb_ready(t, qp, IB_QPS_RTS);
		KT_EXPECT_EQ(t, ksb_post(&p.a, qp, &msg), 0);
		ksb_expect(t, &p.a, KSB_SEND, IB_WC_SUCCESS);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	ksb_changed(t, &p.b, "rx_no_receive", 2);
	ksb_end(t, &p);
}

/* Completions that find no room are lost and counted, and the owner hears of it once. */
static void test_overflow(struct ktap *t)
{
	struct ksb_pair p;
	struct ksb_msg msg;
	int i, room, got;
	struct ib_wc wc;

	if (!ksb_start(t, &p))
		return;
	room = p.a.cq->cqe;
	msg = ksb_msg(&p, 0);
	for (i = 0; i < room; i++)
		KT_EXPECT_EQ(t, ksb_post(&p.a, p.qa, &msg), 0);
	ksb_changed(t, &p.a, "tx_datagrams", room);
	KT_EXPECT_EQ(t, atomic_read(&p.a.cq_errors), 0);
	msg.flags = 0;
	KT_EXPECT_EQ(t, ksb_post(&p.a, p.qa, &msg), 0);
	ksb_changed(t, &p.a, "tx_datagrams", 1);
	/* A receive that finds no room for its completion. */
	for (i = 0; i < 3; i++) {
		KT_EXPECT_EQ(t, ksb_recv(&p.a, p.qa, i, 0, 100), 0);
		KT_EXPECT_EQ(t, ksb_modify(p.qa, IB_QPS_ERR), 0);
	}
	ksb_changed(t, &p.a, "cq_overflows", 3);
	KT_WAIT(t, atomic_read(&p.a.cq_errors) == 1);
	for (got = 0; ib_poll_cq(p.a.cq, 1, &wc) == 1; got++)
		;
	KT_EXPECT_EQ(t, got, room);
	ksb_changed(t, &p.a, "cq_overflows", 0);
	KT_EXPECT_EQ(t, atomic_read(&p.a.cq_errors), 1);
	ksb_end(t, &p);
}

static const struct ktap_case cq_cases[] = {
	{ "notification, and solicited events", test_notification },
	{ "signalled requests", test_signals },
	{ "overflow", test_overflow },
};

KTAP_SUITE(ksb_cq_suite, "sib CQs", cq_cases);
