/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Receives of processes, to a QP or an SRQ: rings that a process fills, and from which a message
 * takes its receive.
 */
#ifndef SIW_USER_RQ_H
#define SIW_USER_RQ_H

#include <linux/types.h>

struct rdma_user_mmap_entry;
struct siw_rqe;
struct siw_recv_wqe;

/**
 * struct siw_user_rq - where a process posts receives; all zero: the kernel posts, or nobody
 * @ring: entries, @mask + 1 of them; the process's, too
 * @mask: turns an index into a place in @ring
 * @tail: the entry to take next; free running. Guarded by the lock of the queue that this is in
 * @entry: what the process maps
 */
struct siw_user_rq {
	struct siw_rqe *ring;
	u32 mask;
	u32 tail;
	struct rdma_user_mmap_entry *entry;
};

/*
 * With the queue's lock held. siw_user_rq_take() copies the oldest receive to @rqe, and gives its
 * place back; one that makes no sense, or has more than @max_sge elements, becomes one that no byte
 * fits into; false: none is posted. siw_user_rq_has(): are at least @count posted, which is no more
 * than the ring holds?
 */
bool siw_user_rq_take(struct siw_user_rq *user, struct siw_recv_wqe *rqe, u32 max_sge);
bool siw_user_rq_has(const struct siw_user_rq *user, u32 count);

#endif /* SIW_USER_RQ_H */
