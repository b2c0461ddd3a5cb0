// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion queues: a ring that the consumer polls, and the event that notifies the consumer.
 * Completions are added by the provider, by contexts that flush a queue, and by contexts that post
 * to a queue that was flushed.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "soft/cq.h"
#include "soft/counter.h"
#include "soft/device.h"
#include "soft/qp.h"
#include "soft/trace.h"

/* Largest number of completions that are moved while interrupts are off. */
#define CQ_BATCH	256u

static u32 cq_num_waiting(const struct soft_cq *cq)
{
	lockdep_assert_held(&cq->lock);
	return cq->head - cq->tail - cq->removed;
}

static struct ib_wc *cq_entry(const struct soft_cq *cq, u32 index)
{
	return &cq->ring[index & (cq->size - 1)];
}

/*
 * Called by the tasklet, or with the tasklet's lock held, so that handlers of one CQ never run
 * concurrently.
 */
static void cq_run_handlers(struct soft_cq *cq)
{
	if (cmpxchg(&cq->overflow, SOFT_CQ_OVERFLOWED, SOFT_CQ_REPORTED) == SOFT_CQ_OVERFLOWED) {
		struct ib_event event = {
			.device = cq->base.device,
			.element.cq = &cq->base,
			.event = IB_EVENT_CQ_ERR,
		};

		ibdev_err_ratelimited(cq->base.device,
				      "a CQ of %d entries overflowed; completions are lost\n",
				      cq->base.cqe);
		if (cq->base.event_handler)
			cq->base.event_handler(&event, cq->base.cq_context);
	}
	if (xchg(&cq->notify_pending, false) && cq->base.comp_handler)
		cq->base.comp_handler(&cq->base, cq->base.cq_context);
}

static void cq_tasklet(struct tasklet_struct *tasklet)
{
	struct soft_cq *cq = from_tasklet(cq, tasklet, event);

	cq_run_handlers(cq);
}

void soft_cq_schedule_notify(struct soft_cq *cq)
{
	if (READ_ONCE(cq->notify_pending))
		tasklet_schedule(&cq->event);
}

void soft_cq_notify(struct soft_cq *cq)
{
	if (!READ_ONCE(cq->notify_pending))
		return;
	/* If the tasklet is running on another CPU, make it run once more. */
	if (!tasklet_trylock(&cq->event)) {
		tasklet_schedule(&cq->event);
		return;
	}
	cq_run_handlers(cq);
	tasklet_unlock(&cq->event);
}

/* Schedules an event that has waited for the CQ's period. */
static enum hrtimer_restart cq_timer(struct hrtimer *timer)
{
	struct soft_cq *cq = container_of(timer, struct soft_cq, timer);
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	if (cq->held) {
		cq->held = 0;
		WRITE_ONCE(cq->notify_pending, true);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	soft_cq_schedule_notify(cq);
	return HRTIMER_NORESTART;
}

/*
 * Allocates a ring. One of more than a page takes whole pages, because kmalloc() would round it up
 * to a power of two, which the size of an entry is far from.
 */
static struct ib_wc *cq_ring_alloc(u32 size)
{
	const size_t bytes = size * sizeof(struct ib_wc);
	struct ib_wc *ring;

