// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Receive queue: posting, taking a receive for a message, completing it.
 */
#include "drivers/siw/rq.h"
#include "drivers/siw/cq.h"
#include "drivers/siw/qp.h"
#include "drivers/siw/qp_state.h"
#include "drivers/siw/srq.h"
#include "drivers/siw/user_rq.h"
#include "drivers/siw/wqe.h"

static int rq_post_one(struct siw_qp *qp, const struct ib_recv_wr *wr)
{
	struct siw_rq *rq = &qp->rq;
	int ret;

	lockdep_assert_held(&rq->lock);
	if (READ_ONCE(qp->state) == IB_QPS_RESET)
		return -EINVAL;
	if (rq->head - rq->tail == rq->max_wr)
		return -ENOMEM;
	ret = siw_recv_wqe_fill(&rq->ring[rq->head & rq->mask], wr, qp->attr.cap.max_recv_sge);
	if (!ret)
		rq->head++;
	return ret;
}

static void rq_complete_wr(struct siw_qp *qp, u64 wr_id, enum ib_wc_status status)
{
	struct ib_wc wc = {
		.wr_id = wr_id,
		.status = status,
		.opcode = IB_WC_RECV,
		.qp = &qp->base,
	};

	siw_cq_add(to_siw_cq(qp->base.recv_cq), &wc, false);
}

/* In the error state a receive completes as flushed, behind those that are being flushed. */
static int post_or_flush(struct siw_qp *qp, const struct ib_recv_wr *wr)
{
	if (qp->rq.flushed) {
		rq_complete_wr(qp, wr->wr_id, IB_WC_WR_FLUSH_ERR);
		return 0;
	}
	return rq_post_one(qp, wr);
}

int siw_rq_post(struct siw_qp *qp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad_wr)
{
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&qp->rq.lock, flags);
	for (; wr; wr = wr->next) {
		ret = post_or_flush(qp, wr);
		if (ret) {
			*bad_wr = wr;
			break;
		}
	}
	siw_cq_schedule_notify(to_siw_cq(qp->base.recv_cq));
	spin_unlock_irqrestore(&qp->rq.lock, flags);
	return ret;
}

static bool rq_pop(struct siw_rq *rq, struct siw_recv_wqe *rqe)
{
	lockdep_assert_held(&rq->lock);
	if (rq->tail == rq->head)
		return false;
	*rqe = rq->ring[rq->tail++ & rq->mask];
	return true;
}

bool siw_rq_take(struct siw_qp *qp, struct siw_recv_wqe *rqe)
{
	struct siw_rq *rq = &qp->rq;
	unsigned long flags;
	bool found;

	if (qp->base.srq)
		return siw_srq_take(to_siw_srq(qp->base.srq), rqe);
	spin_lock_irqsave(&rq->lock, flags);
	if (rq->user.ring)
		found = siw_user_rq_take(&rq->user, rqe, qp->attr.cap.max_recv_sge);
	else
		found = rq_pop(rq, rqe);
	spin_unlock_irqrestore(&rq->lock, flags);
	return found;
}

void siw_rq_complete(struct siw_qp *qp, const struct siw_recv_wqe *rqe,
		     const struct siw_rq_result *result)
{
	struct ib_wc wc = {
		.wr_id = rqe->wr_id,
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

/* A batch; the rest is for the work. */
static void flush_user_rq(struct siw_qp *qp)
{
	struct siw_user_rq *user = &qp->rq.user;
	u32 left = SIW_FLUSH_BATCH;
	struct siw_recv_wqe rqe;

	lockdep_assert_held(&qp->rq.lock);
	for (; left && siw_user_rq_take(user, &rqe, qp->attr.cap.max_recv_sge); left--)
		rq_complete_wr(qp, rqe.wr_id, IB_WC_WR_FLUSH_ERR);
	if (!left && siw_user_rq_has(user, 1))
		siw_qp_schedule_flush(qp);
}

void siw_rq_flush(struct siw_qp *qp)
{
	struct siw_rq *rq = &qp->rq;
	unsigned long flags;

	spin_lock_irqsave(&rq->lock, flags);
	rq->flushed = true;
	while (rq->tail != rq->head)
		rq_complete_wr(qp, rq->ring[rq->tail++ & rq->mask].wr_id, IB_WC_WR_FLUSH_ERR);
	if (rq->user.ring)
		flush_user_rq(qp);
	siw_cq_schedule_notify(to_siw_cq(qp->base.recv_cq));
	spin_unlock_irqrestore(&rq->lock, flags);
}
