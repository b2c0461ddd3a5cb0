// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of fast memory regions, and of their pool, with data.
 */
#include <rdma/ib_fmr_pool.h>

#include "kt_memdev.h"

#define WR_READ	IB_WR_RDMA_READ
#define WR_WRITE	IB_WR_RDMA_WRITE
#define IOVA	0x100000

static struct ib_fmr *alloc_fmr(struct ktm_host *h, int max_maps)
{
	struct ib_fmr_attr attr = {
		.max_pages = 2, .max_maps = max_maps, .page_shift = PAGE_SHIFT,
	};

	return ib_alloc_fmr(h->pd, KTM_ACCESS, &attr);
}

/* Starts a connection whose end B has a region. */
static struct ib_fmr *start_fmr(struct ktap *t, struct ktm_pair *p, int max_maps)
{
	struct ib_fmr *fmr;

	if (!ktm_start_pair(t, p, IB_QPT_RC))
		return NULL;
	fmr = alloc_fmr(&p->b, max_maps);
	if (KT_EXPECT_ERR(t, fmr, 0))
		return fmr;
	ktm_end_pair(t, p);
	return NULL;
}

static void end_fmr(struct ktap *t, struct ktm_pair *p, struct ib_fmr *fmr)
{
	KT_EXPECT_EQ(t, ib_dealloc_fmr(fmr), 0);
	KT_EXPECT_EQ(t, atomic_read(&p->b.pd->usecnt), 1);
	ktm_end_pair(t, p);
}

static u64 page_of_b(struct ktm_pair *p, int i)
{
	return (uintptr_t)p->b.buf + i * PAGE_SIZE;
}

static int unmap_fmr(struct ib_fmr *fmr)
{
	LIST_HEAD(list);
	int ret;

	list_add(&fmr->list, &list);
	ret = ib_unmap_fmr(&list);
	list_del(&fmr->list);
	return ret;
}

/* Pages in another order than in memory; what is beyond them is not reached. */
static void test_map(struct ktap *t)
{
	struct ktm_pair p;
	struct ib_fmr *fmr;
	u64 pages[2];

	fmr = start_fmr(t, &p, 4);
	if (!fmr)
		return;
	ktm_expect_rdma(t, &p, WR_READ, 0, fmr->rkey, IB_WC_REM_ACCESS_ERR);
	pages[0] = page_of_b(&p, 2);
	pages[1] = page_of_b(&p, 0);
	KT_EXPECT_EQ(t, ib_map_phys_fmr(fmr, pages, 2, IOVA), 0);
	KT_EXPECT_EQ(t, fmr->lkey, fmr->rkey);
	kt_fill(p.a.buf, KTM_BUF, 4);
	memset(p.b.buf, 0xbb, KTM_BUF);
	KT_EXPECT_EQ(t, ktm_rdma(p.qa, &p.a, WR_WRITE, 1, 0, 2 * PAGE_SIZE - 30, IOVA + 10,
				 fmr->rkey), 0);
	KTM_EXPECT(t, &p.a, 1, SUCCESS, RDMA_WRITE);
	KT_EXPECT(t, !memcmp(p.b.buf + 2 * PAGE_SIZE + 10, p.a.buf, PAGE_SIZE - 10));
	KT_EXPECT(t, !memcmp(p.b.buf, p.a.buf + PAGE_SIZE - 10, PAGE_SIZE - 20));
	KT_EXPECT(t, !memchr_inv(p.b.buf + PAGE_SIZE - 20, 0xbb, PAGE_SIZE + 30));
	KT_EXPECT(t, !memchr_inv(p.b.buf + 3 * PAGE_SIZE, 0xbb, PAGE_SIZE));
	ktm_expect_rdma(t, &p, WR_WRITE, IOVA - 1, fmr->rkey, IB_WC_REM_ACCESS_ERR);
	ktm_expect_rdma(t, &p, WR_WRITE, IOVA + 2 * PAGE_SIZE - 7, fmr->rkey, IB_WC_REM_ACCESS_ERR);

	/* The owner uses the same key. */
	{
		struct ib_sge sge = { .addr = IOVA + 10, .length = 500, .lkey = fmr->lkey };
		struct ib_send_wr wr = { .wr_id = 7, .opcode = IB_WR_SEND, .sg_list = &sge,
					 .num_sge = 1, .send_flags = IB_SEND_SIGNALED };

		KT_EXPECT_EQ(t, ktm_recv(p.qa, &p.a, 8, KTM_BUF - 500, 500), 0);
		KT_EXPECT_EQ(t, ib_post_send(p.qb, &wr, NULL), 0);
		KTM_EXPECT(t, &p.b, 7, SUCCESS, SEND);
		KTM_EXPECT(t, &p.a, 8, SUCCESS, RECV);
		KT_EXPECT(t, kt_is(p.a.buf + KTM_BUF - 500, 500, 4));
	}
	end_fmr(t, &p, fmr);
}

