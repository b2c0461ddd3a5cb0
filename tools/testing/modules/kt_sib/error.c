// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests of requests that fail: refused when they are posted, ended with an error, or flushed. */
#include "kt_sib.h"

/* Brings a QP back from SQE, and expects that it sends. */
static void expect_recovery(struct ktap *t, struct ksb_pair *p)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RTS, .cur_qp_state = IB_QPS_SQE };
	struct ksb_msg msg = ksb_msg(p, 20);

	KT_EXPECT_EQ(t, ksb_state(p->qa), IB_QPS_SQE);
	ksb_send(t, p, &msg, IB_WC_WR_FLUSH_ERR);
	ksb_send(t, p, &msg, IB_WC_WR_FLUSH_ERR);
	KT_EXPECT_EQ(t, ib_modify_qp(p->qa, &attr, IB_QP_STATE | IB_QP_CUR_STATE), 0);
	KT_EXPECT_EQ(t, ksb_recv(&p->b, p->qb, 99, 0, 60), 0);
	ksb_send(t, p, &msg, IB_WC_SUCCESS);
	ksb_expect(t, &p->b, 99, IB_WC_SUCCESS);
}

static void test_too_long(struct ktap *t)
{
	struct ksb_pair p;
	struct ksb_msg msg;

	if (!ksb_start(t, &p))
		return;
	msg = ksb_msg(&p, KSB_MTU + 1);
	ksb_send(t, &p, &msg, IB_WC_LOC_LEN_ERR);
	ksb_changed(t, &p.a, "tx_datagrams", 0);
	expect_recovery(t, &p);
	msg.length = KSB_BUF;
	msg.flags = 0;
	/* A request that fails completes also if it is not signalled. */
	ksb_send(t, &p, &msg, IB_WC_LOC_LEN_ERR);
	expect_recovery(t, &p);
	ksb_end(t, &p);
}

static void test_bad_memory(struct ktap *t)
{
	struct ksb_pair p;
	struct ksb_msg msg;

	if (!ksb_start(t, &p))
		return;
	msg = ksb_msg(&p, 20);
	msg.lkey = 0xbad00;
	ksb_send(t, &p, &msg, IB_WC_LOC_PROT_ERR);
	ksb_changed(t, &p.a, "tx_datagrams", 0);
	ksb_changed(t, &p.b, "rx_datagrams", 0);
	expect_recovery(t, &p);
	ksb_end(t, &p);
}

/* In SQE a QP still receives, and its receives are not flushed. */
static void test_receive_in_sqe(struct ktap *t)
{
	struct rdma_ah_attr attr;
	struct ksb_pair p;
	struct ksb_msg msg;

	if (!ksb_start(t, &p))
		return;
	KT_EXPECT_EQ(t, ksb_recv(&p.a, p.qa, 1, 1024, 60), 0);
	msg = ksb_msg(&p, KSB_MTU + 1);
	ksb_send(t, &p, &msg, IB_WC_LOC_LEN_ERR);
	attr = ksb_ah_attr(p.a.lid);
	msg = ksb_msg(&p, 20);
	msg.ah = rdma_create_ah(p.b.pd, &attr);
	msg.qpn = p.qa->qp_num;
	msg.lkey = p.b.pd->local_dma_lkey;
	if (KT_EXPECT_ERR(t, msg.ah, 0)) {
		KT_EXPECT_EQ(t, ksb_post(&p.b, p.qb, &msg), 0);
		ksb_expect(t, &p.b, KSB_SEND, IB_WC_SUCCESS);
		ksb_expect(t, &p.a, 1, IB_WC_SUCCESS);
		KT_EXPECT_EQ(t, rdma_destroy_ah(msg.ah, 0), 0);
	}
	expect_recovery(t, &p);
	ksb_end(t, &p);
}

/* A receive whose memory is wrong ends with an error, and the datagram is lost. */
static void test_bad_receive(struct ktap *t)
{
	struct ib_sge sge = { .length = 100, .lkey = 0xbad00 };
	struct ib_recv_wr wr = { .wr_id = 6, .sg_list = &sge, .num_sge = 1 };
	struct ksb_pair p;
	struct ksb_msg msg;

	if (!ksb_start(t, &p))
		return;
	sge.addr = (uintptr_t)p.b.buf;
	memset(p.b.buf, 0xbb, KSB_BUF);
	KT_EXPECT_EQ(t, ib_post_recv(p.qb, &wr, NULL), 0);
	msg = ksb_msg(&p, 20);
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	ksb_expect(t, &p.b, 6, IB_WC_LOC_PROT_ERR);
	ksb_changed(t, &p.b, "rx_memory_errors", 1);
	KT_EXPECT(t, !memchr_inv(p.b.buf, 0xbb, KSB_BUF));
	ksb_end(t, &p);
}

/* What can be seen when a request is posted is refused then, and does not harm the QP. */
static void test_refused(struct ktap *t)
{
	static const enum ib_wr_opcode opcodes[] = {
		IB_WR_RDMA_WRITE, IB_WR_RDMA_READ, IB_WR_ATOMIC_CMP_AND_SWP, IB_WR_REG_MR,
		IB_WR_LOCAL_INV, IB_WR_SEND_WITH_INV,
	};
	struct ksb_pair p;
	struct ksb_msg msg;
	int i;

	if (!ksb_start(t, &p))
		return;
	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		msg = ksb_msg(&p, 8);
		msg.opcode = opcodes[i];
		KT_EXPECT(t, ksb_post(&p.a, p.qa, &msg) < 0);
	}
	msg = ksb_msg(&p, 8);
	msg.ah = NULL;
	KT_EXPECT_EQ(t, ksb_post(&p.a, p.qa, &msg), -EINVAL);
	ksb_changed(t, &p.a, "tx_datagrams", 0);
	KT_EXPECT_EQ(t, ksb_state(p.qa), IB_QPS_RTS);
	ksb_end(t, &p);
}

