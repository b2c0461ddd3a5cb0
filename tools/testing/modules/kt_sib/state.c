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
	struct ksb_msg msg;

	KT_EXPECT_EQ(t, ksb_modify(p->qa, IB_QPS_RESET), 0);
	switch (state) {
	case IB_QPS_RESET:
		break;
	case IB_QPS_INIT:
	case IB_QPS_RTR:
	case IB_QPS_RTS:
		ksb_ready(t, p->qa, state);
		break;
	case IB_QPS_SQE:
		ksb_ready(t, p->qa, IB_QPS_RTS);
		msg = ksb_msg(p, KSB_MTU + 1);
		ksb_send(t, p, &msg, IB_WC_LOC_LEN_ERR);
		break;
	default:
		ksb_ready(t, p->qa, IB_QPS_RTS);
		KT_EXPECT_EQ(t, ksb_modify(p->qa, state), 0);
		break;
	}
	KT_EXPECT_EQ(t, ksb_state(p->qa), state);
}

static void test_changes(struct ktap *t)
{
	enum ib_qp_state from, to;
	struct ib_qp_attr attr;
	struct ksb_pair p;
	bool may;

	if (!ksb_start(t, &p))
		return;
	for (from = 0; from < STATES; from++) {
		for (to = 0; to < STATES; to++) {
			go_to(t, &p, from);
			may = allowed[from] & BIT(to);
			attr = ksb_attr(to);
			if (!KT_EXPECT_EQ(t, ib_modify_qp(p.qa, &attr, ksb_mask(from, to)),
					  may ? 0 : -EINVAL) ||
			    !KT_EXPECT_EQ(t, ksb_state(p.qa), may ? to : from))
				ktap_note(t, "from state %d to %d", from, to);
		}
	}
	ksb_end(t, &p);
}

/* A change without an attribute that it needs, with one that it does not take, or a wrong value. */
static void test_attributes(struct ktap *t)
{
	const int init = IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT | IB_QP_QKEY;
	static const int needed[] = { IB_QP_PKEY_INDEX, IB_QP_PORT, IB_QP_QKEY };
	struct ib_qp_attr attr;
	struct ksb_pair p;
	int i;

	if (!ksb_start(t, &p))
		return;
	go_to(t, &p, IB_QPS_RESET);
	for (i = 0; i < ARRAY_SIZE(needed); i++) {
		attr = ksb_attr(IB_QPS_INIT);
		KT_EXPECT_EQ(t, ib_modify_qp(p.qa, &attr, init & ~needed[i]), -EINVAL);
	}
	attr = ksb_attr(IB_QPS_INIT);
	KT_EXPECT_EQ(t, ib_modify_qp(p.qa, &attr, init | IB_QP_ACCESS_FLAGS), -EINVAL);
	attr.port_num = 2;
	KT_EXPECT_EQ(t, ib_modify_qp(p.qa, &attr, init), -EINVAL);
	attr.port_num = 0;
	KT_EXPECT_EQ(t, ib_modify_qp(p.qa, &attr, init), -EINVAL);
	attr = ksb_attr(IB_QPS_INIT);
	attr.pkey_index = 64;
	KT_EXPECT_EQ(t, ib_modify_qp(p.qa, &attr, init), -EINVAL);
	attr.pkey_index = 0;
	attr.cur_qp_state = IB_QPS_RTS;
	KT_EXPECT_EQ(t, ib_modify_qp(p.qa, &attr, init | IB_QP_CUR_STATE), -EINVAL);
	KT_EXPECT_EQ(t, ksb_state(p.qa), IB_QPS_RESET);
	go_to(t, &p, IB_QPS_RTR);
	attr = ksb_attr(IB_QPS_RTS);
	KT_EXPECT_EQ(t, ib_modify_qp(p.qa, &attr, IB_QP_STATE), -EINVAL);
	KT_EXPECT_EQ(t, ib_modify_qp(p.qa, &attr, IB_QP_STATE | IB_QP_SQ_PSN | IB_QP_AV), -EINVAL);
	KT_EXPECT_EQ(t, ksb_state(p.qa), IB_QPS_RTR);
	ksb_end(t, &p);
}

