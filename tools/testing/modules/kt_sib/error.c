// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests of requests that fail: refused when they are posted, ended with an error, or flushed. */
#include "kt_sib.h"

/* Brings a QP back from SQE by the attributes of @mask, and expects that it sends. */
static void expect_recovery(struct ktap *t, struct ksb_pair *p, int mask)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RTS, .cur_qp_state = IB_QPS_SQE };
	struct ksb_msg msg = ksb_msg(p, 20);

	KT_EXPECT_EQ(t, ksb_state(p->a.qp), IB_QPS_SQE);
	ksb_send(t, &msg, IB_WC_WR_FLUSH_ERR);
	ksb_send(t, &msg, IB_WC_WR_FLUSH_ERR);
	KT_EXPECT_EQ(t, ib_modify_qp(p->a.qp, &attr, mask), 0);
	ksb_deliver(t, &p->b, &msg);
}

static void test_too_long(struct ktap *t, struct ksb_pair *p)
{
	struct ksb_msg msg = ksb_msg(p, KSB_MTU + 1);

	ksb_send(t, &msg, IB_WC_LOC_LEN_ERR);
	ksb_changed(t, &p->a, "tx_datagrams", 0);
	expect_recovery(t, p, IB_QP_STATE | IB_QP_CUR_STATE);
	msg.length = KSB_BUF;
	msg.flags = 0;
	/* A request that fails completes also if it is not signalled. */
	ksb_send(t, &msg, IB_WC_LOC_LEN_ERR);
	expect_recovery(t, p, IB_QP_STATE);
}

static void test_bad_memory(struct ktap *t, struct ksb_pair *p)
{
	struct ksb_msg msg = ksb_msg(p, 20);

	msg.lkey = 0xbad00;
	ksb_send(t, &msg, IB_WC_LOC_PROT_ERR);
	ksb_changed(t, &p->a, "tx_datagrams", 0);
	ksb_changed(t, &p->b, "rx_datagrams", 0);
	expect_recovery(t, p, IB_QP_STATE | IB_QP_CUR_STATE);
}

/*
 * In SQE a QP still receives: its receives are not flushed, and others can be posted. They get
 * datagrams of the other CA, and of a QP of the own port.
 */
static void test_receive_in_sqe(struct ktap *t, struct ksb_pair *p)
{
	struct ksb_msg failing = ksb_msg(p, KSB_MTU + 1), own = ksb_own_msg(p, 10), msg;
	struct ib_ah *back = ksb_ah(t, &p->b, p->a.lid, NULL);

	own.qp = ksb_qp(t, &p->a, IB_QPS_RTS);
	if (!back || !own.qp)
		goto out;
	ksb_recv(t, &p->a, 1, 60);
	ksb_send(t, &failing, IB_WC_LOC_LEN_ERR);
	msg = ksb_msg_to(&p->b, back, p->a.qp->qp_num, 20);
	KT_EXPECT_EQ(t, ksb_post(&msg), 0);
	ksb_expect_sent(t, &p->a, 1, &msg);
	ksb_deliver(t, &p->a, &own);
	expect_recovery(t, p, IB_QP_STATE);
out:
	if (own.qp)
		KT_EXPECT_EQ(t, ib_destroy_qp(own.qp), 0);
	if (back)
		KT_EXPECT_EQ(t, rdma_destroy_ah(back, 0), 0);
}

/* A receive whose memory is wrong ends with an error, and the datagram is lost. */
static void test_bad_receive(struct ktap *t, struct ksb_pair *p)
{
	struct ib_sge sge = ksb_sge(&p->b, p->b.slots, 100);
	struct ib_recv_wr wr = { .wr_id = 6, .sg_list = &sge, .num_sge = 1 };
	struct ksb_msg msg = ksb_msg(p, 20);

	sge.lkey = 0xbad00;
	KT_EXPECT_EQ(t, ib_post_recv(p->b.qp, &wr, NULL), 0);
	ksb_send(t, &msg, IB_WC_SUCCESS);
	ksb_expect(t, &p->b, 6, IB_WC_LOC_PROT_ERR);
	ksb_changed(t, &p->b, "rx_memory_errors", 1);
	KT_EXPECT(t, ksb_is_untouched(&p->b));
}

/* What can be seen when a request is posted is refused then, and does not harm the QP. */
static void test_refused(struct ktap *t, struct ksb_pair *p)
{
	static const enum ib_wr_opcode opcodes[] = {
		IB_WR_RDMA_WRITE, IB_WR_RDMA_READ, IB_WR_ATOMIC_CMP_AND_SWP, IB_WR_REG_MR,
		IB_WR_LOCAL_INV, IB_WR_SEND_WITH_INV,
	};
	struct ksb_msg msg = ksb_msg(p, 8);
	int i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		msg.opcode = opcodes[i];
		KT_EXPECT(t, ksb_post(&msg) < 0);
	}
	msg = ksb_msg(p, 8);
	msg.ah = NULL;
	KT_EXPECT_EQ(t, ksb_post(&msg), -EINVAL);
	ksb_changed(t, &p->a, "tx_datagrams", 0);
	KT_EXPECT_EQ(t, ksb_state(p->a.qp), IB_QPS_RTS);
}

