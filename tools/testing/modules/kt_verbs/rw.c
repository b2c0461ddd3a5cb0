// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of rdma_rw: the requests of a context, regions, and every error, over the fake provider.
 * The requests are read from the list of rdma_rw_ctx_wrs().
 */
#include <linux/gfp.h>
#include <linux/memremap.h>
#include <linux/mm.h>
#include <rdma/rw.h>

#include "kt_verbs.h"

#define REMOTE_ADDR	0x123400000000ULL
#define RKEY		0x77
#define PAGES		32
#define ORDER		5	/* of PAGES */
#define PORT		1

/*
 * The memory is contiguous; make_list() takes every second page of it, so that no two elements
 * touch.
 */
struct rw_env {
	struct kt_env env;
	struct ib_qp *qp;
	struct page *memory;
	struct scatterlist sg[PAGES];
	struct ib_cqe cqe;
};

/* Ends with a short element, unless @last is PAGE_SIZE. */
static void make_list(struct rw_env *rw, u32 n, u32 first_offset, u32 last)
{
	u32 i;

	sg_init_table(rw->sg, n);
	for (i = 0; i < n; i++)
		sg_set_page(&rw->sg[i], rw->memory + 2 * i % PAGES, i + 1 == n ? last : PAGE_SIZE,
			    0);
	rw->sg[0].offset = first_offset;
	rw->sg[0].length -= first_offset;
}

static struct ib_qp_init_attr rw_attr(struct rw_env *rw, u32 ctxs)
{
	struct ib_qp_init_attr attr = kt_qp_attr(rw->env.cq);

	attr.cap.max_rdma_ctxs = ctxs;
	attr.cap.max_send_sge = 3;
	attr.port_num = PORT;
	return attr;
}

static void end_rw(struct ktap *t, struct rw_env *rw)
{
	if (!IS_ERR_OR_NULL(rw->qp))
		KT_EXPECT_EQ(t, ib_destroy_qp(rw->qp), 0);
	__free_pages(rw->memory, ORDER);
	kt_end(t, &rw->env);
	kfree(rw);
}

/* Starts without a QP. */
static struct rw_env *start_device(struct ktap *t, u8 node_type)
{
	const struct fakedev_config config = { .node_type = node_type };
	struct rw_env *rw = kzalloc(sizeof(*rw), GFP_KERNEL);

	if (!rw)
		goto fail;
	rw->memory = alloc_pages(GFP_KERNEL, ORDER);
	if (!rw->memory)
		goto fail;
	if (kt_start_with(t, &rw->env, &config))
		return rw;
	__free_pages(rw->memory, ORDER);
	kfree(rw);
	return NULL;
fail:
	ktap_fail(t, "no memory");
	kfree(rw);
	return NULL;
}

/* Starts with a QP for @ctxs contexts. */
static struct rw_env *start_rw(struct ktap *t, u8 node_type, u32 ctxs, u64 caps)
{
	struct rw_env *rw = start_device(t, node_type);
	struct ib_qp_init_attr attr;

	if (!rw)
		return NULL;
	rw->env.dev->attrs.kernel_cap_flags |= caps;
	rw->env.dev->attrs.max_fast_reg_page_list_len = 4;
	attr = rw_attr(rw, ctxs);
	rw->qp = ib_create_qp(rw->env.pd, &attr);
	if (KT_EXPECT_ERR(t, rw->qp, 0))
		return rw;
	end_rw(t, rw);
	return NULL;
}

static int init_ctx(struct rw_env *rw, struct rdma_rw_ctx *ctx, u32 n, u32 offset,
		    enum dma_data_direction dir)
{
	return rdma_rw_ctx_init(ctx, rw->qp, PORT, rw->sg, n, offset, REMOTE_ADDR, RKEY, dir);
}

static void destroy_ctx(struct rw_env *rw, struct rdma_rw_ctx *ctx, u32 n,
			enum dma_data_direction dir)
{
	rdma_rw_ctx_destroy(ctx, rw->qp, PORT, rw->sg, n, dir);
}

static struct ib_send_wr *get_wrs(struct rw_env *rw, struct rdma_rw_ctx *ctx)
{
	return rdma_rw_ctx_wrs(ctx, rw->qp, PORT, &rw->cqe, NULL);
}

/* Expects that the list has these opcodes, and that only the last request is signalled. */
static bool expect_opcodes(struct ktap *t, const struct rw_env *rw, const struct ib_send_wr *wr,
			   const enum ib_wr_opcode *opcodes, u32 n)
{
	bool good = true;
	u32 i;

	for (i = 0; i < n && good && wr; i++, wr = wr->next) {
		good = KT_EXPECT_EQ(t, wr->opcode, opcodes[i]) &&
		       KT_EXPECT_EQ(t, wr->send_flags, wr->next ? 0 : IB_SEND_SIGNALED) &&
		       KT_EXPECT(t, wr->wr_cqe == (wr->next ? NULL : &rw->cqe));
	}
	return good && KT_EXPECT_EQ(t, i, n) && KT_EXPECT(t, !wr);
}

#define OPCODES(t, rw, wr, ...)							\
({										\
	static const enum ib_wr_opcode __opcodes[] = { __VA_ARGS__ };		\
										\
	expect_opcodes(t, rw, wr, __opcodes, ARRAY_SIZE(__opcodes));		\
})

