// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion queues of processes, where completions move.
 *
 * Sharing: an entry is ours while its flags lack SIW_WQE_VALID, and the process's while they have
 * it. To wait, the process sets siw_cq_ctrl.flags and then looks for completions once more. We add
 * a completion, and then look at siw_cq_ctrl.flags. A full barrier on each side makes sure that at
 * least one of us sees the other.
 */
#include <uapi/rdma/siw-abi.h>

#include "drivers/siw/user_cq.h"
#include "drivers/siw/cq.h"

static_assert((int)SIW_NOTIFY_SOLICITED == IB_CQ_SOLICITED);
static_assert((int)SIW_NOTIFY_NEXT_COMPLETION == IB_CQ_NEXT_COMP);

static u8 user_cq_opcode(const struct ib_wc *wc)
{
	if (wc->opcode & IB_WC_RECV)
		return SIW_OP_RECEIVE;
	switch (wc->opcode) {
	case IB_WC_RDMA_WRITE:
		return SIW_OP_WRITE;
	case IB_WC_RDMA_READ:
		return SIW_OP_READ;
	default:
		return SIW_OP_SEND;
	}
}

static u16 user_cq_status(const struct ib_wc *wc)
{
	switch (wc->status) {
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

static void user_cq_fill(struct siw_cqe *cqe, const struct ib_wc *wc)
{
	bool invalidated = wc->wc_flags & IB_WC_WITH_INVALIDATE;

	cqe->id = wc->wr_id;
	cqe->opcode = user_cq_opcode(wc);
	cqe->status = user_cq_status(wc);
	cqe->bytes = wc->byte_len;
	cqe->imm_data = 0;
	if (invalidated)
		cqe->inval_stag = wc->ex.invalidate_rkey;
	cqe->qp_id = wc->qp->qp_num;
	/* The process looks at the flags first. */
	smp_store_release(&cqe->flags, SIW_WQE_VALID | (invalidated ? SIW_WQE_REM_INVAL : 0));
}

/* Whether the process asked for an event at this completion; each wish is granted once. */
static bool user_cq_event_due(struct siw_cq_ctrl *ctrl, const struct ib_wc *wc, bool solicited)
{
	u32 armed = READ_ONCE(ctrl->flags);

	if (!(armed & SIW_NOTIFY_NEXT_COMPLETION) &&
	    !(armed & SIW_NOTIFY_SOLICITED && (solicited || wc->status != IB_WC_SUCCESS)))
		return false;
	/* What it may have asked for since is granted with it. */
	xchg(&ctrl->flags, SIW_NOTIFY_NOT);
	return true;
}

int siw_user_cq_add(struct siw_cq *cq, const struct ib_wc *wc, bool solicited)
{
	struct siw_user_cq *user = &cq->user;
	struct siw_cqe *cqe = &user->ring[user->head & (cq->size - 1)];

	lockdep_assert_held(&cq->lock);
	/* The process has read all of it when it clears the flag. */
	if (smp_load_acquire(&cqe->flags) & SIW_WQE_VALID)
		return -ENOSPC;
	user_cq_fill(cqe, wc);
	user->head++;
	smp_mb(); /* pairs with the process's, between arming and looking */
	return user_cq_event_due(user->ctrl, wc, solicited);
}

void siw_user_cq_arm(struct siw_cq *cq, enum ib_cq_notify_flags flags)
{
	struct siw_cq_ctrl *ctrl = cq->user.ctrl;

	lockdep_assert_held(&cq->lock);
	/* A process that arms it by itself at the same time has to take what comes of it. */
	WRITE_ONCE(ctrl->flags, READ_ONCE(ctrl->flags) | (flags & IB_CQ_SOLICITED_MASK));
	smp_mb(); /* the process looks for completions when this has returned */
}

int siw_user_cq_armed(const struct siw_cq *cq)
{
	return READ_ONCE(cq->user.ctrl->flags) & IB_CQ_SOLICITED_MASK;
}
