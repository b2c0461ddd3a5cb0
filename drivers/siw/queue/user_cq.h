/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completion queues of processes: rings that the kernel fills and a process polls, each with a word
 * by which the process arms the CQ.
 */
#ifndef SIW_USER_CQ_H
#define SIW_USER_CQ_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct siw_cq;
struct siw_cq_ctrl;
struct siw_cqe;
struct soft_cq;

/**
 * struct siw_user_cq - the kernel's description of the ring that a process maps; all zero for a CQ
 *	of the kernel
 * @ring: completions, soft_cq.size of them; shared with the process
 * @ctrl: what the CQ is armed for; follows @ring in the memory that the process maps
 * @head: next free entry; free running; protected by soft_cq.lock
 * @id: number by which the library of the process names the CQ in its messages
 * @entry: the memory that the process maps
 */
struct siw_user_cq {
	struct siw_cqe *ring;
	struct siw_cq_ctrl *ctrl;
	u32 head;
	u32 id;
	struct rdma_user_mmap_entry *entry;
};

/**
 * siw_user_cq_add() - add a completion to a process's CQ, for soft_provider.user_cq_add()
 * @soft: the CQ, with its lock held
 * @wc: the completion
 * @solicited: the completion satisfies an arm request for solicited completions
 *
 * Return: 1 if the CQ was armed for the completion (the call has disarmed the CQ); 0 if it was not;
 * -ENOSPC if the ring is full.
 */
int siw_user_cq_add(struct soft_cq *soft, const struct ib_wc *wc, bool solicited);
/*
 * Returns what a process has armed its CQ for: IB_CQ_SOLICITED, IB_CQ_NEXT_COMP, or 0. Returns 0
 * for a CQ of the kernel. Any context.
 */
int siw_user_cq_armed(const struct siw_cq *cq);

#endif /* SIW_USER_CQ_H */
