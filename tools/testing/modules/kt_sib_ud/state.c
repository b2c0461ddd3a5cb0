// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests of a QP in the states SQD, SQE and ERR. The host sends to its own LID. */
#include "kt_sib_ud.h"

/* A host, and a send from its QP to the same QP. */
struct loop {
	struct kts_host h;
	struct kts_send send;
};

static bool start_loop(struct ktap *t, struct loop *l)
{
	*l = (struct loop) {};
	if (!kts_open(t, &l->h, "sib0"))
		return false;
	l->send = (struct kts_send) {
		.ah = kts_ah(t, &l->h, l->h.lid, NULL),
		.qpn = l->h.qp->qp_num,
		.qkey = KTS_QKEY,
		.length = 10,
	};
	return l->send.ah;
}

static void end_loop(struct ktap *t, struct loop *l)
{
	if (l->send.ah)
		KT_EXPECT_EQ(t, rdma_destroy_ah(l->send.ah), 0);
	kts_close(&l->h);
}

/* Posts a send with the pattern of a seed. Returns the result. */
static int post(struct loop *l, u8 seed)
{
	l->send.seed = seed;
	return kts_post(&l->h, l->h.qp, &l->send);
}

/* Expects that a datagram has come, and that the send has completed. */
static void expect_sent(struct ktap *t, struct loop *l, int slot, u8 seed)
{
	kts_expect_data(t, &l->h, slot, l->send.length, seed);
	kts_expect(t, &l->h, KTS_SEND, IB_WC_SUCCESS);
}

static void test_sqd_waits(struct ktap *t)
{
	struct loop l;
	int i;

	if (!start_loop(t, &l))
		goto out;
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(t, kts_recv(&l.h, l.h.qp, i, KTS_SLOT), 0);
	KT_EXPECT_EQ(t, kts_move(l.h.qp, IB_QPS_SQD), 0);
	KT_EXPECT(t, !l.h.events);
	/* The first two are inline: their data may change after the post. */
	l.send.flags = IB_SEND_INLINE;
	KT_EXPECT_EQ(t, post(&l, 1), 0);
	KT_EXPECT_EQ(t, post(&l, 2), 0);
	l.send.flags = 0;
	KT_EXPECT_EQ(t, post(&l, 3), 0);
	kts_expect_none(t, &l.h);
	KT_EXPECT_EQ(t, kts_state(l.h.qp), IB_QPS_SQD);
	KT_EXPECT_EQ(t, kts_move(l.h.qp, IB_QPS_RTS), 0);
	for (i = 0; i < 3; i++)
		expect_sent(t, &l, i, i + 1);
	kts_expect_none(t, &l.h);
out:
	end_loop(t, &l);
}

static void test_sqd_receives(struct ktap *t)
{
	struct kts_host h;
	struct kts_send send;
	struct ib_qp *from;

	if (!kts_open(t, &h, "sib0"))
		goto out;
	from = kts_qp(t, &h, 0);
	send = (struct kts_send) { .ah = kts_ah(t, &h, h.lid, NULL), .length = 10 };
	if (from && send.ah) {
		send.qpn = h.qp->qp_num;
		send.qkey = KTS_QKEY;
		KT_EXPECT_EQ(t, kts_recv(&h, h.qp, 0, KTS_SLOT), 0);
		KT_EXPECT_EQ(t, kts_move(h.qp, IB_QPS_SQD), 0);
		KT_EXPECT_EQ(t, kts_post(&h, from, &send), 0);
		kts_expect_data(t, &h, 0, 10, 0);
		kts_expect(t, &h, KTS_SEND, IB_WC_SUCCESS);
	}
	if (send.ah)
		KT_EXPECT_EQ(t, rdma_destroy_ah(send.ah), 0);
	if (from)
		KT_EXPECT_EQ(t, ib_destroy_qp(from), 0);
out:
	kts_close(&h);
}

static void test_sqd_event(struct ktap *t)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_SQD, .en_sqd_async_notify = 1 };
	struct loop l;

	if (start_loop(t, &l)) {
		KT_EXPECT_EQ(t, ib_modify_qp(l.h.qp, &attr,
					     IB_QP_STATE | IB_QP_EN_SQD_ASYNC_NOTIFY), 0);
		KT_EXPECT_EQ(t, l.h.events, BIT(IB_EVENT_SQ_DRAINED));
	}
	end_loop(t, &l);
}

static void test_sqd_full(struct ktap *t)
{
	struct loop l;
	int i;

	if (!start_loop(t, &l))
		goto out;
	KT_EXPECT_EQ(t, kts_move(l.h.qp, IB_QPS_SQD), 0);
	for (i = 0; i < KTS_DEPTH; i++)
		KT_EXPECT_EQ(t, post(&l, i), 0);
	KT_EXPECT_EQ(t, post(&l, i), -ENOMEM);
	kts_expect_none(t, &l.h);
	KT_EXPECT_EQ(t, kts_move(l.h.qp, IB_QPS_ERR), 0);
	for (i = 0; i < KTS_DEPTH; i++)
		kts_expect(t, &l.h, KTS_SEND, IB_WC_WR_FLUSH_ERR);
	kts_expect_none(t, &l.h);
out:
	end_loop(t, &l);
}

