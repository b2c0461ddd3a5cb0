/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The data path: post, poll, arm. Each function is inline and makes one indirect call.
 */
#ifndef _RDMA_VERBS_POST_H_
#define _RDMA_VERBS_POST_H_

#include <rdma/verbs/cq.h>
#include <rdma/verbs/device.h>
#include <rdma/verbs/qp.h>
#include <rdma/verbs/srq.h>

/* Older callers pass a pointer without const. The union accepts both types without a warning. */
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
 * Any context, never sleeps. Requests in front of a failed one stay queued.
 *
 * Return: 0 if all requests are queued; otherwise the provider's negative errno: -ENOMEM if the
 * queue is full, -EINVAL if a request is invalid, -ENOTCONN or -EINVAL if the QP is in a state in
 * which nothing can be sent.
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
 * Any context, never sleeps. Requests in front of a failed one stay queued.
 *
 * Return: 0 if all requests are queued; otherwise the provider's errno, as for ib_post_send().
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
 * Any context, never sleeps. Requests in front of a failed one stay queued. A request
 * completes into the CQ of the QP that took it for a message. When a QP fails, requests that no QP
 * has taken stay in the SRQ.
 *
 * Return: 0 if all requests are queued; otherwise the provider's errno, as for ib_post_send().
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
 * @num_entries: number of completions that fit into @wc
 * @wc: out: the completions
 *
 * Any context, never sleeps.
 *
 * Return: the number of completions written, which is less than @num_entries if the CQ is now
 * empty; or a negative errno.
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
 * Return: 0 if the CQ is armed. With %IB_CQ_REPORT_MISSED_EVENTS, 0 also means that no completion
 * has come in since the last poll, so the caller may wait for the event. Positive, only with that
 * flag, if the CQ is armed, but a completion may have come in before the CQ was armed: the caller
 * polls until the CQ is empty. A negative errno if the CQ is not armed.
 */
static inline int ib_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	return cq->device->ops.req_notify_cq(cq, flags);
}

#endif /* _RDMA_VERBS_POST_H_ */
