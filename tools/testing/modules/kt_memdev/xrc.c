// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of XRC: an initiator sends to any SRQ of the domain of the target that it is connected to.
 */
#include "kt_memdev.h"

struct xrc_fixture {
	struct ktm_host a, b;
	struct ib_xrcd *xrcd;
	struct ib_srq *srq[2];
	struct ib_qp *ini;
	struct ib_qp *tgt;	/* a handle */
};

static struct ib_srq *make_xrc_srq(struct ktap *t, struct xrc_fixture *f, struct ib_xrcd *xrcd)
{
	struct ib_srq_init_attr attr = {
		.attr = { .max_wr = 8, .max_sge = 2 },
		.srq_type = IB_SRQT_XRC,
		.ext = { .cq = f->b.cq, .xrc.xrcd = xrcd },
	};
	struct ib_srq *srq = ib_create_srq(f->b.pd, &attr);

	KT_EXPECT_ERR(t, srq, 0);
	return srq;
}

static void note_event(struct ib_event *event, void *context)
{
	struct ktm_host *h = context;

	set_bit(event->event, &h->qp_events);
}

static struct ib_qp *make_target(struct ktap *t, struct xrc_fixture *f)
{
	struct ib_qp_init_attr attr = {
		.qp_type = IB_QPT_XRC_TGT,
		.xrcd = f->xrcd,
		.event_handler = note_event,
		.qp_context = &f->b,
	};
	struct ib_qp *qp = ib_create_qp(f->b.pd, &attr);

	KT_EXPECT_ERR(t, qp, 0);
	return qp;
}

static void connect_xrc(struct ktap *t, struct xrc_fixture *f)
{
	struct ib_qp_attr attr = ktm_attr(&f->a, &f->b, f->tgt->qp_num);

	ktm_ready(t, f->ini, &attr, IB_QPS_RTS);
	attr = ktm_attr(&f->b, &f->a, f->ini->qp_num);
	ktm_ready(t, f->tgt, &attr, IB_QPS_RTR);
	f->b.qp_events = 0;
}

static void reconnect_xrc(struct ktap *t, struct xrc_fixture *f)
{
	KT_EXPECT_EQ(t, ktm_modify(f->ini, IB_QPS_RESET), 0);
	KT_EXPECT_EQ(t, ktm_modify(f->tgt, IB_QPS_RESET), 0);
	connect_xrc(t, f);
}

static bool start_xrc(struct ktap *t, struct xrc_fixture *f)
{
	if (!ktm_start(t, &f->a, NULL))
		return false;
	if (!ktm_start(t, &f->b, NULL)) {
		ktm_end(t, &f->a);
		return false;
	}
	f->xrcd = ib_alloc_xrcd(f->b.dev);
	KT_EXPECT_ERR(t, f->xrcd, 0);
	f->srq[0] = make_xrc_srq(t, f, f->xrcd);
	f->srq[1] = make_xrc_srq(t, f, f->xrcd);
	f->ini = ktm_qp(t, &f->a, IB_QPT_XRC_INI);
	f->tgt = make_target(t, f);
	connect_xrc(t, f);
	return true;
}

static void end_xrc(struct ktap *t, struct xrc_fixture *f)
{
	KT_EXPECT_EQ(t, ib_destroy_qp(f->ini), 0);
	KT_EXPECT_EQ(t, ib_destroy_qp(f->tgt), 0);
	KT_EXPECT_EQ(t, ib_destroy_srq_user(f->srq[0], NULL), 0);
	KT_EXPECT_EQ(t, ib_destroy_srq_user(f->srq[1], NULL), 0);
	KT_EXPECT_EQ(t, ib_dealloc_xrcd(f->xrcd), 0);
	ktm_end(t, &f->a);
	ktm_end(t, &f->b);
}

static int post(struct xrc_fixture *f, enum ib_wr_opcode opcode, u64 id, u32 length, u32 srq_num)
{
	u64 addr = f->b.mr ? f->b.mr->iova : 0;
	struct ktm_wr w;

	ktm_rdma_wr(&w, &f->a, opcode, id, 0, length, addr, f->b.mr ? f->b.mr->rkey : 0);
	w.xrc.srq_num = srq_num;
	return ib_post_send(f->ini, &w.xrc.rdma.wr, NULL);
}

