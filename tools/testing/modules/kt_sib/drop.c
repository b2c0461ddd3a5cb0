// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests of datagrams that are dropped: the sender does not learn of it, and a counter shows it. */
#include "kt_sib.h"

/* Sends a datagram, and expects that the receiver drops it, and counts it as @name. */
static void expect_drop(struct ktap *t, struct ksb_pair *p, const struct ksb_msg *msg,
			const char *name)
{
	ksb_note(&p->a);
	ksb_note(&p->b);
	ksb_send(t, p, msg, IB_WC_SUCCESS);
	ksb_expect_none(t, &p->b);
	ksb_changed(t, &p->a, "tx_datagrams", 1);
	ksb_changed(t, &p->b, name, 1);
}

/* Expects that a receive that was posted before is still there, and works. */
static void expect_receive(struct ktap *t, struct ksb_pair *p, u64 id, u32 length)
{
	struct ksb_msg msg = ksb_msg(p, length);

	ksb_note(&p->b);
	ksb_send(t, p, &msg, IB_WC_SUCCESS);
	ksb_expect(t, &p->b, id, IB_WC_SUCCESS);
	ksb_changed(t, &p->b, "rx_datagrams", 1);
}

static u32 violations(struct ktap *t, struct ksb_host *h, bool of_qkey)
{
	struct ib_port_attr attr;

	KT_EXPECT_EQ(t, ib_query_port(h->dev, 1, &attr), 0);
	return of_qkey ? attr.qkey_viol_cntr : attr.bad_pkey_cntr;
}

static void test_no_qp(struct ktap *t)
{
	struct ksb_pair p;
	struct ksb_msg msg;
	struct ib_qp *qp;

	if (!ksb_start(t, &p))
		return;
	KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, 1, 0, 100), 0);
	msg = ksb_msg(&p, 8);
	msg.qpn = 0xfffffe;
	expect_drop(t, &p, &msg, "rx_no_qp");
	msg.qpn = IB_MULTICAST_QPN;
	expect_drop(t, &p, &msg, "rx_no_qp");
	/* Only SMPs are for QP 0. */
	msg.qpn = 0;
	expect_drop(t, &p, &msg, "rx_no_qp");
	/* A QP that is gone, and one that does not receive yet. */
	qp = ksb_qp(t, &p.b);
	msg.qpn = qp->qp_num;
	expect_drop(t, &p, &msg, "rx_no_qp");
	ksb_ready(t, qp, IB_QPS_INIT);
	KT_EXPECT_EQ(t, ksb_recv(&p.b, qp, 2, 0, 100), 0);
	expect_drop(t, &p, &msg, "rx_no_qp");
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	expect_drop(t, &p, &msg, "rx_no_qp");
	expect_receive(t, &p, 1, 60);
	ksb_end(t, &p);
}

static void test_no_receive(struct ktap *t)
{
	struct ksb_pair p;
	struct ksb_msg msg;

	if (!ksb_start(t, &p))
		return;
	msg = ksb_msg(&p, 8);
	expect_drop(t, &p, &msg, "rx_no_receive");
	KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, 1, 0, KSB_GRH + 8), 0);
	expect_receive(t, &p, 1, 8);
	expect_drop(t, &p, &msg, "rx_no_receive");
	ksb_end(t, &p);
}

static void test_short_receive(struct ktap *t)
{
	struct ksb_pair p;
	struct ksb_msg msg;

	if (!ksb_start(t, &p))
		return;
	memset(p.b.buf, 0xbb, KSB_BUF);
	KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, 1, 0, KSB_GRH + 8), 0);
	msg = ksb_msg(&p, 9);
	expect_drop(t, &p, &msg, "rx_too_long");
	msg.length = KSB_MTU;
	expect_drop(t, &p, &msg, "rx_too_long");
	KT_EXPECT(t, !memchr_inv(p.b.buf, 0xbb, KSB_BUF));
	expect_receive(t, &p, 1, 8);
	/* Less than the room for a GRH. */
	KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, 2, 0, KSB_GRH - 1), 0);
	msg.length = 0;
	expect_drop(t, &p, &msg, "rx_too_long");
	KT_EXPECT_EQ(t, ksb_modify(p.qb, IB_QPS_ERR), 0);
	ksb_expect(t, &p.b, 2, IB_WC_WR_FLUSH_ERR);
	ksb_end(t, &p);
}

