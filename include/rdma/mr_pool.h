/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Pools of memory regions that belong to a QP, for ULPs that take a region for each request and
 * return it.
 */
#ifndef _KRDMA_MR_POOL_H_
#define _KRDMA_MR_POOL_H_

#ifdef _RDMA_MR_POOL_H
#error "the kernel's <rdma/mr_pool.h> was included before krdma's"
#endif
#define _RDMA_MR_POOL_H

#include <rdma/ib_verbs.h>

/**
 * ib_mr_pool_get - take a region from a QP's pool
 * @qp: the QP
 * @list: the pool: &ib_qp.rdma_mrs or &ib_qp.sig_mrs
 *
 * Any context.
 *
 * Return: the region; NULL if the pool is empty.
 */
struct ib_mr *ib_mr_pool_get(struct ib_qp *qp, struct list_head *list);

/**
 * ib_mr_pool_put - return a region to a QP's pool
 * @qp: the QP
 * @list: the pool that the region was taken from
 * @mr: the region, which no request uses any more
 *
 * Any context.
 */
void ib_mr_pool_put(struct ib_qp *qp, struct list_head *list, struct ib_mr *mr);

/**
 * ib_mr_pool_init - fill a QP's pool
 * @qp: the QP
 * @list: the pool
 * @nr: number of regions to make
 * @type: kind, as for ib_alloc_mr(); or %IB_MR_TYPE_INTEGRITY, for regions of
 *	ib_alloc_mr_integrity()
 * @max_num_sg: number of pages that each region holds
 * @max_num_meta_sg: number of pages of protection information that each region holds; 0 for regions
 *	of ib_alloc_mr(), which hold none
 *
 * Process context, may sleep.
 *
 * Return: 0; -EINVAL if @max_num_meta_sg is not 0 for regions that hold no protection information;
 * or the error of ib_alloc_mr() or ib_alloc_mr_integrity(), after which the pool is empty.
 */
int ib_mr_pool_init(struct ib_qp *qp, struct list_head *list, int nr, enum ib_mr_type type,
		    u32 max_num_sg, u32 max_num_meta_sg);

/**
 * ib_mr_pool_destroy - destroy all regions in a QP's pool
 * @qp: the QP
 * @list: the pool; regions that have not been returned are not destroyed
 *
 * Process context, may sleep. ib_destroy_qp() does this for both pools, and fails with -EBUSY if
 * regions have not been returned.
 */
void ib_mr_pool_destroy(struct ib_qp *qp, struct list_head *list);

#endif /* _KRDMA_MR_POOL_H_ */
