// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests of what datagrams carry: payload by content, headers, immediate and inline data. */
#include "kt_sib.h"

/* Expects a datagram in the memory of a receive at offset 0, without a GRH, and returns it. */
static struct ib_wc expect_payload(struct ktap *t, struct ksb_pair *p, u64 id, u32 length, u8 seed)
{
	struct ib_wc wc = ksb_expect(t, &p->b, id, IB_WC_SUCCESS);

	KT_EXPECT_EQ(t, wc.opcode, IB_WC_RECV);
	KT_EXPECT_EQ(t, wc.byte_len, KSB_GRH + length);
	KT_EXPECT(t, wc.src_qp == p->qa->qp_num && wc.qp == p->qb && wc.port_num == 1);
	KT_EXPECT_EQ(t, wc.slid, p->a.lid);
	if (!KT_EXPECT(t, ksb_is(p->b.buf + KSB_GRH, length, seed)))
		ktap_note(t, "payload of %u bytes", length);
	/* Nothing is written behind the payload. */
	KT_EXPECT_EQ(t, p->b.buf[KSB_GRH + length], 0xbb);
	return wc;
}

static void one_length(struct ktap *t, struct ksb_pair *p, u32 length, u8 seed)
{
	struct ksb_msg msg = ksb_msg(p, length);

	msg.offset = seed % 8;
	ksb_fill(p->a.buf + msg.offset, length, seed);
	memset(p->b.buf, 0xbb, KSB_BUF);
	KT_EXPECT_EQ(t, ksb_recv(&p->b, p->qb, seed, 0, KSB_BUF), 0);
	ksb_send(t, p, &msg, IB_WC_SUCCESS);
	expect_payload(t, p, seed, length, seed);
	/* Without a GRH, its bytes stay as they are, or are zero. */
	KT_EXPECT(t, !memchr_inv(p->b.buf, 0xbb, KSB_GRH) || !memchr_inv(p->b.buf, 0, KSB_GRH));
}

static void test_lengths(struct ktap *t)
{
	struct ksb_pair p;
	u32 length, nr = 0;

	if (!ksb_start(t, &p))
		return;
	for (length = 0; length <= KSB_MTU; length++) {
		if (length > 70 && length < KSB_MTU - 70 && length % 256 > 1)
			continue;
		one_length(t, &p, length, length % 251);
		nr++;
	}
	ksb_changed(t, &p.a, "tx_datagrams", nr);
	ksb_changed(t, &p.b, "rx_datagrams", nr);
	ksb_end(t, &p);
}

static void test_immediate(struct ktap *t)
{
	struct ksb_pair p;
	struct ksb_msg msg;
	struct ib_wc wc;

	if (!ksb_start(t, &p))
		return;
	memset(p.b.buf, 0xbb, KSB_BUF);
	ksb_fill(p.a.buf, 33, 5);
	msg = ksb_msg(&p, 33);
	msg.opcode = IB_WR_SEND_WITH_IMM;
	msg.imm = 0x12345678;
	KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, 1, 0, KSB_BUF), 0);
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	wc = expect_payload(t, &p, 1, 33, 5);
	KT_EXPECT_EQ(t, wc.wc_flags, IB_WC_WITH_IMM);
	KT_EXPECT_EQ(t, be32_to_cpu(wc.ex.imm_data), 0x12345678);
	msg.opcode = IB_WR_SEND;
	KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, 2, 0, KSB_BUF), 0);
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	wc = expect_payload(t, &p, 2, 33, 5);
	KT_EXPECT_EQ(t, wc.wc_flags, 0);
	ksb_end(t, &p);
}

/* Inline data is at an address of the poster, whatever the lkey is. */
static void test_inline(struct ktap *t)
{
	struct ksb_pair p;
	struct ksb_msg msg;
	u32 length;

	if (!ksb_start(t, &p))
		return;
	for (length = 0; length <= KSB_INLINE; length += 16) {
		memset(p.b.buf, 0xbb, KSB_BUF);
		ksb_fill(p.a.buf, length, 9);
		msg = ksb_msg(&p, length);
		msg.flags |= IB_SEND_INLINE;
		msg.lkey = 0xbad00;
		KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, 1, 0, KSB_BUF), 0);
		ksb_send(t, &p, &msg, IB_WC_SUCCESS);
		expect_payload(t, &p, 1, length, 9);
	}
	msg.length = KSB_INLINE + 1;
	KT_EXPECT_EQ(t, ksb_post(&p.a, p.qa, &msg), -EINVAL);
	KT_EXPECT_EQ(t, ksb_state(p.qa), IB_QPS_RTS);
	ksb_end(t, &p);
}