/*
 * Expects that the READs or WRITEs of the list cover @n elements and the @length bytes of the
 * peer's memory in order, under the local DMA lkey.
 */
static void expect_plain(struct ktap *t, struct rw_env *rw, const struct ib_send_wr *wr,
			 u32 max_sge, u32 n, u32 length)
{
	u64 addr = REMOTE_ADDR;
	u32 seen = 0;
	int i;

	for (; wr; wr = wr->next) {
		KT_EXPECT(t, wr->num_sge > 0 && wr->num_sge <= max_sge);
		KT_EXPECT_EQ(t, rdma_wr(wr)->remote_addr, addr);
		KT_EXPECT_EQ(t, rdma_wr(wr)->rkey, RKEY);
		for (i = 0; i < wr->num_sge; i++, seen++) {
			KT_EXPECT_EQ(t, wr->sg_list[i].lkey, rw->env.pd->local_dma_lkey);
			addr += wr->sg_list[i].length;
		}
	}
	KT_EXPECT_EQ(t, seen, n);
	KT_EXPECT_EQ(t, addr, REMOTE_ADDR + length);
}

static void test_plain(struct ktap *t)
{
	struct rw_env *rw = start_rw(t, RDMA_NODE_IB_CA, 2, 0);
	struct ib_send_wr chain = { .opcode = IB_WR_SEND };
	struct rdma_rw_ctx ctx;
	struct ib_send_wr *wr;

	if (!rw)
		return;
	KT_EXPECT_EQ(t, kt_count(&rw->env, RDMA_RESTRACK_MR), 0);
	make_list(rw, 1, 5, PAGE_SIZE);
	if (KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 1, 7, DMA_FROM_DEVICE), 1)) {
		wr = get_wrs(rw, &ctx);
		OPCODES(t, rw, wr, IB_WR_RDMA_READ);
		expect_plain(t, rw, wr, 1, 1, PAGE_SIZE - 12);
		KT_EXPECT_EQ(t, wr->sg_list[0].addr, (uintptr_t)page_address(rw->memory) + 12);
		destroy_ctx(rw, &ctx, 1, DMA_FROM_DEVICE);
	}

	/* Five elements, three in a WRITE, and one in a READ, because the device takes one. */
	make_list(rw, 5, 5, 77);
	if (KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 5, 0, DMA_TO_DEVICE), 2)) {
		KT_EXPECT_EQ(t, ctx.nr_ops, 2);
		wr = get_wrs(rw, &ctx);
		OPCODES(t, rw, wr, IB_WR_RDMA_WRITE, IB_WR_RDMA_WRITE);
		expect_plain(t, rw, wr, 3, 5, 4 * PAGE_SIZE - 5 + 77);
		destroy_ctx(rw, &ctx, 5, DMA_TO_DEVICE);
	}
	if (KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 5, 0, DMA_FROM_DEVICE), 5)) {
		expect_plain(t, rw, get_wrs(rw, &ctx), 1, 5, 4 * PAGE_SIZE - 5 + 77);
		destroy_ctx(rw, &ctx, 5, DMA_FROM_DEVICE);
	}

	/* A request of the caller follows, and the caller's request is not changed. */
	if (KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 5, 0, DMA_TO_DEVICE), 2)) {
		wr = rdma_rw_ctx_wrs(&ctx, rw->qp, PORT, &rw->cqe, &chain);
		KT_EXPECT(t, wr->next && wr->next->next == &chain && !chain.next);
		KT_EXPECT(t, !wr->next->send_flags && !wr->next->wr_cqe && !chain.send_flags);
		destroy_ctx(rw, &ctx, 5, DMA_TO_DEVICE);
	}

	/* A device that does not take the request. */
	if (KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 5, 0, DMA_TO_DEVICE), 2)) {
		fakedev_fail(rw->env.fd, FAKEDEV_POST_SEND, 1, -ENOMEM);
		KT_EXPECT_EQ(t, rdma_rw_ctx_post(&ctx, rw->qp, PORT, &rw->cqe, NULL), -ENOMEM);
		destroy_ctx(rw, &ctx, 5, DMA_TO_DEVICE);
	}
	end_rw(t, rw);
}

static void test_offset(struct ktap *t)
{
	struct rw_env *rw = start_rw(t, RDMA_NODE_IB_CA, 2, 0);
	struct rdma_rw_ctx ctx;
	struct ib_send_wr *wr;

	if (!rw)
		return;
	make_list(rw, 4, 0, 100);
	if (KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 4, 2 * PAGE_SIZE + 1, DMA_TO_DEVICE), 1)) {
		wr = get_wrs(rw, &ctx);
		expect_plain(t, rw, wr, 3, 2, PAGE_SIZE - 1 + 100);
		KT_EXPECT_EQ(t, wr->sg_list[0].addr, (uintptr_t)page_address(rw->memory + 4) + 1);
		destroy_ctx(rw, &ctx, 4, DMA_TO_DEVICE);
	}
	if (KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 4, 3 * PAGE_SIZE, DMA_TO_DEVICE), 1)) {
		expect_plain(t, rw, get_wrs(rw, &ctx), 1, 1, 100);
		destroy_ctx(rw, &ctx, 4, DMA_TO_DEVICE);
	}
	KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 4, 3 * PAGE_SIZE + 100, DMA_TO_DEVICE), -EINVAL);
	KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 0, 0, DMA_TO_DEVICE), -EINVAL);
	rw->qp->max_write_sge = 0;
	KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 4, 0, DMA_TO_DEVICE), -EINVAL);
	end_rw(t, rw);
}

