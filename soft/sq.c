// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Send queue: building and posting entries, and completing them in order.
 *
 * Sharing: posters add entries at soft_sq.head under soft_sq.lock. The sender reads soft_sq.head
 * and changes soft_sq.next without the lock. Entries complete at soft_sq.tail, under the lock. A
 * flush happens when the sender does not use the queue any more, and takes a batch of entries at a
 * time; entries that are posted meanwhile are flushed later, in order.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "soft/sq.h"
#include "soft/cq.h"
#include "soft/mem.h"
#include "soft/qp.h"
#include "soft/trace.h"
#include "soft/wqe.h"

/* Properties of requests, by opcode. Requests without @supported are refused. */
static const struct sq_wr_kind {
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
	[IB_WR_REG_MR_INTEGRITY]   = { true, false, false, IB_WC_REG_MR },
	[IB_WR_BIND_MW]		   = { true, false, false, IB_WC_BIND_MW },
	[IB_WR_ATOMIC_CMP_AND_SWP]	      = { true, false, true, IB_WC_COMP_SWAP },
	[IB_WR_ATOMIC_FETCH_AND_ADD]	      = { true, false, true, IB_WC_FETCH_ADD },
	[IB_WR_MASKED_ATOMIC_CMP_AND_SWP]     = { true, false, true, IB_WC_MASKED_COMP_SWAP },
	[IB_WR_MASKED_ATOMIC_FETCH_AND_ADD]   = { true, false, true, IB_WC_MASKED_FETCH_ADD },
};

static const struct sq_wr_kind *sq_wr_kind(const struct ib_send_wr *wr)
{
	if ((unsigned int)wr->opcode >= ARRAY_SIZE(kinds) || !kinds[wr->opcode].supported)
		return NULL;
	return &kinds[wr->opcode];
}

/*
 * Builds an atomic operation on an aligned 64-bit word of the peer's memory. The SGEs of the
 * request have a total length of 8 bytes, for the word's old value.
 */
static int sq_build_atomic(struct soft_send_wqe *wqe, const struct ib_atomic_wr *wr)
{
	if (wr->remote_addr % sizeof(u64) || wqe->length != sizeof(u64) ||
	    wqe->num_sge > SOFT_ATOMIC_SGE_MAX)
		return -EINVAL;
	wqe->raddr = wr->remote_addr;
	wqe->rkey = wr->rkey;
	wqe->atomic = (struct soft_atomic) {};
	switch (wqe->opcode) {
	case IB_WR_ATOMIC_CMP_AND_SWP:
		wqe->atomic.swaps = true;
		wqe->atomic.data = wr->swap;
		wqe->atomic.data_mask = U64_MAX;
		wqe->atomic.compare = wr->compare_add;
		wqe->atomic.compare_mask = U64_MAX;
		return 0;
	case IB_WR_MASKED_ATOMIC_CMP_AND_SWP:
		wqe->atomic.swaps = true;
		wqe->atomic.data = wr->swap;
		wqe->atomic.data_mask = wr->swap_mask;
		wqe->atomic.compare = wr->compare_add;
		wqe->atomic.compare_mask = wr->compare_add_mask;
		return 0;
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		wqe->atomic.data = wr->compare_add;
		wqe->atomic.data_mask = 0;
		return 0;
	default: /* IB_WR_MASKED_ATOMIC_FETCH_AND_ADD */
		wqe->atomic.data = wr->compare_add;
		wqe->atomic.data_mask = wr->compare_add_mask;
		return 0;
	}
}

/*
 * Builds a read that invalidates the region into which it reads, the region of the first SGE.
 * wr->ex.invalidate_rkey has to name this region, or be 0.
 */
static int sq_build_read_inv(struct soft_send_wqe *wqe, const struct ib_send_wr *wr)
{
	u32 named = wr->ex.invalidate_rkey;

	if (!wr->num_sge || (named && named != wr->sg_list[0].lkey))
		return -EINVAL;
	wqe->inv_stag = wr->sg_list[0].lkey;
	return 0;
}

