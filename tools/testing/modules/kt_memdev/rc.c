// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of reliable connections.
 */
#include "kt_memdev.h"

static const u32 lengths[] = { 0, 1, 1023, 1024, 1025, 5000, KTM_BUF };

static void test_rc_send(struct ktap *t)
{
	struct ktm_pair p;
	struct ib_wc wc;
	int i;

	if (!ktm_start_pair(t, &p, IB_QPT_RC))
		return;
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		kt_fill(p.a.buf, KTM_BUF, i);
		memset(p.b.buf, 0xee, KTM_BUF);
		KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 100 + i, 0, KTM_BUF), 0);
		KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND, i, 0, lengths[i]), 0);
		wc = KTM_EXPECT(t, &p.b, 100 + i, SUCCESS, RECV);
		KT_EXPECT_EQ(t, wc.byte_len, lengths[i]);
		KT_EXPECT(t, wc.qp == p.qb && !wc.wc_flags && wc.src_qp == p.qa->qp_num);
		wc = KTM_EXPECT(t, &p.a, i, SUCCESS, SEND);
		KT_EXPECT(t, wc.qp == p.qa);
		KT_EXPECT(t, kt_is(p.b.buf, lengths[i], i));
		KT_EXPECT(t, !memchr_inv(p.b.buf + lengths[i], 0xee, KTM_BUF - lengths[i]));
	}
	/* The other way. */
	KT_EXPECT_EQ(t, ktm_recv(p.qa, &p.a, 1, 0, 16), 0);
	KT_EXPECT_EQ(t, ktm_send(p.qb, &p.b, IB_WR_SEND_WITH_IMM, 2, 0, 16), 0);
	wc = KTM_EXPECT(t, &p.a, 1, SUCCESS, RECV);
	KT_EXPECT_EQ(t, wc.wc_flags, IB_WC_WITH_IMM);
	KT_EXPECT_EQ(t, be32_to_cpu(wc.ex.imm_data), 0x11220002);
	KTM_EXPECT(t, &p.b, 2, SUCCESS, SEND);
	ktm_expect_none(t, &p.a);
	ktm_expect_none(t, &p.b);
	ktm_end_pair(t, &p);
}

static void test_pieces(struct ktap *t)
{
	struct ib_sge from[4], to[3];
	struct ib_send_wr wr = { .wr_id = 1, .opcode = IB_WR_SEND, .sg_list = from, .num_sge = 4,
				 .send_flags = IB_SEND_SIGNALED };
	struct ib_recv_wr recv = { .wr_id = 2, .sg_list = to, .num_sge = 3 };
	struct ktm_pair p;
	struct ib_wc wc;

	if (!ktm_start_pair(t, &p, IB_QPT_RC))
		return;
	kt_fill(p.a.buf, 1000, 3);
	from[0] = (struct ib_sge) { (uintptr_t)p.a.buf, 10, p.a.pd->local_dma_lkey };
	/* The key of an empty piece does not count. */
	from[1] = (struct ib_sge) { 0, 0, 0xbad };
	from[2] = (struct ib_sge) { (uintptr_t)p.a.buf + 10, 490, p.a.pd->local_dma_lkey };
	from[3] = (struct ib_sge) { (uintptr_t)p.a.buf + 500, 500, p.a.pd->local_dma_lkey };
	to[0] = (struct ib_sge) { (uintptr_t)p.b.buf, 300, p.b.pd->local_dma_lkey };
	to[1] = (struct ib_sge) { (uintptr_t)p.b.buf + 300, 1, p.b.pd->local_dma_lkey };
	to[2] = (struct ib_sge) { (uintptr_t)p.b.buf + 301, 1000, p.b.pd->local_dma_lkey };
	KT_EXPECT_EQ(t, ib_post_recv(p.qb, &recv, NULL), 0);
	KT_EXPECT_EQ(t, ib_post_send(p.qa, &wr, NULL), 0);
	KTM_EXPECT(t, &p.a, 1, SUCCESS, SEND);
	wc = KTM_EXPECT(t, &p.b, 2, SUCCESS, RECV);
	KT_EXPECT_EQ(t, wc.byte_len, 1000);
	KT_EXPECT(t, kt_is(p.b.buf, 1000, 3));
	ktm_end_pair(t, &p);
}

