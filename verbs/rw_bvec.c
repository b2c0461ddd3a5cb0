// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * rdma_rw contexts whose memory is described by bio_vecs, as is the memory of block requests and of
 * messages on sockets. Such a context has a scatter/gather list of its own.
 *
 * The list adds 16 bytes to the context. A number that is no multiple of 16 would break LIO, which
 * puts isert's commands into one array: each command contains a context, and LIO's own part of the
 * command must stay aligned to 16 bytes.
 */
#include <linux/bvec.h>
#include <rdma/rw.h>

/*
 * Fills @sg, unless @sg is NULL, with the elements of the part @iter of @bvecs. Returns the number
 * of elements, or -EINVAL if the part has no bytes, has an empty element, or goes beyond the
 * @nr_bvec elements of @bvecs.
 */
static int rw_bvec_elements(const struct bio_vec *bvecs, u32 nr_bvec, struct bvec_iter iter,
			    struct scatterlist *sg)
{
	struct bio_vec bv;
	int num;

	for (num = 0; iter.bi_size; num++) {
		if (iter.bi_idx >= nr_bvec)
			return -EINVAL;
		bv = mp_bvec_iter_bvec(bvecs, iter);
		if (!bv.bv_len)
			return -EINVAL;
		if (sg) {
			sg_set_page(sg, bv.bv_page, bv.bv_len, bv.bv_offset);
			sg = sg_next(sg);
		}
		bvec_iter_advance_single(bvecs, &iter, bv.bv_len);
	}
	return num ?: -EINVAL;
}

int rdma_rw_ctx_init_bvec(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
			  const struct bio_vec *bvecs, u32 nr_bvec, struct bvec_iter iter,
			  u64 remote_addr, u32 rkey, enum dma_data_direction dir)
{
	int num, ret;

	might_sleep();
	num = rw_bvec_elements(bvecs, nr_bvec, iter, NULL);
	if (num < 0)
		return num;
	ret = sg_alloc_table(&ctx->bvec, num, GFP_KERNEL);
	if (ret)
		return ret;
	rw_bvec_elements(bvecs, nr_bvec, iter, ctx->bvec.sgl);
	ret = rdma_rw_ctx_init(ctx, qp, port_num, ctx->bvec.sgl, num, 0, remote_addr, rkey,
			       dir);
	if (ret < 0)
		sg_free_table(&ctx->bvec);
	return ret;
}
EXPORT_SYMBOL(rdma_rw_ctx_init_bvec);

void rdma_rw_ctx_destroy_bvec(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
			      const struct bio_vec *bvecs, u32 nr_bvec,
			      enum dma_data_direction dir)
{
	rdma_rw_ctx_destroy(ctx, qp, port_num, ctx->bvec.sgl, ctx->bvec.orig_nents, dir);
	sg_free_table(&ctx->bvec);
}
EXPORT_SYMBOL(rdma_rw_ctx_destroy_bvec);