static int sq_build_bind(struct soft_send_wqe *wqe, const struct ib_bind_mw_wr *wr)
{
	const struct ib_mw_bind_info *info = &wr->bind_info;

	if (!soft_stag_is_key_of(wr->rkey, wr->mw->rkey))
		return -EINVAL;
	wqe->bind = (struct soft_mw_bind) {
		.stag = wr->rkey,
		.lkey = info->mr ? info->mr->lkey : 0,
		.addr = info->addr,
		.length = info->length,
		.access = info->mw_access_flags,
	};
	return 0;
}

static int sq_build_data(const struct soft_sq *sq, struct soft_send_wqe *wqe,
			 const struct ib_send_wr *wr, bool may_inline)
{
	int ret;

	ret = soft_sge_length(wr->sg_list, wr->num_sge, sq->max_sge, &wqe->length);
	if (ret)
		return ret;
	if (!(wr->send_flags & IB_SEND_INLINE)) {
		wqe->num_sge = wr->num_sge;
		memcpy(wqe->sge, wr->sg_list, wr->num_sge * sizeof(*wr->sg_list));
		return 0;
	}

	if (!may_inline || wqe->length > sq->max_inline)
		return -EINVAL;
	soft_copy_inline(wqe->inline_data, wr);
	wqe->is_inline = true;
	return 0;
}

static int sq_build_wqe(const struct soft_qp *qp, struct soft_send_wqe *wqe,
			const struct ib_send_wr *wr)
{
	const struct sq_wr_kind *kind = sq_wr_kind(wr);
	int ret;

	if (!kind)
		return -EOPNOTSUPP;
	wqe->wr_id = wr->wr_id;
	wqe->opcode = wr->opcode;
	wqe->state = SOFT_SEND_WQE_POSTED;
	wqe->status = IB_WC_SUCCESS;
	wqe->signaled = qp->sq.signal_all || wr->send_flags & IB_SEND_SIGNALED;
	wqe->solicited = !!(wr->send_flags & IB_SEND_SOLICITED);
	wqe->fence = !!(wr->send_flags & IB_SEND_FENCE);
	wqe->inv_stag = wr->ex.invalidate_rkey;
	wqe->is_inline = false;
	wqe->num_sge = 0;
	wqe->length = 0;
	if (kind->has_data) {
		ret = sq_build_data(&qp->sq, wqe, wr, kind->may_inline);
		if (ret)
			return ret;
	}

	switch (wr->opcode) {
	case IB_WR_RDMA_WRITE_WITH_IMM:
		wqe->imm = wr->ex.imm_data;
		fallthrough;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_READ_WITH_INV:
		wqe->raddr = rdma_wr(wr)->remote_addr;
		wqe->rkey = rdma_wr(wr)->rkey;
		return wr->opcode == IB_WR_RDMA_READ_WITH_INV ? sq_build_read_inv(wqe, wr) : 0;
	case IB_WR_REG_MR_INTEGRITY:
		if (!qp->base.integrity_en)
			return -EINVAL;
		fallthrough;
	case IB_WR_REG_MR:
		wqe->mr = reg_wr(wr)->mr;
		wqe->key = reg_wr(wr)->key;
		wqe->access = reg_wr(wr)->access;
		return 0;
	case IB_WR_BIND_MW:
		return sq_build_bind(wqe, bind_mw_wr(wr));
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
	case IB_WR_MASKED_ATOMIC_CMP_AND_SWP:
	case IB_WR_MASKED_ATOMIC_FETCH_AND_ADD:
		return sq_build_atomic(wqe, atomic_wr(wr));
	default:
		return 0;
	}
}

