// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests of datagrams that are dropped: the sender does not learn of it, and a counter shows it. */
#include "kt_sib.h"

/* Sends a datagram, and expects that the receiver counts it as @name, by @by. */
static void expect_counted(struct ktap *t, struct ksb_pair *p, const struct ksb_msg *msg,
			   const char *name, u64 by)
{
	ksb_note(&p->a);
	ksb_note(&p->b);
	ksb_send(t, msg, IB_WC_SUCCESS);
	ksb_changed(t, &p->a, "tx_datagrams", 1);
	ksb_changed(t, &p->b, name, by);
}

/* Expects that the receiver drops a datagram. */
static void expect_drop(struct ktap *t, struct ksb_pair *p, const struct ksb_msg *msg,
			const char *name)
{
	expect_counted(t, p, msg, name, 1);
	ksb_expect_none(t, &p->b);
}

/* Expects that a receive that was posted before is still there, and works. */
static void expect_receive(struct ktap *t, struct ksb_pair *p, int slot, u32 length)
{
	struct ksb_msg msg = ksb_msg(p, length);

	expect_counted(t, p, &msg, "rx_datagrams", 1);
	ksb_expect_data(t, &p->b, slot, &msg);
}

/* Datagrams to a QP that does not receive yet, and to its number when it is gone. */
static void drop_by_qp(struct ktap *t, struct ksb_pair *p)
{
	struct ib_qp *qp = ksb_qp(t, &p->b, IB_QPS_RESET);
	struct ksb_msg msg = ksb_msg(p, 8);

	if (!qp)
		return;
	msg.qpn = qp->qp_num;
	expect_drop(t, p, &msg, "rx_no_qp");
	ksb_ready(t, qp, IB_QPS_INIT);
	KT_EXPECT_EQ(t, ksb_post_recv(&p->b, qp, 2, 100), 0);
	expect_drop(t, p, &msg, "rx_no_qp");
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	expect_drop(t, p, &msg, "rx_no_qp");
}

static void test_no_qp(struct ktap *t, struct ksb_pair *p)
{
	/* Only SMPs are for QP 0. */
	static const u32 qpns[] = { 0xfffffe, IB_MULTICAST_QPN, 0 };
	struct ksb_msg msg = ksb_msg(p, 8);
	int i;

	ksb_recv(t, &p->b, 1, 100);
	for (i = 0; i < ARRAY_SIZE(qpns); i++) {
		msg.qpn = qpns[i];
		expect_drop(t, p, &msg, "rx_no_qp");
	}
	drop_by_qp(t, p);
	expect_receive(t, p, 1, 60);
}

static void test_no_receive(struct ktap *t, struct ksb_pair *p)
{
	struct ksb_msg msg = ksb_msg(p, 8);

	expect_drop(t, p, &msg, "rx_no_receive");
	ksb_recv(t, &p->b, 1, KSB_GRH + 8);
	expect_receive(t, p, 1, 8);
	expect_drop(t, p, &msg, "rx_no_receive");
}

static void test_short_receive(struct ktap *t, struct ksb_pair *p)
{
	static const u32 lengths[] = { 9, KSB_MTU };
	struct ksb_msg msg;
	int i;

	ksb_recv(t, &p->b, 1, KSB_GRH + 8);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		msg = ksb_msg(p, lengths[i]);
		expect_drop(t, p, &msg, "rx_too_long");
	}
	KT_EXPECT(t, ksb_is_untouched(&p->b));
	expect_receive(t, p, 1, 8);
	/* Less than the room for a GRH. */
	ksb_recv(t, &p->b, 2, KSB_GRH - 1);
	msg = ksb_msg(p, 0);
	expect_drop(t, p, &msg, "rx_too_long");
	KT_EXPECT_EQ(t, ksb_modify(p->b.qp, IB_QPS_ERR), 0);
	ksb_expect(t, &p->b, 2, IB_WC_WR_FLUSH_ERR);
}

