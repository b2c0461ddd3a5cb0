// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion queues: a ring that the consumer polls, and the event that notifies the consumer.
 * Completions are added by owners of streams (stream.c), by contexts that flush a queue, and by
 * contexts that post to a queue that was flushed.
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

/*
 * Called by the tasklet, or with the tasklet's lock held, so that handlers of one CQ never run
 * concurrently.
 */
static void cq_run_handlers(struct siw_cq *cq)
{
	if (cmpxchg(&cq->overflow, SIW_CQ_OVERFLOWED, SIW_CQ_REPORTED) == SIW_CQ_OVERFLOWED) {
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
	struct siw_cq *cq = from_tasklet(cq, tasklet, event);

	cq_run_handlers(cq);
}

void siw_cq_schedule_notify(struct siw_cq *cq)
{
	if (READ_ONCE(cq->notify_pending))
		tasklet_schedule(&cq->event);
}

void siw_cq_notify(struct siw_cq *cq)
{
	if (!READ_ONCE(cq->notify_pending))
		return;
	/* If the tasklet is running on another CPU, have it run once more. */
	if (!tasklet_trylock(&cq->event)) {
		tasklet_schedule(&cq->event);
		return;
	}
	cq_run_handlers(cq);
	tasklet_unlock(&cq->event);
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
	if (udata) {
		cq->id = atomic_inc_return(&dev->last_cq_id);
		ret = siw_user_cq_create(cq, udata);
		if (ret)
			goto uncount;
	} else {
		cq->ring = kvcalloc(cq->size, sizeof(*cq->ring), GFP_KERNEL);
		if (!cq->ring)
			goto uncount;
	}
	return 0;

uncount:
	atomic_dec(&dev->num_cq);
	return ret;
}

int siw_destroy_cq(struct ib_cq *base, struct ib_udata *udata)
{
	struct siw_cq *cq = to_siw_cq(base);

	tasklet_kill(&cq->event);
	siw_user_cq_destroy(cq);
	kvfree(cq->ring);
	atomic_dec(&to_siw_dev(base->device)->num_cq);
	return 0;
}

/*
 * Moves the completions to the new ring *@ring of @size entries, and stores the old ring in *@ring.
 * Returns 0; -EINVAL if the completions do not fit into the new ring.
 */
static int cq_replace_ring(struct siw_cq *cq, struct ib_wc **ring, u32 size)
{
	u32 i, count = cq_num_waiting(cq);

	lockdep_assert_held(&cq->lock);
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

	/* The ring of a process cannot be replaced, because the process has mapped it. */
	if (siw_cq_is_user(cq))
		return -EOPNOTSUPP;
	if (cqe < 1 || cqe > SIW_MAX_CQE)
		return -EINVAL;
	size = roundup_pow_of_two(cqe);
	ring = kvcalloc(size, sizeof(*ring), GFP_KERNEL);
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
	/* An earlier request for any completion stays valid if one for solicited ones follows. */
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

	/* In a process's ring, only the process knows how many completions are waiting. */
	if (siw_cq_is_user(cq))
		return -EOPNOTSUPP;
	if (wc_cnt < 1 || wc_cnt > base->cqe)
		return -EINVAL;

	spin_lock_irqsave(&cq->lock, flags);
	cq->ncomp = wc_cnt;
	if (cq_num_waiting(cq) >= cq->ncomp) {
		cq->ncomp = 0;
		WRITE_ONCE(cq->notify_pending, true);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	siw_cq_schedule_notify(cq);
	return 0;
}

/*
 * Adds a completion to a CQ of the kernel. Returns 1 if the consumer is to be notified, 0 if not,
 * -ENOSPC if the ring is full.
 */
static int cq_add(struct siw_cq *cq, const struct ib_wc *wc, bool solicited)
{
	u32 waiting = cq->head - cq->tail;
	bool due = false;

	lockdep_assert_held(&cq->lock);
	if (waiting == cq->size)
		return -ENOSPC;
	*cq_entry(cq, cq->head++) = *wc;
	waiting++;

	if (cq->armed & IB_CQ_NEXT_COMP ||
	    (cq->armed & IB_CQ_SOLICITED && (solicited || wc->status != IB_WC_SUCCESS))) {
		cq->armed = 0;
		due = true;
	}
	if (cq->ncomp && waiting >= cq->ncomp) {
		cq->ncomp = 0;
		due = true;
	}
	return due;
}

void siw_cq_add(struct siw_cq *cq, const struct ib_wc *wc, bool solicited)
{
	unsigned long flags;
	int ret;

	trace_siw_complete(wc);
	spin_lock_irqsave(&cq->lock, flags);
	/* A test costs less than an indirect call for each completion. */
	if (siw_cq_is_user(cq))
		ret = siw_user_cq_add(cq, wc, solicited);
	else
		ret = cq_add(cq, wc, solicited);
	if (ret > 0) {
		WRITE_ONCE(cq->notify_pending, true);
	} else if (ret < 0) {
		siw_count(to_siw_dev(cq->base.device), SIW_CQ_OVERFLOWS);
		if (cmpxchg(&cq->overflow, SIW_CQ_FITS, SIW_CQ_OVERFLOWED) == SIW_CQ_FITS)
			tasklet_schedule(&cq->event);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
}

void siw_cq_clean_qp(struct siw_cq *cq, const struct ib_qp *qp)
{
	unsigned long flags;
	u32 from, to;

	spin_lock_irqsave(&cq->lock, flags);
	for (from = to = cq->tail; from != cq->head; from++)
		if (cq_entry(cq, from)->qp != qp)
			*cq_entry(cq, to++) = *cq_entry(cq, from);
	cq->head = to;
	spin_unlock_irqrestore(&cq->lock, flags);
}
