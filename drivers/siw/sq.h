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
 * struct siw_sq - send queue: [tail, next) is in flight or done, [next, head) is waiting
 * @lock: interrupts off; a CQ's lock nests in it
 * @ring: entries; @mask + 1 of them
 * @mask: turns an index into a place in @ring
 * @max_wr: how many requests may be posted at a time
 * @signal_all: every request is signalled
 * @flushed: the QP is in error: posts complete at once
 * @shared: the QP is a process's, which posts to @user; does not change
 * @head: next free entry; free running; read by the stream's owner without @lock
 * @tail: oldest entry that has not completed; free running
 * @next: next entry to transmit; only the stream's owner moves it
 * @user: requests of a process, until the stream's owner comes to send them
 */
struct siw_sq {
	spinlock_t lock; /* protects flushed, head, tail, user.next, and the states but READING */
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
 * Posts the kernel's requests, or completes them as flushed if the QP is in error. On failure
 * @bad_wr is the first that was not posted. Returns 0, -EINVAL for an invalid request or a QP in
 * RESET, -ENOTCONN before the QP is connected, -ENOMEM if the queue is full, -EOPNOTSUPP for an
 * unknown opcode. Any context.
 */
int siw_sq_post(struct siw_qp *qp, const struct ib_send_wr *wr, const struct ib_send_wr **bad_wr);

/*
 * For the stream's owner. siw_sq_peek() returns the entry at next, or NULL; siw_sq_advance() moves
 * past it. siw_sq_complete() gives @wqe its status, and completes, in order, all entries that can;
 * the owner has the CQ notified when its pass is over.
 */
struct siw_send_wqe *siw_sq_peek(struct siw_qp *qp);
void siw_sq_advance(struct siw_qp *qp);
void siw_sq_complete(struct siw_qp *qp, struct siw_send_wqe *wqe, enum ib_wc_status status);

/* Begins an iteration over the data of @wqe. Returns the errno of siw_sgl_iter_init(). */
int siw_send_wqe_iter_init(struct siw_qp *qp, struct siw_send_wqe *wqe,
			   struct siw_sgl_iter *sgl, int access);

/* Returns whether all that was posted has completed. Any context. */
bool siw_sq_empty(struct siw_qp *qp);

/* Completes all entries, as flushed unless they are done; later posts complete as flushed, too. */
void siw_sq_flush(struct siw_qp *qp);

#endif /* SIW_SQ_H */