/* Prepares a transfer of @bytes bytes from byte @skip of the first @n elements. */
static int init_bvec(struct rw_env *rw, struct rdma_rw_ctx *ctx, const struct bio_vec *bvecs,
		     u32 n, u32 skip, u32 bytes, enum dma_data_direction dir)
{
	struct bvec_iter iter = { .bi_size = skip + bytes };

	bvec_iter_advance(bvecs, &iter, skip);
	return rdma_rw_ctx_init_bvec(ctx, rw->qp, PORT, bvecs, n, iter, REMOTE_ADDR, RKEY, dir);
}

static void test_bvec(struct ktap *t)
{
	struct rw_env *rw = start_rw(t, RDMA_NODE_IB_CA, 2, 0);
	const u32 two = 100 + 2 * PAGE_SIZE, three = two + PAGE_SIZE;
	struct bio_vec bvecs[4];
	struct rdma_rw_ctx ctx;
	struct ib_send_wr *wr;

	if (!rw)
		return;
	/* The second element is longer than a page. */
	bvecs[0] = (struct bio_vec) { rw->memory, 100, PAGE_SIZE - 100 };
	bvecs[1] = (struct bio_vec) { rw->memory + 2, 2 * PAGE_SIZE, 10 };
	bvecs[2] = (struct bio_vec) { rw->memory + 6, PAGE_SIZE, 0 };
	bvecs[3] = (struct bio_vec) { rw->memory + 8, 0, 0 };

	if (KT_EXPECT_EQ(t, init_bvec(rw, &ctx, bvecs, 1, 40, 60, DMA_TO_DEVICE), 1)) {
		wr = get_wrs(rw, &ctx);
		expect_plain(t, rw, wr, 1, 1, 60);
		KT_EXPECT_EQ(t, wr->sg_list[0].addr,
			     (uintptr_t)page_address(rw->memory + 1) - 60);
		rdma_rw_ctx_destroy_bvec(&ctx, rw->qp, PORT, bvecs, 1, DMA_TO_DEVICE);
	}
	if (KT_EXPECT_EQ(t, init_bvec(rw, &ctx, bvecs, 3, 130, three - 150, DMA_TO_DEVICE), 1)) {
		wr = get_wrs(rw, &ctx);
		OPCODES(t, rw, wr, IB_WR_RDMA_WRITE);
		expect_plain(t, rw, wr, 2, 2, three - 150);
		KT_EXPECT_EQ(t, wr->sg_list[0].addr,
			     (uintptr_t)page_address(rw->memory + 2) + 40);
		KT_EXPECT_EQ(t, wr->sg_list[0].length, 2 * PAGE_SIZE - 30);
		rdma_rw_ctx_destroy_bvec(&ctx, rw->qp, PORT, bvecs, 3, DMA_TO_DEVICE);
	}
	if (KT_EXPECT_EQ(t, init_bvec(rw, &ctx, bvecs, 3, 0, three, DMA_FROM_DEVICE), 3)) {
		expect_plain(t, rw, get_wrs(rw, &ctx), 1, 3, three);
		rdma_rw_ctx_destroy_bvec(&ctx, rw->qp, PORT, bvecs, 3, DMA_FROM_DEVICE);
	}

	KT_EXPECT_EQ(t, init_bvec(rw, &ctx, bvecs, 3, 0, 0, DMA_TO_DEVICE), -EINVAL);
	KT_EXPECT_EQ(t, init_bvec(rw, &ctx, bvecs, 0, 0, 1, DMA_TO_DEVICE), -EINVAL);
	KT_EXPECT_EQ(t, init_bvec(rw, &ctx, bvecs, 2, 0, two + 1, DMA_TO_DEVICE), -EINVAL);
	KT_EXPECT_EQ(t, init_bvec(rw, &ctx, bvecs, 4, 0, three + 1, DMA_TO_DEVICE), -EINVAL);
	/* An empty element that is not the last one. */
	bvecs[1].bv_len = 0;
	KT_EXPECT_EQ(t, init_bvec(rw, &ctx, bvecs, 3, 0, 101, DMA_TO_DEVICE), -EINVAL);
	bvecs[1].bv_len = 2 * PAGE_SIZE;
	rw->qp->max_write_sge = 0;
	KT_EXPECT_EQ(t, init_bvec(rw, &ctx, bvecs, 3, 0, 101, DMA_TO_DEVICE), -EINVAL);
	end_rw(t, rw);
}

