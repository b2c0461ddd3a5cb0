// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Transfers of rdma_rw contexts by way of memory regions.
 *
 * For each region a context has up to three requests: LOCAL_INV of the key under which the region
 * is still registered, REG_MR under the next key, and the READ or WRITE. A region stays
 * registered when its transfer is over, and the next transfer that gets it from the pool
 * invalidates it. Only on iWARP does a READ invalidate its own sink.
 */
#include <linux/slab.h>

#include "verbs/rw_mr.h"
#include "verbs/rw_qp.h"

static int mr_access(struct ib_qp *qp, const struct verbs_rw_target *target)
{
	if (target->dir == DMA_TO_DEVICE)
		return 0;
	if (verbs_rw_sink_needs_right(qp->device, target->port_num))
		return IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE;
	return IB_ACCESS_LOCAL_WRITE;
}

static enum ib_wr_opcode transfer_opcode(struct ib_qp *qp, const struct verbs_rw_target *target,
					 enum ib_wr_opcode reg_opcode)
{
	if (target->dir == DMA_TO_DEVICE)
		return IB_WR_RDMA_WRITE;
	/*
	 * Do not invalidate a region with protection information, because its status is read after
	 * the transfer.
	 */
	if (reg_opcode == IB_WR_REG_MR && rdma_cap_read_inv(qp->device, target->port_num))
		return IB_WR_RDMA_READ_WITH_INV;
	return IB_WR_RDMA_READ;
}

static bool must_invalidate(const struct rdma_rw_reg_ctx *reg)
{
	return reg->inv_wr.opcode == IB_WR_LOCAL_INV;
}

int verbs_rw_mr_prepare(struct rdma_rw_reg_ctx *reg, struct ib_qp *qp,
			struct verbs_rw_target *target, enum ib_wr_opcode opcode)
{
	struct ib_mr *mr = reg->mr;

	reg->inv_wr.ex.invalidate_rkey = mr->rkey;
	if (mr->need_inval)
		reg->inv_wr.opcode = IB_WR_LOCAL_INV;

	reg->reg_wr.wr.opcode = opcode;
	reg->reg_wr.mr = mr;
	reg->reg_wr.access = mr_access(qp, target);

	reg->sge.addr = mr->iova;
	reg->sge.length = mr->length;
	reg->wr.wr.sg_list = &reg->sge;
	reg->wr.wr.num_sge = 1;
	reg->wr.wr.opcode = transfer_opcode(qp, target, opcode);
	reg->wr.remote_addr = target->remote_addr;
	reg->wr.rkey = target->rkey;
	target->remote_addr += mr->length;
	return must_invalidate(reg) ? 3 : 2;
}

/*
 * Returns the number of pages in which the list lies. Pages that two elements share count twice, so
 * the result is an upper limit.
 */
static u64 list_pages(struct scatterlist *sg, u32 nents, u32 offset)
{
	u64 pages = 0;
	u32 i;

	for (i = 0; i < nents; i++, sg = sg_next(sg), offset = 0) {
		u64 start = sg_dma_address(sg) + offset;
		u64 end = sg_dma_address(sg) + sg_dma_len(sg);

		pages += DIV_ROUND_UP_ULL(end - ALIGN_DOWN(start, PAGE_SIZE), PAGE_SIZE);
	}
	return pages;
}

/*
 * Takes a region from the pool, and maps as many of the elements into it as fit. Returns the
 * number of elements that are mapped completely. Sets *@offset to the number of bytes that are
 * mapped of the next element.
 */
static int map_region(struct rdma_rw_reg_ctx *reg, struct ib_qp *qp, struct scatterlist *sg,
		      u32 nents, u32 *offset)
{
	int mapped;

	reg->mr = ib_mr_pool_get(qp, &qp->rdma_mrs);
	if (!reg->mr)
		return -EAGAIN;
	mapped = ib_map_mr_sg(reg->mr, sg, nents, offset, PAGE_SIZE);
	if (mapped >= 0 && !reg->mr->length)
		mapped = -EINVAL;
	if (mapped < 0)
		ib_mr_pool_put(qp, &qp->rdma_mrs, reg->mr);
	return mapped;
}