/* Of a list, requests are posted up to the one that is refused, which is named. */
static void test_refused_in_list(struct ktap *t, struct ksb_pair *p)
{
	struct ksb_msg msg = ksb_msg(p, 0);
	const struct ib_send_wr *bad = NULL;
	struct ib_ud_wr wr[3];
	int i;

	ksb_recv(t, &p->b, 1, 60);
	for (i = 0; i < 3; i++) {
		msg.opcode = i == 1 ? IB_WR_RDMA_READ : IB_WR_SEND;
		wr[i] = ksb_wr(&msg, NULL, 0);
		wr[i].wr.wr_id = i;
		wr[i].wr.next = i < 2 ? &wr[i + 1].wr : NULL;
	}
	KT_EXPECT_EQ(t, ib_post_send(p->a.qp, &wr[0].wr, &bad), -EOPNOTSUPP);
	KT_EXPECT(t, bad == &wr[1].wr);
	ksb_expect(t, &p->a, 0, IB_WC_SUCCESS);
	ksb_expect_data(t, &p->b, 1, &msg);
	ksb_changed(t, &p->b, "rx_datagrams", 1);
}

static void test_elements_refused(struct ktap *t, struct ksb_pair *p)
{
	struct ib_sge sge[KSB_SGES + 1] = {};
	struct ib_recv_wr recv = { .sg_list = sge, .num_sge = KSB_SGES + 1 };
	const struct ib_recv_wr *bad_recv = NULL;
	struct ksb_msg msg = ksb_msg(p, 0);
	struct ib_ud_wr wr = ksb_wr(&msg, sge, KSB_SGES + 1);
	int i;

	KT_EXPECT_EQ(t, ib_post_send(p->a.qp, &wr.wr, NULL), -EINVAL);
	KT_EXPECT_EQ(t, ib_post_recv(p->b.qp, &recv, &bad_recv), -EINVAL);
	KT_EXPECT(t, bad_recv == &recv);
	/* Lengths whose sum is beyond 32 bits. */
	for (i = 0; i < 3; i++)
		sge[i] = ksb_sge(&p->a, p->a.buf, 0x80000000);
	wr.wr.num_sge = 3;
	KT_EXPECT_EQ(t, ib_post_send(p->a.qp, &wr.wr, NULL), -EINVAL);
	KT_EXPECT_EQ(t, ksb_state(p->a.qp), IB_QPS_RTS);
	ksb_recv_all(t, &p->b, p->b.qp, 60);
	KT_EXPECT_EQ(t, ksb_post_recv(&p->b, p->b.qp, KSB_DEPTH, 60), -ENOMEM);
}

/*
 * In ERR, receives are flushed in their order, those that are posted later after them. RESET ends
 * it, and nothing can be posted then.
 */
static void test_flush(struct ktap *t, struct ksb_pair *p)
{
	struct ksb_msg msg = ksb_msg(p, 20);
	int i;

	ksb_recv_all(t, &p->b, p->b.qp, 60);
	ksb_send(t, &msg, IB_WC_SUCCESS);
	ksb_expect_data(t, &p->b, 0, &msg);
	KT_EXPECT_EQ(t, ksb_modify(p->b.qp, IB_QPS_ERR), 0);
	ksb_recv(t, &p->b, KSB_DEPTH, 60);
	for (i = 1; i <= KSB_DEPTH; i++)
		ksb_expect(t, &p->b, i, IB_WC_WR_FLUSH_ERR);
	ksb_note(&p->b);
	ksb_send(t, &msg, IB_WC_SUCCESS);
	ksb_changed(t, &p->b, "rx_no_qp", 1);
	KT_EXPECT_EQ(t, ksb_modify(p->a.qp, IB_QPS_ERR), 0);
	ksb_send(t, &msg, IB_WC_WR_FLUSH_ERR);
	msg.flags = 0;
	ksb_send(t, &msg, IB_WC_WR_FLUSH_ERR);
	KT_EXPECT_EQ(t, ksb_modify(p->a.qp, IB_QPS_RESET), 0);
	KT_EXPECT_EQ(t, ksb_post(&msg), -EINVAL);
	KT_EXPECT_EQ(t, ksb_post_recv(&p->a, p->a.qp, 0, 60), -EINVAL);
}

/* RESET removes receives and completions without a word. */
static void test_reset(struct ktap *t, struct ksb_pair *p)
{
	struct ksb_msg msg = ksb_msg(p, 20);

	ksb_recv(t, &p->b, 1, 60);
	ksb_recv(t, &p->b, 2, 60);
	ksb_send(t, &msg, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, ksb_modify(p->b.qp, IB_QPS_RESET), 0);
	ksb_expect_none(t, &p->b);
	ksb_ready(t, p->b.qp, IB_QPS_RTS);
	ksb_note(&p->b);
	ksb_send(t, &msg, IB_WC_SUCCESS);
	ksb_changed(t, &p->b, "rx_no_receive", 1);
}

static const struct ktap_case error_cases[] = {
	KSB_CASE("a datagram that is longer than the MTU", test_too_long),
	KSB_CASE("memory that cannot be read", test_bad_memory),
	KSB_CASE("receives go on in SQE", test_receive_in_sqe),
	KSB_CASE("memory that cannot be written", test_bad_receive),
	KSB_CASE("requests that are refused", test_refused),
	KSB_CASE("a request of a list that is refused", test_refused_in_list),
	KSB_CASE("elements and receives that are too many", test_elements_refused),
	KSB_CASE("the order of flushed requests", test_flush),
	KSB_CASE("RESET", test_reset),
};

KTAP_SUITE(ksb_error_suite, "sib errors", error_cases);
