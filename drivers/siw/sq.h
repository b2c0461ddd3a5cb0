/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Send queues.
 */
#ifndef SIW_SQ_H
#define SIW_SQ_H

#include <linux/spinlock.h>

#include "drivers/siw/sgl.h"
#include "drivers/siw/user_sq.h"
#include "drivers/siw/wqe.h"

struct siw_qp;

/**
 * struct siw_sq - send queue: [tail, next) in flight or done, [next, head) waiting
 * @lock: guards @head and @tail and the entries' states; interrupts off; a CQ's lock nests in it
 * @ring: entries; @mask + 1 of them
 * @mask: turns an index into a place in @ring
 * @max_wr: how many may be posted at a time
 * @signal_all: every request is signalled
 * @flushed: the QP is in error: posts complete at once
 * @shared: it is a process's, which posts by @user
 * @head: next free entry; free running
 * @next: next entry to transmit; only the QP's engine moves it
 * @tail: oldest entry that has not completed
 * @user: where a process's requests come from, as the engine gets to sending them
 */
struct siw_sq {
	spinlock_t lock; /* guards head, tail, the states of the entries, what is taken of user */
	struct siw_send_wqe *ring;
	u32 mask;
	u32 max_wr;
	bool signal_all;
	bool flushed;
	bool shared;
	u32 head;
	u32 tail;
	u32 next ____cacheline_aligned_in_smp;
	struct siw_user_sq user;
};

/*
 * siw_sq_post() posts the kernel's requests, or completes them as flushed if the QP is in
 * error. the stream's owner alone calls peek, advance and done. siw_sq_peek() returns the entry at next, or
 * NULL; siw_sq_advance() moves past it; siw_sq_done() marks @sqe with its status and completes, in
 * order, all that can. The CQ is notified when the engine's pass is over.
 */
int siw_sq_post(struct siw_qp *qp, const struct ib_send_wr *wr, const struct ib_send_wr **bad_wr);
struct siw_send_wqe *siw_sq_peek(struct siw_qp *qp);
void siw_sq_advance(struct siw_qp *qp);
void siw_sq_done(struct siw_qp *qp, struct siw_send_wqe *sqe, enum ib_wc_status status);
/* Begins the walk over an entry's data; errno of siw_sgl_iter_init(). */
int siw_send_wqe_begin(struct siw_qp *qp, struct siw_send_wqe *sqe, struct siw_sgl_iter *sgl,
		       int access);
bool siw_sq_empty(struct siw_qp *qp); /* nothing posted that has not completed */

/* Completes all that is posted, as flushed where it is not done, and all that will be. */
void siw_sq_flush(struct siw_qp *qp);

#endif /* SIW_SQ_H */
