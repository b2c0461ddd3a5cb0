// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Send queue: checking and posting requests, and completing them in order.
 */
#include <linux/string.h>
#include <trace/events/siw.h>

#include "drivers/siw/sq.h"
#include "drivers/siw/cq.h"
#include "drivers/siw/qp.h"
#include "drivers/siw/qp_state.h"
#include "drivers/siw/sgl.h"
#include "drivers/siw/siw.h"
#include "drivers/siw/user_sq.h"
#include "drivers/siw/wqe.h"

/*
 * What a request of each kind brings along and completes as; a zero @supported is no request of
 * ours.
 */
static const struct wr_kind {
	bool supported;
	bool may_inline;
	bool has_data;
	enum ib_wc_opcode completes_as;
} kinds[] = {
	[IB_WR_SEND]		   = { true, true, true, IB_WC_SEND },
	[IB_WR_SEND_WITH_INV]	   = { true, true, true, IB_WC_SEND },
	[IB_WR_RDMA_WRITE]	   = { true, true, true, IB_WC_RDMA_WRITE },
	[IB_WR_RDMA_WRITE_WITH_IMM] = { true, true, true, IB_WC_RDMA_WRITE },
	[IB_WR_RDMA_READ]	   = { true, false, true, IB_WC_RDMA_READ },
	[IB_WR_RDMA_READ_WITH_INV] = { true, false, true, IB_WC_RDMA_READ },
	[IB_WR_LOCAL_INV]	   = { true, false, false, IB_WC_LOCAL_INV },
	[IB_WR_REG_MR]		   = { true, false, false, IB_WC_REG_MR },
	[IB_WR_ATOMIC_CMP_AND_SWP]	      = { true, false, true, IB_WC_COMP_SWAP },
	[IB_WR_ATOMIC_FETCH_AND_ADD]	      = { true, false, true, IB_WC_FETCH_ADD },
	[IB_WR_MASKED_ATOMIC_CMP_AND_SWP]     = { true, false, true, IB_WC_MASKED_COMP_SWAP },
	[IB_WR_MASKED_ATOMIC_FETCH_AND_ADD]   = { true, false, true, IB_WC_MASKED_FETCH_ADD },
};

static const struct wr_kind *kind_of(const struct ib_send_wr *wr)
{
	if ((unsigned int)wr->opcode >= ARRAY_SIZE(kinds) || !kinds[wr->opcode].supported)
		return NULL;
	return &kinds[wr->opcode];
}

/* Sums up the list; -EINVAL when it is longer than the QP allows or than a message may be. */
static int list_length(const struct siw_qp *qp, const struct ib_send_wr *wr, u32 *length)
{
	u64 sum = 0;
	int i;

	if (wr->num_sge < 0 || wr->num_sge > qp->attr.cap.max_send_sge)
		return -EINVAL;
	for (i = 0; i < wr->num_sge; i++)
		sum += wr->sg_list[i].length;
	if (sum > SIW_MAX_MSG)
		return -EINVAL;
	*length = sum;
	return 0;
}

