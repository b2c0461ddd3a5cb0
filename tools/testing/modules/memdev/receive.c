// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Receive requests that are taken for messages.
 */
#include "internal.h"

/* Has the SRQ fewer requests than its limit? If so, disarms the event. */
static bool take_limit(struct memdev_srq *srq)
{
	bool low;

	spin_lock_irq(&memdev_fabric.lock);
	low = srq->queue.count < srq->limit;
	if (low)
		srq->limit = 0;
	spin_unlock_irq(&memdev_fabric.lock);
	return low;
}

bool memdev_get_receive(struct memdev_qp *qp, struct ib_srq *xrc_srq, struct memdev_receive *recv)
{
	recv->srq = xrc_srq ?: qp->ibqp.srq;
	recv->queue = recv->srq ? &to_memdev_srq(recv->srq)->queue : &qp->rq;
	recv->pd = recv->srq ? recv->srq->pd : qp->ibqp.pd;
	recv->cq = xrc_srq ? xrc_srq->ext.cq : qp->ibqp.recv_cq;
	recv->wqe = memdev_take(recv->queue);
	if (recv->wqe && recv->srq && take_limit(to_memdev_srq(recv->srq)))
		memdev_srq_event(recv->srq, IB_EVENT_SRQ_LIMIT_REACHED);
	return recv->wqe;
}

void memdev_end_receive(struct memdev_qp *qp, struct memdev_receive *recv, struct ib_wc *wc,
			bool solicited)
{
	wc->wr_id = recv->wqe->wr.wr_id;
	wc->qp = &qp->ibqp;
	memdev_free_wqe(recv->wqe);
	memdev_complete(qp, recv->cq, wc, solicited);
}

void memdev_return_receive(struct memdev_receive *recv)
{
	spin_lock_irq(&memdev_fabric.lock);
	list_add(&recv->wqe->entry, &recv->queue->requests);
	recv->queue->count++;
	spin_unlock_irq(&memdev_fabric.lock);
}
