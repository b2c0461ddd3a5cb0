/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Queue pairs: QP 0, QP 1 and those of type UD. */
#ifndef SIB_QP_H
#define SIB_QP_H

#include <rdma/ib_verbs.h>

/* Operations of a device. */
int sib_create_qp(struct ib_qp *base, struct ib_qp_init_attr *init, struct ib_udata *udata);
int sib_modify_qp(struct ib_qp *base, struct ib_qp_attr *attr, int mask, struct ib_udata *udata);
int sib_query_qp(struct ib_qp *base, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init);
int sib_destroy_qp(struct ib_qp *base, struct ib_udata *udata);

#endif /* SIB_QP_H */
