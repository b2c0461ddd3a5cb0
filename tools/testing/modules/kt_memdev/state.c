// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of the states of QPs: every transition of every type is tried with a QP that is in the
 * state where the transition begins.
 */
#include "kt_memdev.h"

static const enum ib_qp_type types[] = {
	IB_QPT_RC, IB_QPT_UC, IB_QPT_UD, IB_QPT_XRC_INI, IB_QPT_XRC_TGT, IB_QPT_GSI, IB_QPT_SMI,
};

static bool is_reliable(enum ib_qp_type type)
{
	return type == IB_QPT_RC || type == IB_QPT_XRC_INI || type == IB_QPT_XRC_TGT;
}

static bool allowed(enum ib_qp_type type, enum ib_qp_state from, enum ib_qp_state to)
{
	switch (to) {
	case IB_QPS_RESET:
		return true;
	case IB_QPS_ERR:
		return from != IB_QPS_RESET;
	case IB_QPS_INIT:
		return from == IB_QPS_RESET || from == IB_QPS_INIT;
	case IB_QPS_RTR:
		return from == IB_QPS_INIT;
	case IB_QPS_RTS:
		return from == IB_QPS_RTR || from == IB_QPS_RTS || from == IB_QPS_SQD ||
		       (from == IB_QPS_SQE && !is_reliable(type));
	case IB_QPS_SQD:
		return from == IB_QPS_RTS || from == IB_QPS_SQD;
	default:
		return false;
	}
}

/* Returns the attributes that a transition needs. */
static int needed(enum ib_qp_type type, enum ib_qp_state from, enum ib_qp_state to)
{
	return to == from + 1 && to <= IB_QPS_RTS ? ktm_mask(type, to) : IB_QP_STATE;
}

static struct ib_qp *make_qp(struct ktap *t, struct ktm_host *h, struct ib_xrcd *xrcd,
			     enum ib_qp_type type)
{
	struct ib_qp_init_attr attr = { .qp_type = type, .xrcd = xrcd };
	struct ib_qp *qp;

	if (type != IB_QPT_XRC_TGT)
		return ktm_qp(t, h, type);
	qp = ib_create_qp(h->pd, &attr);
	KT_EXPECT_ERR(t, qp, 0);
	return qp;
}

/* Makes a request of the QP fail because of its own memory, which leads to SQE. */
static void enter_sqe(struct ktap *t, struct ktm_host *h, struct ib_qp *qp)
{
	struct ib_qp_attr attr = ktm_attr(h, h, qp->qp_num);
	struct ib_ud_wr wr = {};
	struct ib_sge sge = { .addr = 1, .length = 1, .lkey = 0xbad00 };
	struct ib_ah *ah = rdma_create_ah(h->pd, &attr.ah_attr);

	if (!KT_EXPECT_ERR(t, ah, 0))
		return;
	wr.wr = (struct ib_send_wr) { .wr_id = 3, .opcode = IB_WR_SEND, .sg_list = &sge,
				      .num_sge = 1 };
	wr.ah = ah;
	KT_EXPECT_EQ(t, ib_post_send(qp, &wr.wr, NULL), 0);
	KTM_EXPECT(t, h, 3, LOC_PROT_ERR, SEND);
	KT_EXPECT_EQ(t, rdma_destroy_ah(ah), 0);
}

static void enter(struct ktap *t, struct ktm_host *h, struct ib_qp *qp, enum ib_qp_state state)
{
	struct ib_qp_attr attr = ktm_attr(h, h, qp->qp_num);

	switch (state) {
	case IB_QPS_RESET:
		break;
	case IB_QPS_INIT:
	case IB_QPS_RTR:
	case IB_QPS_RTS:
		ktm_ready(t, qp, &attr, state);
		break;
	case IB_QPS_SQD:
		ktm_ready(t, qp, &attr, IB_QPS_RTS);
		KT_EXPECT_EQ(t, ktm_modify(qp, IB_QPS_SQD), 0);
		break;
	case IB_QPS_SQE:
		ktm_ready(t, qp, &attr, IB_QPS_RTS);
		enter_sqe(t, h, qp);
		break;
	case IB_QPS_ERR:
		ktm_ready(t, qp, &attr, IB_QPS_INIT);
		KT_EXPECT_EQ(t, ktm_modify(qp, IB_QPS_ERR), 0);
		break;
	}
	if (!KT_EXPECT_EQ(t, ktm_state(qp), state))
		ktap_note(t, "QP of type %d", qp->qp_type);
}

/* Tries a transition with these attributes, and expects that the QP is in a certain state then. */
static void attempt(struct ktap *t, struct ktm_host *h, struct ib_qp *qp, enum ib_qp_state from,
		    enum ib_qp_state to, int mask, bool ok)
{
	struct ib_qp_attr attr = ktm_attr(h, h, qp->qp_num);

	attr.qp_state = to;
	if (!KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, mask), ok ? 0 : -EINVAL) ||
	    !KT_EXPECT_EQ(t, ktm_state(qp), ok ? to : from))
		ktap_note(t, "QP of type %d, %d to %d, mask 0x%x", qp->qp_type, from, to, mask);
}

