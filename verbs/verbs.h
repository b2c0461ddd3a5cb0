/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the verbs objects share among themselves.
 */
#ifndef _KRDMA_VERBS_VERBS_H_
#define _KRDMA_VERBS_VERBS_H_

#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>
#include "core/core.h"

/*
 * Zeroed memory of the size the provider declared for objects of this type, if it did. A process,
 * whose objects have a handle, pays for what it makes.
 */
#define verbs_zalloc(dev, type, uobject)					\
	kzalloc(max((dev)->ops.size_##type, sizeof(struct type)),		\
		(uobject) ? GFP_KERNEL_ACCOUNT : GFP_KERNEL)

/* Does @want go beyond what the device says it has? A limit of 0 stands for one it did not say. */
static inline bool verbs_exceeds(u32 want, int limit)
{
	return limit > 0 && want > limit;
}

int verbs_track(struct ib_device *dev, struct rdma_restrack_entry *res,
		enum rdma_restrack_type type, const char *caller);
struct task_struct *verbs_untrack(struct ib_device *dev, struct rdma_restrack_entry *res);
void verbs_untrack_end(struct ib_device *dev, struct rdma_restrack_entry *res,
		       struct task_struct *owner, int ret);

/* cq.c: the steps that CQs of both forms go through */
struct ib_cq *verbs_cq_alloc(struct ib_device *dev, const struct ib_cq_init_attr *attr,
			     struct ib_uobject *uobject);
int verbs_cq_start(struct ib_cq *cq, const struct ib_cq_init_attr *attr, struct ib_udata *udata,
		   const char *caller);
int verbs_cq_end(struct ib_cq *cq, struct ib_udata *udata);

/* cq_ulp.c */
bool verbs_cq_polled_by_core(const struct ib_cq *cq);
void verbs_cq_free_ulp(struct ib_cq *cq);

/*
 * cq_dim.c: from init() to end(), polled() hears of what each poll found. init() does nothing where
 * moderation is off; when end() is called, nobody polls any more.
 */
int verbs_cq_dim_init(struct ib_cq *cq);
void verbs_cq_dim_polled(struct ib_cq *cq, int completions);
void verbs_cq_dim_end(struct ib_cq *cq);

/* mr.c: what a provider has just made, but for the common part; on an ERR_PTR it has been ended */
struct ib_mr *verbs_mr_adopt(struct ib_mr *mr, struct ib_pd *pd, enum ib_mr_type type,
			     struct ib_udata *udata, const char *caller);
/* the region behind a PD's global keys */
struct ib_mr *verbs_dma_mr_get(struct ib_pd *pd, int access, const char *caller);
int verbs_dma_mr_put(struct ib_mr *mr);

/* qp_state.c */
bool verbs_qp_mask_possible(enum ib_qp_type type, const struct ib_qp_attr *attr, u32 mask);

#endif /* _KRDMA_VERBS_VERBS_H_ */