/* A WRITE needs no region, nor does a READ whose sink may be any memory. */
static void test_device_is_asked(struct ktap *t)
{
	struct rw_env *rw = start_rw(t, RDMA_NODE_RNIC, 2, IBK_READ_LOCAL_SINK);
	struct rdma_rw_ctx ctx;

	if (!rw)
		return;
	KT_EXPECT_EQ(t, kt_count(&rw->env, RDMA_RESTRACK_MR), 0);
	KT_EXPECT_EQ(t, rdma_rw_mr_factor(rw->env.dev, PORT, 9), 9);
	rw->env.dev->attrs.max_sge_rd = 6;
	KT_EXPECT_EQ(t, rdma_rw_mr_factor(rw->env.dev, PORT, 9), 2);
	KT_EXPECT_EQ(t, rdma_rw_max_send_wr(rw->env.dev, PORT, 5, 0), 5);
	KT_EXPECT_EQ(t, rdma_rw_max_send_wr(rw->env.dev, PORT, 5, (u32)~IB_QP_CREATE_INTEGRITY_EN),
		     5);
	make_list(rw, 2, 0, PAGE_SIZE);
	if (KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 2, 0, DMA_FROM_DEVICE), 2)) {
		OPCODES(t, rw, get_wrs(rw, &ctx), IB_WR_RDMA_READ, IB_WR_RDMA_READ);
		destroy_ctx(rw, &ctx, 2, DMA_FROM_DEVICE);
	}

	/* Lists above a limit of the device take regions. */
	rw->env.dev->attrs.max_sgl_rd = 2;
	KT_EXPECT_EQ(t, rdma_rw_max_send_wr(rw->env.dev, PORT, 5, 0), 15);
	KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 2, 0, DMA_FROM_DEVICE), 2);
	destroy_ctx(rw, &ctx, 2, DMA_FROM_DEVICE);
	make_list(rw, 3, 0, PAGE_SIZE);
	KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 3, 0, DMA_FROM_DEVICE), -EAGAIN);
	end_rw(t, rw);
}

static void expect_region(struct ktap *t, const struct rdma_rw_reg_ctx *reg, u64 remote_addr,
			  u32 length, int access)
{
	KT_EXPECT_EQ(t, reg->reg_wr.key, reg->mr->rkey);
	KT_EXPECT_EQ(t, reg->reg_wr.access, access);
	KT_EXPECT_EQ(t, reg->wr.remote_addr, remote_addr);
	KT_EXPECT_EQ(t, reg->wr.rkey, RKEY);
	KT_EXPECT_EQ(t, reg->wr.wr.num_sge, 1);
	KT_EXPECT_EQ(t, reg->sge.length, length);
	KT_EXPECT_EQ(t, reg->sge.lkey, reg->mr->lkey);
	KT_EXPECT_EQ(t, reg->sge.addr, reg->mr->iova);
}

static void test_iwarp_reads(struct ktap *t)
{
	struct rw_env *rw = start_rw(t, RDMA_NODE_RNIC, 2, 0);
	int access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE;
	struct rdma_rw_ctx ctx;
	struct ib_send_wr *wr;
	u32 key, round;

	if (!rw)
		return;
	KT_EXPECT_EQ(t, kt_count(&rw->env, RDMA_RESTRACK_MR), 2);
	KT_EXPECT_EQ(t, to_fakedev_qp(rw->qp)->init_attr.cap.max_send_wr, 8 + 2 * 3);
	KT_EXPECT_EQ(t, rdma_rw_mr_factor(rw->env.dev, PORT, 9), 3);
	make_list(rw, 6, 5, 77);
	/* A READ invalidates its sink, so the second round needs no other invalidation. */
	for (round = 0; round < 2; round++) {
		if (!KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 6, 0, DMA_FROM_DEVICE), 4))
			break;
		KT_EXPECT_EQ(t, ctx.nr_ops, 2);
		key = ctx.reg[0].mr->rkey;
		wr = get_wrs(rw, &ctx);
		OPCODES(t, rw, wr, IB_WR_REG_MR, IB_WR_RDMA_READ_WITH_INV, IB_WR_REG_MR,
			IB_WR_RDMA_READ_WITH_INV);
		KT_EXPECT_EQ(t, ctx.reg[0].mr->rkey, ib_inc_rkey(key));
		KT_EXPECT_EQ(t, wr->next->ex.invalidate_rkey, ib_inc_rkey(key));
		expect_region(t, &ctx.reg[0], REMOTE_ADDR, 4 * PAGE_SIZE - 5, access);
		expect_region(t, &ctx.reg[1], REMOTE_ADDR + 4 * PAGE_SIZE - 5, PAGE_SIZE + 77,
			      access);
		destroy_ctx(rw, &ctx, 6, DMA_FROM_DEVICE);
		KT_EXPECT_EQ(t, rw->qp->mrs_used, 0);
	}
	if (KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 6, 0, DMA_TO_DEVICE), 2))
		destroy_ctx(rw, &ctx, 6, DMA_TO_DEVICE);
	end_rw(t, rw);
}

