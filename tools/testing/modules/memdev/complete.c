// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completions, events, and the states that errors lead to.
 */
#include "internal.h"

void memdev_set_state(struct memdev_qp *qp, enum ib_qp_state state)
{
	unsigned long flags;

	spin_lock_irqsave(&memdev_fabric.lock, flags);
	qp->attr.qp_state = state;
	/* Nothing is executed again in these states. */
	if (state == IB_QPS_RESET || state >= IB_QPS_SQE) {
		timer_delete(&qp->timer);
		qp->waiting = false;
		qp->started = false;
		qp->tries = 0;
		qp->rnr_tries = 0;
	}
	if (state != IB_QPS_RESET)
		memdev_schedule(qp);
	spin_unlock_irqrestore(&memdev_fabric.lock, flags);
}

void memdev_enter_error(struct memdev_qp *qp)
{
	if (qp->attr.qp_state == IB_QPS_ERR)
		return;
	memdev_set_state(qp, IB_QPS_ERR);
	if (qp->ibqp.srq)
		memdev_qp_event(qp, IB_EVENT_QP_LAST_WQE_REACHED);
}

void memdev_complete(struct memdev_qp *qp, struct ib_cq *ibcq, const struct ib_wc *wc,
		     bool solicited)
{
	struct ib_event event = {
		.device = ibcq->device,
		.element.cq = ibcq,
		.event = IB_EVENT_CQ_ERR,
	};
	struct memdev_cq *cq = to_memdev_cq(ibcq);

	if (!cq->overrun && fakedev_cq_push(ibcq, wc, solicited))
		return;
	if (!cq->overrun) {
		cq->overrun = true;
		if (ibcq->event_handler)
			ibcq->event_handler(&event, ibcq->cq_context);
	}
	/* The QP cannot report completions any more. */
	if (qp->attr.qp_state == IB_QPS_ERR)
		return;
	memdev_enter_error(qp);
	memdev_qp_event(qp, IB_EVENT_QP_FATAL);
}
