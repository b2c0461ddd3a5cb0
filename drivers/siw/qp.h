/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Queue pairs: the verbs. queue/qp_state.h has the object.
 */
#ifndef SIW_QP_H
#define SIW_QP_H

#include <rdma/ib_verbs.h>

int siw_create_qp(struct ib_qp *base, struct ib_qp_init_attr *attr, struct ib_udata *udata);
int siw_modify_qp(struct ib_qp *base, struct ib_qp_attr *attr, int mask, struct ib_udata *udata);
int siw_query_qp(struct ib_qp *base, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init_attr);
int siw_destroy_qp(struct ib_qp *base, struct ib_udata *udata);
void siw_iw_add_ref(struct ib_qp *base);
void siw_iw_rem_ref(struct ib_qp *base);
struct ib_qp *siw_iw_get_qp(struct ib_device *base, int qpn);

#endif /* SIW_QP_H */
