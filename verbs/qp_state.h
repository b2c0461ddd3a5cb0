/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The state transitions of QPs, as far as ib_modify_qp() needs them.
 */
#ifndef _KRDMA_VERBS_QP_STATE_H_
#define _KRDMA_VERBS_QP_STATE_H_

#include <rdma/verbs/qp.h>

/**
 * verbs_qp_mask_valid - check the attributes of an ib_modify_qp() without knowing the QP's state
 * @type: service type of the QP
 * @attr: the attributes; only qp_state is read, and only if @mask has %IB_QP_STATE
 * @mask: bits of &enum ib_qp_attr_mask; bits that are not those of the specification are ignored,
 *	because the provider checks them
 *
 * Any context.
 *
 * Return: true if, for each attribute in @mask apart from %IB_QP_STATE and %IB_QP_CUR_STATE, QPs of
 * @type have a state transition that accepts the attribute. If @mask has %IB_QP_STATE, only
 * transitions to @attr->qp_state count.
 */
bool verbs_qp_mask_valid(enum ib_qp_type type, const struct ib_qp_attr *attr, u32 mask);

#endif /* _KRDMA_VERBS_QP_STATE_H_ */