/* Each mapping has a new key; only the last one works, until it is unmapped. */
static void test_fmr_remap(struct ktap *t)
{
	struct ktm_pair p;
	struct ib_fmr *fmr;
	u64 pages[2];
	u32 old;
	int i;

	fmr = start_fmr(t, &p, 3);
	if (!fmr)
		return;
	pages[0] = page_of_b(&p, 1);
	pages[1] = page_of_b(&p, 3);
	for (i = 0; i < 3; i++) {
		old = fmr->rkey;
		KT_EXPECT_EQ(t, ib_map_phys_fmr(fmr, pages, 1, i * PAGE_SIZE), 0);
		KT_EXPECT(t, fmr->rkey != old);
		ktm_expect_rdma(t, &p, WR_WRITE, i * PAGE_SIZE, old, IB_WC_REM_ACCESS_ERR);
		ktm_expect_rdma(t, &p, WR_WRITE, i * PAGE_SIZE, fmr->rkey, IB_WC_SUCCESS);
	}

	/* The limit is reached; the mapping stays. After an unmap it begins anew. */
	old = fmr->rkey;
	KT_EXPECT_EQ(t, ib_map_phys_fmr(fmr, pages, 2, 0), -EINVAL);
	KT_EXPECT_EQ(t, fmr->rkey, old);
	ktm_expect_rdma(t, &p, WR_WRITE, 2 * PAGE_SIZE, old, IB_WC_SUCCESS);
	fakedev_fail(p.b.fd, FAKEDEV_UNMAP_FMR, 1, -EIO);
	KT_EXPECT_EQ(t, unmap_fmr(fmr), -EIO);
	ktm_expect_rdma(t, &p, WR_WRITE, 2 * PAGE_SIZE, old, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, unmap_fmr(fmr), 0);
	ktm_expect_rdma(t, &p, WR_WRITE, 2 * PAGE_SIZE, old, IB_WC_REM_ACCESS_ERR);
	KT_EXPECT_EQ(t, ib_map_phys_fmr(fmr, pages, 2, 0), 0);
	ktm_expect_rdma(t, &p, WR_WRITE, PAGE_SIZE, fmr->rkey, IB_WC_SUCCESS);

	/* A mapping that no request has seen ends, too. */
	KT_EXPECT_EQ(t, ib_map_phys_fmr(fmr, pages, 2, 0), 0);
	KT_EXPECT_EQ(t, unmap_fmr(fmr), 0);
	ktm_expect_rdma(t, &p, WR_WRITE, 0, fmr->rkey, IB_WC_REM_ACCESS_ERR);
	end_fmr(t, &p, fmr);
}

static void test_fmr_errors(struct ktap *t)
{
	struct ib_fmr_attr attr = { .max_pages = MEMDEV_MAX_PAGES + 1, .max_maps = 1,
				    .page_shift = PAGE_SHIFT };
	struct ktm_pair p;
	struct ib_fmr *fmr;
	u64 pages[3];
	u32 key;

	fmr = start_fmr(t, &p, 4);
	if (!fmr)
		return;
	pages[0] = page_of_b(&p, 0);
	pages[1] = page_of_b(&p, 1) + 1;
	pages[2] = page_of_b(&p, 2);
	key = fmr->rkey;
	KT_EXPECT_EQ(t, ib_map_phys_fmr(fmr, pages, 0, 0), -EINVAL);
	KT_EXPECT_EQ(t, ib_map_phys_fmr(fmr, pages, 2, 0), -EINVAL);
	KT_EXPECT_EQ(t, ib_map_phys_fmr(fmr, pages, 3, 0), -EINVAL);
	KT_EXPECT_EQ(t, ib_map_phys_fmr(fmr, pages, 1, 1), -EINVAL);
	fakedev_fail(p.b.fd, FAKEDEV_MAP_FMR, 1, -EAGAIN);
	KT_EXPECT_EQ(t, ib_map_phys_fmr(fmr, pages, 1, 0), -EAGAIN);
	KT_EXPECT_EQ(t, fmr->rkey, key);
	KT_EXPECT_EQ(t, ib_map_phys_fmr(fmr, pages, 1, 0), 0);

	/* Requests do not invalidate what a call has mapped. */
	KT_EXPECT_EQ(t, ktm_post_inv(p.qb, fmr->rkey), 0);
	KTM_EXPECT(t, &p.b, 0x11f, MW_BIND_ERR, LOCAL_INV);
	ktm_reconnect(t, &p);
	ktm_expect_rdma(t, &p, WR_WRITE, 0, fmr->rkey, IB_WC_SUCCESS);

	KT_EXPECT_ERR(t, ib_alloc_fmr(p.b.pd, KTM_ACCESS, &attr), -EINVAL);
	attr.max_pages = 1;
	attr.page_shift = PAGE_SHIFT - 1;
	KT_EXPECT_ERR(t, ib_alloc_fmr(p.b.pd, KTM_ACCESS, &attr), -EINVAL);
	attr.page_shift = PAGE_SHIFT;
	KT_EXPECT_ERR(t, ib_alloc_fmr(p.b.pd, KTM_ACCESS | IB_ACCESS_MW_BIND, &attr), -EINVAL);
	fakedev_fail(p.b.fd, FAKEDEV_ALLOC_FMR, 1, -ENOSPC);
	KT_EXPECT_ERR(t, ib_alloc_fmr(p.b.pd, KTM_ACCESS, &attr), -ENOSPC);
	fakedev_fail(p.b.fd, FAKEDEV_DEALLOC_FMR, 1, -EBUSY);
	KT_EXPECT_EQ(t, ib_dealloc_fmr(fmr), -EBUSY);
	ktm_expect_rdma(t, &p, WR_WRITE, 0, fmr->rkey, IB_WC_SUCCESS);
	key = fmr->rkey;
	KT_EXPECT_EQ(t, ib_dealloc_fmr(fmr), 0);
	ktm_expect_rdma(t, &p, WR_WRITE, 0, key, IB_WC_REM_ACCESS_ERR);
	KT_EXPECT_EQ(t, atomic_read(&p.b.pd->usecnt), 1);
	ktm_end_pair(t, &p);
}

