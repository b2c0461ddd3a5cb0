/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The state transitions of QPs, as far as ib_modify_qp() needs them.
 */
#ifndef _KRDMA_VERBS_QP_STATE_H_
#define _KRDMA_VERBS_QP_STATE_H_

#include <rdma/verbs/qp.h>

/**
 * verbs_qp_mask_valid - can a QP of this type take these attributes in any state?
 * @type: transport service
 * @attr: the attributes; qp_state counts if @mask has %IB_QP_STATE
 * @mask: &enum ib_qp_attr_mask; only bits of the specification are checked, the provider checks
 *	its own
 *
 * Any context.
 */
bool verbs_qp_mask_valid(enum ib_qp_type type, const struct ib_qp_attr *attr, u32 mask);

#endif /* _KRDMA_VERBS_QP_STATE_H_ */
