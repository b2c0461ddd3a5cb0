/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Objects that are little more than their attributes: PDs, address handles, CQs. */
#ifndef SIB_OBJECT_H
#define SIB_OBJECT_H

#include <rdma/ib_verbs.h>

/* Operations of a device. */
int sib_alloc_pd(struct ib_pd *pd, struct ib_udata *udata);
int sib_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata);
int sib_create_ah(struct ib_ah *base, struct rdma_ah_init_attr *init, struct ib_udata *udata);
int sib_modify_ah(struct ib_ah *base, struct rdma_ah_attr *attr);
int sib_query_ah(struct ib_ah *base, struct rdma_ah_attr *attr);
int sib_destroy_ah(struct ib_ah *base, u32 flags);
int sib_create_cq(struct ib_cq *base, const struct ib_cq_init_attr *attr, struct ib_udata *udata);
int sib_destroy_cq(struct ib_cq *base, struct ib_udata *udata);

#endif /* SIB_OBJECT_H */