static void test_write(struct ktap *t)
{
	struct ktm_pair p;
	struct ib_wc wc;
	u64 addr;
	u32 key;
	int i;

	if (!ktm_start_pair(t, &p, IB_QPT_RC))
		return;
	if (!ktm_register(t, &p.b, p.qb, KTM_ACCESS))
		goto out;
	addr = p.b.mr->iova;
	key = p.b.mr->rkey;
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		kt_fill(p.a.buf, KTM_BUF, i);
		memset(p.b.buf, 0xee, KTM_BUF);
		KT_EXPECT_EQ(t, ktm_rdma(p.qa, &p.a, IB_WR_RDMA_WRITE, i, 0, lengths[i], addr, key),
			     0);
		KTM_EXPECT(t, &p.a, i, SUCCESS, RDMA_WRITE);
		KT_EXPECT(t, kt_is(p.b.buf, lengths[i], i));
		KT_EXPECT(t, !memchr_inv(p.b.buf + lengths[i], 0xee, KTM_BUF - lengths[i]));
	}
	/* Immediate data need a receive request, whose memory is not used. */
	memset(p.b.buf, 0xee, KTM_BUF);
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 7, 0, 100), 0);
	KT_EXPECT_EQ(t, ktm_rdma(p.qa, &p.a, IB_WR_RDMA_WRITE_WITH_IMM, 8, 0, 500, addr + 4000,
				 key), 0);
	wc = KTM_EXPECT(t, &p.b, 7, SUCCESS, RECV_RDMA_WITH_IMM);
	KT_EXPECT(t, wc.byte_len == 500 && wc.wc_flags == IB_WC_WITH_IMM);
	KT_EXPECT_EQ(t, be32_to_cpu(wc.ex.imm_data), 0x11220008);
	KTM_EXPECT(t, &p.a, 8, SUCCESS, RDMA_WRITE);
	KT_EXPECT(t, !memchr_inv(p.b.buf, 0xee, 4000) && kt_is(p.b.buf + 4000, 500, i - 1));
out:
	ktm_end_pair(t, &p);
}

static void test_read(struct ktap *t)
{
	struct ktm_pair p;
	struct ib_wc wc;
	int i;

	if (!ktm_start_pair(t, &p, IB_QPT_RC))
		return;
	if (!ktm_register(t, &p.b, p.qb, IB_ACCESS_REMOTE_READ))
		goto out;
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		kt_fill(p.b.buf, KTM_BUF, i);
		memset(p.a.buf, 0xee, KTM_BUF);
		KT_EXPECT_EQ(t, ktm_rdma(p.qa, &p.a, IB_WR_RDMA_READ, i, 0, lengths[i],
					 p.b.mr->iova, p.b.mr->rkey), 0);
		wc = KTM_EXPECT(t, &p.a, i, SUCCESS, RDMA_READ);
		KT_EXPECT_EQ(t, wc.byte_len, lengths[i]);
		KT_EXPECT(t, kt_is(p.a.buf, lengths[i], i));
		KT_EXPECT(t, !memchr_inv(p.a.buf + lengths[i], 0xee, KTM_BUF - lengths[i]));
	}
out:
	ktm_end_pair(t, &p);
}

static int post_atomic(struct ktm_pair *p, enum ib_wr_opcode opcode, u64 compare_add, u64 swap)
{
	struct ib_sge sge = { (uintptr_t)p->a.buf, 8, p->a.pd->local_dma_lkey };
	struct ib_atomic_wr wr = {
		.wr = { .wr_id = 5, .opcode = opcode, .sg_list = &sge, .num_sge = 1,
			.send_flags = IB_SEND_SIGNALED },
		.remote_addr = p->b.mr->iova + 4096,
		.rkey = p->b.mr->rkey,
		.compare_add = compare_add,
		.swap = swap,
	};

	return ib_post_send(p->qa, &wr.wr, NULL);
}