/* Of a list, requests are posted up to the one that is refused, which is named. */
static void test_refused_in_list(struct ktap *t)
{
	struct ib_ud_wr wr[3] = {};
	const struct ib_send_wr *bad = NULL;
	struct ksb_pair p;
	int i;

	if (!ksb_start(t, &p))
		return;
	KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, 1, 0, 60), 0);
	for (i = 0; i < 3; i++) {
		wr[i].ah = p.ah;
		wr[i].remote_qpn = p.qb->qp_num;
		wr[i].remote_qkey = KSB_QKEY;
		wr[i].wr.wr_id = i;
		wr[i].wr.opcode = i == 1 ? IB_WR_RDMA_READ : IB_WR_SEND;
		wr[i].wr.send_flags = IB_SEND_SIGNALED;
		wr[i].wr.next = i < 2 ? &wr[i + 1].wr : NULL;
	}
	KT_EXPECT_EQ(t, ib_post_send(p.qa, &wr[0].wr, &bad), -EOPNOTSUPP);
	KT_EXPECT(t, bad == &wr[1].wr);
	ksb_expect(t, &p.a, 0, IB_WC_SUCCESS);
	ksb_expect(t, &p.b, 1, IB_WC_SUCCESS);
	ksb_changed(t, &p.b, "rx_datagrams", 1);
	ksb_end(t, &p);
}

static void test_elements_refused(struct ktap *t)
{
	struct ib_sge sge[KSB_SGES + 1] = {};
	struct ib_recv_wr recv = { .sg_list = sge, .num_sge = KSB_SGES + 1 };
	const struct ib_recv_wr *bad_recv = NULL;
	struct ib_ud_wr wr = { .remote_qkey = KSB_QKEY };
	struct ksb_pair p;
	int i;

	if (!ksb_start(t, &p))
		return;
	wr.ah = p.ah;
	wr.remote_qpn = p.qb->qp_num;
	wr.wr.opcode = IB_WR_SEND;
	wr.wr.sg_list = sge;
	wr.wr.num_sge = KSB_SGES + 1;
	KT_EXPECT_EQ(t, ib_post_send(p.qa, &wr.wr, NULL), -EINVAL);
	KT_EXPECT_EQ(t, ib_post_recv(p.qb, &recv, &bad_recv), -EINVAL);
	KT_EXPECT(t, bad_recv == &recv);
	/* Lengths whose sum is beyond 32 bits. */
	for (i = 0; i < 3; i++)
		sge[i] = (struct ib_sge) { (uintptr_t)p.a.buf, 0x80000000,
					   p.a.pd->local_dma_lkey };
	wr.wr.num_sge = 3;
	KT_EXPECT_EQ(t, ib_post_send(p.qa, &wr.wr, NULL), -EINVAL);
	KT_EXPECT_EQ(t, ksb_state(p.qa), IB_QPS_RTS);
	for (i = 0; i < KSB_DEPTH; i++)
		KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, i, 0, 60), 0);
	KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, i, 0, 60), -ENOMEM);
	ksb_end(t, &p);
}

/* In ERR, receives are flushed in their order, those that are posted later after them. */
static void test_flush(struct ktap *t)
{
	struct ksb_pair p;
	struct ksb_msg msg;
	int i;

	if (!ksb_start(t, &p))
		return;
	for (i = 0; i < KSB_DEPTH; i++)
		KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, i, 0, 60), 0);
	msg = ksb_msg(&p, 20);
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	ksb_expect(t, &p.b, 0, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, ksb_modify(p.qb, IB_QPS_ERR), 0);
	KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, KSB_DEPTH, 0, 60), 0);
	for (i = 1; i <= KSB_DEPTH; i++)
		ksb_expect(t, &p.b, i, IB_WC_WR_FLUSH_ERR);
	ksb_note(&p.b);
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	ksb_changed(t, &p.b, "rx_no_qp", 1);
	KT_EXPECT_EQ(t, ksb_modify(p.qa, IB_QPS_ERR), 0);
	ksb_send(t, &p, &msg, IB_WC_WR_FLUSH_ERR);
	msg.flags = 0;
	ksb_send(t, &p, &msg, IB_WC_WR_FLUSH_ERR);
	ksb_end(t, &p);
}

/* RESET removes receives and completions without a word. */
static void test_reset(struct ktap *t)
{
	struct ksb_pair p;
	struct ksb_msg msg;

	if (!ksb_start(t, &p))
		return;
	KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, 1, 0, 60), 0);
	KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, 2, 0, 60), 0);
	msg = ksb_msg(&p, 20);
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, ksb_modify(p.qb, IB_QPS_RESET), 0);
	ksb_expect_none(t, &p.b);
	ksb_ready(t, p.qb, IB_QPS_RTS);
	ksb_note(&p.b);
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	ksb_changed(t, &p.b, "rx_no_receive", 1);
	ksb_end(t, &p);
}

static const struct ktap_case error_cases[] = {
	{ "a datagram that is longer than the MTU", test_too_long },
	{ "memory that cannot be read", test_bad_memory },
	{ "receives go on in SQE", test_receive_in_sqe },
	{ "memory that cannot be written", test_bad_receive },
	{ "requests that are refused", test_refused },
	{ "a request of a list that is refused", test_refused_in_list },
	{ "elements and receives that are too many", test_elements_refused },
	{ "the order of flushed requests", test_flush },
	{ "RESET", test_reset },
};

KTAP_SUITE(ksb_error_suite, "sib errors", error_cases);
