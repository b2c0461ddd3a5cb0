// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Waiting until the requests of a QP have completed.
 *
 * Requests of a queue complete in order. A last request that is posted when the QP is in state ERR
 * is flushed after all others, so its completion shows that the completions of all others have
 * been handled. The code calls this last request the marker.
 */
#include <linux/completion.h>

#include "verbs/cq.h"
#include "verbs/verbs.h"

struct marker {
	struct ib_cqe cqe;
	struct completion flushed;
};

static void marker_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct marker *marker = container_of(wc->wr_cqe, struct marker, cqe);

	complete(&marker->flushed);
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

/*
 * Drains one queue. Calls @op, the provider's method of draining. If @op is NULL, the provider has
 * no such method; then posts the marker, whose completion in @cq shows that the queue is drained.
 */
static void drain_queue(struct ib_qp *qp, void (*op)(struct ib_qp *qp), struct ib_cq *cq,
			int (*post_marker)(struct ib_qp *qp, struct ib_cqe *cqe))
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	struct marker marker = { .cqe.done = marker_done };
	int ret;

	might_sleep();
	if (op) {
		op(qp);
		return;
	}
	if (WARN_ONCE(!verbs_cq_polled_by_core(cq),
		      "cannot drain a QP into a CQ that the consumer polls itself\n"))
		return;

	init_completion(&marker.flushed);
	ret = ib_modify_qp(qp, &attr, IB_QP_STATE);
	if (!ret)
		ret = post_marker(qp, &marker.cqe);
	if (WARN_ONCE(ret, "a QP could not be drained: %d\n", ret))
		return;

	if (cq->poll_ctx != IB_POLL_DIRECT) {
		wait_for_completion(&marker.flushed);
		return;
	}
	/*
	 * Poll here, because the core does not poll a DIRECT CQ by itself. Wait between the polls,
	 * because the provider needs time to flush the requests.
	 */
	do {
		ib_process_cq_direct(cq, -1);
	} while (!wait_for_completion_timeout(&marker.flushed, msecs_to_jiffies(1)));
}

void ib_drain_sq(struct ib_qp *qp)
{
	drain_queue(qp, qp->device->ops.drain_sq, qp->send_cq, post_send_marker);
}
EXPORT_SYMBOL(ib_drain_sq);

/* A QP with an SRQ has nothing to drain, because the receive requests in an SRQ belong to no QP. */
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