/* Without READs that invalidate, the next transfer with a region invalidates its last key. */
static void test_invalidation(struct ktap *t)
{
	struct rw_env *rw = start_device(t, RDMA_NODE_IB_CA);
	struct ib_qp_init_attr attr;
	struct rdma_rw_ctx ctx;
	struct ib_send_wr *wr;
	u32 key;

	if (!rw)
		return;
	rw->env.dev->attrs.max_sgl_rd = 1;
	attr = rw_attr(rw, 1);
	rw->qp = ib_create_qp(rw->env.pd, &attr);
	if (!KT_EXPECT_ERR(t, rw->qp, 0))
		goto out;
	make_list(rw, 2, 0, PAGE_SIZE);
	if (!KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 2, 0, DMA_FROM_DEVICE), 2))
		goto out;
	OPCODES(t, rw, get_wrs(rw, &ctx), IB_WR_REG_MR, IB_WR_RDMA_READ);
	expect_region(t, &ctx.reg[0], REMOTE_ADDR, 2 * PAGE_SIZE, IB_ACCESS_LOCAL_WRITE);
	key = ctx.reg[0].mr->rkey;
	destroy_ctx(rw, &ctx, 2, DMA_FROM_DEVICE);

	if (!KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 2, 0, DMA_FROM_DEVICE), 3))
		goto out;
	wr = get_wrs(rw, &ctx);
	OPCODES(t, rw, wr, IB_WR_LOCAL_INV, IB_WR_REG_MR, IB_WR_RDMA_READ);
	KT_EXPECT_EQ(t, wr->ex.invalidate_rkey, key);
	expect_region(t, &ctx.reg[0], REMOTE_ADDR, 2 * PAGE_SIZE, IB_ACCESS_LOCAL_WRITE);
	destroy_ctx(rw, &ctx, 2, DMA_FROM_DEVICE);
out:
	end_rw(t, rw);
}

/* One element is longer than a region, and starts within a page. */
static void test_long_element(struct ktap *t)
{
	struct rw_env *rw = start_rw(t, RDMA_NODE_RNIC, 3, 0);
	int access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE;
	struct rdma_rw_ctx ctx;

	if (!rw)
		return;
	sg_init_table(rw->sg, 1);
	sg_set_page(&rw->sg[0], rw->memory, 9 * PAGE_SIZE, 100);
	if (KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 1, 20, DMA_FROM_DEVICE), 6)) {
		get_wrs(rw, &ctx);
		expect_region(t, &ctx.reg[0], REMOTE_ADDR, 4 * PAGE_SIZE - 120, access);
		expect_region(t, &ctx.reg[1], REMOTE_ADDR + 4 * PAGE_SIZE - 120, 4 * PAGE_SIZE,
			      access);
		expect_region(t, &ctx.reg[2], REMOTE_ADDR + 8 * PAGE_SIZE - 120, PAGE_SIZE + 100,
			      access);
		KT_EXPECT_EQ(t, to_fakedev_mr(ctx.reg[2].mr)->pages[0],
			     (uintptr_t)page_address(rw->memory + 8));
		destroy_ctx(rw, &ctx, 1, DMA_FROM_DEVICE);
	}
	end_rw(t, rw);
}

/* A driver that maps nothing, and does not fail. */
static int map_nothing(struct ib_mr *mr, struct scatterlist *sg, int nents, unsigned int *offset)
{
	mr->length = 0;
	return 0;
}

static void test_region_errors(struct ktap *t)
{
	struct rw_env *rw = start_rw(t, RDMA_NODE_RNIC, 3, 0);
	int (*map_mr_sg)(struct ib_mr *mr, struct scatterlist *sg, int nents, unsigned int *offset);
	struct rdma_rw_ctx ctx, other;

	if (!rw)
		return;
	make_list(rw, 8, 0, PAGE_SIZE);
	if (KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 8, 0, DMA_FROM_DEVICE), 4)) {
		/* One region is left, but two are needed: it goes back. */
		KT_EXPECT_EQ(t, init_ctx(rw, &other, 8, 0, DMA_FROM_DEVICE), -EAGAIN);
		KT_EXPECT_EQ(t, rw->qp->mrs_used, 2);
		KT_EXPECT_EQ(t, init_ctx(rw, &other, 4, 0, DMA_FROM_DEVICE), 2);
		KT_EXPECT_EQ(t, ib_destroy_qp(rw->qp), -EBUSY);
		destroy_ctx(rw, &other, 4, DMA_FROM_DEVICE);
		destroy_ctx(rw, &ctx, 8, DMA_FROM_DEVICE);
	}
	fakedev_fail(rw->env.fd, FAKEDEV_MAP_MR_SG, 2, -EIO);
	KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 8, 0, DMA_FROM_DEVICE), -EIO);
	KT_EXPECT_EQ(t, rw->qp->mrs_used, 0);

	/* More regions would be tried than there are, if the driver were asked again. */
	make_list(rw, 16, 0, PAGE_SIZE);
	map_mr_sg = rw->env.dev->ops.map_mr_sg;
	rw->env.dev->ops.map_mr_sg = map_nothing;
	KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 16, 0, DMA_FROM_DEVICE), -EINVAL);
	KT_EXPECT_EQ(t, rw->qp->mrs_used, 0);
	rw->env.dev->ops.map_mr_sg = map_mr_sg;
	make_list(rw, 8, 0, PAGE_SIZE);

	/* The third element begins within a page. */
	rw->sg[2].offset = 8;
	rw->sg[2].length -= 8;
	KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 4, 0, DMA_FROM_DEVICE), -EINVAL);
	KT_EXPECT_EQ(t, rw->qp->mrs_used, 0);
	/* The first element ends within a page. */
	make_list(rw, 2, 0, PAGE_SIZE);
	rw->sg[0].length -= 8;
	KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 2, 0, DMA_FROM_DEVICE), -EINVAL);
	KT_EXPECT_EQ(t, rw->qp->mrs_used, 0);
	end_rw(t, rw);
}