static void test_qkey(struct ktap *t)
{
	struct ib_qp_attr attr = { .qkey = KSB_QKEY + 7 };
	struct ksb_pair p;
	struct ksb_msg msg;
	u32 before;

	if (!ksb_start(t, &p))
		return;
	KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, 1, 0, 100), 0);
	before = violations(t, &p.b, true);
	msg = ksb_msg(&p, 8);
	msg.qkey = KSB_QKEY + 1;
	expect_drop(t, &p, &msg, "rx_bad_qkey");
	KT_EXPECT_EQ(t, violations(t, &p.b, true), before + 1);
	/* With the highest bit set, the Q_Key is that of the sending QP. */
	msg.qkey = 0x80000000 | (KSB_QKEY + 1);
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	ksb_expect(t, &p.b, 1, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, 2, 0, 100), 0);
	KT_EXPECT_EQ(t, ib_modify_qp(p.qa, &attr, IB_QP_QKEY), 0);
	expect_drop(t, &p, &msg, "rx_bad_qkey");
	KT_EXPECT_EQ(t, ib_modify_qp(p.qb, &attr, IB_QP_QKEY), 0);
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	ksb_expect(t, &p.b, 2, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, violations(t, &p.b, true), before + 2);
	ksb_end(t, &p);
}

/* Index 1 of the tables has no valid P_Key. */
static void test_pkey(struct ktap *t)
{
	struct ib_qp_attr attr = { .pkey_index = 1 };
	struct ksb_pair p;
	struct ksb_msg msg;
	u32 before;

	if (!ksb_start(t, &p))
		return;
	KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, 1, 0, 100), 0);
	before = violations(t, &p.b, false);
	msg = ksb_msg(&p, 8);
	KT_EXPECT_EQ(t, ib_modify_qp(p.qa, &attr, IB_QP_PKEY_INDEX), -EINVAL);
	KT_EXPECT_EQ(t, ksb_modify(p.qb, IB_QPS_SQD), 0);
	KT_EXPECT_EQ(t, ib_modify_qp(p.qb, &attr, IB_QP_PKEY_INDEX), 0);
	expect_drop(t, &p, &msg, "rx_bad_pkey");
	KT_EXPECT_EQ(t, violations(t, &p.b, false), before + 1);
	attr.pkey_index = 64;
	KT_EXPECT_EQ(t, ib_modify_qp(p.qb, &attr, IB_QP_PKEY_INDEX), -EINVAL);
	attr.pkey_index = 0;
	KT_EXPECT_EQ(t, ib_modify_qp(p.qb, &attr, IB_QP_PKEY_INDEX), 0);
	expect_receive(t, &p, 1, 8);
	KT_EXPECT_EQ(t, violations(t, &p.b, false), before + 1);
	ksb_end(t, &p);
}

/* A LID that no table has: dropped by the switch, and no counter of either device. */
static void test_no_lid(struct ktap *t)
{
	struct rdma_ah_attr attr = ksb_ah_attr(0xbffe);
	struct ksb_pair p;
	struct ksb_msg msg;

	if (!ksb_start(t, &p))
		return;
	KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, 1, 0, 100), 0);
	msg = ksb_msg(&p, 8);
	msg.ah = rdma_create_ah(p.a.pd, &attr);
	if (KT_EXPECT_ERR(t, msg.ah, 0)) {
		ksb_note(&p.a);
		ksb_note(&p.b);
		ksb_send(t, &p, &msg, IB_WC_SUCCESS);
		ksb_changed(t, &p.a, "tx_datagrams", 1);
		ksb_changed(t, &p.b, "rx_datagrams", 0);
		KT_EXPECT_EQ(t, rdma_destroy_ah(msg.ah, 0), 0);
	}
	expect_receive(t, &p, 1, 8);
	ksb_end(t, &p);
}

static const struct ktap_case drop_cases[] = {
	{ "no such QP, or one that does not receive", test_no_qp },
	{ "no receive", test_no_receive },
	{ "a receive that is too short stays", test_short_receive },
	{ "Q_Key", test_qkey },
	{ "P_Key", test_pkey },
	{ "no such LID", test_no_lid },
};

KTAP_SUITE(ksb_drop_suite, "sib drops", drop_cases);
