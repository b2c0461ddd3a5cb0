// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of memory windows: binds, accesses by peers, invalidation, and the errors of each.
 */
#include "kt_memdev.h"

#define WR_READ	IB_WR_RDMA_READ
#define WR_WRITE	IB_WR_RDMA_WRITE
#define BOTH	(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ)
/* The window in these tests: a part of the region that begins at any byte. */
#define OFFSET	(PAGE_SIZE - 100)
#define LENGTH	1000

/* Starts a connection whose end B has a region with these rights, and a window. */
static struct ib_mw *start_mw(struct ktap *t, struct ktm_pair *p, enum ib_mw_type type, int access)
{
	struct ib_mw *mw;

	if (!ktm_start_pair(t, p, IB_QPT_RC))
		return NULL;
	if (ktm_register(t, &p->b, p->qb, access)) {
		mw = ib_alloc_mw(p->b.pd, type);
		if (KT_EXPECT_ERR(t, mw, 0))
			return mw;
	}
	ktm_end_pair(t, p);
	return NULL;
}

static void end_mw(struct ktap *t, struct ktm_pair *p, struct ib_mw *mw)
{
	KT_EXPECT_EQ(t, ib_dealloc_mw(mw), 0);
	ktm_end_pair(t, p);
}

/* A bind of @mw to the window of these tests, which a test may change before it is posted. */
static struct ib_bind_mw_wr bind_wr(struct ktm_pair *p, struct ib_mw *mw, u32 key, int access)
{
	return (struct ib_bind_mw_wr) {
		.wr = { .wr_id = 0xb1d, .opcode = IB_WR_BIND_MW, .send_flags = IB_SEND_SIGNALED },
		.mw = mw,
		.rkey = key,
		.bind_info = {
			.mr = p->b.mr,
			.addr = p->b.mr->iova + OFFSET,
			.length = LENGTH,
			.mw_access_flags = access,
		},
	};
}

static void expect_bound(struct ktap *t, struct ktm_pair *p, const struct ib_bind_mw_wr *wr)
{
	KT_EXPECT_EQ(t, ib_post_send(p->qb, &wr->wr, NULL), 0);
	KTM_EXPECT(t, &p->b, 0xb1d, SUCCESS, BIND_MW);
}

static void expect_not_bound(struct ktap *t, struct ktm_pair *p, const struct ib_bind_mw_wr *wr)
{
	KT_EXPECT_EQ(t, ib_post_send(p->qb, &wr->wr, NULL), 0);
	KTM_EXPECT(t, &p->b, 0xb1d, MW_BIND_ERR, BIND_MW);
	KT_EXPECT_EQ(t, ktm_state(p->qb), IB_QPS_ERR);
	ktm_reconnect(t, p);
}

static void expect_not_invalidated(struct ktap *t, struct ktm_pair *p, u32 key)
{
	KT_EXPECT_EQ(t, ktm_post_inv(p->qb, key), 0);
	KTM_EXPECT(t, &p->b, 0x11f, MW_BIND_ERR, LOCAL_INV);
	ktm_reconnect(t, p);
}