static void test_atomic(struct ktap *t)
{
	struct ktm_pair p;
	u64 *old, *value;

	if (!ktm_start_pair(t, &p, IB_QPT_RC))
		return;
	if (!ktm_register(t, &p.b, p.qb, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_ATOMIC))
		goto out;
	old = (u64 *)p.a.buf;
	value = (u64 *)(p.b.buf + 4096);
	*value = U64_MAX;
	KT_EXPECT_EQ(t, post_atomic(&p, IB_WR_ATOMIC_FETCH_AND_ADD, 43, 0), 0);
	KTM_EXPECT(t, &p.a, 5, SUCCESS, FETCH_ADD);
	KT_EXPECT(t, *old == U64_MAX && *value == 42);
	KT_EXPECT_EQ(t, post_atomic(&p, IB_WR_ATOMIC_CMP_AND_SWP, 42, 99), 0);
	KTM_EXPECT(t, &p.a, 5, SUCCESS, COMP_SWAP);
	KT_EXPECT(t, *old == 42 && *value == 99);
	KT_EXPECT_EQ(t, post_atomic(&p, IB_WR_ATOMIC_CMP_AND_SWP, 42, 1), 0);
	KTM_EXPECT(t, &p.a, 5, SUCCESS, COMP_SWAP);
	KT_EXPECT(t, *old == 99 && *value == 99);
	KT_EXPECT_EQ(t, value[-1] | value[1], 0);
out:
	ktm_end_pair(t, &p);
}

static void test_inline(struct ktap *t)
{
	struct ktm_pair p;
	struct ktm_wr w;

	if (!ktm_start_pair(t, &p, IB_QPT_RC))
		return;
	kt_fill(p.a.buf, 128, 9);
	/* The request waits for a receive request while its memory is overwritten. */
	ktm_wr(&w, &p.a, IB_WR_SEND, 1, 0, 128)->send_flags |= IB_SEND_INLINE;
	w.sge.lkey = 0xbad;
	KT_EXPECT_EQ(t, ib_post_send(p.qa, &w.xrc.rdma.wr, NULL), 0);
	memset(p.a.buf, 0, 128);
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 2, 0, 200), 0);
	KTM_EXPECT(t, &p.a, 1, SUCCESS, SEND);
	KTM_EXPECT(t, &p.b, 2, SUCCESS, RECV);
	KT_EXPECT(t, kt_is(p.b.buf, 128, 9) && !p.b.buf[128]);

	ktm_wr(&w, &p.a, IB_WR_SEND, 1, 0, 257)->send_flags |= IB_SEND_INLINE;
	KT_EXPECT_EQ(t, ib_post_send(p.qa, &w.xrc.rdma.wr, NULL), -EINVAL);
	ktm_wr(&w, &p.a, IB_WR_RDMA_READ, 1, 0, 8)->send_flags |= IB_SEND_INLINE;
	KT_EXPECT_EQ(t, ib_post_send(p.qa, &w.xrc.rdma.wr, NULL), -EINVAL);
	ktm_end_pair(t, &p);
}

/* Posts lists: order, requests without completions, full queues, errors in the midst. */
static void test_lists(struct ktap *t)
{
	const struct ib_send_wr *bad;
	const struct ib_recv_wr *bad_recv;
	struct ib_recv_wr recv[17] = {};
	static struct ktm_wr w[17];	/* too large for the stack */
	struct ktm_pair p;
	int i;

	if (!ktm_start_pair(t, &p, IB_QPT_RC))
		return;
	for (i = 0; i < 17; i++) {
		ktm_wr(&w[i], &p.a, IB_WR_SEND, i, 0, 0)->next = i < 16 ? &w[i + 1].xrc.rdma.wr :
									  NULL;
		if (i % 2)
			w[i].xrc.rdma.wr.send_flags = 0;
		recv[i].wr_id = 100 + i;
		recv[i].next = i < 16 ? &recv[i + 1] : NULL;
	}
	KT_EXPECT_EQ(t, ib_post_send(p.qa, &w[0].xrc.rdma.wr, &bad), -ENOMEM);
	KT_EXPECT(t, bad == &w[16].xrc.rdma.wr);
	KT_EXPECT_EQ(t, ib_post_recv(p.qb, recv, &bad_recv), -ENOMEM);
	KT_EXPECT(t, bad_recv == &recv[16]);
	for (i = 0; i < 16; i++) {
		KTM_EXPECT(t, &p.b, 100 + i, SUCCESS, RECV);
		if (i % 2 == 0)
			KTM_EXPECT(t, &p.a, i, SUCCESS, SEND);
	}
	ktm_expect_none(t, &p.a);

	w[2].xrc.rdma.wr.num_sge = 5;
	fakedev_fail(p.b.fd, FAKEDEV_POST_RECV, 4, -EIO);
	KT_EXPECT_EQ(t, ib_post_recv(p.qb, recv, &bad_recv), -EIO);
	KT_EXPECT(t, bad_recv == &recv[3]);
	KT_EXPECT_EQ(t, ib_post_send(p.qa, &w[0].xrc.rdma.wr, &bad), -EINVAL);
	KT_EXPECT(t, bad == &w[2].xrc.rdma.wr);
	KTM_EXPECT(t, &p.b, 100, SUCCESS, RECV);
	KTM_EXPECT(t, &p.b, 101, SUCCESS, RECV);
	KTM_EXPECT(t, &p.a, 0, SUCCESS, SEND);
	fakedev_fail(p.a.fd, FAKEDEV_POST_SEND, 1, -EIO);
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND, 1, 0, 0), -EIO);
	recv[0].num_sge = 5;
	KT_EXPECT_EQ(t, ib_post_recv(p.qb, recv, NULL), -EINVAL);
	ktm_end_pair(t, &p);
}