	if (bytes <= PAGE_SIZE)
		return kmalloc(bytes, GFP_KERNEL);
	ring = alloc_pages_exact(bytes, GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	return ring ?: vmalloc(bytes);
}

/* Frees a ring with @size entries. @ring may be NULL. */
static void cq_ring_free(struct ib_wc *ring, u32 size)
{
	const size_t bytes = size * sizeof(struct ib_wc);

	if (!ring || bytes <= PAGE_SIZE || is_vmalloc_addr(ring))
		kvfree(ring);
	else
		free_pages_exact(ring, bytes);
}

int soft_cq_init(struct soft_cq *cq, const struct ib_cq_init_attr *attr, bool shared)
{
	struct soft_device *dev = to_soft_dev(cq->base.device);

	if (attr->flags)
		return -EOPNOTSUPP;
	if (atomic_inc_return(&dev->num_cq) > dev->base.attrs.max_cq)
		goto uncount;
	spin_lock_init(&cq->lock);
	mutex_init(&cq->ring_mutex);
	tasklet_setup(&cq->event, cq_tasklet);
	hrtimer_setup(&cq->timer, cq_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	cq->size = roundup_pow_of_two(attr->cqe);
	cq->base.cqe = cq->size;
	cq->shared = shared;
	if (shared)
		return 0;
	cq->ring = cq_ring_alloc(cq->size);
	if (cq->ring)
		return 0;

uncount:
	atomic_dec(&dev->num_cq);
	return -ENOMEM;
}

void soft_cq_exit(struct soft_cq *cq)
{
	hrtimer_cancel(&cq->timer);
	tasklet_kill(&cq->event);
	cq_ring_free(cq->ring, cq->size);
	atomic_dec(&to_soft_dev(cq->base.device)->num_cq);
}

int soft_modify_cq(struct ib_cq *base, u16 count, u16 period)
{
	struct soft_cq *cq = to_soft_cq(base);

	spin_lock_irq(&cq->lock);
	cq->moderation = count > 1 && period ? count : 0;
	cq->period = ns_to_ktime((u64)period * NSEC_PER_USEC);
	/* An event that is held back waits by the old limits, so notify the consumer now. */
	if (cq->held) {
		cq->held = 0;
		WRITE_ONCE(cq->notify_pending, true);
	}
	spin_unlock_irq(&cq->lock);
	soft_cq_schedule_notify(cq);
	return 0;
}

/*
 * Copies the completions to a new ring, a batch at a time; each completion keeps its index. A
 * batch begins where the previous batch has ended or, if the consumer has polled further than
 * that, at the oldest completion that is left. The lock is held from the copy of the last
 * completion to the swap of the rings, so that no completion is added in between.
 */
int soft_resize_cq(struct ib_cq *base, int cqe, struct ib_udata *udata)
{
	struct soft_cq *cq = to_soft_cq(base);
	u32 size, left, i;
	struct ib_wc *ring;
	int ret = -EAGAIN;

	/* The ring of a process cannot be replaced, because the process has mapped it. */
	if (cq->shared)
		return -EOPNOTSUPP;
	size = roundup_pow_of_two(cqe);
	ring = cq_ring_alloc(size);
	if (!ring)
		return -ENOMEM;

	mutex_lock(&cq->ring_mutex);
	i = READ_ONCE(cq->tail);
	while (ret == -EAGAIN) {
		spin_lock_irq(&cq->lock);
		if ((s32)(cq->tail - i) > 0)
			i = cq->tail;
		for (left = CQ_BATCH; left && i != cq->head; left--, i++)
			ring[i & (size - 1)] = *cq_entry(cq, i);
		if (cq_num_waiting(cq) > size) {
			ret = -EINVAL;
		} else if (i == cq->head) {
			swap(cq->ring, ring);
			swap(cq->size, size);
			base->cqe = cq->size;
			ret = 0;
		}
		spin_unlock_irq(&cq->lock);
		cond_resched();
	}
	mutex_unlock(&cq->ring_mutex);
	cq_ring_free(ring, size);
	return ret;
}

int soft_poll_cq(struct ib_cq *base, int num, struct ib_wc *wc)
{
	struct soft_cq *cq = to_soft_cq(base);
	const struct ib_wc *entry;
	u32 left = CQ_BATCH;
	unsigned long flags;
	int i = 0;

	spin_lock_irqsave(&cq->lock, flags);
	while (i < num && cq->tail != cq->head) {
		entry = cq_entry(cq, cq->tail++);
		if (likely(entry->qp)) {
			wc[i++] = *entry;
			continue;
		}
		cq->removed--;
		if (!--left) {
			/*
			 * Enable interrupts for a moment, because a destroyed QP may leave a long
			 * gap.
			 */
			spin_unlock_irqrestore(&cq->lock, flags);
			left = CQ_BATCH;
			spin_lock_irqsave(&cq->lock, flags);
		}
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return i;
}

int soft_peek_cq(struct ib_cq *base, int wc_cnt)
{
	struct soft_cq *cq = to_soft_cq(base);
	unsigned long flags;
	int count;

	spin_lock_irqsave(&cq->lock, flags);
	count = min_t(int, cq_num_waiting(cq), wc_cnt);
	spin_unlock_irqrestore(&cq->lock, flags);
	return count;
}

int soft_req_notify_cq(struct ib_cq *base, enum ib_cq_notify_flags flags)
{
	struct soft_cq *cq = to_soft_cq(base);
	unsigned long irq_flags;
	int missed;

	spin_lock_irqsave(&cq->lock, irq_flags);
	/* A CQ that is armed for any completion stays armed for any. */
	cq->armed |= flags & IB_CQ_SOLICITED_MASK;
	missed = flags & IB_CQ_REPORT_MISSED_EVENTS && cq_num_waiting(cq);
	spin_unlock_irqrestore(&cq->lock, irq_flags);
	return missed;
}

int soft_req_ncomp_notif(struct ib_cq *base, int wc_cnt)
{
	struct soft_cq *cq = to_soft_cq(base);
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	cq->ncomp = wc_cnt;
	if (cq_num_waiting(cq) >= cq->ncomp) {
		cq->ncomp = 0;
		WRITE_ONCE(cq->notify_pending, true);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	soft_cq_schedule_notify(cq);
	return 0;
}

/*
 * Adds a completion to a CQ of the kernel. Returns 1 if the consumer is to be notified, 0 if not,
 * -ENOSPC if the ring is full.
 */
static int cq_add(struct soft_cq *cq, const struct ib_wc *wc, bool solicited)
{
	struct soft_qp *qp = to_soft_qp(wc->qp);
	bool due = false;

	lockdep_assert_held(&cq->lock);
	if (cq->head - cq->tail == cq->size)
		return -ENOSPC;
	*cq_entry(cq, cq->head++) = *wc;
	if (wc->opcode & IB_WC_RECV)
		qp->rq.cq_end = cq->head;
	else
		qp->sq.cq_end = cq->head;

	if (cq->armed & IB_CQ_NEXT_COMP ||
	    (cq->armed & IB_CQ_SOLICITED && (solicited || wc->status != IB_WC_SUCCESS))) {
		cq->armed = 0;
		due = true;
	}
	if (cq->ncomp && cq_num_waiting(cq) >= cq->ncomp) {
		cq->ncomp = 0;
		due = true;
	}
	return due;
}

/*
 * Counts a new completion of a CQ whose events are moderated. @due: the consumer has armed the CQ
 * for this completion. Returns whether to notify the consumer now. The first completion for which
 * an event is due starts the timer. When enough completions have come, the timer keeps running,
 * because stopping it costs more than letting it expire with nothing to do.
 */
static bool cq_moderate(struct soft_cq *cq, bool due)
{
	lockdep_assert_held(&cq->lock);
	if (!cq->held && !due)
		return false;
	if (!cq->held)
		hrtimer_start(&cq->timer, cq->period, HRTIMER_MODE_REL_SOFT);
	if (++cq->held < cq->moderation)
		return false;
	cq->held = 0;
	return true;
}

void soft_cq_add(struct soft_cq *cq, const struct ib_wc *wc, bool solicited)
{
	struct soft_device *dev = to_soft_dev(cq->base.device);
	unsigned long flags;
	int ret;

	soft_trace(wc->qp->device, complete, wc);
	spin_lock_irqsave(&cq->lock, flags);
	/* Test @shared first, so that completions of a kernel CQ cost no indirect call. */
	if (cq->shared)
		ret = dev->provider->user_cq_add(cq, wc, solicited);
	else
		ret = cq_add(cq, wc, solicited);
	if (cq->moderation && ret >= 0)
		ret = cq_moderate(cq, ret);
	if (ret > 0) {
		WRITE_ONCE(cq->notify_pending, true);
	} else if (ret < 0) {
		soft_count(dev, dev->provider->cq_overflows);
		if (cmpxchg(&cq->overflow, SOFT_CQ_FITS, SOFT_CQ_OVERFLOWED) == SOFT_CQ_FITS)
			tasklet_schedule(&cq->event);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
}

/*
 * Goes through CQ_BATCH entries at most, beginning at *@from; removes the completions of @qp, and
 * moves those of other QPs down to *@to. Both positions advance, and leave a gap of soft_cq.removed
 * entries from *@to to *@from. When *@from has come to the head, the head moves back to *@to, and
 * there is no gap any more. Returns whether there is more to move.
 */
static bool cq_close_gap(struct soft_cq *cq, const struct ib_qp *qp, u32 *from, u32 *to)
{
	struct ib_wc *entry;
	u32 left;
	bool more;

	spin_lock_irq(&cq->lock);
	/* The consumer may have polled on, into the gap or past it. */
	if ((s32)(cq->tail - *to) > 0)
		*to = cq->tail;
	if ((s32)(cq->tail - *from) > 0)
		*from = cq->tail;
	for (left = CQ_BATCH; left && *from != cq->head; left--, ++*from) {
		entry = cq_entry(cq, *from);
		if (entry->qp == qp) {
			entry->qp = NULL;
			cq->removed++;
			continue;
		}
		if (*to != *from) {
			*cq_entry(cq, *to) = *entry;
			entry->qp = NULL;
		}
		++*to;
	}
	more = *from != cq->head;
	if (!more) {
		cq->head = *to;
		cq->removed = 0;
	}
	spin_unlock_irq(&cq->lock);
	return more;
}

void soft_cq_clean_qp(struct soft_cq *cq, const struct ib_qp *qp, u32 end)
{
	u32 from, to;

	might_sleep();
	mutex_lock(&cq->ring_mutex);
	from = READ_ONCE(cq->tail);
	to = from;
	/* Completions move only towards the tail, so no completion of @qp is at or beyond @end. */
	if ((s32)(end - from) > 0)
		while (cq_close_gap(cq, qp, &from, &to))
			cond_resched();
	mutex_unlock(&cq->ring_mutex);
}