/* The bytes of the window, its bounds, and its rights, which may be fewer than the region's. */
static void test_access(struct ktap *t)
{
	struct ib_bind_mw_wr wr;
	struct ktm_pair p;
	struct ib_mw *mw;
	u64 addr;

	mw = start_mw(t, &p, IB_MW_TYPE_1, KTM_ACCESS | IB_ACCESS_MW_BIND);
	if (!mw)
		return;
	addr = p.b.mr->iova + OFFSET;
	ktm_expect_rdma(t, &p, WR_WRITE, addr, mw->rkey, IB_WC_REM_ACCESS_ERR);
	wr = bind_wr(&p, mw, mw->rkey, IB_ACCESS_REMOTE_WRITE);
	expect_bound(t, &p, &wr);

	kt_fill(p.a.buf, LENGTH, 3);
	memset(p.b.buf, 0xbb, KTM_BUF);
	KT_EXPECT_EQ(t, ktm_rdma(p.qa, &p.a, WR_WRITE, 1, 0, LENGTH, addr, wr.rkey), 0);
	KTM_EXPECT(t, &p.a, 1, SUCCESS, RDMA_WRITE);
	KT_EXPECT(t, kt_is(p.b.buf + OFFSET, LENGTH, 3));
	KT_EXPECT(t, !memchr_inv(p.b.buf, 0xbb, OFFSET));
	KT_EXPECT(t, !memchr_inv(p.b.buf + OFFSET + LENGTH, 0xbb, KTM_BUF - OFFSET - LENGTH));

	ktm_expect_rdma(t, &p, WR_WRITE, addr - 1, wr.rkey, IB_WC_REM_ACCESS_ERR);
	ktm_expect_rdma(t, &p, WR_WRITE, addr + LENGTH - 7, wr.rkey, IB_WC_REM_ACCESS_ERR);
	ktm_expect_rdma(t, &p, WR_WRITE, addr + LENGTH - 8, wr.rkey, IB_WC_SUCCESS);
	ktm_expect_rdma(t, &p, WR_READ, addr, wr.rkey, IB_WC_REM_ACCESS_ERR);
	ktm_expect_rdma(t, &p, WR_READ, addr, p.b.mr->rkey, IB_WC_SUCCESS);
	end_mw(t, &p, mw);
}

/* A window of type 1 is bound again while it is bound, and unbound by a bind without length. */
static void test_rebind(struct ktap *t)
{
	struct ib_bind_mw_wr wr;
	struct ktm_pair p;
	struct ib_mw *mw;
	u64 addr;
	u32 old;

	mw = start_mw(t, &p, IB_MW_TYPE_1, KTM_ACCESS | IB_ACCESS_MW_BIND);
	if (!mw)
		return;
	addr = p.b.mr->iova + OFFSET;
	wr = bind_wr(&p, mw, mw->rkey, BOTH);
	expect_bound(t, &p, &wr);
	ktm_expect_rdma(t, &p, WR_READ, addr, wr.rkey, IB_WC_SUCCESS);

	old = wr.rkey;
	wr.rkey = ib_inc_rkey(old);
	wr.bind_info.addr = addr + LENGTH;
	expect_bound(t, &p, &wr);
	ktm_expect_rdma(t, &p, WR_READ, addr + LENGTH, old, IB_WC_REM_ACCESS_ERR);
	ktm_expect_rdma(t, &p, WR_READ, addr, wr.rkey, IB_WC_REM_ACCESS_ERR);
	ktm_expect_rdma(t, &p, WR_READ, addr + LENGTH, wr.rkey, IB_WC_SUCCESS);

	expect_not_invalidated(t, &p, wr.rkey);
	ktm_expect_rdma(t, &p, WR_READ, addr + LENGTH, wr.rkey, IB_WC_SUCCESS);
	wr.bind_info.length = 0;
	wr.bind_info.mr = NULL;
	expect_bound(t, &p, &wr);
	ktm_expect_rdma(t, &p, WR_READ, addr + LENGTH, wr.rkey, IB_WC_REM_ACCESS_ERR);
	end_mw(t, &p, mw);
}