/* A region is mapped in any context, while a peer uses it. */
static void test_atomic_context(struct ktap *t)
{
	struct ktm_pair p;
	struct ib_fmr *fmr;
	unsigned long flags;
	int i, ret;
	u64 first;

	fmr = start_fmr(t, &p, 100);
	if (!fmr)
		return;
	first = page_of_b(&p, 0);
	for (i = 0; i < 20; i++) {
		KT_EXPECT_EQ(t, ktm_rdma(p.qa, &p.a, WR_READ, i, 0, 8, 0, fmr->rkey), 0);
		local_irq_save(flags);
		ret = ib_map_phys_fmr(fmr, &first, 1, 0);
		local_irq_restore(flags);
		KT_EXPECT_EQ(t, ret, 0);
		/* The read came before the mapping, or its key was too old. */
		while (ib_poll_cq(p.a.cq, 1, &(struct ib_wc) {}) != 1)
			usleep_range(100, 1000);
		if (ktm_state(p.qa) == IB_QPS_ERR)
			ktm_reconnect(t, &p);
		ktm_expect_rdma(t, &p, WR_READ, 0, fmr->rkey, IB_WC_SUCCESS);
	}
	end_fmr(t, &p, fmr);
}

/* The pool maps, keeps and unmaps the regions of memdev. */
static void test_pool(struct ktap *t)
{
	struct ib_fmr_pool_param param = {
		.max_pages_per_fmr = 2, .page_shift = PAGE_SHIFT, .access = KTM_ACCESS,
		.pool_size = 4, .dirty_watermark = 2, .cache = 1,
	};
	struct ib_pool_fmr *fmr, *same;
	struct ib_fmr_pool *pool;
	struct ktm_pair p;
	u64 pages[2];
	u32 key;

	if (!ktm_start_pair(t, &p, IB_QPT_RC))
		return;
	pool = ib_create_fmr_pool(p.b.pd, &param);
	if (!KT_EXPECT_ERR(t, pool, 0))
		goto out;
	pages[0] = page_of_b(&p, 3);
	pages[1] = page_of_b(&p, 1);
	fmr = ib_fmr_pool_map_phys(pool, pages, 2, IOVA);
	if (KT_EXPECT_ERR(t, fmr, 0)) {
		key = fmr->fmr->rkey;
		kt_fill(p.a.buf, 8, 6);
		ktm_expect_rdma(t, &p, WR_WRITE, IOVA + PAGE_SIZE, key, IB_WC_SUCCESS);
		KT_EXPECT(t, kt_is(p.b.buf + PAGE_SIZE, 8, 6));
		same = ib_fmr_pool_map_phys(pool, pages, 2, IOVA);
		KT_EXPECT(t, same == fmr);
		KT_EXPECT_EQ(t, ib_fmr_pool_unmap(fmr), 0);
		KT_EXPECT_EQ(t, ib_fmr_pool_unmap(fmr), 0);
		KT_EXPECT_EQ(t, ib_flush_fmr_pool(pool), 0);
		ktm_expect_rdma(t, &p, WR_WRITE, IOVA, key, IB_WC_REM_ACCESS_ERR);
	}
	ib_destroy_fmr_pool(pool);
out:
	KT_EXPECT_EQ(t, atomic_read(&p.b.pd->usecnt), 1);
	ktm_end_pair(t, &p);
}

static const struct ktap_case fmr_cases[] = {
	{ "the pages of a mapping", test_map },
	{ "new mappings, their limit, and the end of a mapping", test_fmr_remap },
	{ "errors of each call", test_fmr_errors },
	{ "mapped with interrupts off, while a peer reads", test_atomic_context },
	{ "a pool of regions", test_pool },
};

KTAP_SUITE(ktm_fmr_suite, "memdev FMR", fmr_cases);
