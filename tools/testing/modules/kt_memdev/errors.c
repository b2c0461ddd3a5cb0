// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of requests that fail on a reliable connection: the status at both ends, the events, the
 * states, and memory that must not have changed.
 */
#include "kt_memdev.h"

/* A pair of QPs that is connected anew for each error. */
struct errors_fixture {
	struct ktm_pair p;
	struct ib_qp_attr a, b;		/* attributes with which the QPs are connected */
};

static bool start_errors(struct ktap *t, struct errors_fixture *f)
{
	if (!ktm_start_pair(t, &f->p, IB_QPT_RC))
		return false;
	f->a = ktm_attr(&f->p.a, &f->p.b, f->p.qb->qp_num);
	f->b = ktm_attr(&f->p.b, &f->p.a, f->p.qa->qp_num);
	if (ktm_register(t, &f->p.b, f->p.qb, KTM_ACCESS))
		return true;
	ktm_end_pair(t, &f->p);
	return false;
}

static void reconnect_errors(struct ktap *t, struct errors_fixture *f)
{
	struct ktm_pair *p = &f->p;

	KT_EXPECT_EQ(t, ktm_modify(p->qa, IB_QPS_RESET), 0);
	KT_EXPECT_EQ(t, ktm_modify(p->qb, IB_QPS_RESET), 0);
	ktm_ready(t, p->qa, &f->a, IB_QPS_RTS);
	ktm_ready(t, p->qb, &f->b, IB_QPS_RTS);
	p->a.qp_events = 0;
	p->b.qp_events = 0;
	memset(p->a.buf, 0xaa, KTM_BUF);
	memset(p->b.buf, 0xbb, KTM_BUF);
}

/* Expects that neither host's memory has changed, and that both QPs are in these states. */
static void expect_states(struct ktap *t, struct errors_fixture *f, enum ib_qp_state a,
			  enum ib_qp_state b)
{
	struct ktm_pair *p = &f->p;

	ktm_expect_none(t, &p->a);
	ktm_expect_none(t, &p->b);
	KT_EXPECT_EQ(t, ktm_state(p->qa), a);
	KT_EXPECT_EQ(t, ktm_state(p->qb), b);
	KT_EXPECT(t, !memchr_inv(p->a.buf, 0xaa, KTM_BUF));
	KT_EXPECT(t, !memchr_inv(p->b.buf, 0xbb, KTM_BUF));
}

/* A request that the peer refuses. */
struct refusal {
	const char *why;
	enum ib_wr_opcode opcode;
	u64 offset;		/* from the region's first byte, modulo 2^64 */
	u32 length;
	u32 key;		/* what is added to the R_Key */
	enum ib_wc_status status;
};

static const struct refusal refusals[] = {
	{ "write: unknown key", IB_WR_RDMA_WRITE, 0, 8, 0x10000, IB_WC_REM_ACCESS_ERR },
	{ "write: old key", IB_WR_RDMA_WRITE, 0, 8, 1, IB_WC_REM_ACCESS_ERR },
	{ "write: before the region", IB_WR_RDMA_WRITE, -1, 8, 0, IB_WC_REM_ACCESS_ERR },
	{ "write: beyond the region", IB_WR_RDMA_WRITE, KTM_BUF - 7, 8, 0, IB_WC_REM_ACCESS_ERR },
	{ "write: far beyond", IB_WR_RDMA_WRITE, 1ULL << 63, 8, 0, IB_WC_REM_ACCESS_ERR },
	{ "write with data: beyond", IB_WR_RDMA_WRITE_WITH_IMM, KTM_BUF, 1, 0,
	  IB_WC_REM_ACCESS_ERR },
	{ "read: unknown key", IB_WR_RDMA_READ, 0, 8, 0x10000, IB_WC_REM_ACCESS_ERR },
	{ "read: beyond the region", IB_WR_RDMA_READ, KTM_BUF - 7, 8, 0, IB_WC_REM_ACCESS_ERR },
	{ "atomic: beyond the region", IB_WR_ATOMIC_FETCH_AND_ADD, KTM_BUF, 8, 0,
	  IB_WC_REM_ACCESS_ERR },
	{ "atomic: not aligned", IB_WR_ATOMIC_CMP_AND_SWP, 4, 8, 0, IB_WC_REM_INV_REQ_ERR },
};