/* Inline data is at kernel addresses and belongs to the poster only until the post returns. */
static int fill_inline(const struct siw_qp *qp, struct siw_send_wqe *sqe,
		       const struct ib_send_wr *wr)
{
	u8 *to = sqe->inline_data;
	int i;

	if (sqe->length > qp->attr.cap.max_inline_data)
		return -EINVAL;
	for (i = 0; i < wr->num_sge; i++) {
		memcpy(to, (void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
		to += wr->sg_list[i].length;
	}
	sqe->is_inline = true;
	return 0;
}

static int fill_data(const struct siw_qp *qp, struct siw_send_wqe *sqe, const struct ib_send_wr *wr,
		     const struct wr_kind *kind)
{
	int ret = list_length(qp, wr, &sqe->length);

	if (ret)
		return ret;
	if (wr->send_flags & IB_SEND_INLINE)
		return kind->may_inline ? fill_inline(qp, sqe, wr) : -EINVAL;

	sqe->num_sge = wr->num_sge;
	memcpy(sqe->sge, wr->sg_list, wr->num_sge * sizeof(*wr->sg_list));
	return 0;
}

static bool is_atomic(enum ib_wr_opcode opcode)
{
	return opcode == IB_WR_ATOMIC_CMP_AND_SWP || opcode == IB_WR_ATOMIC_FETCH_AND_ADD ||
	       opcode == IB_WR_MASKED_ATOMIC_CMP_AND_SWP ||
	       opcode == IB_WR_MASKED_ATOMIC_FETCH_AND_ADD;
}

static struct rdmap_atomic_req swap_of(const struct ib_atomic_wr *wr, u64 compare_mask, u64 mask)
{
	return (struct rdmap_atomic_req) {
		.op = RDMAP_ATOMIC_CMP_SWAP, .stag = wr->rkey, .to = wr->remote_addr,
		.data = wr->swap, .data_mask = mask,
		.compare = wr->compare_add, .compare_mask = compare_mask,
	};
}

static struct rdmap_atomic_req add_of(const struct ib_atomic_wr *wr, u64 mask)
{
	return (struct rdmap_atomic_req) {
		.op = RDMAP_ATOMIC_FETCH_ADD, .stag = wr->rkey, .to = wr->remote_addr,
		.data = wr->compare_add, .data_mask = mask,
	};
}

/* The word there is aligned, and what it was goes into as many bytes here. */
static int fill_atomic(struct siw_send_wqe *sqe, const struct ib_send_wr *base)
{
	const struct ib_atomic_wr *wr = atomic_wr(base);

	if (wr->remote_addr % sizeof(u64) || sqe->length != sizeof(u64))
		return -EINVAL;
	switch (base->opcode) {
	case IB_WR_ATOMIC_CMP_AND_SWP:
		sqe->atomic = swap_of(wr, U64_MAX, U64_MAX);
		break;
	case IB_WR_MASKED_ATOMIC_CMP_AND_SWP:
		sqe->atomic = swap_of(wr, wr->compare_add_mask, wr->swap_mask);
		break;
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		sqe->atomic = add_of(wr, 0);
		break;
	default:
		sqe->atomic = add_of(wr, wr->compare_add_mask);
		break;
	}
	return 0;
}

static void fill_target(struct siw_send_wqe *sqe, const struct ib_send_wr *wr)
{
	switch (wr->opcode) {
	case IB_WR_RDMA_WRITE_WITH_IMM:
		sqe->imm = wr->ex.imm_data;
		fallthrough;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
		sqe->raddr = rdma_wr(wr)->remote_addr;
		sqe->rkey = rdma_wr(wr)->rkey;
		break;
	case IB_WR_REG_MR:
		sqe->mr = reg_wr(wr)->mr;
		sqe->key = reg_wr(wr)->key;
		sqe->access = reg_wr(wr)->access;
		break;
	default:
		break;
	}
	sqe->inv_stag = wr->ex.invalidate_rkey;
}

static int sq_build_wqe(const struct siw_qp *qp, struct siw_send_wqe *sqe,
			const struct ib_send_wr *wr)
{
	const struct wr_kind *kind = kind_of(wr);
	int ret = 0;

	if (!kind)
		return -EOPNOTSUPP;
	sqe->wr_id = wr->wr_id;
	sqe->opcode = wr->opcode;
	sqe->state = SIW_SEND_WQE_POSTED;
	sqe->status = IB_WC_SUCCESS;
	sqe->signaled = qp->sq.signal_all || wr->send_flags & IB_SEND_SIGNALED;
	sqe->solicited = wr->send_flags & IB_SEND_SOLICITED;
	sqe->fence = wr->send_flags & IB_SEND_FENCE;
	sqe->is_inline = false;
	sqe->num_sge = 0;
	sqe->length = 0;
	fill_target(sqe, wr);
	if (kind->has_data)
		ret = fill_data(qp, sqe, wr, kind);
	if (!ret && is_atomic(wr->opcode))
		ret = fill_atomic(sqe, wr);
	return ret;
}

static void sq_complete_wr(struct siw_qp *qp, u64 wr_id, u8 opcode, enum ib_wc_status status,
			   u32 length)
{
	struct ib_wc wc = {
		.wr_id = wr_id,
		.status = status,
		.opcode = kinds[opcode].completes_as,
		.byte_len = length,
		.qp = &qp->base,
	};

	siw_cq_add(to_siw_cq(qp->base.send_cq), &wc, false);
}

static int sq_post_one(struct siw_qp *qp, const struct ib_send_wr *wr)
{
	struct siw_sq *sq = &qp->sq;
	struct siw_send_wqe *sqe;
	int ret;

	lockdep_assert_held(&sq->lock);
	if (sq->flushed) {
		if (!kind_of(wr))
			return -EOPNOTSUPP;
		sq_complete_wr(qp, wr->wr_id, wr->opcode, IB_WC_WR_FLUSH_ERR, 0);
		return 0;
	}
	if (READ_ONCE(qp->state) < IB_QPS_RTS)
		return READ_ONCE(qp->state) == IB_QPS_RESET ? -EINVAL : -ENOTCONN;
	if (sq->head - sq->tail == sq->max_wr)
		return -ENOMEM;

	sqe = &sq->ring[sq->head & sq->mask];
	ret = sq_build_wqe(qp, sqe, wr);
	if (ret)
		return ret;
	trace_siw_post(&qp->base, sqe->wr_id, sqe->opcode, sqe->length);
	smp_store_release(&sq->head, sq->head + 1); /* the engine peeks without the lock */
	return 0;
}

int siw_sq_post(struct siw_qp *qp, const struct ib_send_wr *wr, const struct ib_send_wr **bad_wr)
{
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&qp->sq.lock, flags);
	for (; wr; wr = wr->next) {
		ret = sq_post_one(qp, wr);
		if (ret) {
			*bad_wr = wr;
			break;
		}
	}
	siw_cq_schedule_notify(to_siw_cq(qp->base.send_cq));
	spin_unlock_irqrestore(&qp->sq.lock, flags);
	return ret;
}

struct siw_send_wqe *siw_sq_peek(struct siw_qp *qp)
{
	struct siw_sq *sq = &qp->sq;

	if (sq->next == smp_load_acquire(&sq->head) && /* pairs with sq_post_one() */
	    !(siw_qp_is_user(qp) && siw_user_sq_pull(qp)))
		return NULL;
	return &sq->ring[sq->next & sq->mask];
}

void siw_sq_advance(struct siw_qp *qp)
{
	qp->sq.next++;
}

int siw_send_wqe_begin(struct siw_qp *qp, struct siw_send_wqe *sqe, struct siw_sgl_iter *sgl,
		       int access)
{
	int ret;

	if (!sqe->is_inline)
		return siw_sgl_iter_init(sgl, qp->dev, qp->base.pd, sqe->sge, sqe->num_sge, access);

	ret = siw_sgl_iter_init(sgl, qp->dev, qp->base.pd, NULL, 0, access);
	sgl->one = (struct ib_sge) {
		.addr = (uintptr_t)sqe->inline_data,
		.length = sqe->length,
		.lkey = SIW_LOCAL_DMA_LKEY,
	};
	sgl->sge = &sgl->one;
	sgl->num = 1;
	return ret;
}

static void complete_sqe(struct siw_qp *qp, const struct siw_send_wqe *sqe,
			 enum ib_wc_status status)
{
	if (sqe->signaled || status != IB_WC_SUCCESS)
		sq_complete_wr(qp, sqe->wr_id, sqe->opcode, status, sqe->length);
}

/* Entries complete in the order they were posted. */
static void reap(struct siw_qp *qp)
{
	struct siw_sq *sq = &qp->sq;

	lockdep_assert_held(&sq->lock);
	while (sq->tail != sq->head) {
		struct siw_send_wqe *sqe = &sq->ring[sq->tail & sq->mask];

		if (sqe->state != SIW_SEND_WQE_DONE)
			return;
		complete_sqe(qp, sqe, sqe->status);
		sq->tail++;
	}
}

void siw_sq_done(struct siw_qp *qp, struct siw_send_wqe *sqe, enum ib_wc_status status)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->sq.lock, flags);
	sqe->status = status;
	sqe->state = SIW_SEND_WQE_DONE;
	reap(qp);
	spin_unlock_irqrestore(&qp->sq.lock, flags);
}

