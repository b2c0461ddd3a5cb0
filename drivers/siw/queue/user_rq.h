/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Receive requests of processes, for a QP or an SRQ: rings that a process fills. Each incoming
 * message takes one request from the ring.
 */
#ifndef SIW_USER_RQ_H
#define SIW_USER_RQ_H

#include <linux/types.h>

struct rdma_user_mmap_entry;
struct siw_rqe;
struct soft_recv_wqe;

/**
 * struct siw_user_rq - ring to which a process posts receive requests
 * @ring: entries, @mask + 1 of them; shared with the process
 * @mask: turns an index into a place in @ring
 * @tail: the entry to take next; free running; protected by the lock of the queue
 * @entry: the memory that the process maps
 *
 * All members are zero for a queue of the kernel and for a QP with an SRQ; such a ring is empty.
 */
struct siw_user_rq {
	struct siw_rqe *ring;
	u32 mask;
	u32 tail;
	struct rdma_user_mmap_entry *entry;
};

/**
 * siw_user_rq_pop() - take the oldest receive request that a process has posted
 * @user: the ring
 * @wqe: gets a copy of the request. If the request is invalid, or has more than @max_sge SGEs, the
 *	copy has a length of 0, so that a message with data fails.
 * @max_sge: largest number of SGEs that the queue allows
 *
 * Called with the lock of the queue held.
 *
 * Return: true; false if no request is posted.
 */
bool siw_user_rq_pop(struct siw_user_rq *user, struct soft_recv_wqe *wqe, u32 max_sge);
/*
 * Returns whether at least @count requests are posted; @count is at most the size of the ring.
 * Called with the lock of the queue held.
 */
bool siw_user_rq_has(const struct siw_user_rq *user, u32 count);

#endif /* SIW_USER_RQ_H */
