// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of memory regions: registration and invalidation by requests, at either end.
 */
#include <linux/scatterlist.h>

#include "kt_memdev.h"

static bool start_mem(struct ktap *t, struct ktm_pair *p)
{
	if (!ktm_start_pair(t, p, IB_QPT_RC))
		return false;
	if (ktm_register(t, &p->b, p->qb, KTM_ACCESS))
		return true;
	ktm_end_pair(t, p);
	return false;
}

/* Has the peer write 8 bytes, and expects this status. */
static void expect_write(struct ktap *t, struct ktm_pair *p, u64 addr, u32 key,
			 enum ib_wc_status status)
{
	ktm_expect_rdma(t, p, IB_WR_RDMA_WRITE, addr, key, status);
}

/* Has @qp fail a request on a region, and connects again. */
static void expect_bind_error(struct ktap *t, struct ktm_pair *p, u64 id)
{
	ktm_expect(t, &p->b, id, IB_WC_MW_BIND_ERR, 0);
	KT_EXPECT_EQ(t, ktm_state(p->qb), IB_QPS_ERR);
	ktm_reconnect(t, p);
}

static void test_cycle(struct ktap *t)
{
	struct ktm_pair p;
	struct ib_mr *mr;
	u32 old;

	if (!start_mem(t, &p))
		return;
	mr = p.b.mr;
	expect_write(t, &p, mr->iova, mr->rkey, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, ktm_post_inv(p.qb, mr->rkey), 0);
	KTM_EXPECT(t, &p.b, 0x11f, SUCCESS, LOCAL_INV);
	expect_write(t, &p, mr->iova, mr->rkey, IB_WC_REM_ACCESS_ERR);

	/* Nothing is mapped; then it is, and the region gets another key. */
	KT_EXPECT_EQ(t, ktm_post_reg(p.qb, mr, mr->rkey, KTM_ACCESS), 0);
	expect_bind_error(t, &p, 0x4e6);
	old = mr->rkey;
	ib_update_fast_reg_key(mr, ib_inc_rkey(old));
	KT_EXPECT_EQ(t, ib_map_mr_sg(mr, &p.b.sg, 1, NULL, PAGE_SIZE), 1);
	KT_EXPECT_EQ(t, ktm_post_reg(p.qb, mr, mr->rkey, KTM_ACCESS), 0);
	KTM_EXPECT(t, &p.b, 0x4e6, SUCCESS, REG_MR);
	expect_write(t, &p, mr->iova, old, IB_WC_REM_ACCESS_ERR);
	expect_write(t, &p, mr->iova, mr->rkey, IB_WC_SUCCESS);

	/* A region that is valid; keys that are not those of the region. */
	KT_EXPECT_EQ(t, ib_map_mr_sg(mr, &p.b.sg, 1, NULL, PAGE_SIZE), 1);
	KT_EXPECT_EQ(t, ktm_post_reg(p.qb, mr, mr->rkey, KTM_ACCESS), 0);
	expect_bind_error(t, &p, 0x4e6);
	KT_EXPECT_EQ(t, ktm_post_inv(p.qb, old), 0);
	expect_bind_error(t, &p, 0x11f);
	KT_EXPECT_EQ(t, ktm_post_inv(p.qb, p.b.pd->local_dma_lkey), 0);
	expect_bind_error(t, &p, 0x11f);
	KT_EXPECT_EQ(t, ktm_post_inv(p.qb, mr->rkey), 0);
	KTM_EXPECT(t, &p.b, 0x11f, SUCCESS, LOCAL_INV);
	KT_EXPECT_EQ(t, ktm_post_reg(p.qb, mr, mr->rkey + 0x100, KTM_ACCESS), 0);
	expect_bind_error(t, &p, 0x4e6);
	ktm_end_pair(t, &p);
}

static int post_send_inv(struct ktm_pair *p, u32 key)
{
	struct ktm_wr w;

	ktm_wr(&w, &p->a, IB_WR_SEND_WITH_INV, 2, 0, 8);
	w.xrc.rdma.wr.ex.invalidate_rkey = key;
	return ib_post_send(p->qa, &w.xrc.rdma.wr, NULL);
}

