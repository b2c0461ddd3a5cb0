// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests of what datagrams carry: payload by content, headers, immediate and inline data. */
#include "kt_sib.h"

/* Sends datagrams of a length with immediate data and without. */
static void one_length(struct ktap *t, struct ksb_pair *p, u32 length)
{
	struct ksb_msg msg = ksb_msg(p, length);

	msg.seed = length % 251;
	msg.offset = msg.seed % 8;
	msg.opcode = IB_WR_SEND_WITH_IMM;
	msg.imm = 0x12345678 + length;
	KT_EXPECT_EQ(t, ksb_deliver(t, &p->b, &msg).wc_flags, IB_WC_WITH_IMM);
	msg.opcode = IB_WR_SEND;
	KT_EXPECT_EQ(t, ksb_deliver(t, &p->b, &msg).wc_flags, 0);
}

static void test_lengths(struct ktap *t, struct ksb_pair *p)
{
	u32 length, nr = 0;

	for (length = 0; length <= KSB_MTU; length++) {
		if (length > 70 && length < KSB_MTU - 70 && (length + 1) % 256 > 2)
			continue;
		one_length(t, p, length);
		nr += 2;
	}
	ksb_changed(t, &p->a, "tx_datagrams", nr);
	ksb_changed(t, &p->b, "rx_datagrams", nr);
}

/* Inline data is at an address of the poster, whatever the lkey is. */
static void test_inline(struct ktap *t, struct ksb_pair *p)
{
	struct ksb_msg msg = ksb_msg(p, 0);

	msg.flags |= IB_SEND_INLINE;
	msg.lkey = 0xbad00;
	msg.seed = 9;
	for (; msg.length <= KSB_INLINE; msg.length += 16)
		ksb_deliver(t, &p->b, &msg);
	msg.length = KSB_INLINE + 1;
	KT_EXPECT_EQ(t, ksb_post(&msg), -EINVAL);
	KT_EXPECT_EQ(t, ksb_state(p->a.qp), IB_QPS_RTS);
}

/* The elements of a request, and those of a receive, may divide the message in any way. */
static void test_elements(struct ktap *t, struct ksb_pair *p)
{
	static const u32 parts[KSB_SGES] = { 1, 0, 1000, 7 }, room[KSB_SGES] = { 39, 3, 500, 600 };
	struct ib_sge from[KSB_SGES], to[KSB_SGES];
	struct ib_recv_wr recv = { .wr_id = 1, .sg_list = to, .num_sge = KSB_SGES };
	const u32 total = 1008;
	struct ksb_msg msg = ksb_msg(p, total);
	struct ib_ud_wr wr = ksb_wr(&msg, from, KSB_SGES);
	u8 *whole = p->b.buf;
	u32 i, out = 0, in = 0;
	struct ib_wc wc;

	kt_fill(p->a.buf, total, 3);
	for (i = 0; i < KSB_SGES; i++) {
		from[i] = ksb_sge(&p->a, p->a.buf + out, parts[i]);
		to[i] = ksb_sge(&p->b, ksb_slot(&p->b, i), room[i]);
		out += parts[i];
	}
	KT_EXPECT_EQ(t, ib_post_recv(p->b.qp, &recv, NULL), 0);
	KT_EXPECT_EQ(t, ib_post_send(p->a.qp, &wr.wr, NULL), 0);
	ksb_expect(t, &p->a, KSB_SEND, IB_WC_SUCCESS);
	wc = ksb_expect(t, &p->b, 1, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, wc.byte_len, KSB_GRH + total);
	/* Put the pieces together. Nothing is written between them. */
	for (i = 0; i < KSB_SGES; i++) {
		memcpy(whole + in, ksb_slot(&p->b, i), room[i]);
		KT_EXPECT(t, !memchr_inv(ksb_slot(&p->b, i) + room[i], KSB_UNTOUCHED,
					 KSB_SLOT - room[i]));
		in += room[i];
	}
	KT_EXPECT(t, kt_is(whole + KSB_GRH, total, 3));
	KT_EXPECT_EQ(t, whole[KSB_GRH + total], KSB_UNTOUCHED);
}