static void test_xrc_send(struct ktap *t)
{
	struct xrc_fixture f;
	struct ib_wc wc;
	u32 number;
	int i;

	if (!start_xrc(t, &f))
		return;
	KT_EXPECT(t, f.srq[0]->ext.xrc.srq_num != f.srq[1]->ext.xrc.srq_num);
	for (i = 0; i < 4; i++)
		KT_EXPECT_EQ(t, ktm_srq_recv(f.srq[i % 2], &f.b, 10 + i, 1000 * i, 1000), 0);
	/* Both SRQs get messages over the one connection, into their own CQ. */
	for (i = 0; i < 4; i++) {
		number = f.srq[i % 2]->ext.xrc.srq_num;
		kt_fill(f.a.buf, 800, i);
		KT_EXPECT_EQ(t, post(&f, IB_WR_SEND_WITH_IMM, i, 800, number), 0);
		KTM_EXPECT(t, &f.a, i, SUCCESS, SEND);
		wc = KTM_EXPECT(t, &f.b, 10 + i, SUCCESS, RECV);
		KT_EXPECT(t, wc.byte_len == 800 && wc.wc_flags == IB_WC_WITH_IMM);
		KT_EXPECT(t, wc.qp == f.tgt->real_qp && wc.qp->qp_num == f.tgt->qp_num);
		KT_EXPECT(t, kt_is(f.b.buf + 1000 * i, 800, i));
	}
	KT_EXPECT(t, test_bit(IB_EVENT_COMM_EST, &f.b.qp_events));
	/* The sender waits until that SRQ has a request. */
	KT_EXPECT_EQ(t, post(&f, IB_WR_SEND, 5, 8, f.srq[1]->ext.xrc.srq_num), 0);
	KT_EXPECT_EQ(t, ktm_srq_recv(f.srq[0], &f.b, 20, 0, 8), 0);
	ktm_expect_none(t, &f.b);
	KT_EXPECT_EQ(t, ktm_srq_recv(f.srq[1], &f.b, 21, 0, 8), 0);
	KTM_EXPECT(t, &f.a, 5, SUCCESS, SEND);
	KTM_EXPECT(t, &f.b, 21, SUCCESS, RECV);
	end_xrc(t, &f);
}

/* Registers host b's memory by a request on a connected QP of the SRQs' PD. */
static void register_memory(struct ktap *t, struct xrc_fixture *f)
{
	struct ib_qp *qp = ktm_qp(t, &f->b, IB_QPT_RC);
	struct ib_qp_attr attr = ktm_attr(&f->b, &f->b, qp->qp_num);

	ktm_ready(t, qp, &attr, IB_QPS_RTS);
	ktm_register(t, &f->b, qp, KTM_ACCESS);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
}

static void test_rdma(struct ktap *t)
{
	struct xrc_fixture f;
	struct ib_wc wc;
	u32 number;

	if (!start_xrc(t, &f))
		return;
	register_memory(t, &f);
	number = f.srq[0]->ext.xrc.srq_num;
	kt_fill(f.a.buf, 2000, 1);
	KT_EXPECT_EQ(t, post(&f, IB_WR_RDMA_WRITE, 1, 2000, number), 0);
	KTM_EXPECT(t, &f.a, 1, SUCCESS, RDMA_WRITE);
	KT_EXPECT(t, kt_is(f.b.buf, 2000, 1));
	memset(f.a.buf, 0, 2000);
	KT_EXPECT_EQ(t, post(&f, IB_WR_RDMA_READ, 2, 2000, number), 0);
	KTM_EXPECT(t, &f.a, 2, SUCCESS, RDMA_READ);
	KT_EXPECT(t, kt_is(f.a.buf, 2000, 1));
	KT_EXPECT_EQ(t, ktm_srq_recv(f.srq[0], &f.b, 3, 0, 8), 0);
	KT_EXPECT_EQ(t, post(&f, IB_WR_RDMA_WRITE_WITH_IMM, 4, 0, number), 0);
	KTM_EXPECT(t, &f.a, 4, SUCCESS, RDMA_WRITE);
	wc = KTM_EXPECT(t, &f.b, 3, SUCCESS, RECV_RDMA_WITH_IMM);
	KT_EXPECT_EQ(t, be32_to_cpu(wc.ex.imm_data), 0x11220004);
	end_xrc(t, &f);
}

static void expect_refused(struct ktap *t, struct xrc_fixture *f, u32 srq_num,
			   enum ib_wc_status status)
{
	KT_EXPECT_EQ(t, post(f, IB_WR_SEND, 1, 8, srq_num), 0);
	ktm_expect(t, &f->a, 1, status, 0);
	KT_EXPECT_EQ(t, ktm_state(f->ini), IB_QPS_ERR);
	KT_EXPECT_EQ(t, ktm_state(f->tgt), IB_QPS_ERR);
}