static void test_remote(struct ktap *t)
{
	struct ktm_pair p;
	struct ib_wc wc;
	struct ib_mr *mr;

	if (!start_mem(t, &p))
		return;
	mr = p.b.mr;
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 3, 0, 8), 0);
	KT_EXPECT_EQ(t, post_send_inv(&p, mr->rkey), 0);
	KTM_EXPECT(t, &p.a, 2, SUCCESS, SEND);
	wc = KTM_EXPECT(t, &p.b, 3, SUCCESS, RECV);
	KT_EXPECT(t, wc.wc_flags == IB_WC_WITH_INVALIDATE && wc.ex.invalidate_rkey == mr->rkey);
	expect_write(t, &p, mr->iova, mr->rkey, IB_WC_REM_ACCESS_ERR);

	/* A key that is not valid. */
	memset(p.b.buf, 0xbb, 8);
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 3, 0, 8), 0);
	KT_EXPECT_EQ(t, post_send_inv(&p, mr->rkey), 0);
	KTM_EXPECT(t, &p.a, 2, REM_OP_ERR, SEND);
	KTM_EXPECT(t, &p.b, 3, REM_INV_REQ_ERR, RECV);
	KT_EXPECT_EQ(t, ktm_state(p.qa), IB_QPS_ERR);
	KT_EXPECT_EQ(t, ktm_state(p.qb), IB_QPS_ERR);
	KT_EXPECT(t, !memchr_inv(p.b.buf, 0xbb, 8));
	ktm_end_pair(t, &p);
}

/* A mapping takes effect when it is registered, not before. */
static void test_mem_remap(struct ktap *t)
{
	struct ktm_pair p;
	struct ib_mr *mr;
	u64 first;

	if (!start_mem(t, &p))
		return;
	mr = p.b.mr;
	first = mr->iova;
	kt_fill(p.a.buf, 8, 1);
	sg_init_one(&p.b.sg, p.b.buf + PAGE_SIZE, PAGE_SIZE);
	KT_EXPECT_EQ(t, ib_dma_map_sg(p.b.dev, &p.b.sg, 1, DMA_BIDIRECTIONAL), 1);
	KT_EXPECT_EQ(t, ib_map_mr_sg(mr, &p.b.sg, 1, NULL, PAGE_SIZE), 1);
	KT_EXPECT_EQ(t, mr->iova, first + PAGE_SIZE);
	expect_write(t, &p, first, mr->rkey, IB_WC_SUCCESS);
	KT_EXPECT(t, kt_is(p.b.buf, 8, 1));
	KT_EXPECT_EQ(t, ktm_post_inv(p.qb, mr->rkey), 0);
	KTM_EXPECT(t, &p.b, 0x11f, SUCCESS, LOCAL_INV);
	KT_EXPECT_EQ(t, ktm_post_reg(p.qb, mr, mr->rkey, KTM_ACCESS), 0);
	KTM_EXPECT(t, &p.b, 0x4e6, SUCCESS, REG_MR);
	expect_write(t, &p, first, mr->rkey, IB_WC_REM_ACCESS_ERR);
	expect_write(t, &p, first + PAGE_SIZE, mr->rkey, IB_WC_SUCCESS);
	KT_EXPECT(t, kt_is(p.b.buf + PAGE_SIZE, 8, 1));
	ktm_end_pair(t, &p);
}