int soft_sq_init(struct soft_sq *sq, const struct ib_qp_cap *cap, bool signal_all, bool on_demand)
{
	spin_lock_init(&sq->lock);
	sq->max_wr = on_demand ? min(cap->max_send_wr, SOFT_SQ_ON_DEMAND_MAX) : cap->max_send_wr;
	sq->max_sge = cap->max_send_sge;
	sq->max_inline = cap->max_inline_data;
	sq->mask = soft_ring_size(sq->max_wr) - 1;
	sq->signal_all = signal_all;
	sq->on_demand = on_demand;
	if (on_demand) {
		sq->chunk_shift = ilog2(min(sq->mask + 1, SOFT_SQ_CHUNK));
		return 0;
	}
	sq->chunk_shift = ilog2(sq->mask + 1);
	/* The entries are not cleared, because each is built before it is read. */
	sq->chunks[0] = kvmalloc_array(sq->mask + 1, sizeof(*sq->chunks[0]), GFP_KERNEL);
	return sq->chunks[0] ? 0 : -ENOMEM;
}

void soft_sq_exit(struct soft_sq *sq)
{
	int i;

	for (i = 0; i < SOFT_SQ_CHUNKS; i++) {
		kvfree(sq->chunks[i]);
		sq->chunks[i] = NULL;
	}
}

bool soft_sq_has_chunks(const struct soft_sq *sq)
{
	return sq->on_demand && memchr_inv(sq->chunks, 0, sizeof(sq->chunks));
}

void soft_sq_trim(struct soft_sq *sq)
{
	unsigned long flags;

	if (!sq->on_demand)
		return;
	spin_lock_irqsave(&sq->lock, flags);
	/* Free with the lock held, because a flush may be reading the last entry. */
	if (sq->tail == sq->head)
		soft_sq_exit(sq);
	spin_unlock_irqrestore(&sq->lock, flags);
}

static void sq_add_completion(struct soft_qp *qp, u64 wr_id, u8 opcode, enum ib_wc_status status,
			      u32 length)
{
	struct ib_wc wc = {
		.wr_id = wr_id,
		.status = status,
		.opcode = kinds[opcode].completes_as,
		.byte_len = length,
		.qp = &qp->base,
	};

	lockdep_assert_held(&qp->sq.lock); /* the lock keeps completions in order */
	soft_cq_add(to_soft_cq(qp->base.send_cq), &wc, false);
}

void soft_sq_flush_wr(struct soft_qp *qp, u64 wr_id, u8 opcode, u32 length)
{
	sq_add_completion(qp, wr_id, opcode, IB_WC_WR_FLUSH_ERR, length);
}

u32 soft_sq_flush_batch(struct soft_qp *qp)
{
	struct soft_sq *sq = &qp->sq;
	u32 left = SOFT_FLUSH_BATCH;
	struct soft_send_wqe *wqe;
	enum ib_wc_status status;

	lockdep_assert_held(&sq->lock);
	sq->flushed = true;
	for (; left && sq->tail != sq->head; left--, sq->tail++) {
		wqe = soft_sq_entry(sq, sq->tail);
		status = wqe->state == SOFT_SEND_WQE_DONE ? wqe->status : IB_WC_WR_FLUSH_ERR;
		if (wqe->signaled || status != IB_WC_SUCCESS)
			sq_add_completion(qp, wqe->wr_id, wqe->opcode, status, wqe->length);
	}
	sq->next = sq->head;
	soft_trace(qp->base.device, flush, &qp->base, false, SOFT_FLUSH_BATCH - left);
	return left;
}