bool siw_sq_empty(struct siw_qp *qp)
{
	unsigned long flags;
	bool empty;

	spin_lock_irqsave(&qp->sq.lock, flags);
	empty = qp->sq.tail == qp->sq.head && !(siw_qp_is_user(qp) && siw_user_sq_waiting(qp));
	spin_unlock_irqrestore(&qp->sq.lock, flags);
	return empty;
}

/* A batch, by way of the entry at head, which is free; the rest is for the work. */
static void flush_user_sq(struct siw_qp *qp)
{
	struct siw_sq *sq = &qp->sq;
	struct siw_send_wqe *sqe = &sq->ring[sq->head & sq->mask];
	u32 left = SIW_FLUSH_BATCH;

	lockdep_assert_held(&sq->lock);
	for (; left && siw_user_sq_pop(qp, sqe); left--)
		complete_sqe(qp, sqe, IB_WC_WR_FLUSH_ERR);
	if (!left && siw_user_sq_waiting(qp))
		siw_qp_schedule_flush(qp);
}

void siw_sq_flush(struct siw_qp *qp)
{
	struct siw_sq *sq = &qp->sq;
	unsigned long flags;

	spin_lock_irqsave(&sq->lock, flags);
	sq->flushed = true;
	for (; sq->tail != sq->head; sq->tail++) {
		struct siw_send_wqe *sqe = &sq->ring[sq->tail & sq->mask];
		bool done = sqe->state == SIW_SEND_WQE_DONE;

		complete_sqe(qp, sqe, done ? sqe->status : IB_WC_WR_FLUSH_ERR);
	}
	sq->next = sq->head;
	if (siw_qp_is_user(qp))
		flush_user_sq(qp);
	siw_cq_schedule_notify(to_siw_cq(qp->base.send_cq));
	spin_unlock_irqrestore(&sq->lock, flags);
}