/* Has the peer refuse a request. A second request, and the peer's receive request, are flushed. */
static void expect_refusal(struct ktap *t, struct errors_fixture *f, const struct refusal *r)
{
	struct ib_mr *mr = f->p.b.mr;
	struct ktm_pair *p = &f->p;
	struct ib_atomic_wr atomic = {};
	struct ktm_wr w;

	reconnect_errors(t, f);
	KT_EXPECT_EQ(t, ktm_recv(p->qb, &p->b, 9, 0, 64), 0);
	ktm_rdma_wr(&w, &p->a, r->opcode, 1, 0, r->length, mr->iova + r->offset, mr->rkey + r->key);
	atomic.wr = w.xrc.rdma.wr;
	atomic.remote_addr = w.xrc.rdma.remote_addr;
	atomic.rkey = w.xrc.rdma.rkey;
	atomic.compare_add = 1;
	if (r->opcode == IB_WR_ATOMIC_CMP_AND_SWP || r->opcode == IB_WR_ATOMIC_FETCH_AND_ADD)
		KT_EXPECT_EQ(t, ib_post_send(p->qa, &atomic.wr, NULL), 0);
	else
		KT_EXPECT_EQ(t, ib_post_send(p->qa, &w.xrc.rdma.wr, NULL), 0);
	KT_EXPECT_EQ(t, ktm_send(p->qa, &p->a, IB_WR_SEND, 2, 0, 8), 0);
	if (ktm_expect(t, &p->a, 1, r->status, 0).status != r->status)
		ktap_note(t, "%s", r->why);
	KTM_EXPECT(t, &p->a, 2, WR_FLUSH_ERR, SEND);
	KTM_EXPECT(t, &p->b, 9, WR_FLUSH_ERR, RECV);
	if (r->status == IB_WC_REM_ACCESS_ERR)
		KTM_EXPECT_EVENT(t, &p->b, QP_ACCESS_ERR);
	else
		KTM_EXPECT_EVENT(t, &p->b, QP_REQ_ERR);
	KT_EXPECT_EQ(t, hweight_long(p->b.qp_events), 1);
	KT_EXPECT_EQ(t, p->a.qp_events, 0);
	expect_states(t, f, IB_QPS_ERR, IB_QPS_ERR);
}

static void test_refused(struct ktap *t)
{
	struct errors_fixture f;
	int i;

	if (!start_errors(t, &f))
		return;
	for (i = 0; i < ARRAY_SIZE(refusals); i++)
		expect_refusal(t, &f, &refusals[i]);
	ktm_end_pair(t, &f.p);
}

static const struct refusal operations[] = {
	{ "write", IB_WR_RDMA_WRITE, 0, 8 },
	{ "read", IB_WR_RDMA_READ, 0, 8 },
	{ "compare and swap", IB_WR_ATOMIC_CMP_AND_SWP, 0, 8 },
	{ "fetch and add", IB_WR_ATOMIC_FETCH_AND_ADD, 0, 8 },
};

static const int rights[] = {
	IB_ACCESS_REMOTE_WRITE, IB_ACCESS_REMOTE_READ, IB_ACCESS_REMOTE_ATOMIC,
	IB_ACCESS_REMOTE_ATOMIC,
};

/* Each operation without its right: that of the QP, then that of the region. */
static void test_errors_rights(struct ktap *t)
{
	struct refusal r;
	struct errors_fixture f;
	int i;

	if (!start_errors(t, &f))
		return;
	for (i = 0; i < ARRAY_SIZE(operations); i++) {
		r = operations[i];
		r.status = IB_WC_REM_INV_REQ_ERR;
		f.b.qp_access_flags = KTM_ACCESS & ~rights[i];
		expect_refusal(t, &f, &r);
	}
	f.b.qp_access_flags = KTM_ACCESS;
	/* The peer does not serve reads and atomic operations. */
	f.b.max_dest_rd_atomic = 0;
	for (i = 1; i < ARRAY_SIZE(operations); i++) {
		r = operations[i];
		r.status = IB_WC_REM_INV_REQ_ERR;
		expect_refusal(t, &f, &r);
	}
	f.b.max_dest_rd_atomic = 1;
	for (i = 0; i < ARRAY_SIZE(operations); i++) {
		reconnect_errors(t, &f);
		KT_EXPECT_EQ(t, ib_dereg_mr(f.p.b.mr), 0);
		f.p.b.mr = NULL;
		if (!ktm_register(t, &f.p.b, f.p.qb, KTM_ACCESS & ~rights[i]))
			break;
		r = operations[i];
		r.status = IB_WC_REM_ACCESS_ERR;
		expect_refusal(t, &f, &r);
	}
	ktm_end_pair(t, &f.p);
}

