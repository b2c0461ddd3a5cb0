// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Pools of memory regions that belong to a QP.
 */
#include <rdma/mr_pool.h>

#include "verbs/verbs.h"

void ib_mr_pool_put(struct ib_qp *qp, struct list_head *list, struct ib_mr *mr)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->mr_lock, flags);
	--qp->mrs_used;
	list_add(&mr->qp_entry, list);
	spin_unlock_irqrestore(&qp->mr_lock, flags);
}
EXPORT_SYMBOL(ib_mr_pool_put);

struct ib_mr *ib_mr_pool_get(struct ib_qp *qp, struct list_head *list)
{
	unsigned long flags;
	struct ib_mr *mr = NULL;

	spin_lock_irqsave(&qp->mr_lock, flags);
	if (!list_empty(list)) {
		++qp->mrs_used;
		mr = list_first_entry(list, struct ib_mr, qp_entry);
		list_del(&mr->qp_entry);
	}
	spin_unlock_irqrestore(&qp->mr_lock, flags);
	return mr;
}
EXPORT_SYMBOL(ib_mr_pool_get);

void ib_mr_pool_destroy(struct ib_qp *qp, struct list_head *list)
{
	struct ib_mr *mr, *next;
	LIST_HEAD(doomed);

	might_sleep();
	spin_lock_irq(&qp->mr_lock);
	list_splice_init(list, &doomed);
	spin_unlock_irq(&qp->mr_lock);

	list_for_each_entry_safe(mr, next, &doomed, qp_entry)
		WARN_ON_ONCE(ib_dereg_mr(mr));
}
EXPORT_SYMBOL(ib_mr_pool_destroy);

int ib_mr_pool_init(struct ib_qp *qp, struct list_head *list, int nr, enum ib_mr_type type,
		    u32 max_num_sg, u32 max_num_meta_sg)
{
	bool integrity = type == IB_MR_TYPE_INTEGRITY;
	struct ib_mr *mr;
	int i;

	might_sleep();
	if (max_num_meta_sg && !integrity)
		return -EINVAL;

	for (i = 0; i < nr; i++) {
		if (integrity)
			mr = ib_alloc_mr_integrity(qp->pd, max_num_sg, max_num_meta_sg);
		else
			mr = ib_alloc_mr(qp->pd, type, max_num_sg);
		if (IS_ERR(mr)) {
			ib_mr_pool_destroy(qp, list);
			return PTR_ERR(mr);
		}
		spin_lock_irq(&qp->mr_lock);
		list_add_tail(&mr->qp_entry, list);
		spin_unlock_irq(&qp->mr_lock);
	}
	return 0;
}
EXPORT_SYMBOL(ib_mr_pool_init);