static void test_xrc_errors(struct ktap *t)
{
	struct ib_xrcd *xrcd;
	struct ib_srq *srq;
	struct xrc_fixture f;

	if (!start_xrc(t, &f))
		return;
	/* No such SRQ, and one of another domain. */
	expect_refused(t, &f, 0xdead, IB_WC_REM_INV_REQ_ERR);
	KTM_EXPECT_EVENT(t, &f.b, QP_REQ_ERR);
	reconnect_xrc(t, &f);
	xrcd = ib_alloc_xrcd(f.b.dev);
	srq = make_xrc_srq(t, &f, xrcd);
	KT_EXPECT_EQ(t, ktm_srq_recv(srq, &f.b, 9, 0, 8), 0);
	expect_refused(t, &f, srq->ext.xrc.srq_num, IB_WC_REM_INV_REQ_ERR);
	KT_EXPECT_EQ(t, ib_destroy_srq_user(srq, NULL), 0);
	KT_EXPECT_EQ(t, ib_dealloc_xrcd(xrcd), 0);
	reconnect_xrc(t, &f);

	/* A request that is too short: other requests of the SRQ stay. */
	KT_EXPECT_EQ(t, ktm_srq_recv(f.srq[0], &f.b, 2, 0, 7), 0);
	KT_EXPECT_EQ(t, ktm_srq_recv(f.srq[0], &f.b, 3, 0, 8), 0);
	expect_refused(t, &f, f.srq[0]->ext.xrc.srq_num, IB_WC_REM_INV_REQ_ERR);
	KTM_EXPECT(t, &f.b, 2, LOC_LEN_ERR, RECV);
	ktm_expect_none(t, &f.b);
	reconnect_xrc(t, &f);
	KT_EXPECT_EQ(t, post(&f, IB_WR_SEND, 1, 8, f.srq[0]->ext.xrc.srq_num), 0);
	KTM_EXPECT(t, &f.a, 1, SUCCESS, SEND);
	KTM_EXPECT(t, &f.b, 3, SUCCESS, RECV);

	/* Neither end has a receive queue of its own, and a target has no send queue. */
	KT_EXPECT_EQ(t, ktm_recv(f.ini, &f.a, 1, 0, 8), -ENOMEM);
	end_xrc(t, &f);
}

/* The QP goes on as long as there is a handle. */
static void test_handles(struct ktap *t)
{
	struct ib_qp_open_attr open_attr = { .qp_type = IB_QPT_XRC_TGT };
	struct xrc_fixture f;
	struct ib_qp *qp;

	if (!start_xrc(t, &f))
		return;
	open_attr.qp_num = f.tgt->qp_num;
	open_attr.event_handler = note_event;
	open_attr.qp_context = &f.b;
	qp = ib_open_qp(f.xrcd, &open_attr);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		KT_EXPECT_EQ(t, ib_close_qp(f.tgt), 0);
		f.tgt = qp;
	}
	KT_EXPECT_EQ(t, ktm_srq_recv(f.srq[0], &f.b, 2, 0, 8), 0);
	KT_EXPECT_EQ(t, post(&f, IB_WR_SEND, 1, 8, f.srq[0]->ext.xrc.srq_num), 0);
	KTM_EXPECT(t, &f.a, 1, SUCCESS, SEND);
	KTM_EXPECT(t, &f.b, 2, SUCCESS, RECV);
	KTM_EXPECT_EVENT(t, &f.b, COMM_EST);

	KT_EXPECT_EQ(t, ib_destroy_qp(f.tgt), 0);
	KT_EXPECT_EQ(t, post(&f, IB_WR_SEND, 3, 8, f.srq[0]->ext.xrc.srq_num), 0);
	KTM_EXPECT(t, &f.a, 3, RETRY_EXC_ERR, SEND);
	f.tgt = make_target(t, &f);
	end_xrc(t, &f);
}

static const struct ktap_case xrc_cases[] = {
	{ "two SRQs get messages over one connection", test_xrc_send },
	{ "RDMA and immediate data", test_rdma },
	{ "no such SRQ, another domain, requests that are too short", test_xrc_errors },
	{ "a target lives as long as its handles", test_handles },
};

KTAP_SUITE(ktm_xrc_suite, "memdev XRC", xrc_cases);