static void test_sqd_forgotten(struct ktap *t)
{
	struct loop l;

	if (!start_loop(t, &l))
		goto out;
	KT_EXPECT_EQ(t, kts_move(l.h.qp, IB_QPS_SQD), 0);
	KT_EXPECT_EQ(t, post(&l, 1), 0);
	KT_EXPECT_EQ(t, kts_move(l.h.qp, IB_QPS_RESET), 0);
	kts_expect_none(t, &l.h);
	if (kts_ready(t, l.h.qp)) {
		KT_EXPECT_EQ(t, kts_recv(&l.h, l.h.qp, 0, KTS_SLOT), 0);
		KT_EXPECT_EQ(t, post(&l, 2), 0);
		expect_sent(t, &l, 0, 2);
		kts_expect_none(t, &l.h);
	}
	/* One is left when the QP is destroyed. */
	KT_EXPECT_EQ(t, kts_move(l.h.qp, IB_QPS_SQD), 0);
	KT_EXPECT_EQ(t, post(&l, 3), 0);
out:
	end_loop(t, &l);
}

/* A request that fails while the QP leaves SQD: those behind it are flushed. */
static void test_sqd_fails(struct ktap *t)
{
	struct loop l;

	if (!start_loop(t, &l))
		goto out;
	KT_EXPECT_EQ(t, kts_recv(&l.h, l.h.qp, 0, KTS_SLOT), 0);
	KT_EXPECT_EQ(t, kts_move(l.h.qp, IB_QPS_SQD), 0);
	KT_EXPECT_EQ(t, post(&l, 1), 0);
	l.send.length = KTS_MTU + 1;
	KT_EXPECT_EQ(t, post(&l, 1), 0);
	l.send.length = 10;
	KT_EXPECT_EQ(t, post(&l, 1), 0);
	KT_EXPECT_EQ(t, kts_move(l.h.qp, IB_QPS_RTS), 0);
	expect_sent(t, &l, 0, 1);
	kts_expect(t, &l.h, KTS_SEND, IB_WC_LOC_LEN_ERR);
	kts_expect(t, &l.h, KTS_SEND, IB_WC_WR_FLUSH_ERR);
	KT_EXPECT_EQ(t, kts_state(l.h.qp), IB_QPS_SQE);
out:
	end_loop(t, &l);
}

static void test_sqe(struct ktap *t)
{
	struct kts_send to_other;
	struct ib_qp *other;
	struct loop l;

	if (!start_loop(t, &l))
		goto out;
	other = kts_qp(t, &l.h, 0);
	if (!other)
		goto out;
	to_other = l.send;
	to_other.length = KTS_MTU + 1;
	kts_send(t, &l.h, other, &to_other, IB_WC_LOC_LEN_ERR);
	KT_EXPECT_EQ(t, kts_state(other), IB_QPS_SQE);
	to_other.length = 10;
	kts_send(t, &l.h, other, &to_other, IB_WC_WR_FLUSH_ERR);
	/* Receives go on. */
	KT_EXPECT_EQ(t, kts_recv(&l.h, other, 1, KTS_SLOT), 0);
	l.send.qpn = other->qp_num;
	KT_EXPECT_EQ(t, post(&l, 5), 0);
	expect_sent(t, &l, 1, 5);
	KT_EXPECT_EQ(t, kts_move(other, IB_QPS_RTS), 0);
	KT_EXPECT_EQ(t, kts_recv(&l.h, l.h.qp, 0, KTS_SLOT), 0);
	KT_EXPECT_EQ(t, kts_post(&l.h, other, &to_other), 0);
	expect_sent(t, &l, 0, to_other.seed);
	KT_EXPECT_EQ(t, ib_destroy_qp(other), 0);
out:
	end_loop(t, &l);
}

static void test_err(struct ktap *t)
{
	struct loop l;

	if (!start_loop(t, &l))
		goto out;
	KT_EXPECT_EQ(t, kts_recv(&l.h, l.h.qp, 0, KTS_SLOT), 0);
	KT_EXPECT_EQ(t, kts_move(l.h.qp, IB_QPS_ERR), 0);
	kts_expect(t, &l.h, 0, IB_WC_WR_FLUSH_ERR);
	KT_EXPECT_EQ(t, kts_recv(&l.h, l.h.qp, 1, KTS_SLOT), 0);
	kts_expect(t, &l.h, 1, IB_WC_WR_FLUSH_ERR);
	kts_send(t, &l.h, l.h.qp, &l.send, IB_WC_WR_FLUSH_ERR);
	KT_EXPECT_EQ(t, kts_move(l.h.qp, IB_QPS_RESET), 0);
	KT_EXPECT_EQ(t, post(&l, 1), -EINVAL);
	KT_EXPECT_EQ(t, kts_recv(&l.h, l.h.qp, 0, KTS_SLOT), -EINVAL);
out:
	end_loop(t, &l);
}

static const struct ktap_case state_cases[] = {
	{ "SQD: requests wait, and are sent in order in RTS", test_sqd_waits },
	{ "SQD: receives go on", test_sqd_receives },
	{ "SQD: an event when the queue is drained", test_sqd_event },
	{ "SQD: no more requests wait than the queue has room; ERR flushes them", test_sqd_full },
	{ "SQD: RESET and the end of the QP forget what waits", test_sqd_forgotten },
	{ "SQD: a request that fails afterwards", test_sqd_fails },
	{ "SQE: sends are flushed, receives go on, and RTS ends it", test_sqe },
	{ "ERR: sends and receives are flushed", test_err },
};

KTAP_SUITE(kts_state_suite, "sib states", state_cases);
