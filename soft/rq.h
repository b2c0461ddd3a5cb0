/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Receive queues.
 */
#ifndef SIW_RQ_H
#define SIW_RQ_H

#include <linux/spinlock.h>

#include "drivers/siw/queue/user_rq.h"
#include "soft/wqe.h"

struct siw_qp;

/**
 * struct siw_rq - receive queue
 * @lock: taken with interrupts off; a CQ's lock nests in it
 * @ring: entries, @mask + 1 of them; NULL if a process posts
 * @mask: turns an index into a place in @ring
 * @max_wr: largest number of receives in the queue
 * @flushed: the QP is in ERR: receives complete as flushed, a batch at a time. A new receive
 *	completes at once if the queue is empty, and otherwise after the receives before it
 * @head: next free entry; free running
 * @tail: oldest posted entry; free running
 * @cq_end: siw_cq.head as it was after the queue's last completion was added; protected by the CQ's
 *	lock
 * @user: ring of a process's receives
 */
struct siw_rq {
	spinlock_t lock; /* protects what follows, except @cq_end */
	struct soft_recv_wqe *ring;
	u32 mask;
	u32 max_wr;
	bool flushed;
	u32 head;
	u32 tail;
	u32 cq_end;
	struct siw_user_rq user;
};

/**
 * struct siw_rq_result - how a receive request ended
 * @status: status of the completion
 * @length: bytes of the message
 * @solicited: the sender asked for a solicited completion
 * @invalidated: the message has invalidated @inv_stag
 * @inv_stag: local STag, if @invalidated is true
 * @immediate: the message was an Immediate Data message, with @imm
 * @imm: immediate data
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
 * Posts the kernel's receives, or completes them as flushed if the QP is in ERR. On failure
 * *@bad_wr is the first receive that was not posted. Returns 0; -EINVAL for an invalid receive or a
 * QP in RESET; -ENOMEM if the queue is full. Any context.
 */
int siw_rq_post(struct siw_qp *qp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad_wr);
/*
 * Copies the oldest posted receive to @wqe and frees its place. Takes the receive from the SRQ, if
 * the QP has one. Returns false if no receive is posted. Any context.
 */
bool siw_rq_pop(struct siw_qp *qp, struct soft_recv_wqe *wqe);
/*
 * Completes a receive that siw_rq_pop() has returned. Called by the stream's owner. The CQ is
 * notified when the owner's pass is over.
 */
void siw_rq_complete(struct siw_qp *qp, const struct soft_recv_wqe *wqe,
		     const struct siw_rq_result *result);
/*
 * Completes the oldest SIW_FLUSH_BATCH posted receives as flushed. Later posts complete as flushed,
 * after these. Does nothing if the QP is not in ERR. Returns whether receives are left; if so, the
 * function has to be called again. Any context.
 */
bool siw_rq_flush(struct siw_qp *qp);
/* Empties the queue of a QP in RESET, as siw_sq_reset() does. Process context. */
void siw_rq_reset(struct siw_qp *qp);

#endif /* SIW_RQ_H */
