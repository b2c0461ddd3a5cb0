// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * rdma_rw contexts with protection information: transfers by way of one region, which adds, checks
 * or removes the protection information.
 */
#include <linux/slab.h>
#include <rdma/rw.h>

#include "verbs/rw_dma.h"
#include "verbs/rw_mr.h"
#include "verbs/rw_qp.h"

/* The two lists of a transfer, mapped for DMA. */
struct lists {
	struct scatterlist *data, *meta;
	int data_nents, meta_nents;
};

static int init_region(struct rdma_rw_ctx *ctx, struct ib_qp *qp, struct verbs_rw_target *target,
		       const struct lists *lists, const struct ib_sig_attrs *attrs)
{
	struct rdma_rw_reg_ctx *reg;
	int ret;

	reg = kzalloc(sizeof(*reg), GFP_KERNEL);
	if (!reg)
		return -ENOMEM;
	reg->mr = ib_mr_pool_get(qp, &qp->sig_mrs);
	if (!reg->mr) {
		ret = -EAGAIN;
		goto free_reg;
	}
	*reg->mr->sig_attrs = *attrs;
	ret = ib_map_mr_sg_pi(reg->mr, lists->data, lists->data_nents, NULL, lists->meta,
			      lists->meta_nents, NULL, PAGE_SIZE);
	if (ret)
		goto put_mr;

	ctx->type = VERBS_RW_INTEGRITY;
	ctx->nr_ops = 1;
	ctx->reg = reg;
	return verbs_rw_mr_prepare(reg, qp, target, IB_WR_REG_MR_INTEGRITY);

put_mr:
	ib_mr_pool_put(qp, &qp->sig_mrs, reg->mr);
free_reg:
	kfree(reg);
	return ret;
}

int rdma_rw_ctx_signature_init(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
			       struct scatterlist *sg, u32 sg_cnt, struct scatterlist *prot_sg,
			       u32 prot_sg_cnt, struct ib_sig_attrs *sig_attrs, u64 remote_addr,
			       u32 rkey, enum dma_data_direction dir)
{
	struct verbs_rw_target target = { port_num, remote_addr, rkey, dir };
	u32 most = verbs_rw_mr_pages(qp->device, true);
	struct lists lists = { sg, prot_sg };
	int ret;

	might_sleep();
	if (!qp->integrity_en || sg_cnt > most || prot_sg_cnt > most)
		return -EINVAL;
	ret = verbs_rw_map(qp->device, sg, sg_cnt, dir);
	if (ret < 0)
		return ret;
	lists.data_nents = ret;
	if (prot_sg_cnt) {
		ret = verbs_rw_map(qp->device, prot_sg, prot_sg_cnt, dir);
		if (ret < 0)
			goto unmap_data;
		lists.meta_nents = ret;
	}
	ret = init_region(ctx, qp, &target, &lists, sig_attrs);
	if (ret >= 0)
		return ret;

	if (prot_sg_cnt)
		ib_dma_unmap_sg(qp->device, prot_sg, prot_sg_cnt, dir);
unmap_data:
	ib_dma_unmap_sg(qp->device, sg, sg_cnt, dir);
	return ret;
}
EXPORT_SYMBOL(rdma_rw_ctx_signature_init);

void rdma_rw_ctx_destroy_signature(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
				   struct scatterlist *sg, u32 sg_cnt, struct scatterlist *prot_sg,
				   u32 prot_sg_cnt, enum dma_data_direction dir)
{
	if (WARN_ONCE(ctx->type != VERBS_RW_INTEGRITY,
		      "an rdma_rw context without protection information needs another function\n"))
		return;
	verbs_rw_mr_free(ctx, qp, &qp->sig_mrs);
	if (prot_sg_cnt)
		ib_dma_unmap_sg(qp->device, prot_sg, prot_sg_cnt, dir);
	ib_dma_unmap_sg(qp->device, sg, sg_cnt, dir);
}
EXPORT_SYMBOL(rdma_rw_ctx_destroy_signature);
