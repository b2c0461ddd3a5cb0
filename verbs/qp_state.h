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
 * @attr: the attributes; only qp_state is used, if @mask has %IB_QP_STATE
 * @mask: bits of &enum ib_qp_attr_mask; bits that are not those of the specification are ignored,
 *	because the provider checks them
 *
 * Any context.
 *
 * Return: true if each attribute in @mask, apart from %IB_QP_STATE and %IB_QP_CUR_STATE, is
 * accepted by at least one state transition of QPs of @type; if @mask has %IB_QP_STATE, by at least
 * one transition to @attr->qp_state.
 */
bool verbs_qp_mask_valid(enum ib_qp_type type, const struct ib_qp_attr *attr, u32 mask);

#endif /* _KRDMA_VERBS_QP_STATE_H_ */
