/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Send queues of processes: rings that a process fills, and from which the engine fills its own,
 * request by request, as it comes to send them.
 */
#ifndef SIW_USER_SQ_H
#define SIW_USER_SQ_H

#include <linux/types.h>
#include <linux/workqueue.h>

struct rdma_user_mmap_entry;
struct siw_qp;
struct siw_sqe;

/**
 * struct siw_user_sq - where the process of a QP posts; all zero: the kernel posts
 * @ring: entries, as many as in siw_sq.ring; the process's, too
 * @next: the entry to take next; free running. Guarded by siw_sq.lock, but for a look ahead
 * @ring_full: when the engine last asked, siw_sq.ring had no room for what is there. The runner's
 * @entry: what the process maps
 * @rest: flushes what a round has left, of receives, too
 */
struct siw_user_sq {
	struct siw_sqe *ring;
	u32 next;
	bool ring_full;
	struct rdma_user_mmap_entry *entry;
	struct work_struct rest;
};

/*
 * siw_user_sq_waiting(): has the process posted something that we have not taken? Any context.
 * siw_user_sq_doorbell(): it says so: has it sent, or flushed in the error state; 0. Before the QP
 * is connected drops it: -EINVAL in RESET, else -ENOTCONN. Any context, not under the SQ's lock.
 */
bool siw_user_sq_waiting(const struct siw_qp *qp);
int siw_user_sq_doorbell(struct siw_qp *qp);

/*
 * For the engine. siw_user_sq_pull() moves a request to siw_sq.ring, where nothing waits to be
 * sent; false: there is none, or no room. siw_user_sq_has_room(): it found no room, and there is
 * some now; tells so once.
 */
bool siw_user_sq_pull(struct siw_qp *qp);
bool siw_user_sq_has_room(struct siw_qp *qp);

/* Entries of a process that are taken at a time, with interrupts off. */
#define SIW_FLUSH_BATCH	256u

/*
 * siw_user_sq_flush(): completes as flushed what is posted, with the SQ's lock held and siw_sq.ring
 * empty. That is a batch at most, as with receives; siw_user_flush_rest() has a work go on with
 * both. Any context.
 */
void siw_user_sq_flush(struct siw_qp *qp);
void siw_user_flush_rest(struct siw_qp *qp);
/* The work. */
void siw_user_flush_work(struct work_struct *work);

#endif /* SIW_USER_SQ_H */