/* The elements of a request, and those of a receive, may divide the message in any way. */
static void test_elements(struct ktap *t)
{
	static const u32 parts[KSB_SGES] = { 1, 0, 1000, 7 }, room[KSB_SGES] = { 39, 3, 500, 600 };
	struct ib_sge from[KSB_SGES], to[KSB_SGES];
	struct ib_recv_wr recv = { .wr_id = 1, .sg_list = to, .num_sge = KSB_SGES };
	struct ib_ud_wr wr = { .remote_qkey = KSB_QKEY };
	u32 i, out = 0, in = 0, total = 1008;
	struct ksb_pair p;
	struct ib_wc wc;
	u8 *whole;

	if (!ksb_start(t, &p))
		return;
	ksb_fill(p.a.buf, total, 3);
	memset(p.b.buf, 0xbb, KSB_BUF);
	for (i = 0; i < KSB_SGES; i++) {
		from[i] = (struct ib_sge) { (uintptr_t)p.a.buf + out, parts[i],
					    p.a.pd->local_dma_lkey };
		/* The pieces of the receiver are 2 KiB apart. */
		to[i] = (struct ib_sge) { (uintptr_t)p.b.buf + 2048 * i, room[i],
					  p.b.pd->local_dma_lkey };
		out += parts[i];
	}
	wr.ah = p.ah;
	wr.remote_qpn = p.qb->qp_num;
	wr.wr.wr_id = KSB_SEND;
	wr.wr.opcode = IB_WR_SEND;
	wr.wr.send_flags = IB_SEND_SIGNALED;
	wr.wr.sg_list = from;
	wr.wr.num_sge = KSB_SGES;
	KT_EXPECT_EQ(t, ib_post_recv(p.qb, &recv, NULL), 0);
	KT_EXPECT_EQ(t, ib_post_send(p.qa, &wr.wr, NULL), 0);
	ksb_expect(t, &p.a, KSB_SEND, IB_WC_SUCCESS);
	wc = ksb_expect(t, &p.b, 1, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, wc.byte_len, KSB_GRH + total);
	/* Put the pieces together behind the last one. */
	whole = p.b.buf + 2048 * KSB_SGES;
	for (i = 0; i < KSB_SGES; i++) {
		memcpy(whole + in, p.b.buf + 2048 * i, room[i]);
		in += room[i];
	}
	KT_EXPECT(t, ksb_is(whole + KSB_GRH, total, 3));
	KT_EXPECT_EQ(t, whole[KSB_GRH + total], 0xbb);
	ksb_end(t, &p);
}

/* A list of requests is sent in order; only signalled ones complete. */
static void test_list(struct ktap *t)
{
	struct ib_ud_wr wr[5] = {};
	struct ib_sge sge[5];
	struct ksb_pair p;
	struct ib_wc wc;
	int i;

	if (!ksb_start(t, &p))
		return;
	for (i = 0; i < 5; i++) {
		p.a.buf[i] = i + 1;
		sge[i] = (struct ib_sge) { (uintptr_t)p.a.buf + i, 1, p.a.pd->local_dma_lkey };
		wr[i].ah = p.ah;
		wr[i].remote_qpn = p.qb->qp_num;
		wr[i].remote_qkey = KSB_QKEY;
		wr[i].wr.wr_id = 100 + i;
		wr[i].wr.opcode = IB_WR_SEND;
		wr[i].wr.send_flags = i & 1 ? IB_SEND_SIGNALED : 0;
		wr[i].wr.sg_list = &sge[i];
		wr[i].wr.num_sge = 1;
		wr[i].wr.next = i < 4 ? &wr[i + 1].wr : NULL;
		KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, i, 64 * i, 64), 0);
	}
	KT_EXPECT_EQ(t, ib_post_send(p.qa, &wr[0].wr, NULL), 0);
	ksb_expect(t, &p.a, 101, IB_WC_SUCCESS);
	ksb_expect(t, &p.a, 103, IB_WC_SUCCESS);
	for (i = 0; i < 5; i++) {
		wc = ksb_expect(t, &p.b, i, IB_WC_SUCCESS);
		KT_EXPECT_EQ(t, wc.byte_len, KSB_GRH + 1);
		KT_EXPECT_EQ(t, p.b.buf[64 * i + KSB_GRH], i + 1);
	}
	ksb_end(t, &p);
}

