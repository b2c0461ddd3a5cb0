/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The QP that is bound to an identifier.
 */
#ifndef _KRDMA_IWCM_QP_H_
#define _KRDMA_IWCM_QP_H_

#include <rdma/ib_verbs.h>

struct iwcm_id;

/**
 * iwcm_qp_bind - bind a QP to an identifier that has none
 * @id: the identifier; called with its lock held
 * @qp: the QP; the identifier takes over the caller's reference
 */
void iwcm_qp_bind(struct iwcm_id *id, struct ib_qp *qp);

/**
 * iwcm_qp_unbind_locked - unbind an identifier's QP
 * @id: the identifier; called with its lock held
 *
 * Return: the QP, whose reference the caller drops by iwcm_qp_put() after it has dropped the lock;
 * NULL if no QP was bound.
 */
struct ib_qp *iwcm_qp_unbind_locked(struct iwcm_id *id);
void iwcm_qp_unbind(struct iwcm_id *id);
/* Drops the reference to a QP; NULL is allowed. Called without an identifier's lock. */
void iwcm_qp_put(struct ib_qp *qp);

/**
 * iwcm_qp_modify - make the bound QP end its connection
 * @id: the identifier
 * @to: IB_QPS_SQD for an orderly close, IB_QPS_ERR for a reset
 *
 * Calls ib_modify_qp() at most once for each state, unless the earlier call failed. Does not ask
 * for SQD after ERR.
 *
 * Return: 0, also if no QP is bound or no call was necessary; or the error of ib_modify_qp().
 */
int iwcm_qp_modify(struct iwcm_id *id, enum ib_qp_state to);

#endif /* _KRDMA_IWCM_QP_H_ */
