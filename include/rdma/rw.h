/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * RDMA READs and WRITEs of whole scatter/gather lists, for ULPs that serve requests of peers.
 *
 * A context stands for one transfer between a list and memory of the peer. It knows how many
 * requests the transfer takes, and whether this device needs memory regions for it. The QP is made
 * with &ib_qp_cap.max_rdma_ctxs, and a context uses one share of it, or the number of shares that
 * rdma_rw_mr_factor() returns::
 *
 *   ret = rdma_rw_ctx_init(&ctx, qp, port, sgl, nents, 0, addr, rkey, DMA_FROM_DEVICE);
 *   if (ret > 0)
 *           ret = rdma_rw_ctx_post(&ctx, qp, port, &cqe, NULL);
 *   ... in cqe.done():
 *   rdma_rw_ctx_destroy(&ctx, qp, port, sgl, nents, DMA_FROM_DEVICE);
 */
#ifndef _KRDMA_RW_H_
#define _KRDMA_RW_H_

#ifdef _RDMA_RW_H
#error "the kernel's <rdma/rw.h> was included before krdma's"
#endif
#define _RDMA_RW_H

#include <linux/bvec.h>
#include <linux/dma-mapping.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>
#include <rdma/mr_pool.h>
#include <rdma/rdma_cm.h>

/**
 * struct rdma_rw_ctx - a transfer; a member of the ULP's own request
 * @nr_ops: number of RDMA READ or WRITE requests, without those for regions
 * @type: which member of the union is valid (private to the core)
 * @single: a transfer with one element: its element and request
 * @map: a transfer with several elements and no region: its elements and requests
 * @reg: a transfer with regions: @nr_ops times a region and the requests for it. The region of a
 *	transfer with protection information is reg->mr
 * @bvec: the list of a transfer of bio_vecs (private to the core)
 */
struct rdma_rw_ctx {
	u32			nr_ops;
	u8			type;
	union {
		struct {
			struct ib_sge		sge;
			struct ib_rdma_wr	wr;
		} single;
		struct {
			struct ib_sge		*sges;
			struct ib_rdma_wr	*wrs;
		} map;
		struct rdma_rw_reg_ctx {
			struct ib_sge		sge;
			struct ib_rdma_wr	wr;
			struct ib_reg_wr	reg_wr;
			struct ib_send_wr	inv_wr;
			struct ib_mr		*mr;
		} *reg;
	};
	struct sg_table		bvec;
};

/**
 * rdma_rw_ctx_init - prepare a transfer
 * @ctx: the context; need not be initialised
 * @qp: QP to transfer over
 * @port_num: port of the QP
 * @sg: memory; not mapped for DMA yet
 * @sg_cnt: number of elements of @sg, > 0
 * @sg_offset: bytes to skip at the begin of @sg, which may be whole elements
 * @remote_addr: address in the peer's region
 * @rkey: R_Key of that region
 * @dir: %DMA_TO_DEVICE: write the peer's memory; %DMA_FROM_DEVICE: read it
 *
 * Process context, may sleep. Maps @sg for DMA. Until rdma_rw_ctx_destroy(), the list and the
 * memory belong to the context.
 *
 * Return: the number of requests that rdma_rw_ctx_wrs() will return, without the caller's own;
 * -EINVAL if @sg_cnt is 0, @sg_offset is not within the list, @qp takes no elements in such
 * requests, or the device needs regions and the list has gaps within pages; -EAGAIN if all regions
 * of @qp are in use; -EREMOTEIO if the list has memory of a PCI device, which this device cannot
 * reach; -ENOMEM; or the error of ib_dma_map_sgtable_attrs() or ib_map_mr_sg(). After an error @sg
 * is not mapped, and the context must not be destroyed.
 */
int rdma_rw_ctx_init(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
		     struct scatterlist *sg, u32 sg_cnt, u32 sg_offset, u64 remote_addr, u32 rkey,
		     enum dma_data_direction dir);