static void test_rc_loopback(struct ktap *t)
{
	const struct memdev_config config = { .nr_ports = 2 };
	struct ib_qp_attr attr;
	struct ib_qp *qp, *peer;
	struct ktm_host h;

	if (!ktm_start(t, &h, &config))
		return;
	/* A QP that is connected to itself. */
	qp = ktm_qp(t, &h, IB_QPT_RC);
	attr = ktm_attr(&h, &h, qp->qp_num);
	ktm_ready(t, qp, &attr, IB_QPS_RTS);
	kt_fill(h.buf, 100, 1);
	KT_EXPECT_EQ(t, ktm_recv(qp, &h, 2, 200, 100), 0);
	KT_EXPECT_EQ(t, ktm_send(qp, &h, IB_WR_SEND, 1, 0, 100), 0);
	KTM_EXPECT(t, &h, 2, SUCCESS, RECV);
	KTM_EXPECT(t, &h, 1, SUCCESS, SEND);
	KT_EXPECT(t, kt_is(h.buf + 200, 100, 1));

	/* Two ports of a device. */
	KT_EXPECT_EQ(t, ktm_modify(qp, IB_QPS_RESET), 0);
	peer = ktm_qp(t, &h, IB_QPT_RC);
	attr = ktm_attr(&h, &h, peer->qp_num);
	attr.ah_attr.ib.dlid = memdev_lid(h.dev, 2);
	ktm_ready(t, qp, &attr, IB_QPS_RTS);
	attr = ktm_attr(&h, &h, qp->qp_num);
	attr.port_num = 2;
	attr.ah_attr.port_num = 2;
	ktm_ready(t, peer, &attr, IB_QPS_RTS);
	KT_EXPECT_EQ(t, ktm_recv(peer, &h, 4, 400, 100), 0);
	KT_EXPECT_EQ(t, ktm_send(qp, &h, IB_WR_SEND, 3, 0, 100), 0);
	KTM_EXPECT(t, &h, 4, SUCCESS, RECV);
	KTM_EXPECT(t, &h, 3, SUCCESS, SEND);
	KT_EXPECT(t, kt_is(h.buf + 400, 100, 1));
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	KT_EXPECT_EQ(t, ib_destroy_qp(peer), 0);
	ktm_end(t, &h);
}

static void test_rc_global(struct ktap *t)
{
	struct ib_qp_attr attr;
	struct ktm_pair p;

	if (!ktm_make_pair(t, &p, IB_QPT_RC))
		return;
	attr = ktm_attr(&p.a, &p.b, p.qb->qp_num);
	attr.ah_attr.ah_flags = IB_AH_GRH;
	attr.ah_attr.grh.sgid_index = 1;
	attr.ah_attr.grh.dgid = memdev_gid(p.b.dev, 1, 2);
	ktm_ready(t, p.qa, &attr, IB_QPS_RTS);
	attr = ktm_attr(&p.b, &p.a, p.qa->qp_num);
	ktm_ready(t, p.qb, &attr, IB_QPS_RTS);
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 2, 0, 100), 0);
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND, 1, 0, 100), 0);
	KTM_EXPECT(t, &p.b, 2, SUCCESS, RECV);
	KTM_EXPECT(t, &p.a, 1, SUCCESS, SEND);

	/* The port with this LID does not have that GID. */
	KT_EXPECT_EQ(t, ktm_modify(p.qa, IB_QPS_RESET), 0);
	attr = ktm_attr(&p.a, &p.b, p.qb->qp_num);
	attr.ah_attr.ah_flags = IB_AH_GRH;
	attr.ah_attr.grh.dgid = memdev_gid(p.a.dev, 1, 0);
	ktm_ready(t, p.qa, &attr, IB_QPS_RTS);
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND, 1, 0, 100), 0);
	KTM_EXPECT(t, &p.a, 1, RETRY_EXC_ERR, SEND);
	ktm_end_pair(t, &p);
}