static int sq_post_one(struct soft_qp *qp, const struct ib_send_wr *wr)
{
	struct soft_sq *sq = &qp->sq;
	struct soft_send_wqe *wqe;
	int ret;

	lockdep_assert_held(&sq->lock);
	if (sq->flushed && sq->tail == sq->head) {
		if (!sq_wr_kind(wr))
			return -EOPNOTSUPP;
		sq_add_completion(qp, wr->wr_id, wr->opcode, IB_WC_WR_FLUSH_ERR, 0);
		return 0;
	}
	if (READ_ONCE(qp->state) < IB_QPS_RTS)
		return READ_ONCE(qp->state) == IB_QPS_RESET ? -EINVAL : -ENOTCONN;
	if (sq->head - sq->tail == sq->max_wr)
		return -ENOMEM;

	wqe = soft_sq_entry(sq, sq->head);
	ret = sq_build_wqe(qp, wqe, wr);
	if (ret)
		return ret;
	soft_trace(qp->base.device, post, &qp->base, wqe->wr_id, wqe->opcode, wqe->length);
	smp_store_release(&sq->head, sq->head + 1); /* pairs with soft_sq_peek() */
	return 0;
}

int soft_sq_post(struct soft_qp *qp, const struct ib_send_wr *wr, const struct ib_send_wr **bad_wr)
{
	u32 left = SOFT_POST_BATCH;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&qp->sq.lock, flags);
	/*
	 * A consumer that drains the QP posts a last request, and expects that the queue has
	 * room. But requests that still wait for the flush may fill the queue. Flush a batch to
	 * make room.
	 */
	if (qp->sq.flushed)
		soft_sq_flush_batch(qp);
	for (; wr; wr = wr->next, left--) {
		if (!left) {
			/* Enable interrupts for a moment. */
			spin_unlock_irqrestore(&qp->sq.lock, flags);
			left = SOFT_POST_BATCH;
			spin_lock_irqsave(&qp->sq.lock, flags);
		}
		ret = sq_post_one(qp, wr);
		if (ret) {
			*bad_wr = wr;
			break;
		}
	}
	/* A post completes requests only if the queue is flushed. */
	if (qp->sq.flushed)
		soft_cq_schedule_notify(to_soft_cq(qp->base.send_cq));
	spin_unlock_irqrestore(&qp->sq.lock, flags);
	return ret;
}

void soft_sq_complete_done(struct soft_qp *qp)
{
	struct soft_sq *sq = &qp->sq;
	u32 left = SOFT_FLUSH_BATCH;
	struct soft_send_wqe *wqe;
	unsigned long flags;

	spin_lock_irqsave(&sq->lock, flags);
	/* Entries complete in the order in which they were posted. */
	for (; sq->tail != sq->head; sq->tail++, left--) {
		wqe = soft_sq_entry(sq, sq->tail);
		if (wqe->state != SOFT_SEND_WQE_DONE)
			break;
		if (!left) {
			/* Enable interrupts for a moment. Nobody else completes entries. */
			spin_unlock_irqrestore(&sq->lock, flags);
			left = SOFT_FLUSH_BATCH;
			spin_lock_irqsave(&sq->lock, flags);
		}
		if (wqe->signaled || wqe->status != IB_WC_SUCCESS)
			sq_add_completion(qp, wqe->wr_id, wqe->opcode, wqe->status, wqe->length);
	}
	spin_unlock_irqrestore(&sq->lock, flags);
}

void soft_sq_complete(struct soft_qp *qp, struct soft_send_wqe *wqe, enum ib_wc_status status)
{
	soft_sq_set_done(wqe, status);
	soft_sq_complete_done(qp);
}

bool soft_sq_flush(struct soft_qp *qp)
{
	struct soft_sq *sq = &qp->sq;
	unsigned long flags;
	bool more = false;

	spin_lock_irqsave(&sq->lock, flags);
	if (READ_ONCE(qp->state) == IB_QPS_ERR) {
		soft_sq_flush_batch(qp);
		more = sq->tail != sq->head;
		soft_cq_schedule_notify(to_soft_cq(qp->base.send_cq));
	}
	spin_unlock_irqrestore(&sq->lock, flags);
	return more;
}

void soft_sq_reset(struct soft_qp *qp)
{
	struct soft_sq *sq = &qp->sq;

	spin_lock_irq(&sq->lock);
	sq->flushed = false;
	sq->tail = sq->head;
	sq->next = sq->head;
	spin_unlock_irq(&sq->lock);
}