static void try_transition(struct ktap *t, struct ktm_host *h, struct ib_qp *qp,
			   enum ib_qp_state from, enum ib_qp_state to)
{
	int mask = needed(qp->qp_type, from, to), bit;

	if (!allowed(qp->qp_type, from, to)) {
		attempt(t, h, qp, from, to, IB_QP_STATE, false);
		attempt(t, h, qp, from, to, ktm_mask(qp->qp_type, to), false);
		return;
	}
	/* Each of the attributes is needed, and there are others that are not accepted. */
	for (bit = 1; bit < 32; bit++)
		if (mask & BIT(bit))
			attempt(t, h, qp, from, to, mask & ~BIT(bit), false);
	attempt(t, h, qp, from, to, mask | IB_QP_CAP, false);
	if (to != IB_QPS_RTR)
		attempt(t, h, qp, from, to, mask | IB_QP_DEST_QPN, false);
	attempt(t, h, qp, from, to, mask, true);
}

static void test_transitions(struct ktap *t)
{
	enum ib_qp_state from, to;
	struct ib_xrcd *xrcd;
	struct ktm_host h;
	struct ib_qp *qp;
	int i;

	if (!ktm_start(t, &h, NULL))
		return;
	xrcd = ib_alloc_xrcd(h.dev);
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		for (from = IB_QPS_RESET; from <= IB_QPS_ERR; from++) {
			/* Errors on reliable connections lead to ERR. */
			if (from == IB_QPS_SQE && (is_reliable(types[i])))
				continue;
			for (to = IB_QPS_RESET; to <= IB_QPS_ERR; to++) {
				qp = make_qp(t, &h, xrcd, types[i]);
				if (IS_ERR(qp))
					continue;
				enter(t, &h, qp, from);
				try_transition(t, &h, qp, from, to);
				KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
			}
		}
	}
	KT_EXPECT_EQ(t, ib_dealloc_xrcd(xrcd), 0);
	ktm_end(t, &h);
}

static void test_current(struct ktap *t)
{
	int mask = ktm_mask(IB_QPT_RC, IB_QPS_RTS) | IB_QP_CUR_STATE;
	struct ib_qp_attr attr;
	struct ktm_host h;
	struct ib_qp *qp;

	if (!ktm_start(t, &h, NULL))
		return;
	qp = ktm_qp(t, &h, IB_QPT_RC);
	enter(t, &h, qp, IB_QPS_RTR);
	attr = ktm_attr(&h, &h, qp->qp_num);
	attr.qp_state = IB_QPS_RTS;
	attr.cur_qp_state = IB_QPS_SQD;
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, mask), -EINVAL);
	attr.cur_qp_state = IB_QPS_RTR;
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, mask), 0);
	/* Attributes without a state are those of a transition to the same state. */
	attr.min_rnr_timer = 20;
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_MIN_RNR_TIMER), 0);
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, IB_QP_TIMEOUT), -EINVAL);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	ktm_end(t, &h);
}

/* Refuses one value of an attribute in a transition. */
#define REFUSED(t, qp, attr, to, member, value)					\
do {										\
	struct ib_qp_attr wrong = (attr);					\
										\
	wrong.qp_state = (to);							\
	wrong.member = (value);							\
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &wrong, ktm_mask(IB_QPT_RC, to)), -EINVAL); \
} while (0)

static void test_values(struct ktap *t)
{
	struct ib_qp_init_attr init_attr;
	struct ib_qp_attr attr, seen;
	struct ktm_host h;
	struct ib_qp *qp;

	if (!ktm_start(t, &h, NULL))
		return;
	qp = ktm_qp(t, &h, IB_QPT_RC);
	attr = ktm_attr(&h, &h, qp->qp_num);
	REFUSED(t, qp, attr, IB_QPS_INIT, port_num, 2);
	REFUSED(t, qp, attr, IB_QPS_INIT, pkey_index, 1);
	ktm_ready(t, qp, &attr, IB_QPS_INIT);
	REFUSED(t, qp, attr, IB_QPS_RTR, max_dest_rd_atomic, MEMDEV_MAX_RD_ATOMIC + 1);
	REFUSED(t, qp, attr, IB_QPS_RTR, min_rnr_timer, 32);
	REFUSED(t, qp, attr, IB_QPS_RTR, path_mtu, IB_MTU_4096 + 1);
	attr.qp_state = IB_QPS_RTR;
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, ktm_mask(IB_QPT_RC, IB_QPS_RTR)), 0);
	REFUSED(t, qp, attr, IB_QPS_RTS, timeout, 32);
	REFUSED(t, qp, attr, IB_QPS_RTS, retry_cnt, 8);
	REFUSED(t, qp, attr, IB_QPS_RTS, rnr_retry, 8);
	REFUSED(t, qp, attr, IB_QPS_RTS, max_rd_atomic, MEMDEV_MAX_RD_ATOMIC + 1);
	attr.qp_state = IB_QPS_RTS;
	KT_EXPECT_EQ(t, ib_modify_qp(qp, &attr, ktm_mask(IB_QPT_RC, IB_QPS_RTS)), 0);

	memset(&seen, 0xee, sizeof(seen));
	KT_EXPECT_EQ(t, ib_query_qp(qp, &seen, IB_QP_STATE, &init_attr), 0);
	KT_EXPECT(t, seen.qp_state == IB_QPS_RTS && seen.cur_qp_state == IB_QPS_RTS);
	KT_EXPECT(t, seen.port_num == 1 && seen.path_mtu == IB_MTU_1024);
	KT_EXPECT(t, seen.dest_qp_num == qp->qp_num && seen.rq_psn == 0xfffffe);
	KT_EXPECT(t, seen.timeout == 10 && seen.retry_cnt == 2 && seen.rnr_retry == 7);
	KT_EXPECT(t, seen.min_rnr_timer == 12 && seen.max_rd_atomic == 1);
	KT_EXPECT(t, seen.ah_attr.ib.dlid == memdev_lid(h.dev, 1) && !seen.sq_draining);
	KT_EXPECT(t, seen.cap.max_send_wr == 16 && init_attr.qp_type == IB_QPT_RC);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	ktm_end(t, &h);
}