static void test_rnr(struct ktap *t)
{
	struct ib_qp_attr attr;
	struct ktm_pair p;

	if (!ktm_start_pair(t, &p, IB_QPT_RC))
		return;
	/* The sender waits for as long as it takes. */
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND, 1, 0, 10), 0);
	ktm_expect_none(t, &p.a);
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 2, 0, 100), 0);
	KTM_EXPECT(t, &p.a, 1, SUCCESS, SEND);
	KTM_EXPECT(t, &p.b, 2, SUCCESS, RECV);

	/* With a number of retries, it gives up. The peer has not noticed. */
	KT_EXPECT_EQ(t, ktm_modify(p.qa, IB_QPS_RESET), 0);
	KT_EXPECT_EQ(t, ktm_modify(p.qb, IB_QPS_RESET), 0);
	attr = ktm_attr(&p.a, &p.b, p.qb->qp_num);
	attr.rnr_retry = 1;
	ktm_ready(t, p.qa, &attr, IB_QPS_RTS);
	attr = ktm_attr(&p.b, &p.a, p.qa->qp_num);
	ktm_ready(t, p.qb, &attr, IB_QPS_RTS);
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND, 3, 0, 10), 0);
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND, 4, 0, 10), 0);
	KTM_EXPECT(t, &p.a, 3, RNR_RETRY_EXC_ERR, SEND);
	KTM_EXPECT(t, &p.a, 4, WR_FLUSH_ERR, SEND);
	KT_EXPECT_EQ(t, ktm_state(p.qa), IB_QPS_ERR);
	KT_EXPECT_EQ(t, ktm_state(p.qb), IB_QPS_RTS);
	KT_EXPECT(t, !p.b.qp_events || p.b.qp_events == BIT(IB_EVENT_COMM_EST));
	ktm_end_pair(t, &p);
}

static void expect_lost(struct ktap *t, struct ktm_pair *p, struct ib_qp_attr attr)
{
	KT_EXPECT_EQ(t, ktm_modify(p->qa, IB_QPS_RESET), 0);
	ktm_ready(t, p->qa, &attr, IB_QPS_RTS);
	KT_EXPECT_EQ(t, ktm_send(p->qa, &p->a, IB_WR_SEND, 1, 0, 10), 0);
	KTM_EXPECT(t, &p->a, 1, RETRY_EXC_ERR, SEND);
	KT_EXPECT_EQ(t, ktm_state(p->qa), IB_QPS_ERR);
}

