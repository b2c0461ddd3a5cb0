/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Send queues of processes: rings that a process fills. The owner of the stream moves requests from
 * there to siw_sq.ring one by one, as it comes to send them.
 */
#ifndef SIW_USER_SQ_H
#define SIW_USER_SQ_H

#include <linux/types.h>

struct rdma_user_mmap_entry;
struct siw_qp;
struct siw_sqe;
struct siw_send_wqe;

/**
 * struct siw_user_sq - where the process of a QP posts; all zero, which counts as empty, for a QP
 *	of the kernel
 * @ring: entries, as many as in siw_sq.ring; shared with the process
 * @next: the entry to take next; free running; protected by siw_sq.lock, but read without it
 * @no_room: a request was left here because siw_sq.ring was full; the stream owner's
 * @entry: what the process maps
 */
struct siw_user_sq {
	struct siw_sqe *ring;
	u32 next;
	bool no_room;
	struct rdma_user_mmap_entry *entry;
};

/* Returns whether the process has posted a request that has not been taken. Any context. */
bool siw_user_sq_pending(const struct siw_qp *qp);

/**
 * siw_user_sq_check() - find out what to do about a doorbell
 * @qp: of a process; its SQ's lock is not held
 * @flushed: set to whether the QP is in error, so that requests have to be flushed
 *
 * Drops the requests that were posted before the QP was connected. Any context.
 *
 * Return: 0, -EINVAL if the QP is in RESET, -ENOTCONN if it is not connected yet.
 */
int siw_user_sq_check(struct siw_qp *qp, bool *flushed);

/*
 * For the stream's owner. siw_user_sq_pull() moves a request to siw_sq.ring, in which none is left
 * to be sent; returns false if there is none, or no room. siw_user_sq_has_room() returns true,
 * once, if siw_user_sq_pull() has found no room and there is some now.
 */
bool siw_user_sq_pull(struct siw_qp *qp);
bool siw_user_sq_has_room(struct siw_qp *qp);

/*
 * Fills @wqe from the oldest entry, and gives that back to the process. Returns false if there is
 * none. Called with the SQ's lock held.
 */
bool siw_user_sq_pop(struct siw_qp *qp, struct siw_send_wqe *wqe);

#endif /* SIW_USER_SQ_H */
