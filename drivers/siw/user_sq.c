// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Send queues of processes, where requests move.
 *
 * Sharing: an entry is the process's while its flags lack SIW_WQE_VALID, and ours while they have
 * it. The process sets the flag and then looks whether the entry before still has it: if not, we
 * may have stopped looking, and it rings the doorbell. We clear the flag, and then look at the
 * entry behind. A full barrier on each side makes sure that at least one of us sees the other. So
 * whoever clears a flag must look at the next entry, or have it looked at, before all rests.
 *
 * All of the kernel's looks that take something are made under siw_sq.lock.
 */
#include <linux/string.h>
#include <trace/events/siw.h>
#include <uapi/rdma/siw-abi.h>

#include "drivers/siw/user_sq.h"
#include "drivers/siw/qp.h"
#include "drivers/siw/qp_state.h"
#include "drivers/siw/siw.h"
#include "drivers/siw/sq.h"
#include "drivers/siw/wqe.h"

static_assert(SIW_MAX_SGE == SIW_SGE_MAX);
static_assert(SIW_MAX_INLINE <= SIW_INLINE_MAX);
static_assert(sizeof(struct siw_sge) == sizeof(struct ib_sge));
static_assert(offsetof(struct siw_sge, laddr) == offsetof(struct ib_sge, addr));
static_assert(offsetof(struct siw_sge, length) == offsetof(struct ib_sge, length));
static_assert(offsetof(struct siw_sge, lkey) == offsetof(struct ib_sge, lkey));

static struct siw_sqe *next_entry(const struct siw_qp *qp)
{
	return &qp->sq.user.ring[READ_ONCE(qp->sq.user.next) & qp->sq.mask];
}

bool siw_user_sq_waiting(const struct siw_qp *qp)
{
	return READ_ONCE(next_entry(qp)->flags) & SIW_WQE_VALID;
}

/* As it stands there, each value read once; whether it makes sense is for check(). */
static void user_sq_copy_wqe(struct siw_send_wqe *to, const struct siw_sqe *from, u16 flags)
{
	to->wr_id = READ_ONCE(from->id);
	to->opcode = READ_ONCE(from->opcode);
	to->rkey = READ_ONCE(from->rkey);
	to->raddr = READ_ONCE(from->raddr);
	to->signaled = flags & SIW_WQE_SIGNALLED;
	to->solicited = flags & SIW_WQE_SOLICITED;
	to->fence = flags & SIW_WQE_READ_FENCE;
	to->is_inline = flags & SIW_WQE_INLINE;
	if (to->is_inline) {
		to->num_sge = 0;
		to->length = READ_ONCE(from->sge[0].length);
		memcpy(to->inline_data, from->sge + 1, min_t(u32, to->length, SIW_MAX_INLINE));
	} else {
		to->num_sge = READ_ONCE(from->num_sge);
		memcpy(to->sge, from->sge, min_t(u8, to->num_sge, SIW_SGE_MAX) * sizeof(*to->sge));
	}
}

/* What we call it, or -EINVAL: nothing that a process may ask for. */
static int user_sq_opcode(u8 opcode)
{
	switch (opcode) {
	case SIW_OP_WRITE:
		return IB_WR_RDMA_WRITE;
	case SIW_OP_READ:
		return IB_WR_RDMA_READ;
	case SIW_OP_READ_LOCAL_INV:
		return IB_WR_RDMA_READ_WITH_INV;
	case SIW_OP_SEND:
		return IB_WR_SEND;
	case SIW_OP_SEND_REMOTE_INV:
		return IB_WR_SEND_WITH_INV;
	default:
		return -EINVAL;
	}
}

static enum ib_wc_status check_inline(const struct siw_send_wqe *sqe)
{
	if (sqe->opcode == IB_WR_RDMA_READ || sqe->opcode == IB_WR_RDMA_READ_WITH_INV)
		return IB_WC_LOC_QP_OP_ERR;
	return sqe->length > SIW_MAX_INLINE ? IB_WC_LOC_LEN_ERR : IB_WC_SUCCESS;
}

static enum ib_wc_status check_list(const struct siw_qp *qp, struct siw_send_wqe *sqe)
{
	u64 length = 0;
	int i;

	if (sqe->num_sge > qp->attr.cap.max_send_sge)
		return IB_WC_LOC_QP_OP_ERR;
	for (i = 0; i < sqe->num_sge; i++)
		length += sqe->sge[i].length;
	if (length > SIW_MAX_MSG)
		return IB_WC_LOC_LEN_ERR;
	sqe->length = length;
	return IB_WC_SUCCESS;
}

/* Of the peer's memory, or of the sink of a read: which is why there is but one. */
static enum ib_wc_status set_inv_stag(struct siw_send_wqe *sqe)
{
	sqe->inv_stag = 0;
	if (sqe->opcode == IB_WR_SEND_WITH_INV)
		sqe->inv_stag = sqe->rkey;
	if (sqe->opcode != IB_WR_RDMA_READ_WITH_INV)
		return IB_WC_SUCCESS;
	if (sqe->num_sge != 1)
		return IB_WC_LOC_QP_OP_ERR;
	sqe->inv_stag = sqe->sge[0].lkey;
	return IB_WC_SUCCESS;
}

