// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Receive queue: posting receive requests, taking one for a message, completing it.
 */
#include "soft/rq.h"
#include "soft/cq.h"
#include "soft/qp.h"
#include "soft/srq.h"
#include "soft/trace.h"
#include "soft/wqe.h"

int soft_rq_init(struct soft_rq *rq, const struct ib_qp_cap *cap, bool shared)
{
	spin_lock_init(&rq->lock);
	rq->max_wr = cap->max_recv_wr;
	rq->max_sge = cap->max_recv_sge;
	return soft_recv_ring_init(&rq->ring, rq->max_wr, rq->max_sge, shared);
}

void soft_rq_exit(struct soft_rq *rq)
{
	soft_recv_ring_exit(&rq->ring);
}

void soft_rq_flush_wr(struct soft_qp *qp, u64 wr_id)
{
	struct ib_wc wc = {
		.wr_id = wr_id,
		.status = IB_WC_WR_FLUSH_ERR,
		.opcode = IB_WC_RECV,
		.qp = &qp->base,
	};

	lockdep_assert_held(&qp->rq.lock); /* the lock keeps completions in order */
	soft_cq_add(to_soft_cq(qp->base.recv_cq), &wc, false);
}

void soft_rq_flush_batch(struct soft_qp *qp)
{
	struct soft_rq *rq = &qp->rq;
	u32 count;

	lockdep_assert_held(&rq->lock);
	rq->flushed = true;
	for (count = 0; count < SOFT_FLUSH_BATCH && rq->tail != rq->head; count++)
		soft_rq_flush_wr(qp, soft_recv_ring_at(&rq->ring, rq->tail++)->wr_id);
	soft_trace(qp->base.device, flush, &qp->base, true, count);
}

static int rq_post_one(struct soft_qp *qp, const struct ib_recv_wr *wr)
{
	struct soft_rq *rq = &qp->rq;
	int ret;

	lockdep_assert_held(&rq->lock);
	if (rq->flushed && rq->tail == rq->head) {
		soft_rq_flush_wr(qp, wr->wr_id);
		return 0;
	}
	if (READ_ONCE(qp->state) == IB_QPS_RESET)
		return -EINVAL;
	if (rq->head - rq->tail == rq->max_wr)
		return -ENOMEM;
	ret = soft_recv_wqe_build(soft_recv_ring_at(&rq->ring, rq->head), wr, rq->max_sge);
	if (!ret)
		rq->head++;
	return ret;
}

int soft_rq_post(struct soft_qp *qp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad_wr)
{
	u32 left = SOFT_POST_BATCH;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&qp->rq.lock, flags);
	/*
	 * A consumer that drains the QP posts a last receive, and expects that the queue has
	 * room. But receives that still wait for the flush may fill the queue. Flush a batch to
	 * make room.
	 */
	if (qp->rq.flushed)
		soft_rq_flush_batch(qp);
	for (; wr; wr = wr->next, left--) {
		if (!left) {
			/* Enable interrupts for a moment. */
			spin_unlock_irqrestore(&qp->rq.lock, flags);
			left = SOFT_POST_BATCH;
			spin_lock_irqsave(&qp->rq.lock, flags);
		}
		ret = rq_post_one(qp, wr);
		if (ret) {
			*bad_wr = wr;
			break;
		}
	}
	/* A post completes receives only if the queue is flushed. */
	if (qp->rq.flushed)
		soft_cq_schedule_notify(to_soft_cq(qp->base.recv_cq));
	spin_unlock_irqrestore(&qp->rq.lock, flags);
	return ret;
}

enum soft_rq_popped soft_rq_pop_fitting(struct soft_qp *qp, u32 length, struct soft_recv_wqe *wqe)
{
	enum soft_rq_popped popped = SOFT_RQ_POPPED;
	struct soft_rq *rq = &qp->rq;
	const struct soft_recv_wqe *oldest;
	unsigned long flags;

	spin_lock_irqsave(&rq->lock, flags);
	oldest = soft_recv_ring_at(&rq->ring, rq->tail);
	if (rq->tail == rq->head) {
		popped = SOFT_RQ_EMPTY;
	} else if (oldest->length < length) {
		popped = SOFT_RQ_SHORT;
	} else {
		soft_recv_ring_copy(wqe, oldest);
		rq->tail++;
	}
	spin_unlock_irqrestore(&rq->lock, flags);
	return popped;
}

bool soft_rq_pop(struct soft_qp *qp, struct soft_recv_wqe *wqe)
{
	if (qp->base.srq)
		return soft_srq_pop(to_soft_srq(qp->base.srq), wqe);
	return soft_rq_pop_fitting(qp, 0, wqe) == SOFT_RQ_POPPED;
}

void soft_rq_complete(struct soft_qp *qp, const struct soft_recv_wqe *wqe,
		      const struct soft_rq_result *result)
{
	struct ib_wc wc = {
		.wr_id = wqe->wr_id,
		.status = result->status,
		.opcode = IB_WC_RECV,
		.byte_len = result->length,
		.qp = &qp->base,
	};

	if (result->invalidated) {
		wc.wc_flags = IB_WC_WITH_INVALIDATE;
		wc.ex.invalidate_rkey = result->inv_stag;
	}
	if (result->immediate) {
		wc.opcode = IB_WC_RECV_RDMA_WITH_IMM;
		wc.wc_flags = IB_WC_WITH_IMM;
		wc.ex.imm_data = result->imm;
	}
	soft_cq_add(to_soft_cq(qp->base.recv_cq), &wc, result->solicited);
}

bool soft_rq_flush(struct soft_qp *qp)
{
	struct soft_rq *rq = &qp->rq;
	unsigned long flags;
	bool more = false;

	spin_lock_irqsave(&rq->lock, flags);
	if (READ_ONCE(qp->state) == IB_QPS_ERR) {
		soft_rq_flush_batch(qp);
		more = rq->tail != rq->head;
		soft_cq_schedule_notify(to_soft_cq(qp->base.recv_cq));
	}
	spin_unlock_irqrestore(&rq->lock, flags);
	return more;
}

void soft_rq_reset(struct soft_qp *qp)
{
	struct soft_rq *rq = &qp->rq;

	spin_lock_irq(&rq->lock);
	rq->flushed = false;
	rq->tail = rq->head;
	spin_unlock_irq(&rq->lock);
}
