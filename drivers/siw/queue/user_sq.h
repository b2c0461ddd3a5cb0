/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Send queues of processes: rings that a process fills. The owner of the stream moves requests from
 * the ring to entries of soft_sq one by one, each when the owner is about to send the request.
 */
#ifndef SIW_USER_SQ_H
#define SIW_USER_SQ_H

#include <linux/types.h>

struct rdma_user_mmap_entry;
struct siw_qp;
struct siw_sqe;
struct soft_send_wqe;

/**
 * struct siw_user_sq - ring to which a process posts requests
 * @ring: entries; @mask + 1 of them; shared with the process
 * @mask: turns an index into a place in @ring
 * @next: the entry to take next; free running; changed under soft_sq.lock, also read without it
 * @no_room: a request was left in @ring because soft_sq was full; used by the stream's owner
 * @no_memory: a request was left in @ring, because there was no memory for its entry; used by the
 *	stream's owner
 * @entry: the memory that the process maps
 *
 * All members are zero for a QP of the kernel; such a ring is empty.
 */
struct siw_user_sq {
	struct siw_sqe *ring;
	u32 mask;
	u32 next;
	bool no_room;
	bool no_memory;
	struct rdma_user_mmap_entry *entry;
};

/* Returns whether the ring has a request that was not taken yet. Any context. */
bool siw_user_sq_pending(const struct siw_qp *qp);

/**
 * siw_user_sq_doorbell() - handle a doorbell as far as the QP's state requires
 * @qp: QP to which a process posts; the lock of its SQ is not held
 * @flushed: set to true if the QP is in ERR and requests have to be flushed; else to false
 *
 * Drops the requests if the QP is not connected yet. Any context.
 *
 * Return: 0 if the caller has to run the stream or flush; -EINVAL if the QP is in RESET; -ENOTCONN
 * if the QP is in INIT or RTR.
 */
int siw_user_sq_doorbell(struct siw_qp *qp, bool *flushed);

/*
 * Called by the stream's owner. siw_user_sq_pull() moves the next request from the ring to the
 * entry at soft_sq.head, which has to exist. The owner calls siw_user_sq_pull() when soft_sq has no
 * request that is still to be sent. siw_user_sq_pull() returns false if the ring is empty, the
 * queue was flushed, or soft_sq is full. If soft_sq is full, siw_user_sq_has_room() returns true
 * once, as soon as soft_sq has room again.
 */
bool siw_user_sq_pull(struct siw_qp *qp);
bool siw_user_sq_has_room(struct siw_qp *qp);

/*
 * Copies the oldest request to @wqe, and gives its entry back to the process. Returns false if no
 * request is there. Called for a QP of a process, with the SQ's lock held.
 */
bool siw_user_sq_pop(struct siw_qp *qp, struct soft_send_wqe *wqe);

#endif /* SIW_USER_SQ_H */
