/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completion queues of processes: rings that we fill and a process empties, and the word by which
 * it asks to be woken.
 */
#ifndef SIW_USER_CQ_H
#define SIW_USER_CQ_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct siw_cq;
struct siw_cq_ctrl;
struct siw_cqe;

/**
 * struct siw_user_cq - where a process polls; all zero: the kernel does
 * @ring: completions, siw_cq.size of them; the process's, too
 * @ctrl: what it waits for, behind @ring
 * @head: next free entry; free running. Guarded by siw_cq.lock
 * @entry: what the process maps
 */
struct siw_user_cq {
	struct siw_cqe *ring;
	struct siw_cq_ctrl *ctrl;
	u32 head;
	struct rdma_user_mmap_entry *entry;
};

/*
 * With the CQ's lock held, adds a completion: 1 the process is to be woken for it, 0 it is not,
 * -ENOSPC there is no room.
 */
int siw_user_cq_add(struct siw_cq *cq, const struct ib_wc *wc, bool solicited);
/* Arms it on the process's behalf. With the CQ's lock held. */
void siw_user_cq_arm(struct siw_cq *cq, enum ib_cq_notify_flags flags);
/* What it is armed for: IB_CQ_SOLICITED, IB_CQ_NEXT_COMP, or 0. */
int siw_user_cq_armed(const struct siw_cq *cq);

#endif /* SIW_USER_CQ_H */