/* A region of another PD; a key of the region after it was deregistered. */
static void test_domains(struct ktap *t)
{
	struct refusal r = { "PD", IB_WR_RDMA_WRITE, 0, 8, 0, IB_WC_REM_ACCESS_ERR };
	struct ib_qp_init_attr init_attr;
	struct errors_fixture f;
	struct ib_pd *pd;
	struct ib_qp *qp;
	u32 key;

	if (!start_errors(t, &f))
		return;
	pd = ib_alloc_pd(f.p.b.dev, 0);
	if (KT_EXPECT_ERR(t, pd, 0)) {
		init_attr = ktm_init_attr(&f.p.b, IB_QPT_RC);
		qp = f.p.qb;
		f.p.qb = ib_create_qp(pd, &init_attr);
		f.a.dest_qp_num = f.p.qb->qp_num;
		expect_refusal(t, &f, &r);
		KT_EXPECT_EQ(t, ib_destroy_qp(f.p.qb), 0);
		f.p.qb = qp;
		f.a.dest_qp_num = qp->qp_num;
		KT_EXPECT_EQ(t, ib_dealloc_pd_user(pd, NULL), 0);
	}
	reconnect_errors(t, &f);
	key = f.p.b.mr->rkey;
	KT_EXPECT_EQ(t, ib_dereg_mr(f.p.b.mr), 0);
	f.p.b.mr = NULL;
	KT_EXPECT_EQ(t, ktm_rdma(f.p.qa, &f.p.a, IB_WR_RDMA_READ, 1, 0, 8, (uintptr_t)f.p.b.buf,
				 key), 0);
	KTM_EXPECT(t, &f.p.a, 1, REM_ACCESS_ERR, RDMA_READ);
	/* The key that covers all memory for local access is no R_Key. */
	reconnect_errors(t, &f);
	KT_EXPECT_EQ(t, ktm_rdma(f.p.qa, &f.p.a, IB_WR_RDMA_READ, 1, 0, 8, (uintptr_t)f.p.b.buf,
				 f.p.b.pd->local_dma_lkey), 0);
	KTM_EXPECT(t, &f.p.a, 1, REM_ACCESS_ERR, RDMA_READ);
	expect_states(t, &f, IB_QPS_ERR, IB_QPS_ERR);
	ktm_end_pair(t, &f.p);
}

/* Posts a request whose own memory is wrong. The peer does not notice. */
static void expect_local(struct ktap *t, struct errors_fixture *f, struct ktm_wr *w,
			 enum ib_wc_status status)
{
	KT_EXPECT_EQ(t, ib_post_send(f->p.qa, &w->xrc.rdma.wr, NULL), 0);
	ktm_expect(t, &f->p.a, 1, status, 0);
	KT_EXPECT_EQ(t, f->p.b.qp_events, 0);
	expect_states(t, f, IB_QPS_ERR, IB_QPS_RTS);
	reconnect_errors(t, f);
}

static void test_errors_local(struct ktap *t)
{
	struct ib_mr *mr, *mr_b;
	struct errors_fixture f;
	struct ktm_wr w;

	if (!start_errors(t, &f))
		return;
	mr_b = f.p.b.mr;
	reconnect_errors(t, &f);
	if (!ktm_register(t, &f.p.a, f.p.qa, IB_ACCESS_REMOTE_READ))
		goto out;
	mr = f.p.a.mr;
	ktm_wr(&w, &f.p.a, IB_WR_SEND, 1, 0, 8);
	w.sge.lkey = 0xbad00;
	expect_local(t, &f, &w, IB_WC_LOC_PROT_ERR);
	ktm_wr(&w, &f.p.a, IB_WR_SEND, 1, KTM_BUF - 7, 8);
	w.sge.lkey = mr->lkey;
	expect_local(t, &f, &w, IB_WC_LOC_PROT_ERR);
	w.sge.lkey++;
	expect_local(t, &f, &w, IB_WC_LOC_PROT_ERR);
	/* The region may be read only. */
	ktm_rdma_wr(&w, &f.p.a, IB_WR_RDMA_READ, 1, 0, 8, mr_b->iova, mr_b->rkey);
	w.sge.lkey = mr->lkey;
	expect_local(t, &f, &w, IB_WC_LOC_PROT_ERR);
	/* Atomic operations have eight bytes. */
	ktm_rdma_wr(&w, &f.p.a, IB_WR_ATOMIC_FETCH_AND_ADD, 1, 0, 4, 0, 0);
	w.atomic.remote_addr = mr_b->iova;
	w.atomic.rkey = mr_b->rkey;
	expect_local(t, &f, &w, IB_WC_LOC_LEN_ERR);
	/* The QP may not begin reads. */
	f.a.max_rd_atomic = 0;
	reconnect_errors(t, &f);
	ktm_rdma_wr(&w, &f.p.a, IB_WR_RDMA_READ, 1, 0, 8, mr_b->iova, mr_b->rkey);
	expect_local(t, &f, &w, IB_WC_LOC_QP_OP_ERR);
	/* A message that is longer than the port can carry; its memory is not read. */
	ktm_wr(&w, &f.p.a, IB_WR_SEND, 1, 0, MEMDEV_MAX_MSG + 1);
	expect_local(t, &f, &w, IB_WC_LOC_LEN_ERR);
out:
	ktm_end_pair(t, &f.p);
}

