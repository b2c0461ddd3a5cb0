// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion queues of processes: how completions are added, and how a CQ is armed.
 *
 * Sharing: an entry belongs to the kernel while its flags lack SIW_WQE_VALID, and to the process
 * while they have it. Before a process waits, it sets siw_cq_ctrl.flags and then polls once more.
 * The kernel adds a completion and then reads siw_cq_ctrl.flags. A full barrier on each side
 * ensures that at least one of the two sees what the other wrote.
 */
#include <uapi/rdma/siw-abi.h>

#include "drivers/siw/queue/user_cq.h"
#include "drivers/siw/queue/cq.h"

static_assert((int)SIW_NOTIFY_SOLICITED == IB_CQ_SOLICITED);
static_assert((int)SIW_NOTIFY_NEXT_COMPLETION == IB_CQ_NEXT_COMP);

static u16 user_cq_status(enum ib_wc_status status)
{
	switch (status) {
	case IB_WC_SUCCESS:
		return SIW_WC_SUCCESS;
	case IB_WC_LOC_LEN_ERR:
		return SIW_WC_LOC_LEN_ERR;
	case IB_WC_LOC_PROT_ERR:
		return SIW_WC_LOC_PROT_ERR;
	case IB_WC_LOC_QP_OP_ERR:
		return SIW_WC_LOC_QP_OP_ERR;
	case IB_WC_WR_FLUSH_ERR:
		return SIW_WC_WR_FLUSH_ERR;
	case IB_WC_REM_ACCESS_ERR:
		return SIW_WC_REM_ACCESS_ERR;
	case IB_WC_REM_INV_REQ_ERR:
		return SIW_WC_REM_INV_REQ_ERR;
	default:
		return SIW_WC_GENERAL_ERR;
	}
}

int siw_user_cq_add(struct soft_cq *soft, const struct ib_wc *wc, bool solicited)
{
	struct siw_user_cq *user = &to_siw_cq(&soft->base)->user;
	struct siw_cqe *cqe = &user->ring[user->head & (soft->size - 1)];
	bool invalidated = wc->wc_flags & IB_WC_WITH_INVALIDATE;
	u32 armed;

	lockdep_assert_held(&soft->lock);
	/* Acquire: the process clears the flag after it has read the entry. */
	if (smp_load_acquire(&cqe->flags) & SIW_WQE_VALID)
		return -ENOSPC;

	cqe->id = wc->wr_id;
	if (wc->opcode & IB_WC_RECV)
		cqe->opcode = SIW_OP_RECEIVE;
	else if (wc->opcode == IB_WC_RDMA_WRITE)
		cqe->opcode = SIW_OP_WRITE;
	else if (wc->opcode == IB_WC_RDMA_READ)
		cqe->opcode = SIW_OP_READ;
	else if (wc->opcode == IB_WC_BIND_MW)
		cqe->opcode = SIW_OP_REG_MR;
	else if (wc->opcode == IB_WC_LOCAL_INV)
		cqe->opcode = SIW_OP_INVAL_STAG;
	else
		cqe->opcode = SIW_OP_SEND;
	cqe->status = user_cq_status(wc->status);
	cqe->bytes = wc->byte_len;
	cqe->imm_data = 0;
	if (invalidated)
		cqe->inval_stag = wc->ex.invalidate_rkey;
	cqe->qp_id = wc->qp->qp_num;
	/* Release: the process reads the flags before the rest. */
	smp_store_release(&cqe->flags, SIW_WQE_VALID | (invalidated ? SIW_WQE_REM_INVAL : 0));
	user->head++;

	smp_mb(); /* pairs with the barrier of a process between arming the CQ and polling it */
	armed = READ_ONCE(user->ctrl->flags);
	if (!(armed & SIW_NOTIFY_NEXT_COMPLETION) &&
	    !(armed & SIW_NOTIFY_SOLICITED && (solicited || wc->status != IB_WC_SUCCESS)))
		return 0;
	/* One event answers all arm requests so far, even one made after the flags were read. */
	xchg(&user->ctrl->flags, SIW_NOTIFY_NOT);
	return 1;
}

int siw_user_cq_armed(const struct siw_cq *cq)
{
	const struct siw_cq_ctrl *ctrl = cq->user.ctrl;

	return ctrl ? READ_ONCE(ctrl->flags) & IB_CQ_SOLICITED_MASK : 0;
}