static void test_query(struct ktap *t)
{
	const struct ib_qp_cap want = {
		.max_send_wr = KSB_DEPTH, .max_recv_wr = KSB_DEPTH, .max_send_sge = KSB_SGES,
		.max_recv_sge = KSB_SGES, .max_inline_data = KSB_INLINE,
	};
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;
	struct ksb_pair p;

	if (!ksb_start(t, &p))
		return;
	KT_EXPECT_EQ(t, ib_query_qp(p.qa, &attr, ~0, &init), 0);
	KT_EXPECT(t, attr.qp_state == IB_QPS_RTS && attr.cur_qp_state == IB_QPS_RTS);
	KT_EXPECT(t, attr.qkey == KSB_QKEY && attr.port_num == 1 && !attr.pkey_index);
	KT_EXPECT_EQ(t, attr.sq_psn, 0xabcdef);
	KT_EXPECT(t, !memcmp(&attr.cap, &want, sizeof(want)));
	KT_EXPECT(t, !memcmp(&init.cap, &want, sizeof(want)));
	KT_EXPECT(t, init.qp_type == IB_QPT_UD && init.sq_sig_type == IB_SIGNAL_REQ_WR);
	KT_EXPECT(t, init.send_cq == p.a.cq && init.recv_cq == p.a.cq && !init.srq);
	KT_EXPECT_EQ(t, ksb_modify(p.qa, IB_QPS_RESET), 0);
	KT_EXPECT_EQ(t, ib_query_qp(p.qa, &attr, ~0, &init), 0);
	KT_EXPECT(t, attr.qp_state == IB_QPS_RESET && !attr.qkey && !attr.port_num);
	ksb_end(t, &p);
}

static void test_posts(struct ktap *t)
{
	enum ib_qp_state state;
	struct ksb_pair p;
	struct ksb_msg msg;
	bool sends;

	if (!ksb_start(t, &p))
		return;
	for (state = IB_QPS_RESET; state <= IB_QPS_ERR; state++) {
		go_to(t, &p, state);
		sends = state >= IB_QPS_RTS;
		msg = ksb_msg(&p, 8);
		if (!KT_EXPECT_EQ(t, ksb_recv(&p.a, p.qa, 5, 0, 64),
				  state == IB_QPS_RESET ? -EINVAL : 0))
			ktap_note(t, "state %d", state);
		if (state == IB_QPS_ERR)
			ksb_expect(t, &p.a, 5, IB_WC_WR_FLUSH_ERR);
		/* Requests wait in SQD: see test_drained(). */
		if (state == IB_QPS_SQD)
			continue;
		if (!KT_EXPECT_EQ(t, ksb_post(&p.a, p.qa, &msg), sends ? 0 : -EINVAL))
			ktap_note(t, "state %d", state);
		if (sends)
			ksb_expect(t, &p.a, KSB_SEND,
				   state == IB_QPS_RTS ? IB_WC_SUCCESS : IB_WC_WR_FLUSH_ERR);
	}
	go_to(t, &p, IB_QPS_RESET);
	ksb_end(t, &p);
}

/* Requests that are posted in SQD wait, and go out in their order when the QP is in RTS again. */
static void test_drained(struct ktap *t)
{
	struct ksb_pair p;
	struct ksb_msg msg;
	struct ib_wc wc;
	int i;

	if (!ksb_start(t, &p))
		return;
	KT_EXPECT_EQ(t, ksb_modify(p.qa, IB_QPS_SQD), 0);
	for (i = 1; i <= KSB_DEPTH; i++) {
		msg = ksb_msg(&p, i);
		KT_EXPECT_EQ(t, ksb_post(&p.a, p.qa, &msg), 0);
		KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, i, 0, 100), 0);
	}
	KT_EXPECT_EQ(t, ksb_post(&p.a, p.qa, &msg), -ENOMEM);
	ksb_expect_none(t, &p.a);
	ksb_expect_none(t, &p.b);
	KT_EXPECT_EQ(t, ksb_modify(p.qa, IB_QPS_RTS), 0);
	for (i = 1; i <= KSB_DEPTH; i++) {
		ksb_expect(t, &p.a, KSB_SEND, IB_WC_SUCCESS);
		wc = ksb_expect(t, &p.b, i, IB_WC_SUCCESS);
		KT_EXPECT_EQ(t, wc.byte_len, KSB_GRH + i);
	}
	/* Without RTS, they are flushed. */
	KT_EXPECT_EQ(t, ksb_modify(p.qa, IB_QPS_SQD), 0);
	KT_EXPECT_EQ(t, ksb_post(&p.a, p.qa, &msg), 0);
	KT_EXPECT_EQ(t, ksb_modify(p.qa, IB_QPS_ERR), 0);
	ksb_expect(t, &p.a, KSB_SEND, IB_WC_WR_FLUSH_ERR);
	ksb_end(t, &p);
}

static const struct ktap_case state_cases[] = {
	{ "every change of the state", test_changes },
	{ "attributes of a change", test_attributes },
	{ "query", test_query },
	{ "posts in each state", test_posts },
	{ "SQD", test_drained },
};

KTAP_SUITE(ksb_state_suite, "sib states", state_cases);
