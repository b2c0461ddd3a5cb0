/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Send queues of processes: rings that a process fills, and from which the engine fills its own,
 * request by request, as it comes to send them.
 */
#ifndef SIW_USER_SQ_H
#define SIW_USER_SQ_H

#include <linux/types.h>

struct rdma_user_mmap_entry;
struct siw_qp;
struct siw_sqe;
struct siw_send_wqe;

/**
 * struct siw_user_sq - where the process of a QP posts; all zero: the kernel posts
 * @ring: entries, as many as in siw_sq.ring; the process's, too
 * @next: the entry to take next; free running. Guarded by siw_sq.lock, but for a look ahead
 * @ring_full: when the engine last asked, siw_sq.ring had no room for what is there. The runner's
 * @entry: what the process maps
 */
struct siw_user_sq {
	struct siw_sqe *ring;
	u32 next;
	bool ring_full;
	struct rdma_user_mmap_entry *entry;
};

/*
 * siw_user_sq_waiting() returns whether the process has posted something that we have not taken.
 * siw_user_sq_check() is for a process that says so. Before the QP is connected, it drops all that
 * is there, and returns -EINVAL in RESET, else -ENOTCONN; otherwise 0, and in @flushed whether the
 * QP is in error. Any context; called without the SQ's lock.
 */
bool siw_user_sq_waiting(const struct siw_qp *qp);
int siw_user_sq_check(struct siw_qp *qp, bool *flushed);

/*
 * For the engine. siw_user_sq_pull() moves a request to siw_sq.ring, where nothing waits to be
 * sent; false: there is none, or no room. siw_user_sq_has_room(): it found no room, and there is
 * some now; tells so once.
 */
bool siw_user_sq_pull(struct siw_qp *qp);
bool siw_user_sq_has_room(struct siw_qp *qp);

/*
 * Fills @sqe from the oldest entry, and gives that back to the process. Returns false if there is
 * none. Called with the SQ's lock held.
 */
bool siw_user_sq_pop(struct siw_qp *qp, struct siw_send_wqe *sqe);

#endif /* SIW_USER_SQ_H */
