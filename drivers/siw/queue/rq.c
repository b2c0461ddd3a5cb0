// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Receive queues. The code of soft/ serves QPs of the kernel; the functions here also serve a QP
 * whose process posts to a ring that it maps.
 */
#include <trace/events/siw.h>

#include "drivers/siw/queue/rq.h"
#include "drivers/siw/queue/qp_state.h"
#include "drivers/siw/queue/srq.h"
#include "drivers/siw/queue/user_rq.h"
#include "soft/cq.h"
#include "soft/rq.h"
#include "soft/wqe.h"

static bool user_rq_pop(struct siw_qp *qp, struct soft_recv_wqe *wqe)
{
	lockdep_assert_held(&qp->soft.rq.lock);
	return siw_user_rq_pop(&qp->user_rq, wqe, qp->soft.rq.max_sge);
}

bool siw_rq_pop(struct siw_qp *qp, struct soft_recv_wqe *wqe)
{
	struct soft_rq *rq = &qp->soft.rq;
	unsigned long flags;
	bool found;

	if (!siw_qp_is_user(qp))
		return soft_rq_pop(&qp->soft, wqe);
	if (qp->soft.base.srq)
		return siw_srq_pop(to_siw_srq(qp->soft.base.srq), wqe);
	spin_lock_irqsave(&rq->lock, flags);
	found = user_rq_pop(qp, wqe);
	spin_unlock_irqrestore(&rq->lock, flags);
	return found;
}

/* Flushes a batch of a process's queue. Returns whether receives are left. */
static bool user_rq_flush_batch(struct siw_qp *qp)
{
	struct soft_recv_wqe wqe;
	u32 count;

	soft_rq_flush_batch(&qp->soft);
	for (count = 0; count < SOFT_FLUSH_BATCH && user_rq_pop(qp, &wqe); count++)
		soft_rq_flush_wr(&qp->soft, wqe.wr_id);
	trace_siw_flush(&qp->soft.base, true, count);
	return siw_user_rq_has(&qp->user_rq, 1);
}

bool siw_rq_flush(struct siw_qp *qp)
{
	struct soft_rq *rq = &qp->soft.rq;
	unsigned long flags;
	bool more = false;

	if (!siw_qp_is_user(qp))
		return soft_rq_flush(&qp->soft);
	spin_lock_irqsave(&rq->lock, flags);
	if (READ_ONCE(qp->soft.state) == IB_QPS_ERR) {
		more = user_rq_flush_batch(qp);
		soft_cq_schedule_notify(to_soft_cq(qp->soft.base.recv_cq));
	}
	spin_unlock_irqrestore(&rq->lock, flags);
	return more;
}

void siw_rq_reset(struct siw_qp *qp)
{
	struct soft_rq *rq = &qp->soft.rq;
	/* Drop at most a full ring, because the process may go on posting. */
	u32 left = rq->ring.mask + 1, batch;
	struct soft_recv_wqe wqe;

	soft_rq_reset(&qp->soft);
	if (!siw_qp_is_user(qp))
		return;
	do {
		batch = min(left, SOFT_FLUSH_BATCH);
		left -= batch;
		spin_lock_irq(&rq->lock);
		while (batch && user_rq_pop(qp, &wqe))
			batch--;
		spin_unlock_irq(&rq->lock);
	} while (left && !batch);
}