static void test_qkey(struct ktap *t, struct ksb_pair *p)
{
	u32 before = ksb_port(t, &p->b).qkey_viol_cntr;
	struct ib_qp_attr attr = { .qkey = KSB_QKEY + 7 };
	struct ksb_msg msg = ksb_msg(p, 8);

	ksb_recv(t, &p->b, 1, 100);
	msg.qkey = KSB_QKEY + 1;
	expect_drop(t, p, &msg, "rx_bad_qkey");
	KT_EXPECT_EQ(t, ksb_port(t, &p->b).qkey_viol_cntr, before + 1);
	/* With the highest bit set, the Q_Key is that of the sending QP. */
	msg.qkey |= 0x80000000;
	ksb_send(t, &msg, IB_WC_SUCCESS);
	ksb_expect_data(t, &p->b, 1, &msg);
	ksb_recv(t, &p->b, 2, 100);
	KT_EXPECT_EQ(t, ib_modify_qp(p->a.qp, &attr, IB_QP_QKEY), 0);
	expect_drop(t, p, &msg, "rx_bad_qkey");
	KT_EXPECT_EQ(t, ib_modify_qp(p->b.qp, &attr, IB_QP_QKEY), 0);
	ksb_send(t, &msg, IB_WC_SUCCESS);
	ksb_expect_data(t, &p->b, 2, &msg);
	KT_EXPECT_EQ(t, ksb_port(t, &p->b).qkey_viol_cntr, before + 2);
}

/* Index 1 of the tables has no valid P_Key. */
static void test_pkey(struct ktap *t, struct ksb_pair *p)
{
	u32 before = ksb_port(t, &p->b).bad_pkey_cntr;
	struct ib_qp_attr attr = { .pkey_index = 1 };
	struct ksb_msg msg = ksb_msg(p, 8);

	ksb_recv(t, &p->b, 1, 100);
	KT_EXPECT_EQ(t, ib_modify_qp(p->a.qp, &attr, IB_QP_PKEY_INDEX), -EINVAL);
	KT_EXPECT_EQ(t, ksb_modify(p->b.qp, IB_QPS_SQD), 0);
	KT_EXPECT_EQ(t, ib_modify_qp(p->b.qp, &attr, IB_QP_PKEY_INDEX), 0);
	expect_drop(t, p, &msg, "rx_bad_pkey");
	KT_EXPECT_EQ(t, ksb_port(t, &p->b).bad_pkey_cntr, before + 1);
	attr.pkey_index = 64;
	KT_EXPECT_EQ(t, ib_modify_qp(p->b.qp, &attr, IB_QP_PKEY_INDEX), -EINVAL);
	attr.pkey_index = 0;
	KT_EXPECT_EQ(t, ib_modify_qp(p->b.qp, &attr, IB_QP_PKEY_INDEX), 0);
	expect_receive(t, p, 1, 8);
	KT_EXPECT_EQ(t, ksb_port(t, &p->b).bad_pkey_cntr, before + 1);
}

/* A LID that no table has: dropped by the switch, and no counter of either device. */
static void test_no_lid(struct ktap *t, struct ksb_pair *p)
{
	struct ksb_msg msg = ksb_msg(p, 8);

	msg.ah = ksb_ah(t, &p->a, 0xbffe, NULL);
	if (!msg.ah)
		return;
	ksb_recv(t, &p->b, 1, 100);
	expect_counted(t, p, &msg, "rx_datagrams", 0);
	KT_EXPECT_EQ(t, rdma_destroy_ah(msg.ah, 0), 0);
	expect_receive(t, p, 1, 8);
}

static const struct ktap_case drop_cases[] = {
	KSB_CASE("no such QP, or one that does not receive", test_no_qp),
	KSB_CASE("no receive", test_no_receive),
	KSB_CASE("a receive that is too short stays", test_short_receive),
	KSB_CASE("Q_Key", test_qkey),
	KSB_CASE("P_Key", test_pkey),
	KSB_CASE("no such LID", test_no_lid),
};

KTAP_SUITE(ksb_drop_suite, "sib drops", drop_cases);
