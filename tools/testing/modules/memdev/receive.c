// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Receive requests that are taken for messages.
 */
#include "internal.h"

bool memdev_get_receive(struct memdev_qp *qp, struct ib_srq *xrc_srq, struct memdev_receive *recv)
{
	struct ib_event event = { .event = IB_EVENT_SRQ_LIMIT_REACHED };
	struct memdev_srq *srq;
	bool low;

	recv->srq = xrc_srq ?: qp->ibqp.srq;
	recv->queue = recv->srq ? &to_memdev_srq(recv->srq)->queue : &qp->rq;
	recv->pd = recv->srq ? recv->srq->pd : qp->ibqp.pd;
	recv->cq = xrc_srq ? xrc_srq->ext.cq : qp->ibqp.recv_cq;
	recv->wqe = memdev_take(recv->queue);
	if (!recv->wqe || !recv->srq)
		return recv->wqe;
	/* The event is raised once for a limit. */
	srq = to_memdev_srq(recv->srq);
	spin_lock_irq(&memdev_fabric.lock);
	low = srq->queue.count < srq->limit;
	if (low)
		srq->limit = 0;
	spin_unlock_irq(&memdev_fabric.lock);
	event.device = recv->srq->device;
	event.element.srq = recv->srq;
	if (low && recv->srq->event_handler)
		recv->srq->event_handler(&event, recv->srq->srq_context);
	return true;
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
