// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Receive queue: posting receive requests, taking one for a message, completing it.
 *
 * If a process posts, the requests are in siw_rq.user, and siw_rq.ring is empty. If the kernel
 * posts, the requests are in siw_rq.ring, and siw_rq.user is empty.
 */
#include <trace/events/siw.h>

#include "soft/rq.h"
#include "soft/cq.h"
#include "drivers/siw/queue/qp_state.h"
#include "soft/srq.h"
#include "drivers/siw/queue/user_rq.h"
#include "soft/wqe.h"

static void rq_flush_wr(struct siw_qp *qp, u64 wr_id)
{
	struct ib_wc wc = {
		.wr_id = wr_id,
		.status = IB_WC_WR_FLUSH_ERR,
		.opcode = IB_WC_RECV,
		.qp = &qp->base,
	};

	lockdep_assert_held(&qp->rq.lock); /* the lock keeps completions in order */
	siw_cq_add(to_siw_cq(qp->base.recv_cq), &wc, false);
}

/* Flushes a batch. Only the kernel or only a process posts, so one of the loops finds nothing. */
static void rq_flush_batch(struct siw_qp *qp)
{
	struct siw_rq *rq = &qp->rq;
	u32 left = SIW_FLUSH_BATCH;
	struct soft_recv_wqe wqe;

	lockdep_assert_held(&rq->lock);
	for (; left && rq->tail != rq->head; left--)
		rq_flush_wr(qp, rq->ring[rq->tail++ & rq->mask].wr_id);
	for (; left && siw_user_rq_pop(&rq->user, &wqe, qp->attr.cap.max_recv_sge); left--)
		rq_flush_wr(qp, wqe.wr_id);
	trace_siw_flush(&qp->base, true, SIW_FLUSH_BATCH - left);
}

static int rq_post_one(struct siw_qp *qp, const struct ib_recv_wr *wr)
{
	struct siw_rq *rq = &qp->rq;
	int ret;

	lockdep_assert_held(&rq->lock);
	if (rq->flushed && rq->tail == rq->head) {
		rq_flush_wr(qp, wr->wr_id);
		return 0;
	}
	if (READ_ONCE(qp->state) == IB_QPS_RESET)
		return -EINVAL;
	if (rq->head - rq->tail == rq->max_wr)
		return -ENOMEM;
	ret = soft_recv_wqe_build(&rq->ring[rq->head & rq->mask], wr, qp->attr.cap.max_recv_sge);
	if (!ret)
		rq->head++;
	return ret;
}

int siw_rq_post(struct siw_qp *qp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad_wr)
{
	u32 left = SOFT_POST_BATCH;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&qp->rq.lock, flags);
	/*
	 * A consumer that drains the QP counts on an empty queue, but entries that still wait for
	 * the flush may fill the queue. Flush a batch to make room.
	 */
	if (qp->rq.flushed)
		rq_flush_batch(qp);
	for (; wr; wr = wr->next, left--) {
		if (!left) {
			/* Let interrupts in. */
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
	/* In other queues, a post completes nothing. */
	if (qp->rq.flushed)
		siw_cq_schedule_notify(to_siw_cq(qp->base.recv_cq));
	spin_unlock_irqrestore(&qp->rq.lock, flags);
	return ret;
}

bool siw_rq_pop(struct siw_qp *qp, struct soft_recv_wqe *wqe)
{
	struct siw_rq *rq = &qp->rq;
	unsigned long flags;
	bool found = true;

	if (qp->base.srq)
		return siw_srq_pop(to_siw_srq(qp->base.srq), wqe);
	spin_lock_irqsave(&rq->lock, flags);
	if (rq->tail != rq->head)
		*wqe = rq->ring[rq->tail++ & rq->mask];
	else
		found = siw_user_rq_pop(&rq->user, wqe, qp->attr.cap.max_recv_sge);
	spin_unlock_irqrestore(&rq->lock, flags);
	return found;
}

void siw_rq_complete(struct siw_qp *qp, const struct soft_recv_wqe *wqe,
		     const struct siw_rq_result *result)
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
	siw_cq_add(to_siw_cq(qp->base.recv_cq), &wc, result->solicited);
}

bool siw_rq_flush(struct siw_qp *qp)
{
	struct siw_rq *rq = &qp->rq;
	unsigned long flags;
	bool more = false;

	spin_lock_irqsave(&rq->lock, flags);
	if (READ_ONCE(qp->state) == IB_QPS_ERR) {
		rq->flushed = true;
		rq_flush_batch(qp);
		more = rq->tail != rq->head || siw_user_rq_has(&rq->user, 1);
		siw_cq_schedule_notify(to_siw_cq(qp->base.recv_cq));
	}
	spin_unlock_irqrestore(&rq->lock, flags);
	return more;
}

void siw_rq_reset(struct siw_qp *qp)
{
	struct siw_rq *rq = &qp->rq;
	/* Drop at most a full ring, because the process may go on posting. */
	u32 left = rq->mask + 1, batch;
	struct soft_recv_wqe wqe;

	do {
		batch = min(left, SIW_FLUSH_BATCH);
		left -= batch;
		spin_lock_irq(&rq->lock);
		rq->flushed = false;
		rq->tail = rq->head;
		while (batch && siw_user_rq_pop(&rq->user, &wqe, qp->attr.cap.max_recv_sge))
			batch--;
		spin_unlock_irq(&rq->lock);
	} while (left && !batch);
}
