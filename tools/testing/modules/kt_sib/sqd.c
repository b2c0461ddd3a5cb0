// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests of a QP in the state SQD. The first CA sends to its own LID, mostly to the same QP. */
#include "kt_sib.h"

/*
 * Returns a datagram of those that wait for RTS: each has another length and content. Every second
 * one is inline: its data may change after the post. The others have memory of their own.
 */
static struct ksb_msg waiting_msg(struct ksb_pair *p, int nr)
{
	struct ksb_msg msg = ksb_own_msg(p, nr + 1);

	msg.seed = nr + 1;
	if (nr & 1)
		msg.flags |= IB_SEND_INLINE;
	else
		msg.offset = 64 * (nr + 1);
	return msg;
}

/* Posts as many as the queue has room for, and expects that it has no room for another one. */
static void fill_queue(struct ktap *t, struct ksb_pair *p)
{
	struct ksb_msg msg;
	int i;

	for (i = 0; i <= KSB_DEPTH; i++) {
		msg = waiting_msg(p, i);
		KT_EXPECT_EQ(t, ksb_post(&msg), i < KSB_DEPTH ? 0 : -ENOMEM);
	}
	ksb_expect_none(t, &p->a);
	KT_EXPECT_EQ(t, ksb_state(p->a.qp), IB_QPS_SQD);
}

static void test_sqd_waits(struct ktap *t, struct ksb_pair *p)
{
	struct ksb_msg msg;
	int i;

	ksb_recv_all(t, &p->a, p->a.qp, KSB_SLOT);
	KT_EXPECT_EQ(t, ksb_modify(p->a.qp, IB_QPS_SQD), 0);
	KT_EXPECT(t, !p->a.qp_events);
	fill_queue(t, p);
	memset(p->a.buf, 0, KSB_INLINE);
	KT_EXPECT(t, ksb_is_untouched(&p->a));
	KT_EXPECT_EQ(t, ksb_modify(p->a.qp, IB_QPS_RTS), 0);
	for (i = 0; i < KSB_DEPTH; i++) {
		msg = waiting_msg(p, i);
		ksb_expect_sent(t, &p->a, i, &msg);
	}
}

static void test_sqd_receives(struct ktap *t, struct ksb_pair *p)
{
	struct ksb_msg msg = ksb_own_msg(p, 10);

	msg.qp = ksb_qp(t, &p->a, IB_QPS_RTS);
	if (!msg.qp)
		return;
	ksb_recv(t, &p->a, 1, KSB_SLOT);
	KT_EXPECT_EQ(t, ksb_modify(p->a.qp, IB_QPS_SQD), 0);
	KT_EXPECT_EQ(t, ksb_post(&msg), 0);
	ksb_expect_sent(t, &p->a, 1, &msg);
	ksb_deliver(t, &p->a, &msg);
	KT_EXPECT_EQ(t, ib_destroy_qp(msg.qp), 0);
}

static void test_sqd_event(struct ktap *t, struct ksb_pair *p)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_SQD, .en_sqd_async_notify = 1 };
	const int mask = IB_QP_STATE | IB_QP_EN_SQD_ASYNC_NOTIFY;

	KT_EXPECT_EQ(t, ib_modify_qp(p->a.qp, &attr, mask), 0);
	KT_EXPECT_EQ(t, p->a.qp_events, BIT(IB_EVENT_SQ_DRAINED));
}

static void test_sqd_flushed(struct ktap *t, struct ksb_pair *p)
{
	int i;

	KT_EXPECT_EQ(t, ksb_modify(p->a.qp, IB_QPS_SQD), 0);
	fill_queue(t, p);
	KT_EXPECT_EQ(t, ksb_modify(p->a.qp, IB_QPS_ERR), 0);
	for (i = 0; i < KSB_DEPTH; i++)
		ksb_expect(t, &p->a, KSB_SEND, IB_WC_WR_FLUSH_ERR);
}

static void test_sqd_forgotten(struct ktap *t, struct ksb_pair *p)
{
	struct ksb_msg msg = ksb_own_msg(p, 10);

	KT_EXPECT_EQ(t, ksb_modify(p->a.qp, IB_QPS_SQD), 0);
	KT_EXPECT_EQ(t, ksb_post(&msg), 0);
	KT_EXPECT_EQ(t, ksb_modify(p->a.qp, IB_QPS_RESET), 0);
	ksb_expect_none(t, &p->a);
	if (!ksb_ready(t, p->a.qp, IB_QPS_RTS))
		return;
	msg.seed = 2;
	ksb_deliver(t, &p->a, &msg);
	ksb_expect_none(t, &p->a);
	/* One is left when the QP is destroyed. */
	KT_EXPECT_EQ(t, ksb_modify(p->a.qp, IB_QPS_SQD), 0);
	KT_EXPECT_EQ(t, ksb_post(&msg), 0);
}

/* A request that fails while the QP leaves SQD: those behind it are flushed. */
static void test_sqd_fails(struct ktap *t, struct ksb_pair *p)
{
	struct ksb_msg good = ksb_own_msg(p, 10), bad = ksb_own_msg(p, KSB_MTU + 1);

	ksb_recv(t, &p->a, 0, KSB_SLOT);
	KT_EXPECT_EQ(t, ksb_modify(p->a.qp, IB_QPS_SQD), 0);
	KT_EXPECT_EQ(t, ksb_post(&good), 0);
	KT_EXPECT_EQ(t, ksb_post(&bad), 0);
	KT_EXPECT_EQ(t, ksb_post(&good), 0);
	KT_EXPECT_EQ(t, ksb_modify(p->a.qp, IB_QPS_RTS), 0);
	ksb_expect_sent(t, &p->a, 0, &good);
	ksb_expect(t, &p->a, KSB_SEND, IB_WC_LOC_LEN_ERR);
	ksb_expect(t, &p->a, KSB_SEND, IB_WC_WR_FLUSH_ERR);
	KT_EXPECT_EQ(t, ksb_state(p->a.qp), IB_QPS_SQE);
}

static const struct ktap_case sqd_cases[] = {
	KSB_CASE("requests wait, no more than the queue has room, and are sent in order in RTS",
		 test_sqd_waits),
	KSB_CASE("receives go on", test_sqd_receives),
	KSB_CASE("an event when the queue is drained", test_sqd_event),
	KSB_CASE("ERR flushes what waits", test_sqd_flushed),
	KSB_CASE("RESET and the end of the QP forget what waits", test_sqd_forgotten),
	KSB_CASE("a request that fails afterwards", test_sqd_fails),
};

KTAP_SUITE(ksb_sqd_suite, "sib SQD", sqd_cases);
