/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Transfers of rdma_rw contexts by way of memory regions.
 */
#ifndef _KRDMA_VERBS_RW_MR_H_
#define _KRDMA_VERBS_RW_MR_H_

#include <rdma/rw.h>

/* Values of rdma_rw_ctx.type. */
enum verbs_rw_type {
	VERBS_RW_SINGLE,	/* rdma_rw_ctx.single */
	VERBS_RW_LIST,		/* rdma_rw_ctx.map */
	VERBS_RW_REGIONS,	/* rdma_rw_ctx.reg, with regions of ib_qp.rdma_mrs */
	VERBS_RW_INTEGRITY,	/* rdma_rw_ctx.reg, with one region of ib_qp.sig_mrs */
};

/**
 * struct verbs_rw_target - arguments of rdma_rw_ctx_init() other than context, QP and list
 * @port_num: port of the QP
 * @remote_addr: address at the peer
 * @rkey: R_Key of the peer's region
 * @dir: direction of the transfer
 */
struct verbs_rw_target {
	u32			port_num;
	u64			remote_addr;
	u32			rkey;
	enum dma_data_direction	dir;
};

/**
 * verbs_rw_mr_prepare - prepare the requests for one region
 * @reg: the requests; @reg->mr is mapped, and its registration is still that of the last transfer
 * @qp: QP of the transfer
 * @target: the transfer; remote_addr is advanced by the length of the region
 * @opcode: request that registers the region
 *
 * Any context.
 *
 * Return: the number of requests.
 */
int verbs_rw_mr_prepare(struct rdma_rw_reg_ctx *reg, struct ib_qp *qp,
			struct verbs_rw_target *target, enum ib_wr_opcode opcode);

/**
 * verbs_rw_mr_init - prepare a transfer of a list by way of regions
 * @ctx: the context
 * @qp: QP of the transfer
 * @target: the transfer
 * @sg: first element, mapped for DMA
 * @nents: number of elements
 * @offset: bytes to skip in @sg, less than its length
 *
 * Process context, may sleep.
 *
 * Return: the number of requests; -EAGAIN if @qp has no region left; -EINVAL if the list has gaps
 * within pages; -ENOMEM; or the error of ib_map_mr_sg(). After an error no region is in use.
 */
int verbs_rw_mr_init(struct rdma_rw_ctx *ctx, struct ib_qp *qp, struct verbs_rw_target *target,
		     struct scatterlist *sg, u32 nents, u32 offset);

/**
 * verbs_rw_mr_free - return the regions of a context to a pool, and free its requests
 * @ctx: the context
 * @qp: QP of the transfer
 * @pool: the pool
 *
 * Any context but hard interrupts.
 */
void verbs_rw_mr_free(struct rdma_rw_ctx *ctx, struct ib_qp *qp, struct list_head *pool);

/**
 * verbs_rw_mr_wrs - link the requests of a context, and give its regions new keys
 * @ctx: the context
 * @last: out: the last request
 *
 * Any context.
 *
 * Return: the first request.
 */
struct ib_send_wr *verbs_rw_mr_wrs(struct rdma_rw_ctx *ctx, struct ib_send_wr **last);

/**
 * verbs_rw_mr_unposted - take back the requests from @bad_wr on, which were not posted
 * @ctx: the context, after verbs_rw_mr_wrs()
 * @bad_wr: first request that was not posted; may come after all requests of the context
 *
 * Any context. Afterwards the keys of the regions are those of their last registration.
 */
void verbs_rw_mr_unposted(struct rdma_rw_ctx *ctx, const struct ib_send_wr *bad_wr);

#endif /* _KRDMA_VERBS_RW_MR_H_ */