/* Sends that the peer's receive request does not fit. */
static void test_receive(struct ktap *t)
{
	struct ib_sge sge = { .length = 64, .lkey = 0xbad00 };
	struct ib_recv_wr wr = { .wr_id = 3, .sg_list = &sge, .num_sge = 1 };
	struct errors_fixture f;
	struct ktm_pair *p = &f.p;

	if (!start_errors(t, &f))
		return;
	reconnect_errors(t, &f);
	KT_EXPECT_EQ(t, ktm_recv(p->qb, &p->b, 3, 0, 7), 0);
	KT_EXPECT_EQ(t, ktm_recv(p->qb, &p->b, 4, 0, 7), 0);
	KT_EXPECT_EQ(t, ktm_send(p->qa, &p->a, IB_WR_SEND, 1, 0, 8), 0);
	KTM_EXPECT(t, &p->a, 1, REM_INV_REQ_ERR, SEND);
	KTM_EXPECT(t, &p->b, 3, LOC_LEN_ERR, RECV);
	KTM_EXPECT(t, &p->b, 4, WR_FLUSH_ERR, RECV);
	expect_states(t, &f, IB_QPS_ERR, IB_QPS_ERR);

	reconnect_errors(t, &f);
	sge.addr = (uintptr_t)p->b.buf;
	KT_EXPECT_EQ(t, ib_post_recv(p->qb, &wr, NULL), 0);
	KT_EXPECT_EQ(t, ktm_send(p->qa, &p->a, IB_WR_SEND, 1, 0, 8), 0);
	KTM_EXPECT(t, &p->a, 1, REM_OP_ERR, SEND);
	KTM_EXPECT(t, &p->b, 3, LOC_PROT_ERR, RECV);
	expect_states(t, &f, IB_QPS_ERR, IB_QPS_ERR);

	/* A region that may not be written. */
	reconnect_errors(t, &f);
	KT_EXPECT_EQ(t, ib_dereg_mr(p->b.mr), 0);
	p->b.mr = NULL;
	if (ktm_register(t, &p->b, p->qb, IB_ACCESS_REMOTE_READ)) {
		sge.lkey = p->b.mr->lkey;
		KT_EXPECT_EQ(t, ib_post_recv(p->qb, &wr, NULL), 0);
		KT_EXPECT_EQ(t, ktm_send(p->qa, &p->a, IB_WR_SEND, 1, 0, 8), 0);
		KTM_EXPECT(t, &p->a, 1, REM_OP_ERR, SEND);
		KTM_EXPECT(t, &p->b, 3, LOC_PROT_ERR, RECV);
		expect_states(t, &f, IB_QPS_ERR, IB_QPS_ERR);
	}
	ktm_end_pair(t, p);
}

static const struct ktap_case errors_cases[] = {
	{ "keys, bounds and alignment: the peer refuses, both ends fail", test_refused },
	{ "rights of the QP and of the region", test_errors_rights },
	{ "keys of other PDs, of no region, and for local access", test_domains },
	{ "memory of the sender: the peer does not notice", test_errors_local },
	{ "receive requests that are too short or not valid", test_receive },
};

KTAP_SUITE(ktm_errors_suite, "memdev errors", errors_cases);