/* Pages in another order than in memory, an offset in the first one, and addresses from 0 on. */
static void test_pages(struct ktap *t)
{
	unsigned int offset = 100;
	struct scatterlist sg[3];
	struct ktm_pair p;
	struct ib_mr *mr;

	if (!start_mem(t, &p))
		return;
	mr = p.b.mr;
	KT_EXPECT_EQ(t, ktm_post_inv(p.qb, mr->rkey), 0);
	KTM_EXPECT(t, &p.b, 0x11f, SUCCESS, LOCAL_INV);
	sg_init_table(sg, 3);
	sg_set_buf(&sg[0], p.b.buf + 2 * PAGE_SIZE, PAGE_SIZE);
	sg_set_buf(&sg[1], p.b.buf, PAGE_SIZE);
	sg_set_buf(&sg[2], p.b.buf + PAGE_SIZE, 500);
	KT_EXPECT_EQ(t, ib_dma_map_sg(p.b.dev, sg, 3, DMA_BIDIRECTIONAL), 3);
	KT_EXPECT_EQ(t, ib_map_mr_sg_zbva(mr, sg, 3, &offset, PAGE_SIZE), 3);
	KT_EXPECT_EQ(t, mr->iova, 100);
	KT_EXPECT_EQ(t, mr->length, 2 * PAGE_SIZE + 400);
	KT_EXPECT_EQ(t, ktm_post_reg(p.qb, mr, mr->rkey, KTM_ACCESS), 0);
	KTM_EXPECT(t, &p.b, 0x4e6, SUCCESS, REG_MR);
	memset(p.b.buf, 0xbb, KTM_BUF);
	kt_fill(p.a.buf, KTM_BUF, 2);
	KT_EXPECT_EQ(t, ktm_rdma(p.qa, &p.a, IB_WR_RDMA_WRITE, 1, 0, mr->length, mr->iova,
				 mr->rkey), 0);
	KTM_EXPECT(t, &p.a, 1, SUCCESS, RDMA_WRITE);
	KT_EXPECT(t, !memcmp(p.b.buf + 2 * PAGE_SIZE + 100, p.a.buf, PAGE_SIZE - 100));
	KT_EXPECT(t, !memcmp(p.b.buf, p.a.buf + PAGE_SIZE - 100, PAGE_SIZE));
	KT_EXPECT(t, !memcmp(p.b.buf + PAGE_SIZE, p.a.buf + 2 * PAGE_SIZE - 100, 500));
	KT_EXPECT(t, !memchr_inv(p.b.buf + PAGE_SIZE + 500, 0xbb, PAGE_SIZE - 400));
	KT_EXPECT(t, !memchr_inv(p.b.buf + 3 * PAGE_SIZE, 0xbb, PAGE_SIZE));

	/* The same memory is read through the region's L_Key. */
	{
		struct ib_sge sge = { .addr = PAGE_SIZE - 50, .length = 1000, .lkey = mr->lkey };
		struct ib_send_wr wr = { .wr_id = 7, .opcode = IB_WR_SEND, .sg_list = &sge,
					 .num_sge = 1, .send_flags = IB_SEND_SIGNALED };

		KT_EXPECT_EQ(t, ktm_recv(p.qa, &p.a, 8, KTM_BUF - 1000, 1000), 0);
		KT_EXPECT_EQ(t, ib_post_send(p.qb, &wr, NULL), 0);
		KTM_EXPECT(t, &p.b, 7, SUCCESS, SEND);
		KTM_EXPECT(t, &p.a, 8, SUCCESS, RECV);
		KT_EXPECT(t, !memcmp(p.a.buf + KTM_BUF - 1000, p.a.buf + PAGE_SIZE - 150, 1000));
	}
	expect_write(t, &p, 99, mr->rkey, IB_WC_REM_ACCESS_ERR);
	expect_write(t, &p, 100 + mr->length - 7, mr->rkey, IB_WC_REM_ACCESS_ERR);
	expect_write(t, &p, 100 + mr->length - 8, mr->rkey, IB_WC_SUCCESS);
	ktm_end_pair(t, &p);
}

/* The key that covers all memory for peers, too. */
static void test_all_memory(struct ktap *t)
{
	struct ib_qp_init_attr init_attr;
	struct ib_qp_attr attr;
	struct ktm_pair p;
	struct ib_pd *pd;
	struct ib_qp *qp;

	if (!ktm_make_pair(t, &p, IB_QPT_RC))
		return;
	pd = ib_alloc_pd(p.b.dev, IB_PD_UNSAFE_GLOBAL_RKEY);
	if (!KT_EXPECT_ERR(t, pd, 0))
		goto out;
	init_attr = ktm_init_attr(&p.b, IB_QPT_RC);
	qp = ib_create_qp(pd, &init_attr);
	attr = ktm_attr(&p.a, &p.b, qp->qp_num);
	ktm_ready(t, p.qa, &attr, IB_QPS_RTS);
	attr = ktm_attr(&p.b, &p.a, p.qa->qp_num);
	ktm_ready(t, qp, &attr, IB_QPS_RTS);
	kt_fill(p.a.buf, 300, 5);
	KT_EXPECT_EQ(t, ktm_rdma(p.qa, &p.a, IB_WR_RDMA_WRITE, 1, 0, 300, (uintptr_t)p.b.buf + 3,
				 pd->unsafe_global_rkey), 0);
	KTM_EXPECT(t, &p.a, 1, SUCCESS, RDMA_WRITE);
	KT_EXPECT(t, kt_is(p.b.buf + 3, 300, 5));
	/* Such a region cannot be invalidated. */
	KT_EXPECT_EQ(t, ktm_post_inv(qp, pd->unsafe_global_rkey), 0);
	KTM_EXPECT(t, &p.b, 0x11f, MW_BIND_ERR, LOCAL_INV);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	KT_EXPECT_EQ(t, ib_dealloc_pd_user(pd, NULL), 0);
out:
	ktm_end_pair(t, &p);
}

static const struct ktap_case mem_cases[] = {
	{ "registration, invalidation, new keys, and their errors", test_cycle },
	{ "invalidation by the peer", test_remote },
	{ "a mapping takes effect when it is registered", test_mem_remap },
	{ "pages, offsets and zero-based addresses", test_pages },
	{ "a key for all memory", test_all_memory },
};

KTAP_SUITE(ktm_mem_suite, "memdev MR", mem_cases);
