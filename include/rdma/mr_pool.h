/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Pools of memory regions that belong to a QP, for ULPs that take a region for each request and
 * return it.
 */
#ifndef _RDMA_MR_POOL_H
#define _RDMA_MR_POOL_H

#include <rdma/ib_verbs.h>

/**
 * ib_mr_pool_get - take a region out of a QP's pool
 * @qp: the QP
 * @list: the pool: &ib_qp.rdma_mrs or &ib_qp.sig_mrs
 *
 * Any context.
 *
 * Return: the region, or NULL when the pool is empty.
 */
struct ib_mr *ib_mr_pool_get(struct ib_qp *qp, struct list_head *list);

/**
 * ib_mr_pool_put - return a region to a QP's pool
 * @qp: the QP
 * @list: the pool it was taken from
 * @mr: the region; no request uses it any more
 *
 * Any context.
 */
void ib_mr_pool_put(struct ib_qp *qp, struct list_head *list, struct ib_mr *mr);

/**
 * ib_mr_pool_init - fill a QP's pool
 * @qp: the QP
 * @list: the pool
 * @nr: regions to make
 * @type: kind, as for ib_alloc_mr()
 * @max_num_sg: pages each one holds
 * @max_num_meta_sg: pages of protection information each one holds, 0: no kind that ib_alloc_mr()
 *	makes has any
 *
 * Process context, may sleep.
 *
 * Return: 0, or as ib_alloc_mr(); regions made before the failure are gone again.
 */
int ib_mr_pool_init(struct ib_qp *qp, struct list_head *list, int nr, enum ib_mr_type type,
		    u32 max_num_sg, u32 max_num_meta_sg);

/**
 * ib_mr_pool_destroy - end all regions in a QP's pool
 * @qp: the QP
 * @list: the pool; regions that have not been returned stay
 *
 * Process context, may sleep. Before ib_destroy_qp(), which refuses while regions have not been
 * returned.
 */
void ib_mr_pool_destroy(struct ib_qp *qp, struct list_head *list);

#endif /* _RDMA_MR_POOL_H */
