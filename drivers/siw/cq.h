/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completion queues.
 */
#ifndef SIW_CQ_H
#define SIW_CQ_H

#include <linux/interrupt.h>
#include <rdma/ib_verbs.h>

#include "drivers/siw/siw.h"
#include "drivers/siw/user_cq.h"

enum siw_cq_overflow { SIW_CQ_FITS, SIW_CQ_OVERFLOWED, SIW_CQ_REPORTED };

/**
 * struct siw_cq - completion queue
 * @base: the verbs object
 * @lock: interrupts off; nests in the SQ and RQ locks
 * @size: entries in the ring, a power of two
 * @ring: completions; NULL if a process polls
 * @head: next free entry; free running
 * @tail: oldest completion; free running
 * @armed: what the consumer has armed the CQ for: IB_CQ_SOLICITED, IB_CQ_NEXT_COMP, or 0
 * @ncomp: notify when so many completions are waiting; 0: not requested
 * @user: what a process polls; @ring, @head, @tail, @armed and @ncomp then stay zero, so that the
 *	CQ looks empty
 * @overflow: whether a completion found no room, and whether the consumer was notified of it
 * @notify_pending: the completion handler has to be called; set under @lock, cleared without
 * @event: calls the handlers, outside of posts, because a poster may hold locks that they want;
 *	siw_cq_notify() takes its lock, so that handlers of one CQ never run concurrently
 */
struct siw_cq {
	struct ib_cq base;
	spinlock_t lock; /* protects the rings, their indices, armed and ncomp */
	u32 size;
	struct ib_wc *ring;
	u32 head;
	u32 tail;
	int armed;
	u32 ncomp;
	struct siw_user_cq user;
	enum siw_cq_overflow overflow;
	bool notify_pending;
	struct tasklet_struct event;
};

static inline struct siw_cq *to_siw_cq(struct ib_cq *base)
{
	return container_of(base, struct siw_cq, base);
}

static inline bool siw_cq_is_user(const struct siw_cq *cq)
{
	return cq->user.ring;
}

int siw_create_cq(struct ib_cq *base, const struct ib_cq_init_attr *attr, struct ib_udata *udata);
int siw_destroy_cq(struct ib_cq *base, struct ib_udata *udata);
int siw_resize_cq(struct ib_cq *base, int cqe, struct ib_udata *udata);
int siw_poll_cq(struct ib_cq *base, int num, struct ib_wc *wc);
int siw_peek_cq(struct ib_cq *base, int wc_cnt);
int siw_req_notify_cq(struct ib_cq *base, enum ib_cq_notify_flags flags);
int siw_req_ncomp_notif(struct ib_cq *base, int wc_cnt);

/*
 * Adds a completion. If the CQ is armed for it, the caller has the consumer notified after it has
 * added all. Any context.
 */
void siw_cq_add(struct siw_cq *cq, const struct ib_wc *wc, bool solicited);
/* If a notification is pending: schedules it. Costs a read otherwise. Any context. */
void siw_cq_schedule_notify(struct siw_cq *cq);
/* If one is pending: notifies now. Softirq context, with no lock held that a handler may want. */
void siw_cq_notify(struct siw_cq *cq);
/*
 * Removes the completions of a QP that is destroyed. Those in a process's ring stay, because the
 * process polls it in order, without gaps.
 */
void siw_cq_clean_qp(struct siw_cq *cq, const struct ib_qp *qp);

#endif /* SIW_CQ_H */