/**
 * rdma_rw_ctx_destroy - end a transfer
 * @ctx: the context, none of whose requests is queued any more
 * @qp: as for rdma_rw_ctx_init()
 * @port_num: as for rdma_rw_ctx_init()
 * @sg: as for rdma_rw_ctx_init()
 * @sg_cnt: as for rdma_rw_ctx_init()
 * @dir: as for rdma_rw_ctx_init()
 *
 * Any context but hard interrupts. Returns the regions to the pool of @qp, and unmaps @sg. Called
 * once for each successful rdma_rw_ctx_init(), whether the requests were posted or not, and before
 * ib_destroy_qp().
 */
void rdma_rw_ctx_destroy(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
			 struct scatterlist *sg, u32 sg_cnt, enum dma_data_direction dir);

/**
 * rdma_rw_ctx_init_bvec - prepare a transfer of memory that bio_vecs describe
 * @ctx: the context; need not be initialised, and stays where it is until it is destroyed
 * @qp: QP to transfer over
 * @port_num: port of the QP
 * @bvecs: memory; not mapped for DMA yet
 * @nr_bvec: number of elements of @bvecs
 * @iter: the part of @bvecs to transfer
 * @remote_addr: address in the peer's region
 * @rkey: R_Key of that region
 * @dir: %DMA_TO_DEVICE: write the peer's memory; %DMA_FROM_DEVICE: read it
 *
 * Process context, may sleep. The elements may be longer than a page. @bvecs is not needed after
 * the call; the memory belongs to the context until rdma_rw_ctx_destroy_bvec(). ULPs of Linux 7.3
 * call this function; it is there on every kernel.
 *
 * Return: as rdma_rw_ctx_init(); also -EINVAL if @iter has no bytes, exceeds @bvecs, or meets an
 * empty element. After an error the context must not be destroyed.
 */
int rdma_rw_ctx_init_bvec(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
			  const struct bio_vec *bvecs, u32 nr_bvec, struct bvec_iter iter,
			  u64 remote_addr, u32 rkey, enum dma_data_direction dir);

/**
 * rdma_rw_ctx_destroy_bvec - end a transfer that rdma_rw_ctx_init_bvec() has prepared
 * @ctx: the context, none of whose requests is queued any more
 * @qp: as for rdma_rw_ctx_init_bvec()
 * @port_num: as for rdma_rw_ctx_init_bvec()
 * @bvecs: not used
 * @nr_bvec: not used
 * @dir: as for rdma_rw_ctx_init_bvec()
 *
 * Any context but hard interrupts. Does what rdma_rw_ctx_destroy() does, and frees the context's
 * list.
 */
void rdma_rw_ctx_destroy_bvec(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
			      const struct bio_vec *bvecs, u32 nr_bvec,
			      enum dma_data_direction dir);

/**
 * rdma_rw_ctx_signature_init - prepare a transfer with protection information
 * @ctx: the context; need not be initialised
 * @qp: QP to transfer over, made with %IB_QP_CREATE_INTEGRITY_EN
 * @port_num: port of the QP
 * @sg: data; not mapped for DMA yet
 * @sg_cnt: number of elements of @sg, > 0
 * @prot_sg: protection information in memory; not mapped for DMA yet
 * @prot_sg_cnt: number of elements of @prot_sg; 0 if the memory has no protection information
 * @sig_attrs: what to add, check and remove; not needed after the call
 * @remote_addr: address in the peer's region
 * @rkey: R_Key of that region
 * @dir: %DMA_TO_DEVICE: write the peer's memory; %DMA_FROM_DEVICE: read it
 *
 * Process context, may sleep. The transfer takes one region. When it has completed, the ULP calls
 * ib_check_mr_status() for the region, ctx->reg->mr.
 *
 * Return: the number of requests, as rdma_rw_ctx_init(); -EINVAL if @sg_cnt is 0, @qp was made
 * without integrity, or a list has more elements than the region holds; -EAGAIN if all such regions
 * of @qp are in use; -EREMOTEIO and -ENOMEM as for rdma_rw_ctx_init(); or the error of
 * ib_dma_map_sgtable_attrs() or ib_map_mr_sg_pi(). After an error the lists are not mapped, and the
 * context must not be destroyed.
 */
