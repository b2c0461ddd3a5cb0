/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completion queues.
 */
#ifndef SIW_CQ_H
#define SIW_CQ_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/mutex.h>
#include <rdma/ib_verbs.h>

#include "drivers/siw/base/siw.h"
#include "drivers/siw/queue/user_cq.h"

enum siw_cq_overflow { SIW_CQ_FITS, SIW_CQ_OVERFLOWED, SIW_CQ_REPORTED };

/**
 * struct siw_cq - completion queue
 * @base: the verbs object
 * @lock: taken with interrupts off; nests in the SQ and RQ locks
 * @size: entries in the ring, a power of two
 * @id: number by which the library of a process names the CQ in its messages
 * @ring: completions; NULL if a process polls
 * @head: next free entry; free running
 * @tail: oldest completion; free running
 * @removed: entries from @tail to @head whose qp is NULL, because siw_cq_clean_qp() has removed
 *	their completions and has not closed the gap yet
 * @armed: what the consumer has armed the CQ for: IB_CQ_SOLICITED, IB_CQ_NEXT_COMP, or 0
 * @ncomp: number of waiting completions at which the consumer wants to be notified; 0 if it has not
 *	asked for that
 * @moderation: number of completions that an event waits for; 0 if events are not moderated
 * @period: time that an event waits at most
 * @held: number of completions since the event that is held back was due; 0 if none is held back
 * @user: ring that a process polls. For such a CQ, @ring, @head, @tail, @armed and @ncomp stay
 *	zero, so that the CQ looks empty
 * @overflow: whether a completion found no room, and whether the consumer was notified of it
 * @notify_pending: the completion handler has to be called; set under @lock, cleared without @lock
 * @event: tasklet that calls the handlers. Posts do not call them, because a poster may hold locks
 *	that handlers take. siw_cq_notify() takes the tasklet's lock, so handlers of one CQ
 *	never run concurrently
 * @timer: ends the wait of an event
 * @ring_mutex: serialises siw_cq_clean_qp() and siw_resize_cq(), which move completions
 */
struct siw_cq {
	struct ib_cq base;
	spinlock_t lock; /* protects the rings, their indices, and @armed to @held */
	u32 size;
	u32 id;
	struct ib_wc *ring;
	u32 head;
	u32 tail;
	u32 removed;
	int armed;
	u32 ncomp;
	u32 moderation;
	ktime_t period;
	u32 held;
	struct siw_user_cq user;
	enum siw_cq_overflow overflow;
	bool notify_pending;
	struct tasklet_struct event;
	struct hrtimer timer;
	struct mutex ring_mutex; /* serialises siw_cq_clean_qp() and siw_resize_cq() */
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
int siw_modify_cq(struct ib_cq *base, u16 count, u16 period);
int siw_destroy_cq(struct ib_cq *base, struct ib_udata *udata);
int siw_resize_cq(struct ib_cq *base, int cqe, struct ib_udata *udata);
int siw_poll_cq(struct ib_cq *base, int num, struct ib_wc *wc);
int siw_peek_cq(struct ib_cq *base, int wc_cnt);
int siw_req_notify_cq(struct ib_cq *base, enum ib_cq_notify_flags flags);
int siw_req_ncomp_notif(struct ib_cq *base, int wc_cnt);

/*
 * Adds a completion. If the CQ was armed for the completion, a notification becomes pending. The
 * caller has to call one of the next two functions after it has added all its completions. Any
 * context.
 */
void siw_cq_add(struct siw_cq *cq, const struct ib_wc *wc, bool solicited);
/*
 * Schedules the notification of the consumer if one is pending. If not, the call costs only the
 * read of a flag. Any context.
 */
void siw_cq_schedule_notify(struct siw_cq *cq);
/*
 * Notifies the consumer if a notification is pending. Softirq context, with no lock held that a
 * handler may take.
 */
void siw_cq_notify(struct siw_cq *cq);
/*
 * Removes the completions of @qp. The caller ensures that @qp adds none meanwhile. @end is
 * siw_sq.cq_end or siw_rq.cq_end of the queue that completes to @cq; the call is cheap if the
 * consumer has polled up to @end. Completions in the ring of a process stay, because the process
 * polls its ring in order, without gaps. Process context.
 */
void siw_cq_clean_qp(struct siw_cq *cq, const struct ib_qp *qp, u32 end);

#endif /* SIW_CQ_H */
