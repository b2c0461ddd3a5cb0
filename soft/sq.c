// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Send queue: building and posting entries, and completing them in order.
 *
 * Sharing: posters add entries at siw_sq.head under siw_sq.lock. The stream's owner reads
 * siw_sq.head and changes siw_sq.next without the lock. Entries complete at siw_sq.tail, under the
 * lock. A flush happens when the owner does not use the queue any more, and takes a batch of
 * entries at a time; entries that are posted meanwhile are flushed later, in order.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <trace/events/siw.h>

#include "soft/sq.h"
#include "drivers/siw/base/siw.h"
#include "soft/cq.h"
#include "drivers/siw/queue/qp_state.h"
#include "drivers/siw/queue/user_sq.h"
#include "soft/wqe.h"

/* Requests by opcode: those without @supported are refused. */
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
 * Builds an atomic operation on an aligned 64-bit word at the peer, whose old value has to fill the
 * SGEs of the request exactly.
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
 * Builds a read that invalidates the region of its sink, which is the region of its first SGE.
 * invalidate_rkey names the same region, or is 0.
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

static int sq_build_data(const struct siw_qp *qp, struct soft_send_wqe *wqe,
			 const struct ib_send_wr *wr, bool may_inline)
{
	u8 *to = wqe->inline_data;
	int i, ret;

	ret = soft_sge_length(wr->sg_list, wr->num_sge, qp->attr.cap.max_send_sge, &wqe->length);
	if (ret)
		return ret;
	if (!(wr->send_flags & IB_SEND_INLINE)) {
		wqe->num_sge = wr->num_sge;
		memcpy(wqe->sge, wr->sg_list, wr->num_sge * sizeof(*wr->sg_list));
		return 0;
	}

	/* Copy inline data from its kernel addresses: the poster may reuse them after the post. */
	if (!may_inline || wqe->length > qp->attr.cap.max_inline_data)
		return -EINVAL;
	for (i = 0; i < wr->num_sge; i++) {
		memcpy(to, (void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
		to += wr->sg_list[i].length;
	}
	wqe->is_inline = true;
	return 0;
}

static int sq_build_wqe(const struct siw_qp *qp, struct soft_send_wqe *wqe,
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
		ret = sq_build_data(qp, wqe, wr, kind->may_inline);
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

int siw_sq_init(struct siw_qp *qp)
{
	struct siw_sq *sq = &qp->sq;

	spin_lock_init(&sq->lock);
	if (siw_qp_is_user(qp)) {
		sq->chunk_shift = ilog2(min(sq->mask + 1, SIW_SQ_CHUNK));
		return 0;
	}
	sq->chunk_shift = ilog2(sq->mask + 1);
	/* The entries are not cleared, because each is built before it is read. */
	sq->chunks[0] = kvmalloc_array(sq->mask + 1, sizeof(*sq->chunks[0]), GFP_KERNEL);
	return sq->chunks[0] ? 0 : -ENOMEM;
}

static void sq_free_chunks(struct siw_sq *sq)
{
	int i;

	for (i = 0; i < SIW_SQ_CHUNKS; i++) {
		kvfree(sq->chunks[i]);
		sq->chunks[i] = NULL;
	}
}

void siw_sq_exit(struct siw_qp *qp)
{
	sq_free_chunks(&qp->sq);
}

bool siw_sq_has_chunks(const struct siw_qp *qp)
{
	return siw_qp_is_user(qp) && memchr_inv(qp->sq.chunks, 0, sizeof(qp->sq.chunks));
}

void siw_sq_trim(struct siw_qp *qp)
{
	struct siw_sq *sq = &qp->sq;
	unsigned long flags;

	if (!siw_qp_is_user(qp))
		return;
	spin_lock_irqsave(&sq->lock, flags);
	/* Free with the lock held, because a flush may be reading the last entry. */
	if (sq->tail == sq->head)
		sq_free_chunks(sq);
	spin_unlock_irqrestore(&sq->lock, flags);
}

static void sq_add_completion(struct siw_qp *qp, u64 wr_id, u8 opcode, enum ib_wc_status status,
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
	siw_cq_add(to_siw_cq(qp->base.send_cq), &wc, false);
}

/* Flushes a batch: first entries, and then requests that are still in a process's ring. */
static void sq_flush_batch(struct siw_qp *qp)
{
	struct siw_sq *sq = &qp->sq;
	struct soft_send_wqe *wqe, posted;
	u32 left = SIW_FLUSH_BATCH;
	enum ib_wc_status status;

	lockdep_assert_held(&sq->lock);
	for (; left && sq->tail != sq->head; left--, sq->tail++) {
		wqe = siw_sq_entry(sq, sq->tail);
		status = wqe->state == SOFT_SEND_WQE_DONE ? wqe->status : IB_WC_WR_FLUSH_ERR;
		if (wqe->signaled || status != IB_WC_SUCCESS)
			sq_add_completion(qp, wqe->wr_id, wqe->opcode, status, wqe->length);
	}
	for (; left && siw_user_sq_pop(qp, &posted); left--)
		sq_add_completion(qp, posted.wr_id, posted.opcode, IB_WC_WR_FLUSH_ERR,
				  posted.length);
	trace_siw_flush(&qp->base, false, SIW_FLUSH_BATCH - left);
}

static int sq_post_one(struct siw_qp *qp, const struct ib_send_wr *wr)
{
	struct siw_sq *sq = &qp->sq;
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

	wqe = siw_sq_entry(sq, sq->head);
	ret = sq_build_wqe(qp, wqe, wr);
	if (ret)
		return ret;
	trace_siw_post(&qp->base, wqe->wr_id, wqe->opcode, wqe->length);
	smp_store_release(&sq->head, sq->head + 1); /* pairs with siw_sq_peek() */
	return 0;
}

int siw_sq_post(struct siw_qp *qp, const struct ib_send_wr *wr, const struct ib_send_wr **bad_wr)
{
	u32 left = SOFT_POST_BATCH;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&qp->sq.lock, flags);
	/*
	 * A consumer that drains the QP counts on an empty queue, but entries that still wait for
	 * the flush may fill the queue. Flush a batch to make room.
	 */
	if (qp->sq.flushed)
		sq_flush_batch(qp);
	for (; wr; wr = wr->next, left--) {
		if (!left) {
			/* Let interrupts in. */
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
	/* In other queues, a post completes nothing. */
	if (qp->sq.flushed)
		siw_cq_schedule_notify(to_siw_cq(qp->base.send_cq));
	spin_unlock_irqrestore(&qp->sq.lock, flags);
	return ret;
}

/*
 * Allocates the entry at sq->head of a process's queue, if it is not there yet. Returns false if
 * memory is short. Called by the stream's owner, who alone moves the head of such a queue.
 */
static bool sq_reserve(struct siw_qp *qp)
{
	struct siw_sq *sq = &qp->sq;
	struct soft_send_wqe **chunk = &sq->chunks[(sq->head & sq->mask) >> sq->chunk_shift];

	if (!*chunk)
		*chunk = siw_qp_kmalloc(qp, sizeof(**chunk) << sq->chunk_shift,
					GFP_ATOMIC | __GFP_NOWARN);
	return *chunk;
}

/* Takes a request from the ring of a process, if it posts to the queue. Returns whether it did. */
static bool sq_pull(struct siw_qp *qp)
{
	struct siw_sq *sq = &qp->sq;

	sq->no_memory = false;
	/* Look without the lock first, because the ring is often empty. */
	if (!siw_user_sq_pending(qp))
		return false;
	sq->no_memory = !sq_reserve(qp);
	return !sq->no_memory && siw_user_sq_pull(qp);
}

struct soft_send_wqe *siw_sq_peek(struct siw_qp *qp)
{
	struct siw_sq *sq = &qp->sq;

	/*
	 * The acquire pairs with sq_post_one(). siw_user_sq_pull() makes the next request of a
	 * process an entry only now, when the request is about to be sent or left for a moment.
	 */
	if (sq->next == smp_load_acquire(&sq->head) && !sq_pull(qp))
		return NULL;
	return siw_sq_entry(sq, sq->next);
}

u32 siw_sq_waiting(const struct siw_qp *qp)
{
	return READ_ONCE(qp->sq.head) - qp->sq.next;
}

const struct soft_send_wqe *siw_sq_newest(const struct siw_qp *qp)
{
	const struct siw_sq *sq = &qp->sq;

	/* The acquire pairs with sq_post_one(). */
	return siw_sq_entry(sq, smp_load_acquire(&sq->head) - 1);
}

void siw_sq_advance(struct siw_qp *qp)
{
	qp->sq.next++;
}

void siw_sq_set_done(struct soft_send_wqe *wqe, enum ib_wc_status status)
{
	wqe->status = status;
	wqe->state = SOFT_SEND_WQE_DONE;
}

void siw_sq_complete_done(struct siw_qp *qp)
{
	struct siw_sq *sq = &qp->sq;
	u32 left = SIW_FLUSH_BATCH;
	struct soft_send_wqe *wqe;
	unsigned long flags;

	spin_lock_irqsave(&sq->lock, flags);
	/* Entries complete in the order in which they were posted. */
	for (; sq->tail != sq->head; sq->tail++, left--) {
		wqe = siw_sq_entry(sq, sq->tail);
		if (wqe->state != SOFT_SEND_WQE_DONE)
			break;
		if (!left) {
			/* Let interrupts in. Nobody else completes entries meanwhile. */
			spin_unlock_irqrestore(&sq->lock, flags);
			left = SIW_FLUSH_BATCH;
			spin_lock_irqsave(&sq->lock, flags);
		}
		if (wqe->signaled || wqe->status != IB_WC_SUCCESS)
			sq_add_completion(qp, wqe->wr_id, wqe->opcode, wqe->status, wqe->length);
	}
	spin_unlock_irqrestore(&sq->lock, flags);
}

void siw_sq_complete(struct siw_qp *qp, struct soft_send_wqe *wqe, enum ib_wc_status status)
{
	siw_sq_set_done(wqe, status);
	siw_sq_complete_done(qp);
}

bool siw_sq_empty(struct siw_qp *qp)
{
	unsigned long flags;
	bool empty;

	spin_lock_irqsave(&qp->sq.lock, flags);
	empty = qp->sq.tail == qp->sq.head && !siw_user_sq_pending(qp);
	spin_unlock_irqrestore(&qp->sq.lock, flags);
	return empty;
}

bool siw_sq_flush(struct siw_qp *qp)
{
	struct siw_sq *sq = &qp->sq;
	unsigned long flags;
	bool more = false;

	spin_lock_irqsave(&sq->lock, flags);
	if (READ_ONCE(qp->state) == IB_QPS_ERR) {
		sq->flushed = true;
		sq_flush_batch(qp);
		sq->next = sq->head;
		more = sq->tail != sq->head || siw_user_sq_pending(qp);
		siw_cq_schedule_notify(to_siw_cq(qp->base.send_cq));
	}
	spin_unlock_irqrestore(&sq->lock, flags);
	return more;
}

void siw_sq_reset(struct siw_qp *qp)
{
	struct siw_sq *sq = &qp->sq;
	bool flushed;

	spin_lock_irq(&sq->lock);
	sq->flushed = false;
	sq->tail = sq->head;
	sq->next = sq->head;
	spin_unlock_irq(&sq->lock);
	if (siw_qp_is_user(qp))
		siw_user_sq_check(qp, &flushed);
}