/* What can be posted in each state. */
static void test_posts(struct ktap *t)
{
	enum ib_qp_state state;
	struct ktm_host h;
	struct ib_qp *qp;

	if (!ktm_start(t, &h, NULL))
		return;
	for (state = IB_QPS_RESET; state <= IB_QPS_ERR; state++) {
		if (state == IB_QPS_SQE)
			continue;
		qp = ktm_qp(t, &h, IB_QPT_RC);
		enter(t, &h, qp, state);
		KT_EXPECT_EQ(t, ktm_recv(qp, &h, 1, 0, 8), state == IB_QPS_RESET ? -EINVAL : 0);
		if (state == IB_QPS_ERR)
			KTM_EXPECT(t, &h, 1, WR_FLUSH_ERR, RECV);
		KT_EXPECT_EQ(t, ktm_send(qp, &h, IB_WR_SEND, 2, 0, 8),
			     state < IB_QPS_RTS ? -EINVAL : 0);
		if (state == IB_QPS_RTS) {
			KTM_EXPECT(t, &h, 1, SUCCESS, RECV);
			KTM_EXPECT(t, &h, 2, SUCCESS, SEND);
		} else if (state == IB_QPS_ERR) {
			KTM_EXPECT(t, &h, 2, WR_FLUSH_ERR, SEND);
		}
		ktm_expect_none(t, &h);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	ktm_end(t, &h);
}

static void test_provider(struct ktap *t)
{
	struct ib_qp_init_attr init_attr;
	struct ktm_host h;
	struct ib_qp *qp;

	if (!ktm_start(t, &h, NULL))
		return;
	init_attr = ktm_init_attr(&h, IB_QPT_RAW_PACKET);
	KT_EXPECT_ERR(t, ib_create_qp(h.pd, &init_attr), -EOPNOTSUPP);
	init_attr = ktm_init_attr(&h, IB_QPT_RC);
	init_attr.cap.max_inline_data = MEMDEV_MAX_INLINE + 1;
	KT_EXPECT_ERR(t, ib_create_qp(h.pd, &init_attr), -EINVAL);
	init_attr.cap.max_inline_data = 0;
	fakedev_fail(h.fd, FAKEDEV_CREATE_QP, 1, -EIO);
	KT_EXPECT_ERR(t, ib_create_qp(h.pd, &init_attr), -EIO);
	qp = ktm_qp(t, &h, IB_QPT_RC);
	enter(t, &h, qp, IB_QPS_RTS);
	fakedev_fail(h.fd, FAKEDEV_MODIFY_QP, 1, -EIO);
	KT_EXPECT_EQ(t, ktm_modify(qp, IB_QPS_ERR), -EIO);
	KT_EXPECT_EQ(t, ktm_state(qp), IB_QPS_RTS);
	fakedev_fail(h.fd, FAKEDEV_DESTROY_QP, 1, -EIO);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), -EIO);
	/* The QP works as before. */
	KT_EXPECT_EQ(t, ktm_recv(qp, &h, 1, 0, 8), 0);
	KT_EXPECT_EQ(t, ktm_send(qp, &h, IB_WR_SEND, 2, 0, 8), 0);
	KTM_EXPECT(t, &h, 1, SUCCESS, RECV);
	KTM_EXPECT(t, &h, 2, SUCCESS, SEND);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	ktm_end(t, &h);
}

static const struct ktap_case state_cases[] = {
	{ "each transition of each type", test_transitions },
	{ "the present state as an attribute", test_current },
	{ "values of attributes, and a query", test_values },
	{ "what can be posted in each state", test_posts },
	{ "errors of the provider", test_provider },
};

KTAP_SUITE(ktm_state_suite, "memdev states", state_cases);
