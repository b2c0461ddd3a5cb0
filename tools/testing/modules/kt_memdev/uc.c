// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of unreliable connections: the sender does not learn what became of its messages.
 */
#include "kt_memdev.h"

static void test_data(struct ktap *t)
{
	struct ktm_pair p;
	struct ib_wc wc;

	if (!ktm_start_pair(t, &p, IB_QPT_UC))
		return;
	kt_fill(p.a.buf, 5000, 4);
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 1, 0, 5000), 0);
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND_WITH_IMM, 2, 0, 5000), 0);
	KTM_EXPECT(t, &p.a, 2, SUCCESS, SEND);
	wc = KTM_EXPECT(t, &p.b, 1, SUCCESS, RECV);
	KT_EXPECT(t, wc.byte_len == 5000 && wc.wc_flags == IB_WC_WITH_IMM);
	KT_EXPECT(t, kt_is(p.b.buf, 5000, 4));
	if (ktm_register(t, &p.b, p.qb, KTM_ACCESS)) {
		memset(p.b.buf, 0xbb, KTM_BUF);
		KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 3, 0, 1), 0);
		KT_EXPECT_EQ(t, ktm_rdma(p.qa, &p.a, IB_WR_RDMA_WRITE_WITH_IMM, 4, 0, 5000,
					 p.b.mr->iova + 100, p.b.mr->rkey), 0);
		KTM_EXPECT(t, &p.a, 4, SUCCESS, RDMA_WRITE);
		wc = KTM_EXPECT(t, &p.b, 3, SUCCESS, RECV_RDMA_WITH_IMM);
		KT_EXPECT(t, be32_to_cpu(wc.ex.imm_data) == 0x11220004);
		KT_EXPECT(t, kt_is(p.b.buf + 100, 5000, 4) && p.b.buf[99] == 0xbb);
	}
	ktm_end_pair(t, &p);
}

/* These operations need a reliable connection. */
static void test_unsupported(struct ktap *t)
{
	static const enum ib_wr_opcode opcodes[] = {
		IB_WR_RDMA_READ, IB_WR_ATOMIC_CMP_AND_SWP, IB_WR_ATOMIC_FETCH_AND_ADD,
		IB_WR_SEND_WITH_INV, IB_WR_RDMA_READ_WITH_INV, IB_WR_LSO, IB_WR_RESERVED10,
	};
	struct ib_atomic_wr wr = {};
	struct ktm_pair p;
	int i;

	if (!ktm_start_pair(t, &p, IB_QPT_UC))
		return;
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		wr.wr.opcode = opcodes[i];
		KT_EXPECT_EQ(t, ib_post_send(p.qa, &wr.wr, NULL), -EINVAL);
	}
	ktm_end_pair(t, &p);
}

/* Messages that the receiver drops, and does not notice. */
static void test_uc_dropped(struct ktap *t)
{
	struct ktm_pair p;
	u64 addr;
	u32 key;

	if (!ktm_start_pair(t, &p, IB_QPT_UC))
		return;
	if (!ktm_register(t, &p.b, p.qb, IB_ACCESS_REMOTE_READ))
		goto out;
	memset(p.b.buf, 0xbb, KTM_BUF);
	addr = p.b.mr->iova;
	key = p.b.mr->rkey;
	/* No receive request; one that is too short, which stays; no right to write. */
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND, 1, 0, 8), 0);
	KTM_EXPECT(t, &p.a, 1, SUCCESS, SEND);
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 2, 0, 8), 0);
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND, 3, 0, 9), 0);
	KTM_EXPECT(t, &p.a, 3, SUCCESS, SEND);
	KT_EXPECT_EQ(t, ktm_rdma(p.qa, &p.a, IB_WR_RDMA_WRITE_WITH_IMM, 4, 0, 8, addr, key), 0);
	KTM_EXPECT(t, &p.a, 4, SUCCESS, RDMA_WRITE);
	KT_EXPECT_EQ(t, ktm_rdma(p.qa, &p.a, IB_WR_RDMA_WRITE, 5, 0, 8, addr, key + 1), 0);
	KTM_EXPECT(t, &p.a, 5, SUCCESS, RDMA_WRITE);
	ktm_expect_none(t, &p.b);
	KT_EXPECT(t, !memchr_inv(p.b.buf, 0xbb, KTM_BUF));
	KT_EXPECT_EQ(t, p.b.qp_events, 0);

	/* What was lost does not disturb the next message. */
	kt_fill(p.a.buf, 8, 1);
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND, 6, 0, 8), 0);
	KTM_EXPECT(t, &p.a, 6, SUCCESS, SEND);
	KTM_EXPECT(t, &p.b, 2, SUCCESS, RECV);
	KT_EXPECT(t, kt_is(p.b.buf, 8, 1));
	KT_EXPECT_EQ(t, ktm_modify(p.qb, IB_QPS_RESET), 0);
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND, 7, 0, 8), 0);
	KTM_EXPECT(t, &p.a, 7, SUCCESS, SEND);
out:
	ktm_end_pair(t, &p);
}

/* The receiver fails at its own memory, the sender at its own: its receive queue still works. */
static void test_uc_errors(struct ktap *t)
{
	struct ib_sge sge = { .length = 64, .lkey = 0xbad00 };
	struct ib_recv_wr wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1 };
	struct ktm_pair p;
	struct ktm_wr w;

	if (!ktm_start_pair(t, &p, IB_QPT_UC))
		return;
	ktm_wr(&w, &p.a, IB_WR_SEND, 2, 0, 8);
	w.sge.lkey = 0xbad00;
	KT_EXPECT_EQ(t, ib_post_send(p.qa, &w.xrc.rdma.wr, NULL), 0);
	KTM_EXPECT(t, &p.a, 2, LOC_PROT_ERR, SEND);
	KT_EXPECT_EQ(t, ktm_state(p.qa), IB_QPS_SQE);
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND, 3, 0, 8), 0);
	KTM_EXPECT(t, &p.a, 3, WR_FLUSH_ERR, SEND);
	KT_EXPECT_EQ(t, ktm_recv(p.qa, &p.a, 4, 0, 8), 0);
	KT_EXPECT_EQ(t, ktm_send(p.qb, &p.b, IB_WR_SEND, 5, 0, 8), 0);
	KTM_EXPECT(t, &p.a, 4, SUCCESS, RECV);
	KTM_EXPECT(t, &p.b, 5, SUCCESS, SEND);
	KT_EXPECT_EQ(t, ktm_modify(p.qa, IB_QPS_RTS), 0);

	KT_EXPECT_EQ(t, ib_post_recv(p.qb, &wr, NULL), 0);
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND, 6, 0, 8), 0);
	KTM_EXPECT(t, &p.a, 6, SUCCESS, SEND);
	KTM_EXPECT(t, &p.b, 1, LOC_PROT_ERR, RECV);
	KT_EXPECT_EQ(t, ktm_state(p.qb), IB_QPS_ERR);
	KT_EXPECT_EQ(t, ktm_state(p.qa), IB_QPS_RTS);
	ktm_end_pair(t, &p);
}

static const struct ktap_case uc_cases[] = {
	{ "sends and RDMA writes", test_data },
	{ "operations that need a reliable connection", test_unsupported },
	{ "messages that are dropped", test_uc_dropped },
	{ "errors of either end", test_uc_errors },
};

KTAP_SUITE(ktm_uc_suite, "memdev UC", uc_cases);