/* A peer that does not answer: each reason, and one that answers in time. */
static void test_lost(struct ktap *t)
{
	struct ib_qp_attr attr, peer;
	struct ktm_pair p;

	if (!ktm_make_pair(t, &p, IB_QPT_RC))
		return;
	attr = ktm_attr(&p.a, &p.b, p.qb->qp_num);
	peer = ktm_attr(&p.b, &p.a, p.qa->qp_num);
	expect_lost(t, &p, attr);
	ktm_ready(t, p.qb, &peer, IB_QPS_INIT);
	expect_lost(t, &p, attr);
	KT_EXPECT_EQ(t, ktm_modify(p.qb, IB_QPS_RESET), 0);
	ktm_ready(t, p.qb, &peer, IB_QPS_RTR);
	attr.dest_qp_num++;
	expect_lost(t, &p, attr);
	attr.dest_qp_num--;
	attr.sq_psn--;
	expect_lost(t, &p, attr);
	attr.sq_psn++;
	attr.ah_attr.ib.dlid = 0xbfff;
	expect_lost(t, &p, attr);
	attr.ah_attr.ib.dlid = memdev_lid(p.b.dev, 1);

	/* The peer is connected to another QP, and over another port. */
	KT_EXPECT_EQ(t, ktm_modify(p.qb, IB_QPS_RESET), 0);
	peer.dest_qp_num++;
	ktm_ready(t, p.qb, &peer, IB_QPS_RTR);
	expect_lost(t, &p, attr);
	peer.dest_qp_num--;
	KT_EXPECT_EQ(t, ktm_modify(p.qb, IB_QPS_RESET), 0);
	peer.ah_attr.ib.dlid = memdev_lid(p.b.dev, 1);
	ktm_ready(t, p.qb, &peer, IB_QPS_RTR);
	expect_lost(t, &p, attr);
	KT_EXPECT_EQ(t, ktm_state(p.qb), IB_QPS_RTR);
	KT_EXPECT_EQ(t, p.b.qp_events, 0);

	/* Seven retries after 0.5 s each: the peer is ready before them. */
	KT_EXPECT_EQ(t, ktm_modify(p.qb, IB_QPS_RESET), 0);
	KT_EXPECT_EQ(t, ktm_modify(p.qa, IB_QPS_RESET), 0);
	attr.timeout = 17;
	attr.retry_cnt = 7;
	ktm_ready(t, p.qa, &attr, IB_QPS_RTS);
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND, 1, 0, 10), 0);
	ktm_expect_none(t, &p.a);
	peer = ktm_attr(&p.b, &p.a, p.qa->qp_num);
	ktm_ready(t, p.qb, &peer, IB_QPS_INIT);
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 2, 0, 100), 0);
	KT_EXPECT_EQ(t, ktm_modify(p.qb, IB_QPS_RESET), 0);
	ktm_ready(t, p.qb, &peer, IB_QPS_INIT);
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 3, 0, 100), 0);
	peer.qp_state = IB_QPS_RTR;
	KT_EXPECT_EQ(t, ib_modify_qp(p.qb, &peer, ktm_mask(IB_QPT_RC, IB_QPS_RTR)), 0);
	KTM_EXPECT(t, &p.a, 1, SUCCESS, SEND);
	KTM_EXPECT(t, &p.b, 3, SUCCESS, RECV);
	KTM_EXPECT_EVENT(t, &p.b, COMM_EST);
	ktm_end_pair(t, &p);
}

static void test_flush(struct ktap *t)
{
	struct ib_qp_attr attr;
	struct ktm_pair p;

	if (!ktm_start_pair(t, &p, IB_QPT_RC))
		return;
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND, 1, 0, 10), 0);
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_RDMA_WRITE, 2, 0, 10), 0);
	KT_EXPECT_EQ(t, ktm_recv(p.qa, &p.a, 3, 0, 10), 0);
	ktm_expect_none(t, &p.a);
	KT_EXPECT_EQ(t, ktm_modify(p.qa, IB_QPS_ERR), 0);
	KTM_EXPECT(t, &p.a, 3, WR_FLUSH_ERR, RECV);
	KTM_EXPECT(t, &p.a, 1, WR_FLUSH_ERR, SEND);
	KTM_EXPECT(t, &p.a, 2, WR_FLUSH_ERR, RDMA_WRITE);
	/* What is posted from now on is flushed, too. */
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND, 4, 0, 10), 0);
	KTM_EXPECT(t, &p.a, 4, WR_FLUSH_ERR, SEND);
	KT_EXPECT_EQ(t, ktm_recv(p.qa, &p.a, 5, 0, 10), 0);
	KTM_EXPECT(t, &p.a, 5, WR_FLUSH_ERR, RECV);

	/* A transition to RESET discards all requests. */
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 6, 0, 10), 0);
	KT_EXPECT_EQ(t, ktm_modify(p.qb, IB_QPS_RESET), 0);
	ktm_expect_none(t, &p.b);
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 6, 0, 10), -EINVAL);
	KT_EXPECT_EQ(t, ktm_send(p.qb, &p.b, IB_WR_SEND, 6, 0, 10), -EINVAL);
	attr = ktm_attr(&p.b, &p.a, p.qa->qp_num);
	ktm_ready(t, p.qb, &attr, IB_QPS_RTR);
	KT_EXPECT_EQ(t, ktm_send(p.qb, &p.b, IB_WR_SEND, 6, 0, 10), -EINVAL);
	ktm_end_pair(t, &p);
}