/* Makes a request of ours of it: IB_WC_SUCCESS, or what is wrong. */
static enum ib_wc_status check(const struct siw_qp *qp, struct siw_send_wqe *sqe)
{
	int opcode = user_sq_opcode(sqe->opcode);
	enum ib_wc_status status;

	if (opcode < 0)
		return IB_WC_LOC_QP_OP_ERR;
	sqe->opcode = opcode;
	status = sqe->is_inline ? check_inline(sqe) : check_list(qp, sqe);
	return status ?: set_inv_stag(sqe);
}

/* A request in the place of one that makes no sense: it fails when its turn comes. */
static void make_invalid(struct siw_send_wqe *sqe)
{
	sqe->opcode = IB_WR_SEND;
	sqe->is_inline = false;
	sqe->num_sge = 0;
	sqe->length = 0;
}

bool siw_user_sq_pop(struct siw_qp *qp, struct siw_send_wqe *sqe)
{
	struct siw_sqe *from = next_entry(qp);
	u16 flags = smp_load_acquire(&from->flags); /* the process fills in first, then sets it */

	lockdep_assert_held(&qp->sq.lock);
	if (!(flags & SIW_WQE_VALID))
		return false;
	user_sq_copy_wqe(sqe, from, flags);
	smp_store_release(&from->flags, 0); /* what was read is not read again */
	smp_mb(); /* pairs with the process's, between setting this flag and looking at the last */
	WRITE_ONCE(qp->sq.user.next, qp->sq.user.next + 1);

	sqe->signaled |= qp->sq.signal_all;
	sqe->state = SIW_SEND_WQE_POSTED;
	sqe->status = check(qp, sqe);
	if (sqe->status != IB_WC_SUCCESS)
		make_invalid(sqe);
	return true;
}

static bool pull(struct siw_qp *qp)
{
	struct siw_sq *sq = &qp->sq;
	struct siw_send_wqe *sqe = &sq->ring[sq->head & sq->mask];

	lockdep_assert_held(&sq->lock);
	sq->user.ring_full = sq->head - sq->tail == sq->max_wr;
	if (sq->user.ring_full || sq->flushed || !siw_user_sq_pop(qp, sqe))
		return false;
	trace_siw_post(&qp->base, sqe->wr_id, sqe->opcode, sqe->length);
	smp_store_release(&sq->head, sq->head + 1); /* as sq_post_one() of those of the kernel */
	return true;
}

bool siw_user_sq_pull(struct siw_qp *qp)
{
	struct siw_sq *sq = &qp->sq;
	unsigned long flags;
	bool pulled;

	sq->user.ring_full = false;
	/* Every other look finds nothing, and needs no lock for that. */
	if (!siw_user_sq_waiting(qp))
		return false;
	spin_lock_irqsave(&sq->lock, flags);
	pulled = pull(qp);
	spin_unlock_irqrestore(&sq->lock, flags);
	return pulled;
}

/* Only the runner completes requests, and only it asks. */
bool siw_user_sq_has_room(struct siw_qp *qp)
{
	struct siw_sq *sq = &qp->sq;

	if (!sq->user.ring_full || sq->head - sq->tail == sq->max_wr)
		return false;
	sq->user.ring_full = false;
	return true;
}

/* How many of @most there were. */
static u32 drop(struct siw_qp *qp, u32 most)
{
	struct siw_sq *sq = &qp->sq;
	struct siw_send_wqe *sqe = &sq->ring[sq->head & sq->mask];
	u32 dropped = 0;

	lockdep_assert_held(&sq->lock);
	while (dropped < most && siw_user_sq_pop(qp, sqe))
		dropped++;
	return dropped;
}

/* A QP that is not connected yet takes no requests: why, or 0: it is. @left: may be there yet. */
static int drop_some(struct siw_qp *qp, u32 *left)
{
	enum ib_qp_state state = READ_ONCE(qp->state);
	u32 most = min(*left, SIW_FLUSH_BATCH);

	lockdep_assert_held(&qp->sq.lock);
	if (qp->sq.flushed || state >= IB_QPS_RTS) {
		*left = 0;
		return 0;
	}
	*left = drop(qp, most) == most ? *left - most : 0;
	return state == IB_QPS_RESET ? -EINVAL : -ENOTCONN;
}

int siw_user_sq_check(struct siw_qp *qp, bool *flushed)
{
	/* No more than the ring holds: the process may go on posting. */
	u32 left = qp->sq.mask + 1;
	unsigned long flags;
	int ret;

	do {
		spin_lock_irqsave(&qp->sq.lock, flags);
		*flushed = qp->sq.flushed;
		ret = drop_some(qp, &left);
		spin_unlock_irqrestore(&qp->sq.lock, flags);
	} while (left);
	return ret;
}
