// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests of the states of a QP of type UD: each change, and what may be posted in each state. */
#include "kt_sib.h"

#define STATES	(IB_QPS_ERR + 1)

/* The changes that verbs allow, by the state before. */
static const u8 allowed[STATES] = {
	[IB_QPS_RESET] = BIT(IB_QPS_RESET) | BIT(IB_QPS_INIT),
	[IB_QPS_INIT] = BIT(IB_QPS_RESET) | BIT(IB_QPS_INIT) | BIT(IB_QPS_RTR) | BIT(IB_QPS_ERR),
	[IB_QPS_RTR] = BIT(IB_QPS_RESET) | BIT(IB_QPS_RTS) | BIT(IB_QPS_ERR),
	[IB_QPS_RTS] = BIT(IB_QPS_RESET) | BIT(IB_QPS_RTS) | BIT(IB_QPS_SQD) | BIT(IB_QPS_ERR),
	[IB_QPS_SQD] = BIT(IB_QPS_RESET) | BIT(IB_QPS_RTS) | BIT(IB_QPS_SQD) | BIT(IB_QPS_ERR),
	[IB_QPS_SQE] = BIT(IB_QPS_RESET) | BIT(IB_QPS_RTS) | BIT(IB_QPS_ERR),
	[IB_QPS_ERR] = BIT(IB_QPS_RESET) | BIT(IB_QPS_ERR),
};

/* Takes the QP of the first CA to a state from any other one. */
static void go_to(struct ktap *t, struct ksb_pair *p, enum ib_qp_state state)
{
	struct ksb_msg too_long = ksb_msg(p, KSB_MTU + 1);
	struct ib_qp *qp = p->a.qp;

	KT_EXPECT_EQ(t, ksb_modify(qp, IB_QPS_RESET), 0);
	ksb_ready(t, qp, min_t(enum ib_qp_state, state, IB_QPS_RTS));
	if (state == IB_QPS_SQE)
		ksb_send(t, &too_long, IB_WC_LOC_LEN_ERR);
	else if (state > IB_QPS_RTS)
		KT_EXPECT_EQ(t, ksb_modify(qp, state), 0);
	KT_EXPECT_EQ(t, ksb_state(qp), state);
}

static void test_changes(struct ktap *t, struct ksb_pair *p)
{
	enum ib_qp_state from, to;
	struct ib_qp_attr attr;
	bool may;

	for (from = 0; from < STATES; from++) {
		for (to = 0; to < STATES; to++) {
			go_to(t, p, from);
			may = allowed[from] & BIT(to);
			attr = ksb_attr(to);
			if (!KT_EXPECT_EQ(t, ib_modify_qp(p->a.qp, &attr, ksb_mask(from, to)),
					  may ? 0 : -EINVAL) ||
			    !KT_EXPECT_EQ(t, ksb_state(p->a.qp), may ? to : from))
				ktap_note(t, "from state %d to %d", from, to);
		}
	}
}

/* A change without an attribute that it needs, with one that it does not take, or a wrong value. */
static void test_attributes(struct ktap *t, struct ksb_pair *p)
{
	const int init = IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY;
	const struct {
		enum ib_qp_state to;
		int mask;
		u8 port;
		u16 pkey_index;
	} rows[] = {
		{ IB_QPS_INIT, init & ~IB_QP_PKEY_INDEX, 1 },
		{ IB_QPS_INIT, init & ~IB_QP_PORT, 1 },
		{ IB_QPS_INIT, init & ~IB_QP_QKEY, 1 },
		{ IB_QPS_INIT, init | IB_QP_ACCESS_FLAGS, 1 },
		{ IB_QPS_INIT, init, 2 },
		{ IB_QPS_INIT, init, 0 },
		{ IB_QPS_INIT, init, 1, 64 },
		{ IB_QPS_RTS, IB_QP_STATE, 1 },
		{ IB_QPS_RTS, IB_QP_STATE | IB_QP_SQ_PSN | IB_QP_AV, 1 },
		/* The current state is another one. */
		{ IB_QPS_INIT, init | IB_QP_CUR_STATE, 1 },
		{ IB_QPS_RTS, IB_QP_STATE | IB_QP_SQ_PSN | IB_QP_CUR_STATE, 1 },
	};
	enum ib_qp_state from;
	struct ib_qp_attr attr;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		from = rows[i].to - 1;
		go_to(t, p, from);
		attr = ksb_attr(rows[i].to);
		attr.cur_qp_state = IB_QPS_RTS;
		attr.port_num = rows[i].port;
		attr.pkey_index = rows[i].pkey_index;
		if (!KT_EXPECT_EQ(t, ib_modify_qp(p->a.qp, &attr, rows[i].mask), -EINVAL) ||
		    !KT_EXPECT_EQ(t, ksb_state(p->a.qp), from))
			ktap_note(t, "row %d", i);
	}
	/* An attribute of Ethernet */
	go_to(t, p, IB_QPS_RTS);
	attr = ksb_attr(IB_QPS_RTS);
	KT_EXPECT_EQ(t, ib_modify_qp(p->a.qp, &attr, IB_QP_STATE | IB_QP_RATE_LIMIT), -EOPNOTSUPP);
}

