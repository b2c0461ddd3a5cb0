// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests of completions: notification, solicited events, signals, a CQ that is full. */
#include "kt_sib.h"

static void test_notification(struct ktap *t, struct ksb_pair *p)
{
	struct ksb_msg msg = ksb_msg(p, 8);
	struct ksb_host *h = &p->b;
	int i;

	for (i = 1; i <= 4; i++)
		ksb_recv(t, h, i, 100);
	/* Not armed: no call. Armed for solicited ones: the second datagram calls. */
	ksb_send(t, &msg, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, ib_req_notify_cq(h->cq, IB_CQ_SOLICITED), 0);
	ksb_send(t, &msg, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, atomic_read(&h->cq_calls), 0);
	msg.flags |= IB_SEND_SOLICITED;
	ksb_send(t, &msg, IB_WC_SUCCESS);
	KT_WAIT(t, atomic_read(&h->cq_calls) == 1);
	KT_EXPECT_EQ(t, ib_req_notify_cq(h->cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS), 1);
	for (i = 1; i <= 3; i++)
		ksb_expect_data(t, h, i, &msg);
	KT_EXPECT_EQ(t, ib_req_notify_cq(h->cq, IB_CQ_NEXT_COMP), 0);
	msg.flags = IB_SEND_SIGNALED;
	ksb_send(t, &msg, IB_WC_SUCCESS);
	KT_WAIT(t, atomic_read(&h->cq_calls) == 2);
	ksb_expect_data(t, h, 4, &msg);
}

static void test_signals(struct ktap *t, struct ksb_pair *p)
{
	struct ib_qp_init_attr init = ksb_init_attr(&p->a), got;
	struct ksb_msg msg = ksb_msg(p, 8);
	struct ib_qp_attr attr;

	msg.flags = 0;
	KT_EXPECT_EQ(t, ksb_post(&msg), 0);
	ksb_expect_none(t, &p->a);
	init.sq_sig_type = IB_SIGNAL_ALL_WR;
	msg.qp = ksb_qp_with(t, p->a.pd, &init, IB_QPS_RTS);
	if (!msg.qp)
		return;
	KT_EXPECT_EQ(t, ib_query_qp(msg.qp, &attr, 0, &got), 0);
	KT_EXPECT_EQ(t, got.sq_sig_type, IB_SIGNAL_ALL_WR);
	ksb_send(t, &msg, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, ib_destroy_qp(msg.qp), 0);
	ksb_changed(t, &p->b, "rx_no_receive", 2);
}

/* Completions that find no room are lost and counted, and the owner hears of it once. */
static void test_overflow(struct ktap *t, struct ksb_pair *p)
{
	struct ksb_msg msg = ksb_msg(p, 0);
	struct ksb_host *h = &p->a;
	int i, got, room = h->cq->cqe;
	struct ib_wc wc;

	for (i = 0; i < room; i++)
		KT_EXPECT_EQ(t, ksb_post(&msg), 0);
	ksb_changed(t, h, "tx_datagrams", room);
	KT_EXPECT_EQ(t, atomic_read(&h->cq_errors), 0);
	msg.flags = 0;
	KT_EXPECT_EQ(t, ksb_post(&msg), 0);
	ksb_changed(t, h, "tx_datagrams", 1);
	/* A receive that finds no room for its completion. */
	for (i = 0; i < 3; i++) {
		ksb_recv(t, h, i, 100);
		KT_EXPECT_EQ(t, ksb_modify(h->qp, IB_QPS_ERR), 0);
	}
	ksb_changed(t, h, "cq_overflows", 3);
	KT_WAIT(t, atomic_read(&h->cq_errors) == 1);
	for (got = 0; ib_poll_cq(h->cq, 1, &wc) == 1; got++)
		;
	KT_EXPECT_EQ(t, got, room);
	ksb_changed(t, h, "cq_overflows", 0);
	KT_EXPECT_EQ(t, atomic_read(&h->cq_errors), 1);
}

static const struct ktap_case cq_cases[] = {
	KSB_CASE("notification, and solicited events", test_notification),
	KSB_CASE("signalled requests", test_signals),
	KSB_CASE("overflow", test_overflow),
};

KTAP_SUITE(ksb_cq_suite, "sib CQs", cq_cases);
