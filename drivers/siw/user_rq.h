/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Receives of processes, for a QP or an SRQ: rings that a process fills, and from which incoming
 * messages take their receives.
 */
#ifndef SIW_USER_RQ_H
#define SIW_USER_RQ_H

#include <linux/types.h>

struct rdma_user_mmap_entry;
struct siw_rqe;
struct siw_recv_wqe;

/**
 * struct siw_user_rq - where a process posts receives; all zero, which counts as empty, for a queue
 *	of the kernel and for a QP with an SRQ
 * @ring: entries, @mask + 1 of them; shared with the process
 * @mask: turns an index into a place in @ring
 * @tail: the entry to take next; free running; protected by the lock of the queue that this is in
 * @entry: what the process maps
 */
struct siw_user_rq {
	struct siw_rqe *ring;
	u32 mask;
	u32 tail;
	struct rdma_user_mmap_entry *entry;
};

/**
 * siw_user_rq_pop() - take the oldest receive that a process has posted
 * @user: where from; the lock of its queue is held
 * @wqe: filled with a copy. A receive that is invalid, or has more than @max_sge elements, becomes
 *	one of no bytes, so that the first message with data fails.
 * @max_sge: elements that the queue allows
 *
 * Return: false if none is posted.
 */
bool siw_user_rq_pop(struct siw_user_rq *user, struct siw_recv_wqe *wqe, u32 max_sge);
/*
 * Returns whether at least @count receives are posted; @count is at most the size of the ring.
 * Called with the lock of the queue held.
 */
bool siw_user_rq_has(const struct siw_user_rq *user, u32 count);

#endif /* SIW_USER_RQ_H */