/* A QP may send to itself, and the port of a CA to itself, without the switch. */
static void test_own_lid(struct ktap *t)
{
	struct rdma_ah_attr attr;
	struct ksb_pair p;
	struct ksb_msg msg;
	struct ib_ah *ah;
	struct ib_wc wc;

	if (!ksb_start(t, &p))
		return;
	attr = ksb_ah_attr(p.a.lid);
	ah = rdma_create_ah(p.a.pd, &attr);
	KT_EXPECT_ERR(t, ah, 0);
	ksb_fill(p.a.buf, 100, 8);
	KT_EXPECT_EQ(t, ksb_recv(&p.a, p.qa, 5, 1024, 140), 0);
	msg = ksb_msg(&p, 100);
	msg.ah = ah;
	msg.qpn = p.qa->qp_num;
	KT_EXPECT_EQ(t, ksb_post(&p.a, p.qa, &msg), 0);
	/* The receive completes before the send. */
	wc = ksb_expect(t, &p.a, 5, IB_WC_SUCCESS);
	KT_EXPECT(t, wc.slid == p.a.lid && wc.src_qp == p.qa->qp_num);
	ksb_expect(t, &p.a, KSB_SEND, IB_WC_SUCCESS);
	KT_EXPECT(t, ksb_is(p.a.buf + 1024 + KSB_GRH, 100, 8));
	KT_EXPECT_EQ(t, rdma_destroy_ah(ah, 0), 0);
	ksb_end(t, &p);
}

/* The lkey of a region of all memory works like that of the device. */
static void test_region(struct ktap *t)
{
	struct ksb_pair p;
	struct ksb_msg msg;
	struct ib_pd *pd;
	struct ib_sge sge;
	struct ib_recv_wr recv = { .wr_id = 3, .sg_list = &sge, .num_sge = 1 };
	struct ib_qp_init_attr init;
	struct ib_qp *qp;

	if (!ksb_start(t, &p))
		return;
	pd = ib_alloc_pd(p.b.dev, IB_PD_UNSAFE_GLOBAL_RKEY);
	if (!KT_EXPECT_ERR(t, pd, 0))
		goto out;
	KT_EXPECT(t, pd->unsafe_global_rkey != pd->local_dma_lkey);
	init = ksb_init_attr(&p.b);
	qp = ib_create_qp(pd, &init);
	if (!KT_EXPECT_ERR(t, qp, 0))
		goto free;
	ksb_ready(t, qp, IB_QPS_RTS);
	memset(p.b.buf, 0xbb, KSB_BUF);
	ksb_fill(p.a.buf, 50, 4);
	sge = (struct ib_sge) { (uintptr_t)p.b.buf, 90, pd->unsafe_global_rkey };
	KT_EXPECT_EQ(t, ib_post_recv(qp, &recv, NULL), 0);
	msg = ksb_msg(&p, 50);
	msg.qpn = qp->qp_num;
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	ksb_expect(t, &p.b, 3, IB_WC_SUCCESS);
	KT_EXPECT(t, ksb_is(p.b.buf + KSB_GRH, 50, 4));
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
free:
	ib_dealloc_pd(pd);
out:
	ksb_end(t, &p);
}

static const struct ktap_case data_cases[] = {
	{ "payload of each length around the ends and the words", test_lengths },
	{ "immediate data", test_immediate },
	{ "inline data", test_inline },
	{ "several elements", test_elements },
	{ "a list of requests", test_list },
	{ "the own LID", test_own_lid },
	{ "a region of all memory", test_region },
};

KTAP_SUITE(ksb_data_suite, "sib data", data_cases);