static void post_and_fail(struct ktap *t, struct rw_env *rw, struct rdma_rw_ctx *ctx, int nth)
{
	if (nth)
		fakedev_fail(rw->env.fd, FAKEDEV_POST_SEND, nth, -ENOMEM);
	KT_EXPECT_EQ(t, rdma_rw_ctx_post(ctx, rw->qp, PORT, &rw->cqe, NULL), nth ? -ENOMEM : 0);
}

/*
 * Requests that the device did not take leave the regions as they were, so that the next transfer
 * invalidates the right key. Each round posts two regions, which the first round has registered.
 */
static void test_unposted(struct ktap *t)
{
	/* The request that fails, and what is known of the regions then. */
	static const struct {
		int nth;
		bool first_renewed, first_inval, second_renewed, second_inval;
	} rounds[] = {
		{ 1, false, true, false, true },	/* first LOCAL_INV */
		{ 2, false, false, false, true },	/* first REG_MR */
		{ 3, true, true, false, true },		/* first WRITE, after a LOCAL_INV again */
		{ 0, true, true, true, true },
		{ 5, true, true, false, false },	/* second REG_MR */
	};
	struct rw_env *rw = start_rw(t, RDMA_NODE_RNIC, 2, 0);
	struct rdma_rw_ctx ctx;
	struct ib_mr *a, *b;
	u32 key_a, key_b, i;

	if (!rw)
		return;
	make_list(rw, 8, 0, PAGE_SIZE);
	for (i = 0; i < ARRAY_SIZE(rounds); i++) {
		list_for_each_entry(a, &rw->qp->rdma_mrs, qp_entry)
			a->need_inval = true;
		if (init_ctx(rw, &ctx, 8, 0, DMA_FROM_DEVICE) != 6) {
			ktap_fail(t, "no context in round %u", i);
			break;
		}
		ctx.reg[0].wr.wr.opcode = IB_WR_RDMA_READ;
		ctx.reg[1].wr.wr.opcode = IB_WR_RDMA_READ;
		a = ctx.reg[0].mr;
		b = ctx.reg[1].mr;
		key_a = a->rkey;
		key_b = b->rkey;
		post_and_fail(t, rw, &ctx, rounds[i].nth);
		if (!KT_EXPECT_EQ(t, a->rkey != key_a, rounds[i].first_renewed) ||
		    !KT_EXPECT_EQ(t, b->rkey != key_b, rounds[i].second_renewed) ||
		    !KT_EXPECT_EQ(t, a->need_inval, rounds[i].first_inval) ||
		    !KT_EXPECT_EQ(t, b->need_inval, rounds[i].second_inval))
			ktap_fail(t, "in round %u", i);
		destroy_ctx(rw, &ctx, 8, DMA_FROM_DEVICE);
	}

	/* Regions that were not registered before need no invalidation. */
	list_for_each_entry(a, &rw->qp->rdma_mrs, qp_entry)
		a->need_inval = false;
	if (KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 8, 0, DMA_FROM_DEVICE), 4)) {
		post_and_fail(t, rw, &ctx, 1);
		KT_EXPECT(t, !ctx.reg[0].mr->need_inval && !ctx.reg[1].mr->need_inval);
		destroy_ctx(rw, &ctx, 8, DMA_FROM_DEVICE);
	}

	/* A READ that would have invalidated its sink was not posted. */
	make_list(rw, 1, 0, PAGE_SIZE);
	list_for_each_entry(a, &rw->qp->rdma_mrs, qp_entry)
		a->need_inval = false;
	if (KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 1, 0, DMA_FROM_DEVICE), 2)) {
		post_and_fail(t, rw, &ctx, 2);
		KT_EXPECT(t, ctx.reg[0].mr->need_inval);
		destroy_ctx(rw, &ctx, 1, DMA_FROM_DEVICE);
	}
	fakedev_complete_sends(rw->qp, FAKEDEV_QUEUE, IB_WC_SUCCESS);
	end_rw(t, rw);
}