/* A window of type 2 is bound once, and then invalidated at either end. */
static void test_type2(struct ktap *t)
{
	struct ib_bind_mw_wr wr;
	struct ktm_pair p;
	struct ib_mw *mw;
	struct ktm_wr w;
	struct ib_wc wc;
	u64 addr;

	mw = start_mw(t, &p, IB_MW_TYPE_2, KTM_ACCESS | IB_ACCESS_MW_BIND);
	if (!mw)
		return;
	addr = p.b.mr->iova + OFFSET;
	wr = bind_wr(&p, mw, ib_inc_rkey(mw->rkey), BOTH);
	expect_bound(t, &p, &wr);
	ktm_expect_rdma(t, &p, WR_WRITE, addr, wr.rkey, IB_WC_SUCCESS);

	/* The peer invalidates; the key does not work any more, and cannot be invalidated again. */
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 3, 0, 8), 0);
	ktm_wr(&w, &p.a, IB_WR_SEND_WITH_INV, 2, 0, 8);
	w.xrc.rdma.wr.ex.invalidate_rkey = wr.rkey;
	KT_EXPECT_EQ(t, ib_post_send(p.qa, &w.xrc.rdma.wr, NULL), 0);
	KTM_EXPECT(t, &p.a, 2, SUCCESS, SEND);
	wc = KTM_EXPECT(t, &p.b, 3, SUCCESS, RECV);
	KT_EXPECT_EQ(t, wc.ex.invalidate_rkey, wr.rkey);
	ktm_expect_rdma(t, &p, WR_WRITE, addr, wr.rkey, IB_WC_REM_ACCESS_ERR);
	expect_not_invalidated(t, &p, wr.rkey);

	wr.rkey = ib_inc_rkey(wr.rkey);
	expect_bound(t, &p, &wr);
	ktm_expect_rdma(t, &p, WR_WRITE, addr, wr.rkey, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, ktm_post_inv(p.qb, wr.rkey), 0);
	KTM_EXPECT(t, &p.b, 0x11f, SUCCESS, LOCAL_INV);
	ktm_expect_rdma(t, &p, WR_WRITE, addr, wr.rkey, IB_WC_REM_ACCESS_ERR);

	/* A QP that goes back to RESET, as after an error, unbinds its windows. */
	expect_bound(t, &p, &wr);
	expect_not_bound(t, &p, &wr);
	ktm_expect_rdma(t, &p, WR_WRITE, addr, wr.rkey, IB_WC_REM_ACCESS_ERR);
	end_mw(t, &p, mw);
}

/* Connects a second pair of QPs of the same hosts. */
static bool start_second(struct ktap *t, struct ktm_pair *p, struct ktm_pair *second)
{
	*second = *p;
	second->qa = ktm_qp(t, &p->a, IB_QPT_RC);
	second->qb = ktm_qp(t, &p->b, IB_QPT_RC);
	if (IS_ERR(second->qa) || IS_ERR(second->qb))
		return false;
	ktm_connect(t, second);
	return true;
}

/* Any QP of the PD reaches a window of type 1, and only the one that has bound it, of type 2. */
static void test_qps(struct ktap *t)
{
	static const enum ib_mw_type types[] = { IB_MW_TYPE_1, IB_MW_TYPE_2 };
	struct ktm_pair p, second;
	struct ib_bind_mw_wr wr;
	struct ib_mw *mw;
	int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		mw = start_mw(t, &p, types[i], KTM_ACCESS | IB_ACCESS_MW_BIND);
		if (!mw)
			return;
		if (start_second(t, &p, &second)) {
			wr = bind_wr(&p, mw, mw->rkey, BOTH);
			expect_bound(t, &p, &wr);
			ktm_expect_rdma(t, &second, WR_READ, wr.bind_info.addr, wr.rkey,
					types[i] == IB_MW_TYPE_1 ? IB_WC_SUCCESS :
								   IB_WC_REM_ACCESS_ERR);
			if (types[i] == IB_MW_TYPE_2)
				expect_not_invalidated(t, &second, wr.rkey);
			ktm_expect_rdma(t, &p, WR_READ, wr.bind_info.addr, wr.rkey, IB_WC_SUCCESS);
			KT_EXPECT_EQ(t, ib_destroy_qp(second.qa), 0);
			KT_EXPECT_EQ(t, ib_destroy_qp(second.qb), 0);
		}
		end_mw(t, &p, mw);
	}
}

