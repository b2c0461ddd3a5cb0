/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The hot path: post, poll, arm. Inline, one indirect call each.
 */
#ifndef _RDMA_VERBS_POST_H_
#define _RDMA_VERBS_POST_H_

#include <rdma/verbs/cq.h>
#include <rdma/verbs/device.h>
#include <rdma/verbs/qp.h>
#include <rdma/verbs/srq.h>

/* Callers of the older form pass pointers without const; both compile without a warning. */
typedef union {
	const struct ib_send_wr **wr;
	struct ib_send_wr **older;
} ib_bad_send_wr_t __attribute__((__transparent_union__));

typedef union {
	const struct ib_recv_wr **wr;
	struct ib_recv_wr **older;
} ib_bad_recv_wr_t __attribute__((__transparent_union__));

/**
 * ib_post_send - queue a list of requests on a QP's send queue
 * @qp: the QP
 * @send_wr: first request of the list; the list and its sg_lists are the caller's again on return
 * @bad_send_wr: on failure points to the first request that was not queued; NULL if not wanted
 *
 * Any context, never sleeps. Requests in front of a failed one are queued all the same.
 *
 * Return: 0 when all are queued, otherwise the provider's negative errno: -ENOMEM for a full queue,
 * -EINVAL for an invalid request, -ENOTCONN or -EINVAL for a state in which nothing can be sent.
 */
static inline int ib_post_send(struct ib_qp *qp, const struct ib_send_wr *send_wr,
			       ib_bad_send_wr_t bad_send_wr)
{
	const struct ib_send_wr *unused;

	return qp->device->ops.post_send(qp, send_wr, bad_send_wr.wr ?: &unused);
}

/**
 * ib_post_recv - queue a list of requests on a QP's receive queue
 * @qp: the QP
 * @recv_wr: first request of the list; the list and its sg_lists are the caller's again on return
 * @bad_recv_wr: on failure points to the first request that was not queued; NULL if not wanted
 *
 * Any context, never sleeps. Requests in front of a failed one are queued all the same.
 *
 * Return: 0 when all are queued, otherwise the provider's negative errno, as for ib_post_send().
 */
static inline int ib_post_recv(struct ib_qp *qp, const struct ib_recv_wr *recv_wr,
			       ib_bad_recv_wr_t bad_recv_wr)
{
	const struct ib_recv_wr *unused;

	return qp->device->ops.post_recv(qp, recv_wr, bad_recv_wr.wr ?: &unused);
}

/**
 * ib_post_srq_recv - queue a list of requests on a shared receive queue
 * @srq: the SRQ
 * @recv_wr: first request of the list; the list and its sg_lists are the caller's again on return
 * @bad_recv_wr: on failure points to the first request that was not queued; NULL if not wanted
 *
 * Any context, never sleeps. Requests in front of a failed one are queued all the same. A request
 * completes into the CQ of the QP that took it for a message; no failure of a QP completes those
 * that no QP has taken.
 *
 * Return: 0 when all are queued, otherwise the provider's negative errno, as for ib_post_send().
 */
static inline int ib_post_srq_recv(struct ib_srq *srq, const struct ib_recv_wr *recv_wr,
				   ib_bad_recv_wr_t bad_recv_wr)
{
	const struct ib_recv_wr *unused;

	return srq->device->ops.post_srq_recv(srq, recv_wr, bad_recv_wr.wr ?: &unused);
}

/**
 * ib_poll_cq - take completions off a CQ
 * @cq: a CQ of ib_create_cq()
 * @num_entries: room in @wc
 * @wc: where they are written
 *
 * Any context, never sleeps.
 *
 * Return: how many were written, fewer than @num_entries when the CQ is empty now; or a negative
 * errno.
 */
static inline int ib_poll_cq(struct ib_cq *cq, int num_entries, struct ib_wc *wc)
{
	return cq->device->ops.poll_cq(cq, num_entries, wc);
}

/**
 * ib_req_notify_cq - arm a CQ: its handler is called once, on the next completion
 * @cq: a CQ of ib_create_cq()
 * @flags: one of %IB_CQ_SOLICITED and %IB_CQ_NEXT_COMP, with or without %IB_CQ_REPORT_MISSED_EVENTS
 *
 * Any context, never sleeps.
 *
 * Return: 0 if the CQ is armed; with %IB_CQ_REPORT_MISSED_EVENTS it is then safe to wait, because
 * every completion since the last poll raises an event. Positive, with that flag only: a completion
 * may have come in before; poll until the CQ is empty. Or a negative errno, and the CQ is not
 * armed.
 */
static inline int ib_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	return cq->device->ops.req_notify_cq(cq, flags);
}

#endif /* _RDMA_VERBS_POST_H_ */
