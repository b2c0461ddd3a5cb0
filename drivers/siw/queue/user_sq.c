// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Send queues of processes: how the kernel takes requests from the ring, and checks them.
 *
 * Sharing: an entry belongs to the process while its flags lack SIW_WQE_VALID, and to the kernel
 * while they have it. The process sets the flag of an entry and then reads the flag of the entry
 * before it. If the kernel has cleared that flag, the kernel may have found the ring empty, so the
 * process rings the doorbell. The kernel clears the flag of an entry and then reads the flag of the
 * next entry. A full barrier on each side ensures that at least one of the two sees what the other
 * wrote. So after the kernel has taken an entry, it must read the flag of the next one, or schedule
 * a later read, before the stream goes idle.
 *
 * Entries are taken under soft_sq.lock.
 */
#include <linux/string.h>
#include <trace/events/siw.h>
#include <uapi/rdma/siw-abi.h>

#include "drivers/siw/queue/user_sq.h"
#include "drivers/siw/base/siw.h"
#include "drivers/siw/queue/qp_state.h"
#include "soft/sq.h"
#include "soft/wqe.h"

static_assert(SIW_MAX_SGE == SOFT_SGE_MAX);
static_assert(SIW_MAX_INLINE <= SOFT_INLINE_MAX);
/* The queue of a process has room for as many reads as may be in flight. */
static_assert(SOFT_SQ_ON_DEMAND_MAX >= SIW_MAX_ORD);
static_assert(sizeof(struct siw_sge) == sizeof(struct ib_sge));
static_assert(offsetof(struct siw_sge, laddr) == offsetof(struct ib_sge, addr));
static_assert(offsetof(struct siw_sge, length) == offsetof(struct ib_sge, length));
static_assert(offsetof(struct siw_sge, lkey) == offsetof(struct ib_sge, lkey));

/* Returns the entry to take next. Called if there is a ring: each QP of a process has one. */
static struct siw_sqe *user_sq_next(const struct siw_qp *qp)
{
	const struct siw_user_sq *user = &qp->user_sq;

	return &user->ring[READ_ONCE(user->next) & user->mask];
}

bool siw_user_sq_pending(const struct siw_qp *qp)
{
	const struct siw_user_sq *user = &qp->user_sq;

	return user->ring && READ_ONCE(user_sq_next(qp)->flags) & SIW_WQE_VALID;
}

/* Copies an entry, and reads each value only once. user_sq_check_wqe() checks the copy. */
static void user_sq_copy_wqe(struct soft_send_wqe *to, const struct siw_sqe *from, u16 flags)
{
	u8 num_sge;

	to->wr_id = READ_ONCE(from->id);
	to->opcode = READ_ONCE(from->opcode);
	to->rkey = READ_ONCE(from->rkey);
	to->raddr = READ_ONCE(from->raddr);
	to->signaled = !!(flags & SIW_WQE_SIGNALLED);
	to->solicited = !!(flags & SIW_WQE_SOLICITED);
	to->fence = !!(flags & SIW_WQE_READ_FENCE);
	to->is_inline = !!(flags & SIW_WQE_INLINE);
	if (to->is_inline) {
		to->num_sge = 0;
		to->length = READ_ONCE(from->sge[0].length);
		memcpy(to->inline_data, from->sge + 1, min_t(u32, to->length, SIW_MAX_INLINE));
	} else {
		num_sge = READ_ONCE(from->num_sge);
		memcpy(to->sge, from->sge, min_t(u8, num_sge, SOFT_SGE_MAX) * sizeof(*to->sge));
		/*
		 * Cap the number, because the member has few bits. A capped number still fails the
		 * check.
		 */
		to->num_sge = min_t(u8, num_sge, SOFT_SGE_MAX + 1);
	}
}

/*
 * Returns an enum ib_wr_opcode, or -EINVAL for an opcode that a process may not use. A process may
 * not use a read with invalidate, because regions of processes cannot be made valid again.
 */
static int user_sq_opcode(u8 opcode)
{
	switch (opcode) {
	case SIW_OP_WRITE:
		return IB_WR_RDMA_WRITE;
	case SIW_OP_READ:
		return IB_WR_RDMA_READ;
	case SIW_OP_SEND:
		return IB_WR_SEND;
	case SIW_OP_SEND_REMOTE_INV:
		return IB_WR_SEND_WITH_INV;
	case SIW_OP_REG_MR:
		return IB_WR_BIND_MW;
	case SIW_OP_INVAL_STAG:
		return IB_WR_LOCAL_INV;
	default:
		return -EINVAL;
	}
}

/*
 * Translates a SIW_OP_REG_MR to the binding of a memory window. The ABI has no opcode for binding,
 * and SIW_OP_REG_MR has no other meaning for processes. rkey is the window's new STag, raddr
 * holds the rights of the window, and the SGE is the memory, with the lkey of the region. Without
 * an SGE, a window of type 1 is unbound.
 */
static enum ib_wc_status user_sq_check_bind(struct soft_send_wqe *wqe)
{
	const struct ib_sge memory = wqe->num_sge ? wqe->sge[0] : (struct ib_sge) {};

