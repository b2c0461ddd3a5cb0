/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completion queues.
 */
#ifndef SOFT_CQ_H
#define SOFT_CQ_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/mutex.h>
#include <rdma/ib_verbs.h>

enum soft_cq_overflow { SOFT_CQ_FITS, SOFT_CQ_OVERFLOWED, SOFT_CQ_REPORTED };

/**
 * struct soft_cq - completion queue
 * @base: the verbs object
 * @lock: taken with interrupts off; nests in the SQ and RQ locks
 * @size: entries in the ring, a power of two
 * @shared: a process polls a ring that the provider shares with it. @ring, @head, @tail, @armed
 *	and @ncomp stay zero then, so that the CQ looks empty
 * @ring: completions; NULL if @shared
 * @head: next free entry; free running
 * @tail: oldest completion; free running
 * @removed: entries from @tail to @head whose qp is NULL, because soft_cq_clean_qp() has removed
 *	their completions and has not closed the gap yet
 * @armed: what the consumer has armed the CQ for: IB_CQ_SOLICITED, IB_CQ_NEXT_COMP, or 0
 * @ncomp: number of waiting completions at which the consumer wants to be notified; 0 if it has not
 *	asked for that
 * @moderation: number of completions that an event waits for; 0 if events are not moderated
 * @period: longest time that an event waits
 * @held: if an event is held back, number of completions since it became due; otherwise 0
 * @overflow: whether a completion found no room, and whether the consumer was notified of it
 * @notify_pending: the completion handler has to be called; set under @lock, cleared without @lock
 * @event: tasklet that calls the handlers. Posts do not call the handlers, because a poster may
 *	hold locks that handlers take. soft_cq_notify() takes the tasklet's lock, so handlers of
 *	one CQ never run concurrently
 * @timer: ends the wait of an event that is held back, after @period
 * @ring_mutex: serialises soft_cq_clean_qp() and soft_resize_cq(), which move completions
 */
struct soft_cq {
	struct ib_cq base;
	spinlock_t lock; /* protects the ring, a shared one too, its indices, and @armed to @held */
	u32 size;
	bool shared;
	struct ib_wc *ring;
	u32 head;
	u32 tail;
	u32 removed;
	int armed;
	u32 ncomp;
	u32 moderation;
	ktime_t period;
	u32 held;
	enum soft_cq_overflow overflow;
	bool notify_pending;
	struct tasklet_struct event;
	struct hrtimer timer;
	struct mutex ring_mutex; /* serialises soft_cq_clean_qp() and soft_resize_cq() */
};

static inline struct soft_cq *to_soft_cq(struct ib_cq *base)
{
	return container_of(base, struct soft_cq, base);
}

/*
 * soft_cq_init() initialises @cq. The caller has zeroed all of @cq except @base. If @shared is
 * true, a process polls the CQ, and the provider has to create the ring, with soft_cq.size entries.
 * Returns 0; -EOPNOTSUPP if @attr has flags; -ENOMEM if memory is short, or the device has too many
 * CQs. soft_cq_exit() ends a CQ that gets no completions any more. Process context.
 */
int soft_cq_init(struct soft_cq *cq, const struct ib_cq_init_attr *attr, bool shared);
void soft_cq_exit(struct soft_cq *cq);

/*
 * verbs; soft_req_notify_cq() and soft_req_ncomp_notif() are not for CQs that a process polls,
 * because only the process knows how many completions are waiting in its ring
 */
int soft_modify_cq(struct ib_cq *base, u16 count, u16 period);
int soft_resize_cq(struct ib_cq *base, int cqe, struct ib_udata *udata);
int soft_poll_cq(struct ib_cq *base, int num, struct ib_wc *wc);
int soft_peek_cq(struct ib_cq *base, int wc_cnt);
int soft_req_notify_cq(struct ib_cq *base, enum ib_cq_notify_flags flags);
int soft_req_ncomp_notif(struct ib_cq *base, int wc_cnt);

/*
 * Adds a completion. If the CQ was armed for the completion, a notification becomes pending. The
 * caller has to call soft_cq_schedule_notify() or soft_cq_notify() after it has added all its
 * completions. Any context.
 */
void soft_cq_add(struct soft_cq *cq, const struct ib_wc *wc, bool solicited);
/*
 * Schedules the notification of the consumer if one is pending. If not, the call costs only the
 * read of a flag. Any context.
 */
void soft_cq_schedule_notify(struct soft_cq *cq);
/*
 * Notifies the consumer if a notification is pending. Softirq context, with no lock held that a
 * handler may take.
 */
void soft_cq_notify(struct soft_cq *cq);
/*
 * Removes the completions of @qp. The caller ensures that @qp adds none meanwhile. @end, which is
 * soft_sq.cq_end or soft_rq.cq_end, is the index behind the last completion of @qp; the call is
 * cheap if the consumer has polled up to @end. Completions in the ring of a process stay: a process
 * polls its ring in order, and cannot skip gaps. Process context.
 */
void soft_cq_clean_qp(struct soft_cq *cq, const struct ib_qp *qp, u32 end);

#endif /* SOFT_CQ_H */