/* What a bind needs; each error leaves the window unbound. */
static void test_bind_errors(struct ktap *t)
{
	struct ib_bind_mw_wr wr, good;
	struct ib_mw *mw, *other;
	struct ktm_pair p;
	struct ib_pd *pd;

	mw = start_mw(t, &p, IB_MW_TYPE_2, KTM_ACCESS | IB_ACCESS_MW_BIND);
	if (!mw)
		return;
	good = bind_wr(&p, mw, mw->rkey, BOTH);

	wr = good;
	wr.bind_info.addr--;
	wr.bind_info.length = KTM_BUF;
	expect_not_bound(t, &p, &wr);
	wr = good;
	wr.bind_info.addr = p.b.mr->iova - 1;
	expect_not_bound(t, &p, &wr);
	wr = good;
	wr.bind_info.addr = U64_MAX;
	expect_not_bound(t, &p, &wr);
	wr = good;
	wr.bind_info.length = 0;
	expect_not_bound(t, &p, &wr);
	wr = good;
	wr.bind_info.mw_access_flags |= IB_ACCESS_LOCAL_WRITE;
	expect_not_bound(t, &p, &wr);

	/* A window of another PD. */
	pd = ib_alloc_pd(p.b.dev, 0);
	other = IS_ERR(pd) ? ERR_CAST(pd) : ib_alloc_mw(pd, IB_MW_TYPE_1);
	if (KT_EXPECT_ERR(t, other, 0)) {
		wr = good;
		wr.mw = other;
		wr.rkey = other->rkey;
		expect_not_bound(t, &p, &wr);
		KT_EXPECT_EQ(t, ib_dealloc_mw(other), 0);
		KT_EXPECT_EQ(t, ib_dealloc_pd_user(pd, NULL), 0);
	}

	/* What is refused when it is posted. */
	wr = good;
	wr.rkey += 0x100;
	KT_EXPECT_EQ(t, ib_post_send(p.qb, &wr.wr, NULL), -EINVAL);
	wr = good;
	wr.bind_info.mr = NULL;
	KT_EXPECT_EQ(t, ib_post_send(p.qb, &wr.wr, NULL), -EINVAL);
	wr.mw = NULL;
	KT_EXPECT_EQ(t, ib_post_send(p.qb, &wr.wr, NULL), -EINVAL);

	KT_EXPECT_EQ(t, ktm_post_inv(p.qb, p.b.mr->rkey), 0);
	KTM_EXPECT(t, &p.b, 0x11f, SUCCESS, LOCAL_INV);
	expect_not_bound(t, &p, &good);
	end_mw(t, &p, mw);
}

/* The rights of the region: to bind at all, and to write locally for peers that write. */
static void test_mw_rights(struct ktap *t)
{
	static const struct {
		int of_region, of_window;
		bool bound;
	} rows[] = {
		{ KTM_ACCESS, BOTH, false },
		{ IB_ACCESS_MW_BIND, IB_ACCESS_REMOTE_READ, true },
		{ IB_ACCESS_MW_BIND, IB_ACCESS_REMOTE_WRITE, false },
		{ IB_ACCESS_MW_BIND, IB_ACCESS_REMOTE_ATOMIC, false },
		{ IB_ACCESS_MW_BIND | IB_ACCESS_LOCAL_WRITE, BOTH, true },
	};
	struct ib_bind_mw_wr wr;
	struct ktm_pair p;
	struct ib_mw *mw;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		mw = start_mw(t, &p, IB_MW_TYPE_1, rows[i].of_region);
		if (!mw)
			return;
		wr = bind_wr(&p, mw, mw->rkey, rows[i].of_window);
		if (rows[i].bound) {
			expect_bound(t, &p, &wr);
			ktm_expect_rdma(t, &p, WR_READ, wr.bind_info.addr, wr.rkey, IB_WC_SUCCESS);
		} else {
			expect_not_bound(t, &p, &wr);
		}
		ktm_expect_rdma(t, &p, WR_READ, wr.bind_info.addr, p.b.mr->rkey,
				rows[i].of_region & IB_ACCESS_REMOTE_READ ? IB_WC_SUCCESS :
									    IB_WC_REM_ACCESS_ERR);
		end_mw(t, &p, mw);
	}
}