	if (wqe->num_sge > 1 || wqe->raddr > INT_MAX)
		return IB_WC_LOC_QP_OP_ERR;
	wqe->bind = (struct soft_mw_bind) {
		.stag = wqe->rkey,
		.lkey = memory.lkey,
		.addr = memory.addr,
		.length = memory.length,
		.access = wqe->raddr,
	};
	wqe->num_sge = 0;
	wqe->length = 0;
	return IB_WC_SUCCESS;
}

/*
 * Translates and checks a copied entry. Returns IB_WC_SUCCESS, or the status with which the request
 * fails.
 */
static enum ib_wc_status user_sq_check_wqe(const struct siw_qp *qp, struct soft_send_wqe *wqe)
{
	int opcode = user_sq_opcode(wqe->opcode);
	u64 length = 0;
	int i;

	if (opcode < 0)
		return IB_WC_LOC_QP_OP_ERR;
	wqe->opcode = opcode;
	if (wqe->is_inline) {
		if (opcode == IB_WR_RDMA_READ || opcode == IB_WR_BIND_MW ||
		    opcode == IB_WR_LOCAL_INV)
			return IB_WC_LOC_QP_OP_ERR;
		if (wqe->length > SIW_MAX_INLINE)
			return IB_WC_LOC_LEN_ERR;
	} else {
		if (wqe->num_sge > qp->soft.sq.max_sge)
			return IB_WC_LOC_QP_OP_ERR;
		for (i = 0; i < wqe->num_sge; i++)
			length += wqe->sge[i].length;
		if (length > SOFT_MAX_MSG)
			return IB_WC_LOC_LEN_ERR;
		wqe->length = length;
	}

	wqe->inv_stag = opcode == IB_WR_SEND_WITH_INV || opcode == IB_WR_LOCAL_INV ? wqe->rkey : 0;
	return opcode == IB_WR_BIND_MW ? user_sq_check_bind(wqe) : IB_WC_SUCCESS;
}

bool siw_user_sq_pop(struct siw_qp *qp, struct soft_send_wqe *wqe)
{
	struct siw_user_sq *user = &qp->user_sq;
	struct siw_sqe *from = user_sq_next(qp);
	u16 flags;

	lockdep_assert_held(&qp->soft.sq.lock);
	/* Acquire: the process fills in the entry before it sets the flag. */
	flags = smp_load_acquire(&from->flags);
	if (!(flags & SIW_WQE_VALID))
		return false;
	user_sq_copy_wqe(wqe, from, flags);
	smp_store_release(&from->flags, 0); /* after the last read of the entry */
	smp_mb(); /* pairs with the barrier of the process; see the head of this file */
	WRITE_ONCE(user->next, user->next + 1);

	wqe->signaled |= qp->soft.sq.signal_all;
	wqe->state = SOFT_SEND_WQE_POSTED;
	wqe->status = user_sq_check_wqe(qp, wqe);
	if (wqe->status != IB_WC_SUCCESS) {
		/* Make the request an empty SEND, which fails when its turn to be sent comes. */
		wqe->opcode = IB_WR_SEND;
		wqe->is_inline = false;
		wqe->num_sge = 0;
		wqe->length = 0;
	}
	return true;
}

bool siw_user_sq_pull(struct siw_qp *qp)
{
	struct soft_sq *sq = &qp->soft.sq;
	struct soft_send_wqe *wqe;
	unsigned long flags;
	bool pulled;

	spin_lock_irqsave(&sq->lock, flags);
	wqe = soft_sq_entry(sq, sq->head);
	qp->user_sq.no_room = sq->head - sq->tail == sq->max_wr;
	pulled = !qp->user_sq.no_room && !sq->flushed && siw_user_sq_pop(qp, wqe);
	if (pulled) {
		trace_siw_post(&qp->soft.base, wqe->wr_id, wqe->opcode, wqe->length);
		smp_store_release(&sq->head, sq->head + 1); /* pairs with soft_sq_peek() */
	}
	spin_unlock_irqrestore(&sq->lock, flags);
	return pulled;
}

/*
 * Reads head and tail without the lock, because only the stream's owner, which calls this function,
 * adds requests and completes them.
 */
bool siw_user_sq_has_room(struct siw_qp *qp)
{
	struct soft_sq *sq = &qp->soft.sq;

	if (!qp->user_sq.no_room || sq->head - sq->tail == sq->max_wr)
		return false;
	qp->user_sq.no_room = false;
	return true;
}

int siw_user_sq_doorbell(struct siw_qp *qp, bool *flushed)
{
	struct soft_sq *sq = &qp->soft.sq;
	/* Drop at most a full ring of requests, because the process may go on posting. */
	u32 left = qp->user_sq.mask + 1;
	struct soft_send_wqe dropped;
	enum ib_qp_state state;
	unsigned long flags;
	u32 batch;
	int ret;

	do {
		batch = min(left, SOFT_FLUSH_BATCH);
		left -= batch;
		spin_lock_irqsave(&sq->lock, flags);
		*flushed = sq->flushed;
		state = READ_ONCE(qp->soft.state);
		if (sq->flushed || state >= IB_QPS_RTS) {
			left = 0;
			ret = 0;
		} else {
			while (batch && siw_user_sq_pop(qp, &dropped))
				batch--;
			if (batch)
				left = 0;
			ret = state == IB_QPS_RESET ? -EINVAL : -ENOTCONN;
		}
		spin_unlock_irqrestore(&sq->lock, flags);
	} while (left);
	return ret;
}
