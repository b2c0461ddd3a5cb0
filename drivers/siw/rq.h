/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Receive queues.
 */
#ifndef SIW_RQ_H
#define SIW_RQ_H

#include <linux/spinlock.h>

#include "drivers/siw/user_rq.h"
#include "drivers/siw/wqe.h"

struct siw_qp;

/**
 * struct siw_rq - receive queue
 * @lock: guards all of it; interrupts off; a CQ's lock nests in it
 * @ring: entries; @mask + 1 of them
 * @mask: turns an index into a place in @ring
 * @max_wr: how many may be posted at a time
 * @flushed: the QP is in error: posts complete at once
 * @head: next free entry; free running
 * @tail: oldest posted entry
 * @user: of a process's QP, in the place of @ring, @head and @tail
 */
struct siw_rq {
	spinlock_t lock; /* guards all of it */
	struct siw_recv_wqe *ring;
	u32 mask;
	u32 max_wr;
	bool flushed;
	u32 head;
	u32 tail;
	struct siw_user_rq user;
};

/**
 * struct siw_rq_result - how a receive ended
 * @status: of the completion
 * @length: bytes of the message
 * @solicited: the sender asked for an event
 * @invalidated: the message invalidated @inv_stag
 * @inv_stag: an STag of ours
 * @immediate: it was an Immediate Data message
 * @imm: the data
 */
struct siw_rq_result {
	enum ib_wc_status status;
	u32 length;
	bool solicited;
	bool invalidated;
	u32 inv_stag;
	bool immediate;
	__be32 imm;
};

/*
 * siw_rq_post() posts the kernel's receives, or completes them as flushed if the QP is in
 * error. siw_rq_take() copies the oldest posted receive to @rqe, of the SRQ where there is one, and
 * frees its place; false: none is posted. siw_rq_complete() completes a taken one, by the stream's owner,
 * which notifies the CQ when its pass is over. siw_rq_flush() completes all that are posted as
 * flushed, and all that will be. Any context.
 */
int siw_rq_post(struct siw_qp *qp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad_wr);
bool siw_rq_take(struct siw_qp *qp, struct siw_recv_wqe *rqe);
void siw_rq_complete(struct siw_qp *qp, const struct siw_recv_wqe *rqe,
		     const struct siw_rq_result *result);
void siw_rq_flush(struct siw_qp *qp);

#endif /* SIW_RQ_H */
