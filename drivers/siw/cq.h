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
 * @lock: guards the ring, its indices and @armed; taken with interrupts off, nests in the SQ
 *	and RQ locks
 * @size: entries in the ring
 * @ring: completions
 * @head: next free entry; free running
 * @tail: oldest completion; free running
 * @armed: what the consumer waits for: IB_CQ_SOLICITED, IB_CQ_NEXT_COMP, or 0
 * @ncomp: wake when so many are waiting; 0: not asked for
 * @user: of a process's CQ, in the place of @ring to @ncomp, by which it looks empty
 * @overflow: whether a completion found no room, and whether the consumer was told
 * @event_due: the completion handler has to be called; set with @lock held, taken without
 * @event: calls the completion handler, never inside a post, whose caller may hold locks; who
 *	does so in its place has its lock, so that handlers of one CQ never run side by side
 */
struct siw_cq {
	struct ib_cq base;
	spinlock_t lock; /* guards the ring, its indices and armed */
	u32 size;
	struct ib_wc *ring;
	u32 head;
	u32 tail;
	int armed;
	u32 ncomp;
	struct siw_user_cq user;
	enum siw_cq_overflow overflow;
	bool event_due;
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
 * siw_cq_add() adds a completion. If an event is due for it, the caller has the consumer notified
 * when all are added: siw_cq_schedule_notify() by a tasklet, from any context; siw_cq_notify() now,
 * in softirq context and with no lock held that a handler may want. Without such an event both cost
 * nothing.
 */
void siw_cq_add(struct siw_cq *cq, const struct ib_wc *wc, bool solicited);
void siw_cq_schedule_notify(struct siw_cq *cq);
void siw_cq_notify(struct siw_cq *cq);
/* Drops the completions of a QP that goes away, but not those of a process's CQ. */
void siw_cq_clean_qp(struct siw_cq *cq, const struct ib_qp *qp);

#endif /* SIW_CQ_H */