static void test_rw_create(struct ktap *t)
{
	struct rw_env *rw = start_device(t, RDMA_NODE_RNIC);
	struct ib_uobject of_process = {};
	struct ib_qp_init_attr attr;
	struct ib_qp *qp;

	if (!rw)
		return;
	attr = rw_attr(rw, 2);
	KT_EXPECT_ERR(t, ib_create_qp_user(rw->env.dev, rw->env.pd, &attr, NULL, &of_process, NULL),
		      -EOPNOTSUPP);
	attr.port_num = 0;
	KT_EXPECT_ERR(t, ib_create_qp(rw->env.pd, &attr), -EINVAL);
	attr = rw_attr(rw, 4);
	fakedev_fail(rw->env.fd, FAKEDEV_ALLOC_MR, 3, -ENOSPC);
	KT_EXPECT_ERR(t, ib_create_qp(rw->env.pd, &attr), -ENOSPC);
	KT_EXPECT_EQ(t, attr.cap.max_send_wr, 8);
	fakedev_fail(rw->env.fd, FAKEDEV_CREATE_QP, 1, -ENOSPC);
	KT_EXPECT_ERR(t, ib_create_qp(rw->env.pd, &attr), -ENOSPC);
	KT_EXPECT_EQ(t, attr.cap.max_send_wr, 8);
	KT_EXPECT_EQ(t, kt_count(&rw->env, RDMA_RESTRACK_MR), 0);
	KT_EXPECT_EQ(t, kt_count(&rw->env, RDMA_RESTRACK_QP), 0);
	KT_EXPECT_EQ(t, atomic_read(&rw->env.pd->usecnt), 0);

	/* More than the limit of the device is cut, but not what the ULP asks for itself. */
	attr = rw_attr(rw, 30);
	qp = ib_create_qp(rw->env.pd, &attr);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		KT_EXPECT_EQ(t, attr.cap.max_send_wr, FAKEDEV_QUEUE);
		KT_EXPECT_EQ(t, kt_count(&rw->env, RDMA_RESTRACK_MR), 30);
		/* The regions stay as long as the provider refuses to destroy the QP. */
		fakedev_fail(rw->env.fd, FAKEDEV_DESTROY_QP, 1, -EBUSY);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), -EBUSY);
		KT_EXPECT_EQ(t, kt_count(&rw->env, RDMA_RESTRACK_MR), 30);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
		KT_EXPECT_EQ(t, kt_count(&rw->env, RDMA_RESTRACK_MR), 0);
	}
	attr.cap.max_send_wr = FAKEDEV_QUEUE + 1;
	KT_EXPECT_ERR(t, ib_create_qp(rw->env.pd, &attr), -EINVAL);
	/* A device that announces no limit has none. */
	rw->env.dev->attrs.max_qp_wr = 0;
	attr = rw_attr(rw, 30);
	qp = ib_create_qp(rw->env.pd, &attr);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		KT_EXPECT_EQ(t, attr.cap.max_send_wr, 8 + 3 * 30);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	KT_EXPECT_EQ(t, rdma_rw_max_send_wr(rw->env.dev, PORT, UINT_MAX, 0), UINT_MAX);
	end_rw(t, rw);
}

static int init_sig(struct rw_env *rw, struct rdma_rw_ctx *ctx, u32 n, u32 meta_n,
		    enum dma_data_direction dir)
{
	struct ib_sig_attrs attrs = { .check_mask = IB_SIG_CHECK_GUARD, .meta_length = 8 };

	return rdma_rw_ctx_signature_init(ctx, rw->qp, PORT, rw->sg, n, rw->sg + n, meta_n, &attrs,
					  REMOTE_ADDR, RKEY, dir);
}

static void destroy_sig(struct rw_env *rw, struct rdma_rw_ctx *ctx, u32 n, u32 meta_n,
			enum dma_data_direction dir)
{
	rdma_rw_ctx_destroy_signature(ctx, rw->qp, PORT, rw->sg, n, rw->sg + n, meta_n, dir);
}

static void check_integrity(struct ktap *t, struct rw_env *rw)
{
	struct rdma_rw_ctx ctx, other;
	u32 key = 0;

	make_list(rw, 3, 0, PAGE_SIZE);
	sg_mark_end(&rw->sg[1]);
	if (KT_EXPECT_EQ(t, init_sig(rw, &ctx, 2, 1, DMA_TO_DEVICE), 2)) {
		KT_EXPECT_EQ(t, init_sig(rw, &other, 2, 1, DMA_TO_DEVICE), -EAGAIN);
		KT_EXPECT_EQ(t, ctx.reg->mr->sig_attrs->check_mask, IB_SIG_CHECK_GUARD);
		OPCODES(t, rw, get_wrs(rw, &ctx), IB_WR_REG_MR_INTEGRITY, IB_WR_RDMA_WRITE);
		expect_region(t, &ctx.reg[0], REMOTE_ADDR, 2 * PAGE_SIZE, 0);
		key = ctx.reg->mr->rkey;
		destroy_sig(rw, &ctx, 2, 1, DMA_TO_DEVICE);
	}
	if (KT_EXPECT_EQ(t, init_sig(rw, &ctx, 2, 0, DMA_FROM_DEVICE), 3)) {
		struct ib_send_wr *wr = get_wrs(rw, &ctx);

		OPCODES(t, rw, wr, IB_WR_LOCAL_INV, IB_WR_REG_MR_INTEGRITY, IB_WR_RDMA_READ);
		KT_EXPECT_EQ(t, wr->ex.invalidate_rkey, key);
		KT_EXPECT_EQ(t, to_fakedev_mr(ctx.reg->mr)->meta_nents, 0);
		expect_region(t, &ctx.reg[0], REMOTE_ADDR, 2 * PAGE_SIZE,
			      IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE);
		destroy_sig(rw, &ctx, 2, 0, DMA_FROM_DEVICE);
	}
	/* Requests that are not posted leave the region as it was. */
	if (KT_EXPECT_EQ(t, init_sig(rw, &ctx, 2, 1, DMA_TO_DEVICE), 3)) {
		key = ctx.reg->mr->rkey;
		post_and_fail(t, rw, &ctx, 1);
		KT_EXPECT(t, ctx.reg->mr->need_inval);
		KT_EXPECT_EQ(t, ctx.reg->mr->rkey, key);
		destroy_sig(rw, &ctx, 2, 1, DMA_TO_DEVICE);
	}
	fakedev_fail(rw->env.fd, FAKEDEV_MAP_MR_SG_PI, 1, -EIO);
	KT_EXPECT_EQ(t, init_sig(rw, &ctx, 2, 1, DMA_TO_DEVICE), -EIO);
	KT_EXPECT_EQ(t, init_sig(rw, &ctx, 0, 1, DMA_TO_DEVICE), -EINVAL);
	rw->env.dev->attrs.max_pi_fast_reg_page_list_len = 1;
	KT_EXPECT_EQ(t, init_sig(rw, &ctx, 2, 1, DMA_TO_DEVICE), -EINVAL);
	sg_unmark_end(&rw->sg[1]);
	sg_mark_end(&rw->sg[0]);
	KT_EXPECT_EQ(t, init_sig(rw, &ctx, 1, 2, DMA_TO_DEVICE), -EINVAL);
	if (KT_EXPECT_EQ(t, init_sig(rw, &ctx, 1, 1, DMA_TO_DEVICE), 3))
		destroy_sig(rw, &ctx, 1, 1, DMA_TO_DEVICE);
	KT_EXPECT_EQ(t, rw->qp->mrs_used, 0);
}