/* A list of requests is sent in order; only signalled ones complete. */
static void test_list(struct ktap *t, struct ksb_pair *p)
{
	struct ksb_msg msg = ksb_msg(p, 1);
	struct ib_ud_wr wr[5];
	struct ib_sge sge[5];
	int i;

	for (i = 0; i < 5; i++) {
		kt_fill(p->a.buf + i, 1, i + 1);
		sge[i] = ksb_sge(&p->a, p->a.buf + i, 1);
		msg.flags = i & 1 ? IB_SEND_SIGNALED : 0;
		wr[i] = ksb_wr(&msg, &sge[i], 1);
		wr[i].wr.wr_id = 100 + i;
		wr[i].wr.next = i < 4 ? &wr[i + 1].wr : NULL;
		ksb_recv(t, &p->b, i, 64);
	}
	KT_EXPECT_EQ(t, ib_post_send(p->a.qp, &wr[0].wr, NULL), 0);
	ksb_expect(t, &p->a, 101, IB_WC_SUCCESS);
	ksb_expect(t, &p->a, 103, IB_WC_SUCCESS);
	for (i = 0; i < 5; i++) {
		msg.seed = i + 1;
		ksb_expect_data(t, &p->b, i, &msg);
	}
}

/*
 * A QP may send to itself, and to another one of its port, without the switch. The receive
 * completes before the send.
 */
static void test_own_lid(struct ktap *t, struct ksb_pair *p)
{
	struct ib_qp *other = ksb_qp(t, &p->a, IB_QPS_RTS);
	struct ksb_msg msg = ksb_own_msg(p, 100);

	if (!other)
		return;
	ksb_deliver(t, &p->a, &msg);
	msg.qpn = other->qp_num;
	KT_EXPECT_EQ(t, ksb_post_recv(&p->a, other, 2, KSB_SLOT), 0);
	KT_EXPECT_EQ(t, ksb_post(&msg), 0);
	ksb_expect_sent(t, &p->a, 2, &msg);
	KT_EXPECT_EQ(t, ib_destroy_qp(other), 0);
}

/* Has a QP of a domain with a key of all memory receive with this key. */
static void receive_by(struct ktap *t, struct ksb_pair *p, struct ib_pd *pd)
{
	struct ib_sge sge = ksb_sge(&p->b, ksb_slot(&p->b, 3), KSB_GRH + 50);
	struct ib_recv_wr recv = { .wr_id = 3, .sg_list = &sge, .num_sge = 1 };
	struct ib_qp_init_attr init = ksb_init_attr(&p->b);
	struct ib_qp *qp = ksb_qp_with(t, pd, &init, IB_QPS_RTS);
	struct ksb_msg msg = ksb_msg(p, 50);

	if (!qp)
		return;
	sge.lkey = pd->unsafe_global_rkey;
	KT_EXPECT_EQ(t, ib_post_recv(qp, &recv, NULL), 0);
	msg.qpn = qp->qp_num;
	ksb_send(t, &msg, IB_WC_SUCCESS);
	ksb_expect_data(t, &p->b, 3, &msg);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
}

/* The lkey of a region of all memory works like that of the device. */
static void test_region(struct ktap *t, struct ksb_pair *p)
{
	struct ib_pd *pd = ib_alloc_pd(p->b.dev, IB_PD_UNSAFE_GLOBAL_RKEY);

	if (!KT_EXPECT_ERR(t, pd, 0))
		return;
	KT_EXPECT(t, pd->unsafe_global_rkey != pd->local_dma_lkey);
	receive_by(t, p, pd);
	ib_dealloc_pd(pd);
}

static const struct ktap_case data_cases[] = {
	KSB_CASE("each length around the ends and the words, with immediate data and without",
		 test_lengths),
	KSB_CASE("inline data", test_inline),
	KSB_CASE("several elements", test_elements),
	KSB_CASE("a list of requests", test_list),
	KSB_CASE("the own LID", test_own_lid),
	KSB_CASE("a region of all memory", test_region),
};

KTAP_SUITE(ksb_data_suite, "sib data", data_cases);
