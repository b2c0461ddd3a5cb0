// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion queues: a ring that the engines fill and the consumer polls, and the event that wakes
 * it.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <trace/events/siw.h>

#include "drivers/siw/cq.h"
#include "drivers/siw/siw.h"
#include "drivers/siw/stats.h"
#include "drivers/siw/user.h"
#include "drivers/siw/user_cq.h"

static u32 cq_num_waiting(const struct siw_cq *cq)
{
	lockdep_assert_held(&cq->lock);
	return cq->head - cq->tail;
}

static struct ib_wc *cq_entry(const struct siw_cq *cq, u32 index)
{
	return &cq->ring[index & (cq->size - 1)];
}

static struct ib_wc *cq_alloc_ring(u32 size)
{
	return kvcalloc(size, sizeof(struct ib_wc), GFP_KERNEL);
}

static void report_overflow(struct siw_cq *cq)
{
	struct ib_event event = {
		.device = cq->base.device,
		.element.cq = &cq->base,
		.event = IB_EVENT_CQ_ERR,
	};

	ibdev_err_ratelimited(cq->base.device, "a CQ of %d entries overflowed; completions are lost\n",
			      cq->base.cqe);
	if (cq->base.event_handler)
		cq->base.event_handler(&event, cq->base.cq_context);
}

static void deliver(struct siw_cq *cq)
{
	if (cmpxchg(&cq->overflow, SIW_CQ_OVERFLOWED, SIW_CQ_REPORTED) == SIW_CQ_OVERFLOWED)
		report_overflow(cq);
	if (xchg(&cq->event_due, false) && cq->base.comp_handler)
		cq->base.comp_handler(&cq->base, cq->base.cq_context);
}

static void cq_tasklet(struct tasklet_struct *tasklet)
{
	struct siw_cq *cq = from_tasklet(cq, tasklet, event);

	deliver(cq);
}

void siw_cq_schedule_notify(struct siw_cq *cq)
{
	if (READ_ONCE(cq->event_due))
		tasklet_schedule(&cq->event);
}

/* In the tasklet's place, unless that is running elsewhere; then it runs once more. */
void siw_cq_notify(struct siw_cq *cq)
{
	if (!READ_ONCE(cq->event_due))
		return;
	if (!tasklet_trylock(&cq->event)) {
		tasklet_schedule(&cq->event);
		return;
	}
	deliver(cq);
	tasklet_unlock(&cq->event);
}

static int cq_init_ring(struct siw_cq *cq)
{
	cq->ring = cq_alloc_ring(cq->size);
	return cq->ring ? 0 : -ENOMEM;
}

int siw_create_cq(struct ib_cq *base, const struct ib_cq_init_attr *attr, struct ib_udata *udata)
{
	struct siw_device *dev = to_siw_dev(base->device);
	struct siw_cq *cq = to_siw_cq(base);
	int ret = -ENOMEM;

	if (attr->flags)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > SIW_MAX_CQE)
		return -EINVAL;
	if (atomic_inc_return(&dev->num_cq) > SIW_MAX_CQ)
		goto uncount;
	spin_lock_init(&cq->lock);
	tasklet_setup(&cq->event, cq_tasklet);
	cq->size = roundup_pow_of_two(attr->cqe);
	base->cqe = cq->size;
	ret = udata ? siw_user_cq_make(cq, udata) : cq_init_ring(cq);
	if (ret)
		goto uncount;
	return 0;

uncount:
	atomic_dec(&dev->num_cq);
	return ret;
}

int siw_destroy_cq(struct ib_cq *base, struct ib_udata *udata)
{
	struct siw_cq *cq = to_siw_cq(base);

	tasklet_kill(&cq->event);
	siw_user_cq_end(cq);
	kvfree(cq->ring);
	atomic_dec(&to_siw_dev(base->device)->num_cq);
	return 0;
}

/* Moves what waits to a new ring; -EINVAL when it does not fit. */
static int cq_replace_ring(struct siw_cq *cq, struct ib_wc **ring, u32 size)
{
	u32 i, count = cq_num_waiting(cq);

	if (count > size)
		return -EINVAL;
	for (i = 0; i < count; i++)
		(*ring)[i] = *cq_entry(cq, cq->tail + i);
	swap(cq->ring, *ring);
	cq->size = size;
	cq->tail = 0;
	cq->head = count;
	cq->base.cqe = size;
	return 0;
}