static void test_drain(struct ktap *t)
{
	struct ib_qp_init_attr attr;
	struct ktm_pair p;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct ib_qp_attr to;

	if (!ktm_start_pair(t, &p, IB_QPT_RC))
		return;
	cq = ib_alloc_cq(p.a.dev, NULL, 64, 0, IB_POLL_WORKQUEUE);
	attr = ktm_init_attr(&p.a, IB_QPT_RC);
	attr.send_cq = cq;
	attr.recv_cq = cq;
	qp = ib_create_qp(p.a.pd, &attr);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		to = ktm_attr(&p.a, &p.b, p.qb->qp_num);
		ktm_ready(t, qp, &to, IB_QPS_RTS);
		ib_drain_qp(qp);
		KT_EXPECT_EQ(t, ktm_state(qp), IB_QPS_ERR);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	ib_free_cq(cq);
	ktm_end_pair(t, &p);
}

static void test_sqd(struct ktap *t)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_SQD, .en_sqd_async_notify = 1 };
	struct ib_qp_init_attr init_attr;
	struct ktm_pair p;

	if (!ktm_start_pair(t, &p, IB_QPT_RC))
		return;
	/* The first request has begun: it waits for a receive request. */
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND, 1, 0, 10), 0);
	KT_EXPECT_EQ(t, ktm_send(p.qa, &p.a, IB_WR_SEND, 2, 0, 10), 0);
	ktm_expect_none(t, &p.a);
	KT_EXPECT_EQ(t, ib_modify_qp(p.qa, &attr, IB_QP_STATE | IB_QP_EN_SQD_ASYNC_NOTIFY), 0);
	KT_EXPECT_EQ(t, ib_query_qp(p.qa, &attr, IB_QP_STATE, &init_attr), 0);
	KT_EXPECT(t, attr.qp_state == IB_QPS_SQD && attr.sq_draining);
	attr.qp_access_flags = 0;
	KT_EXPECT_EQ(t, ib_modify_qp(p.qa, &attr, IB_QP_STATE | IB_QP_ACCESS_FLAGS), -EINVAL);
	KT_EXPECT(t, !test_bit(IB_EVENT_SQ_DRAINED, &p.a.qp_events));
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 11, 0, 10), 0);
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 12, 0, 10), 0);
	KTM_EXPECT(t, &p.a, 1, SUCCESS, SEND);
	KTM_EXPECT_EVENT(t, &p.a, SQ_DRAINED);
	ktm_expect_none(t, &p.a);
	KT_EXPECT_EQ(t, ib_query_qp(p.qa, &attr, IB_QP_STATE, &init_attr), 0);
	KT_EXPECT(t, attr.qp_state == IB_QPS_SQD && !attr.sq_draining);
	KT_EXPECT_EQ(t, ktm_modify(p.qa, IB_QPS_RTS), 0);
	KTM_EXPECT(t, &p.a, 2, SUCCESS, SEND);
	KTM_EXPECT(t, &p.b, 11, SUCCESS, RECV);
	KTM_EXPECT(t, &p.b, 12, SUCCESS, RECV);
	ktm_end_pair(t, &p);
}

static const struct ktap_case rc_cases[] = {
	{ "sends of each length, both ways", test_rc_send },
	{ "several pieces of memory", test_pieces },
	{ "RDMA writes, with and without immediate data", test_write },
	{ "RDMA reads", test_read },
	{ "atomic operations", test_atomic },
	{ "inline data", test_inline },
	{ "lists: order, unsignaled requests, full queues", test_lists },
	{ "a QP connected to itself, and two ports of a device", test_rc_loopback },
	{ "paths with a global route", test_rc_global },
	{ "no receive request: the sender waits, or gives up", test_rnr },
	{ "no answer: the sender gives up, or the peer is ready in time", test_lost },
	{ "ERR flushes, RESET discards", test_flush },
	{ "ib_drain_qp()", test_drain },
	{ "SQD: what has begun is finished", test_sqd },
};

KTAP_SUITE(ktm_rc_suite, "memdev RC", rc_cases);
