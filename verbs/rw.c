// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * rdma_rw contexts: transfers of whole scatter/gather lists.
 *
 * Where a device needs no region, a transfer is a list of READs or WRITEs. Each has as many
 * elements as the QP takes, and uses local_dma_lkey. rw_mr.c has the transfers with regions.
 */
#include <linux/slab.h>
#include <rdma/rw.h>

#include "verbs/rw_dma.h"
#include "verbs/rw_mr.h"
#include "verbs/rw_qp.h"

static void init_wr(struct ib_rdma_wr *wr, struct ib_sge *sges, u32 num_sge,
		    struct verbs_rw_target *target)
{
	wr->wr.opcode = target->dir == DMA_TO_DEVICE ? IB_WR_RDMA_WRITE : IB_WR_RDMA_READ;
	wr->wr.sg_list = sges;
	wr->wr.num_sge = num_sge;
	wr->remote_addr = target->remote_addr;
	wr->rkey = target->rkey;
}

static void init_sge(struct ib_sge *sge, struct ib_qp *qp, struct scatterlist *sg, u32 offset)
{
	sge->addr = sg_dma_address(sg) + offset;
	sge->length = sg_dma_len(sg) - offset;
	sge->lkey = qp->pd->local_dma_lkey;
}

static int init_single(struct rdma_rw_ctx *ctx, struct ib_qp *qp, struct verbs_rw_target *target,
		       struct scatterlist *sg, u32 offset)
{
	ctx->type = VERBS_RW_SINGLE;
	ctx->nr_ops = 1;
	ctx->single.wr = (struct ib_rdma_wr) {};
	init_sge(&ctx->single.sge, qp, sg, offset);
	init_wr(&ctx->single.wr, &ctx->single.sge, 1, target);
	return 1;
}

static int init_list(struct rdma_rw_ctx *ctx, struct ib_qp *qp, struct verbs_rw_target *target,
		     struct scatterlist *sg, u32 nents, u32 offset, u32 max_sge)
{
	u32 i, num, done = 0;
	struct ib_sge *sge;

	ctx->type = VERBS_RW_LIST;
	ctx->nr_ops = DIV_ROUND_UP(nents, max_sge);
	ctx->map.sges = kvcalloc(nents, sizeof(*ctx->map.sges), GFP_KERNEL);
	ctx->map.wrs = kvcalloc(ctx->nr_ops, sizeof(*ctx->map.wrs), GFP_KERNEL);
	if (!ctx->map.sges || !ctx->map.wrs) {
		kvfree(ctx->map.sges);
		kvfree(ctx->map.wrs);
		return -ENOMEM;
	}

	for (i = 0; i < ctx->nr_ops; i++, done += num) {
		num = min(max_sge, nents - done);
		init_wr(&ctx->map.wrs[i], &ctx->map.sges[done], num, target);
		for (sge = &ctx->map.sges[done]; sge < &ctx->map.sges[done + num]; sge++) {
			init_sge(sge, qp, sg, offset);
			target->remote_addr += sge->length;
			sg = sg_next(sg);
			offset = 0;
		}
	}
	return ctx->nr_ops;
}

static int init_mapped(struct rdma_rw_ctx *ctx, struct ib_qp *qp, struct verbs_rw_target *target,
		       struct scatterlist *sg, u32 nents, u32 offset)
{
	u32 max_sge = target->dir == DMA_TO_DEVICE ? qp->max_write_sge : qp->max_read_sge;

	while (nents && offset >= sg_dma_len(sg)) {
		offset -= sg_dma_len(sg);
		sg = sg_next(sg);
		nents--;
	}
	if (!nents || !max_sge)
		return -EINVAL;
	if (verbs_rw_takes_mr(qp->device, target->port_num, target->dir, nents))
		return verbs_rw_mr_init(ctx, qp, target, sg, nents, offset);
	if (nents == 1)
		return init_single(ctx, qp, target, sg, offset);
	return init_list(ctx, qp, target, sg, nents, offset, max_sge);
}

int rdma_rw_ctx_init(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
		     struct scatterlist *sg, u32 sg_cnt, u32 sg_offset, u64 remote_addr, u32 rkey,
		     enum dma_data_direction dir)
{
	struct verbs_rw_target target = { port_num, remote_addr, rkey, dir };
	int ret;

	might_sleep();
	ret = verbs_rw_map(qp->device, sg, sg_cnt, dir);
	if (ret < 0)
		return ret;
	ret = init_mapped(ctx, qp, &target, sg, ret, sg_offset);
	if (ret < 0)
		ib_dma_unmap_sg(qp->device, sg, sg_cnt, dir);
	return ret;
}
EXPORT_SYMBOL(rdma_rw_ctx_init);

void rdma_rw_ctx_destroy(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
			 struct scatterlist *sg, u32 sg_cnt, enum dma_data_direction dir)
{
	switch (ctx->type) {
	case VERBS_RW_SINGLE:
		break;
	case VERBS_RW_LIST:
		kvfree(ctx->map.sges);
		kvfree(ctx->map.wrs);
		break;
	case VERBS_RW_REGIONS:
		verbs_rw_mr_free(ctx, qp, &qp->rdma_mrs);
		break;
	default:
		WARN_ONCE(1, "an rdma_rw context with protection information needs another function\n");
		return;
	}
	ib_dma_unmap_sg(qp->device, sg, sg_cnt, dir);
}
EXPORT_SYMBOL(rdma_rw_ctx_destroy);

struct ib_send_wr *rdma_rw_ctx_wrs(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
				   struct ib_cqe *cqe, struct ib_send_wr *chain_wr)
{
	struct ib_send_wr *first, *last;
	u32 i;

	switch (ctx->type) {
	case VERBS_RW_SINGLE:
		first = &ctx->single.wr.wr;
		last = first;
		break;
	case VERBS_RW_LIST:
		for (i = 1; i < ctx->nr_ops; i++)
			ctx->map.wrs[i - 1].wr.next = &ctx->map.wrs[i].wr;
		first = &ctx->map.wrs[0].wr;
		last = &ctx->map.wrs[ctx->nr_ops - 1].wr;
		break;
	default:
		first = verbs_rw_mr_wrs(ctx, &last);
		break;
	}

	last->next = chain_wr;
	if (!chain_wr) {
		last->wr_cqe = cqe;
		last->send_flags |= IB_SEND_SIGNALED;
	}
	return first;
}
EXPORT_SYMBOL(rdma_rw_ctx_wrs);

int rdma_rw_ctx_post(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num, struct ib_cqe *cqe,
		     struct ib_send_wr *chain_wr)
{
	const struct ib_send_wr *bad_wr = NULL;
	struct ib_send_wr *first;
	int ret;

	first = rdma_rw_ctx_wrs(ctx, qp, port_num, cqe, chain_wr);
	ret = ib_post_send(qp, first, &bad_wr);
	if (ret && (ctx->type == VERBS_RW_REGIONS || ctx->type == VERBS_RW_INTEGRITY))
		verbs_rw_mr_unposted(ctx, bad_wr);
	return ret;
}
EXPORT_SYMBOL(rdma_rw_ctx_post);