int verbs_rw_mr_init(struct rdma_rw_ctx *ctx, struct ib_qp *qp, struct verbs_rw_target *target,
		     struct scatterlist *sg, u32 nents, u32 offset)
{
	u64 limit = DIV_ROUND_UP_ULL(list_pages(sg, nents, offset),
				     verbs_rw_mr_pages(qp->device, false));
	int wrs = 0, ret;

	ctx->type = VERBS_RW_REGIONS;
	ctx->nr_ops = 0;
	ctx->reg = kvcalloc(limit, sizeof(*ctx->reg), GFP_KERNEL);
	if (!ctx->reg)
		return -ENOMEM;

	while (nents) {
		struct rdma_rw_reg_ctx *reg = &ctx->reg[ctx->nr_ops];

		/* @limit regions are enough unless a region ends early, at a gap in the list. */
		ret = ctx->nr_ops < limit ? map_region(reg, qp, sg, nents, &offset) : -EINVAL;
		if (ret < 0) {
			verbs_rw_mr_free(ctx, qp, &qp->rdma_mrs);
			return ret;
		}
		ctx->nr_ops++;
		wrs += verbs_rw_mr_prepare(reg, qp, target, IB_WR_REG_MR);
		for (nents -= ret; ret; ret--)
			sg = sg_next(sg);
	}
	return wrs;
}

void verbs_rw_mr_free(struct rdma_rw_ctx *ctx, struct ib_qp *qp, struct list_head *pool)
{
	u32 i;

	for (i = 0; i < ctx->nr_ops; i++)
		ib_mr_pool_put(qp, pool, ctx->reg[i].mr);
	kvfree(ctx->reg);
}

/* Gives the region its next key, which the requests for the region use. */
static void renew_key(struct rdma_rw_reg_ctx *reg)
{
	struct ib_mr *mr = reg->mr;
	bool read_inv = reg->wr.wr.opcode == IB_WR_RDMA_READ_WITH_INV;

	ib_update_fast_reg_key(mr, ib_inc_rkey(mr->rkey));
	reg->reg_wr.key = mr->rkey;
	reg->sge.lkey = mr->lkey;
	if (read_inv)
		reg->wr.wr.ex.invalidate_rkey = mr->rkey;
	mr->need_inval = !read_inv;
}

struct ib_send_wr *verbs_rw_mr_wrs(struct rdma_rw_ctx *ctx, struct ib_send_wr **last)
{
	struct ib_send_wr *first = NULL, **link = &first;
	u32 i;

	for (i = 0; i < ctx->nr_ops; i++) {
		struct rdma_rw_reg_ctx *reg = &ctx->reg[i];

		renew_key(reg);
		if (must_invalidate(reg)) {
			*link = &reg->inv_wr;
			link = &reg->inv_wr.next;
		}
		*link = &reg->reg_wr.wr;
		reg->reg_wr.wr.next = &reg->wr.wr;
		link = &reg->wr.wr.next;
		*last = &reg->wr.wr;
	}
	*link = NULL;
	return first;
}

void verbs_rw_mr_unposted(struct rdma_rw_ctx *ctx, const struct ib_send_wr *bad_wr)
{
	bool unposted = false;
	u32 i;

	for (i = 0; i < ctx->nr_ops; i++) {
		struct rdma_rw_reg_ctx *reg = &ctx->reg[i];

		unposted = unposted || bad_wr == &reg->inv_wr;
		if (unposted || bad_wr == &reg->reg_wr.wr) {
			/*
			 * This REG_MR was not posted, so the region is still registered as it was
			 * before @ctx, unless the LOCAL_INV was posted.
			 */
			reg->mr->need_inval = unposted && must_invalidate(reg);
			ib_update_fast_reg_key(reg->mr, reg->inv_wr.ex.invalidate_rkey & 0xff);
			unposted = true;
		} else if (bad_wr == &reg->wr.wr) {
			/* The region is registered, but no READ invalidates it. */
			reg->mr->need_inval = true;
			unposted = true;
		}
	}
}
