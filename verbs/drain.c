// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Waiting until the requests of a QP have completed.
 *
 * Requests complete in order: with the QP in ERR, when a marker posted behind them all has come
 * back, so have they.
 */
#include <linux/completion.h>

#include "verbs/verbs.h"

struct marker {
	struct ib_cqe cqe;
	struct completion back;
};

static void marker_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct marker *marker = container_of(wc->wr_cqe, struct marker, cqe);

	complete(&marker->back);
}

static int post_send_marker(struct ib_qp *qp, struct ib_cqe *cqe)
{
	struct ib_rdma_wr write = {
		.wr.wr_cqe	= cqe,
		.wr.opcode	= IB_WR_RDMA_WRITE,
		.wr.send_flags	= IB_SEND_SIGNALED,
	};

	return ib_post_send(qp, &write.wr, NULL);
}

static int post_recv_marker(struct ib_qp *qp, struct ib_cqe *cqe)
{
	struct ib_recv_wr recv = { .wr_cqe = cqe };

	return ib_post_recv(qp, &recv, NULL);
}

static void wait_for_marker(struct ib_cq *cq, struct marker *marker)
{
	if (cq->poll_ctx != IB_POLL_DIRECT) {
		wait_for_completion(&marker->back);
		return;
	}

	/* Nobody else polls. Flushes take the provider a moment at most. */
	do {
		ib_process_cq_direct(cq, -1);
	} while (!wait_for_completion_timeout(&marker->back, msecs_to_jiffies(1)));
}

static void drain(struct ib_qp *qp, struct ib_cq *cq,
		  int (*post_marker)(struct ib_qp *qp, struct ib_cqe *cqe))
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	struct marker marker = { .cqe.done = marker_done };
	int ret;

	if (WARN_ONCE(!verbs_cq_polled_by_core(cq), "drain into a CQ that its owner polls\n"))
		return;
	init_completion(&marker.back);

	ret = ib_modify_qp(qp, &attr, IB_QP_STATE);
	if (!ret)
		ret = post_marker(qp, &marker.cqe);
	if (ret) {
		WARN_ONCE(1, "a QP could not be drained: %d\n", ret);
		return;
	}
	wait_for_marker(cq, &marker);
}

/* By the provider's own @op where it has one. */
static void drain_queue(struct ib_qp *qp, void (*op)(struct ib_qp *qp), struct ib_cq *cq,
			int (*post_marker)(struct ib_qp *qp, struct ib_cqe *cqe))
{
	might_sleep();
	if (op)
		op(qp);
	else
		drain(qp, cq, post_marker);
}

void ib_drain_sq(struct ib_qp *qp)
{
	drain_queue(qp, qp->device->ops.drain_sq, qp->send_cq, post_send_marker);
}
EXPORT_SYMBOL(ib_drain_sq);

/* What lies in a shared receive queue is not this QP's to drain. */
void ib_drain_rq(struct ib_qp *qp)
{
	if (qp->srq)
		return;
	drain_queue(qp, qp->device->ops.drain_rq, qp->recv_cq, post_recv_marker);
}
EXPORT_SYMBOL(ib_drain_rq);

void ib_drain_qp(struct ib_qp *qp)
{
	ib_drain_sq(qp);
	ib_drain_rq(qp);
}
EXPORT_SYMBOL(ib_drain_qp);