/* A region is not invalidated or destroyed while a window is bound to it. */
static void test_region(struct ktap *t)
{
	struct ib_bind_mw_wr wr;
	struct ktm_pair p;
	struct ib_mw *mw;

	mw = start_mw(t, &p, IB_MW_TYPE_1, KTM_ACCESS | IB_ACCESS_MW_BIND);
	if (!mw)
		return;
	wr = bind_wr(&p, mw, mw->rkey, BOTH);
	expect_bound(t, &p, &wr);
	expect_not_invalidated(t, &p, p.b.mr->rkey);
	KT_EXPECT_EQ(t, ib_dereg_mr(p.b.mr), -EBUSY);
	ktm_expect_rdma(t, &p, WR_READ, wr.bind_info.addr, wr.rkey, IB_WC_SUCCESS);

	/* The owner of the memory does not use the window. */
	{
		struct ib_sge sge = { .addr = wr.bind_info.addr, .length = 8, .lkey = wr.rkey };
		struct ib_send_wr send = { .wr_id = 7, .opcode = IB_WR_SEND, .sg_list = &sge,
					   .num_sge = 1 };

		KT_EXPECT_EQ(t, ib_post_send(p.qb, &send, NULL), 0);
		KTM_EXPECT(t, &p.b, 7, LOC_PROT_ERR, SEND);
		ktm_reconnect(t, &p);
	}
	fakedev_fail(p.b.fd, FAKEDEV_DEALLOC_MW, 1, -EAGAIN);
	KT_EXPECT_EQ(t, ib_dealloc_mw(mw), -EAGAIN);
	KT_EXPECT_EQ(t, ib_dereg_mr(p.b.mr), -EBUSY);
	KT_EXPECT_EQ(t, ib_dealloc_mw(mw), 0);
	ktm_expect_rdma(t, &p, WR_READ, wr.bind_info.addr, wr.rkey, IB_WC_REM_ACCESS_ERR);
	KT_EXPECT_EQ(t, ktm_post_inv(p.qb, p.b.mr->rkey), 0);
	KTM_EXPECT(t, &p.b, 0x11f, SUCCESS, LOCAL_INV);
	ktm_end_pair(t, &p);
}

/* A window ends while its QP goes, and while the bind is still in the queue. */
static void test_order(struct ktap *t)
{
	struct ib_bind_mw_wr wr;
	struct ktm_pair p;
	struct ib_mw *mw;

	mw = start_mw(t, &p, IB_MW_TYPE_2, KTM_ACCESS | IB_ACCESS_MW_BIND);
	if (!mw)
		return;
	wr = bind_wr(&p, mw, mw->rkey, BOTH);
	expect_bound(t, &p, &wr);
	KT_EXPECT_EQ(t, ib_dereg_mr(p.b.mr), -EBUSY);
	KT_EXPECT_EQ(t, ib_destroy_qp(p.qb), 0);
	KT_EXPECT_EQ(t, ib_dereg_mr(p.b.mr), 0);
	p.b.mr = NULL;
	p.qb = ktm_qp(t, &p.b, IB_QPT_RC);
	KT_EXPECT_EQ(t, ib_dealloc_mw(mw), 0);
	ktm_end_pair(t, &p);
}

static void test_types_of_qps(struct ktap *t)
{
	struct ktm_pair p;
	struct ib_bind_mw_wr wr;
	struct ib_mw *mw;

	if (!ktm_start_pair(t, &p, IB_QPT_UD))
		return;
	mw = ib_alloc_mw(p.b.pd, IB_MW_TYPE_1);
	if (KT_EXPECT_ERR(t, mw, 0)) {
		wr = (struct ib_bind_mw_wr) {
			.wr.opcode = IB_WR_BIND_MW, .mw = mw, .rkey = mw->rkey,
		};
		KT_EXPECT_EQ(t, ib_post_send(p.qb, &wr.wr, NULL), -EINVAL);
		KT_EXPECT_EQ(t, ib_dealloc_mw(mw), 0);
	}
	fakedev_fail(p.b.fd, FAKEDEV_ALLOC_MW, 1, -ENOSPC);
	KT_EXPECT_ERR(t, ib_alloc_mw(p.b.pd, IB_MW_TYPE_2), -ENOSPC);
	KT_EXPECT_EQ(t, atomic_read(&p.b.pd->usecnt), 1);
	ktm_end_pair(t, &p);
}

static const struct ktap_case mw_cases[] = {
	{ "type 1: what peers reach", test_access },
	{ "type 1: bound again, and unbound", test_rebind },
	{ "type 2: bound once, invalidated at either end", test_type2 },
	{ "the QPs by which peers reach a window", test_qps },
	{ "binds that fail", test_bind_errors },
	{ "the rights of the region", test_mw_rights },
	{ "the region of a window", test_region },
	{ "a QP with a bound window is destroyed", test_order },
	{ "refused windows and requests", test_types_of_qps },
};

KTAP_SUITE(ktm_mw_suite, "memdev MW", mw_cases);