int rdma_rw_ctx_signature_init(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
			       struct scatterlist *sg, u32 sg_cnt, struct scatterlist *prot_sg,
			       u32 prot_sg_cnt, struct ib_sig_attrs *sig_attrs, u64 remote_addr,
			       u32 rkey, enum dma_data_direction dir);

/**
 * rdma_rw_ctx_destroy_signature - end a transfer with protection information
 * @ctx: the context, none of whose requests is queued any more
 * @qp: as for rdma_rw_ctx_signature_init()
 * @port_num: as for rdma_rw_ctx_signature_init()
 * @sg: as for rdma_rw_ctx_signature_init()
 * @sg_cnt: as for rdma_rw_ctx_signature_init()
 * @prot_sg: as for rdma_rw_ctx_signature_init()
 * @prot_sg_cnt: as for rdma_rw_ctx_signature_init()
 * @dir: as for rdma_rw_ctx_signature_init()
 *
 * Does for such a context what rdma_rw_ctx_destroy() does for others.
 */
void rdma_rw_ctx_destroy_signature(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
				   struct scatterlist *sg, u32 sg_cnt, struct scatterlist *prot_sg,
				   u32 prot_sg_cnt, enum dma_data_direction dir);

/**
 * rdma_rw_ctx_wrs - get the requests of a transfer, to post them with others
 * @ctx: the context, of either kind
 * @qp: QP that the caller will post to
 * @port_num: port of the QP
 * @cqe: handler of the completion of the last request; not used if there is a @chain_wr
 * @chain_wr: requests of the caller to be linked behind, of which the last one is signalled; or
 *	NULL: the last request of the transfer is signalled
 *
 * Any context. Only the last request of the whole list completes on success. When it completes,
 * also with an error, no request of the context is queued any more; the earlier ones have no
 * handler. The caller posts the list once.
 *
 * Return: the first request.
 */
struct ib_send_wr *rdma_rw_ctx_wrs(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
				   struct ib_cqe *cqe, struct ib_send_wr *chain_wr);

/**
 * rdma_rw_ctx_post - post the requests of a transfer
 * @ctx: the context, of either kind
 * @qp: as for rdma_rw_ctx_wrs()
 * @port_num: as for rdma_rw_ctx_wrs()
 * @cqe: as for rdma_rw_ctx_wrs()
 * @chain_wr: as for rdma_rw_ctx_wrs()
 *
 * Any context. If the provider queues only a part of the requests, no completion follows; the
 * caller must end the connection and drain @qp before it destroys the context.
 *
 * Return: 0 or the error of ib_post_send(). If no request was queued, the context may be posted
 * again, or destroyed.
 */
int rdma_rw_ctx_post(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num, struct ib_cqe *cqe,
		     struct ib_send_wr *chain_wr);

/**
 * rdma_rw_mr_factor - how many shares of max_rdma_ctxs does a transfer use?
 * @device: the device
 * @port_num: a valid port number
 * @maxpages: largest number of pages of a transfer
 *
 * Any context.
 *
 * Return: the number of regions or, on a device that needs none, of READs for so many pages.
 */
unsigned int rdma_rw_mr_factor(struct ib_device *device, u32 port_num, unsigned int maxpages);

/**
 * rdma_rw_max_send_wr - how many requests do contexts take?
 * @dev: the device
 * @port_num: a valid port number
 * @max_rdma_ctxs: number of contexts
 * @create_flags: &enum ib_qp_create_flags of the QP
 *
 * Any context.
 *
 * Return: the number that ib_create_qp() adds to max_send_wr, as long as the device's limit allows;
 * UINT_MAX if it is larger.
 */
unsigned int rdma_rw_max_send_wr(struct ib_device *dev, u32 port_num, unsigned int max_rdma_ctxs,
				 u32 create_flags);

#endif /* _KRDMA_RW_H_ */