static void test_query(struct ktap *t, struct ksb_pair *p)
{
	const struct ib_qp_cap want = {
		.max_send_wr = KSB_DEPTH, .max_recv_wr = KSB_DEPTH, .max_send_sge = KSB_SGES,
		.max_recv_sge = KSB_SGES, .max_inline_data = KSB_INLINE,
	};
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	KT_EXPECT_EQ(t, ib_query_qp(p->a.qp, &attr, ~0, &init), 0);
	KT_EXPECT(t, attr.qp_state == IB_QPS_RTS && attr.cur_qp_state == IB_QPS_RTS);
	KT_EXPECT(t, attr.qkey == KSB_QKEY && attr.port_num == 1 && !attr.pkey_index);
	KT_EXPECT_EQ(t, attr.sq_psn, 0xabcdef);
	KT_EXPECT(t, !memcmp(&attr.cap, &want, sizeof(want)));
	KT_EXPECT(t, !memcmp(&init.cap, &want, sizeof(want)));
	KT_EXPECT(t, init.qp_type == IB_QPT_UD && init.sq_sig_type == IB_SIGNAL_REQ_WR);
	KT_EXPECT(t, init.send_cq == p->a.cq && init.recv_cq == p->a.cq && !init.srq);
	KT_EXPECT_EQ(t, ksb_modify(p->a.qp, IB_QPS_RESET), 0);
	KT_EXPECT_EQ(t, ib_query_qp(p->a.qp, &attr, ~0, &init), 0);
	KT_EXPECT(t, attr.qp_state == IB_QPS_RESET && !attr.qkey && !attr.port_num);
}

static void expect_post_recv(struct ktap *t, struct ksb_pair *p, enum ib_qp_state state)
{
	int ret = state == IB_QPS_RESET ? -EINVAL : 0;

	if (!KT_EXPECT_EQ(t, ksb_post_recv(&p->a, p->a.qp, 5, 64), ret))
		ktap_note(t, "state %d", state);
	if (state == IB_QPS_ERR)
		ksb_expect(t, &p->a, 5, IB_WC_WR_FLUSH_ERR);
}

static void expect_post_send(struct ktap *t, struct ksb_pair *p, enum ib_qp_state state)
{
	struct ksb_msg msg = ksb_msg(p, 8);
	bool may = state >= IB_QPS_RTS;

	if (!KT_EXPECT_EQ(t, ksb_post(&msg), may ? 0 : -EINVAL))
		ktap_note(t, "state %d", state);
	if (may)
		ksb_expect(t, &p->a, KSB_SEND,
			   state == IB_QPS_RTS ? IB_WC_SUCCESS : IB_WC_WR_FLUSH_ERR);
}

static void test_posts(struct ktap *t, struct ksb_pair *p)
{
	enum ib_qp_state state;

	for (state = 0; state < STATES; state++) {
		go_to(t, p, state);
		expect_post_recv(t, p, state);
		/* Requests wait in SQD: see sqd.c. */
		if (state != IB_QPS_SQD)
			expect_post_send(t, p, state);
	}
}

static const struct ktap_case state_cases[] = {
	KSB_CASE("every change of the state", test_changes),
	KSB_CASE("attributes of a change", test_attributes),
	KSB_CASE("query", test_query),
	KSB_CASE("posts in each state", test_posts),
};

KTAP_SUITE(ksb_state_suite, "sib states", state_cases);