int siw_resize_cq(struct ib_cq *base, int cqe, struct ib_udata *udata)
{
	struct siw_cq *cq = to_siw_cq(base);
	struct ib_wc *ring;
	u32 size;
	int ret;

	/* A process has its ring mapped. */
	if (siw_cq_is_user(cq))
		return -EOPNOTSUPP;
	if (cqe < 1 || cqe > SIW_MAX_CQE)
		return -EINVAL;
	size = roundup_pow_of_two(cqe);
	ring = cq_alloc_ring(size);
	if (!ring)
		return -ENOMEM;

	spin_lock_irq(&cq->lock);
	ret = cq_replace_ring(cq, &ring, size);
	spin_unlock_irq(&cq->lock);
	kvfree(ring);
	return ret;
}

int siw_poll_cq(struct ib_cq *base, int num, struct ib_wc *wc)
{
	struct siw_cq *cq = to_siw_cq(base);
	unsigned long flags;
	int i;

	spin_lock_irqsave(&cq->lock, flags);
	for (i = 0; i < num && cq->tail != cq->head; i++)
		wc[i] = *cq_entry(cq, cq->tail++);
	spin_unlock_irqrestore(&cq->lock, flags);
	return i;
}

int siw_peek_cq(struct ib_cq *base, int wc_cnt)
{
	struct siw_cq *cq = to_siw_cq(base);
	unsigned long flags;
	int count;

	spin_lock_irqsave(&cq->lock, flags);
	count = min_t(int, cq_num_waiting(cq), wc_cnt);
	spin_unlock_irqrestore(&cq->lock, flags);
	return count;
}

int siw_req_notify_cq(struct ib_cq *base, enum ib_cq_notify_flags flags)
{
	struct siw_cq *cq = to_siw_cq(base);
	unsigned long irq_flags;
	int missed;

	spin_lock_irqsave(&cq->lock, irq_flags);
	/* A wish for any completion covers one for a solicited one. */
	if (siw_cq_is_user(cq))
		siw_user_cq_arm(cq, flags);
	else
		cq->armed |= flags & IB_CQ_SOLICITED_MASK;
	missed = flags & IB_CQ_REPORT_MISSED_EVENTS && cq_num_waiting(cq);
	spin_unlock_irqrestore(&cq->lock, irq_flags);
	return missed;
}

int siw_req_ncomp_notif(struct ib_cq *base, int wc_cnt)
{
	struct siw_cq *cq = to_siw_cq(base);
	unsigned long flags;

	/* How many wait with a process, only that knows. */
	if (siw_cq_is_user(cq))
		return -EOPNOTSUPP;
	if (wc_cnt < 1 || wc_cnt > base->cqe)
		return -EINVAL;

	spin_lock_irqsave(&cq->lock, flags);
	cq->ncomp = wc_cnt;
	if (cq_num_waiting(cq) >= cq->ncomp) {
		cq->ncomp = 0;
		WRITE_ONCE(cq->event_due, true);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	siw_cq_schedule_notify(cq);
	return 0;
}

/* Whether the consumer asked for an event at this completion; each wish is granted once. */
static bool cq_event_due(struct siw_cq *cq, const struct ib_wc *wc, bool solicited)
{
	bool due = false;

	lockdep_assert_held(&cq->lock);
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

/* As siw_user_cq_add(). */
static int cq_add(struct siw_cq *cq, const struct ib_wc *wc, bool solicited)
{
	if (cq_num_waiting(cq) == cq->size)
		return -ENOSPC;
	*cq_entry(cq, cq->head++) = *wc;
	return cq_event_due(cq, wc, solicited);
}

static void overflow(struct siw_cq *cq)
{
	siw_count(to_siw_dev(cq->base.device), SIW_CQ_OVERFLOWS);
	if (cmpxchg(&cq->overflow, SIW_CQ_FITS, SIW_CQ_OVERFLOWED) == SIW_CQ_FITS)
		tasklet_schedule(&cq->event);
}

void siw_cq_add(struct siw_cq *cq, const struct ib_wc *wc, bool solicited)
{
	unsigned long flags;
	int ret;

	trace_siw_complete(wc);
	spin_lock_irqsave(&cq->lock, flags);
	ret = siw_cq_is_user(cq) ? siw_user_cq_add(cq, wc, solicited) : cq_add(cq, wc, solicited);
	if (ret < 0)
		overflow(cq);
	else if (ret)
		WRITE_ONCE(cq->event_due, true);
	spin_unlock_irqrestore(&cq->lock, flags);
}

void siw_cq_clean_qp(struct siw_cq *cq, const struct ib_qp *qp)
{
	unsigned long flags;
	u32 from, to;

	/* What a process has not polled is its own: it reads in order, and leaves nothing out. */
	if (siw_cq_is_user(cq))
		return;
	spin_lock_irqsave(&cq->lock, flags);
	for (from = to = cq->tail; from != cq->head; from++)
		if (cq_entry(cq, from)->qp != qp)
			*cq_entry(cq, to++) = *cq_entry(cq, from);
	cq->head = to;
	spin_unlock_irqrestore(&cq->lock, flags);
}