static void test_integrity(struct ktap *t)
{
	struct rw_env *rw = start_rw(t, RDMA_NODE_RNIC, 1, IBK_INTEGRITY_HANDOVER);
	struct ib_qp_init_attr attr;
	struct rdma_rw_ctx ctx;

	if (!rw)
		return;
	make_list(rw, 2, 0, PAGE_SIZE);
	KT_EXPECT_EQ(t, init_sig(rw, &ctx, 1, 1, DMA_TO_DEVICE), -EINVAL);
	KT_EXPECT_EQ(t, ib_destroy_qp(rw->qp), 0);

	attr = rw_attr(rw, 1);
	attr.create_flags = IB_QP_CREATE_INTEGRITY_EN;
	fakedev_fail(rw->env.fd, FAKEDEV_ALLOC_MR_INTEGRITY, 1, -ENOSPC);
	KT_EXPECT_ERR(t, ib_create_qp(rw->env.pd, &attr), -ENOSPC);
	KT_EXPECT_EQ(t, kt_count(&rw->env, RDMA_RESTRACK_MR), 0);
	rw->qp = ib_create_qp(rw->env.pd, &attr);
	if (KT_EXPECT_ERR(t, rw->qp, 0)) {
		KT_EXPECT_EQ(t, kt_count(&rw->env, RDMA_RESTRACK_MR), 2);
		check_integrity(t, rw);
	}
	end_rw(t, rw);
}

/* A page that looks like memory of a PCI device. The core must not ask for its address. */
static void test_p2p(struct ktap *t)
{
#if IS_ENABLED(CONFIG_PCI_P2PDMA)
	struct dev_pagemap pgmap = { .type = MEMORY_DEVICE_PCI_P2PDMA };
	struct rw_env *rw = start_rw(t, RDMA_NODE_RNIC, 1, IBK_READ_LOCAL_SINK);
	struct rdma_rw_ctx ctx;
	struct page *page;

	if (!rw)
		return;
	page = kzalloc(sizeof(*page), GFP_KERNEL);
	if (KT_EXPECT(t, page)) {
		set_page_zone(page, ZONE_DEVICE);
		krdma_set_page_pgmap(page, &pgmap);
		make_list(rw, 2, 0, PAGE_SIZE);
		sg_set_page(&rw->sg[1], page, PAGE_SIZE, 0);
		KT_EXPECT_EQ(t, init_ctx(rw, &ctx, 2, 0, DMA_FROM_DEVICE), -EREMOTEIO);
		kfree(page);
	}
	end_rw(t, rw);
#else
	ktap_skip(t, "the kernel has no CONFIG_PCI_P2PDMA");
#endif
}

static const struct ktap_case rw_cases[] = {
	{ "requests without regions: elements, addresses, the last one signalled", test_plain },
	{ "bytes and elements at the begin are skipped", test_offset },
	{ "memory that bio_vecs describe", test_bvec },
	{ "the device is asked whether READs need regions", test_device_is_asked },
	{ "a READ on iWARP: a region that the peer may write, invalidated by the READ",
	  test_iwarp_reads },
	{ "the next transfer invalidates the last key of a region", test_invalidation },
	{ "an element is cut at the end of a region", test_long_element },
	{ "regions are exhausted, fail, or cannot map the list", test_region_errors },
	{ "requests that were not posted are taken back", test_unposted },
	{ "QPs: send queue, pools, undo", test_rw_create },
	{ "transfers with protection information", test_integrity },
	{ "memory of a PCI device is refused without a DMA engine", test_p2p },
};

KTAP_SUITE(kt_rw_suite, "rw", rw_cases);
