// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shared receive queues: a stock of receives that QPs take from, message by message.
 *
 * What a QP has taken is its own, and completes or is flushed with it. What is left is nobody's: no
 * QP's failure flushes it.
 */
#include <linux/log2.h>
#include <linux/mm.h>

#include "drivers/siw/srq.h"
#include "drivers/siw/siw.h"
#include "drivers/siw/user.h"
#include "drivers/siw/user_rq.h"
#include "drivers/siw/wqe.h"

static u32 srq_num_waiting(const struct siw_srq *srq)
{
	lockdep_assert_held(&srq->lock);
	return srq->head - srq->tail;
}

static bool has(const struct siw_srq *srq, u32 count)
{
	lockdep_assert_held(&srq->lock);
	if (siw_srq_is_user(srq))
		return siw_user_rq_has(&srq->user, count);
	return srq_num_waiting(srq) >= count;
}

static struct siw_recv_wqe *srq_alloc_ring(u32 max_wr)
{
	return kvcalloc(roundup_pow_of_two(max_wr), sizeof(struct siw_recv_wqe), GFP_KERNEL);
}

static void dispatch_limit_event(struct tasklet_struct *tasklet)
{
	struct siw_srq *srq = from_tasklet(srq, tasklet, event);
	struct ib_event event = {
		.device = srq->base.device,
		.element.srq = &srq->base,
		.event = IB_EVENT_SRQ_LIMIT_REACHED,
	};

	if (srq->base.event_handler)
		srq->base.event_handler(&event, srq->base.srq_context);
}

/* A limit is good for one event. */
static void check_limit(struct siw_srq *srq)
{
	if (has(srq, srq->limit))
		return;
	srq->limit = 0;
	tasklet_schedule(&srq->event);
}

static int srq_init_ring(struct siw_srq *srq)
{
	srq->ring = srq_alloc_ring(srq->max_wr);
	return srq->ring ? 0 : -ENOMEM;
}

int siw_create_srq(struct ib_srq *base, struct ib_srq_init_attr *attr, struct ib_udata *udata)
{
	struct siw_device *dev = to_siw_dev(base->device);
	struct siw_srq *srq = to_siw_srq(base);
	int ret = -ENOMEM;

	if (attr->attr.max_wr > SIW_MAX_SRQ_WR || attr->attr.max_sge > SIW_SGE_MAX)
		return -EINVAL;
	if (atomic_inc_return(&dev->num_srq) > SIW_MAX_SRQ)
		goto uncount;
	spin_lock_init(&srq->lock);
	tasklet_setup(&srq->event, dispatch_limit_event);
	srq->mask = roundup_pow_of_two(attr->attr.max_wr) - 1;
	/* A process posts what fits into the ring: nobody else counts. */
	srq->max_wr = udata ? srq->mask + 1 : attr->attr.max_wr;
	srq->max_sge = attr->attr.max_sge;
	ret = udata ? siw_user_srq_make(srq, udata) : srq_init_ring(srq);
	if (ret)
		goto uncount;
	attr->attr.max_wr = srq->max_wr;
	return 0;

uncount:
	atomic_dec(&dev->num_srq);
	return ret;
}

/* Moves what waits to a ring of @max_wr entries, and leaves the old one in its place. */
static void srq_replace_ring(struct siw_srq *srq, struct siw_recv_wqe **ring, u32 max_wr)
{
	u32 mask = roundup_pow_of_two(max_wr) - 1;
	u32 i;

	lockdep_assert_held(&srq->lock);
	for (i = srq->tail; i != srq->head; i++)
		(*ring)[i & mask] = srq->ring[i & srq->mask];
	swap(srq->ring, *ring);
	srq->mask = mask;
	srq->max_wr = max_wr;
}

/* @ring: for the new size, or NULL to keep the one there is. */
static int modify(struct siw_srq *srq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		  struct siw_recv_wqe **ring)
{
	u32 max_wr = mask & IB_SRQ_MAX_WR ? attr->max_wr : srq->max_wr;
	u32 limit = mask & IB_SRQ_LIMIT ? attr->srq_limit : srq->limit;

	lockdep_assert_held(&srq->lock);
	if (srq_num_waiting(srq) > max_wr || limit > max_wr)
		return -EINVAL;
	if (*ring)
		srq_replace_ring(srq, ring, max_wr);
	srq->limit = limit;
	check_limit(srq);
	if (mask & IB_SRQ_MAX_WR)
		attr->max_wr = srq->max_wr;
	if (mask & IB_SRQ_LIMIT)
		attr->srq_limit = srq->limit;
	return 0;
}

int siw_modify_srq(struct ib_srq *base, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		   struct ib_udata *udata)
{
	struct siw_srq *srq = to_siw_srq(base);
	struct siw_recv_wqe *ring = NULL;
	int ret;

	if (mask & IB_SRQ_MAX_WR) {
		/* A process has its ring mapped. */
		if (siw_srq_is_user(srq))
			return -EOPNOTSUPP;
		if (!attr->max_wr || attr->max_wr > SIW_MAX_SRQ_WR)
			return -EINVAL;
		ring = srq_alloc_ring(attr->max_wr);
		if (!ring)
			return -ENOMEM;
	}
	spin_lock_irq(&srq->lock);
	ret = modify(srq, attr, mask, &ring);
	spin_unlock_irq(&srq->lock);
	kvfree(ring);
	return ret;
}

int siw_query_srq(struct ib_srq *base, struct ib_srq_attr *attr)
{
	struct siw_srq *srq = to_siw_srq(base);

	spin_lock_irq(&srq->lock);
	attr->max_wr = srq->max_wr;
	attr->max_sge = srq->max_sge;
	attr->srq_limit = srq->limit;
	spin_unlock_irq(&srq->lock);
	return 0;
}

/* No QP takes from it any more. */
int siw_destroy_srq(struct ib_srq *base, struct ib_udata *udata)
{
	struct siw_srq *srq = to_siw_srq(base);

	tasklet_kill(&srq->event);
	siw_user_srq_end(srq);
	kvfree(srq->ring);
	atomic_dec(&to_siw_dev(base->device)->num_srq);
	return 0;
}

static int srq_post_one(struct siw_srq *srq, const struct ib_recv_wr *wr)
{
	int ret;

	if (srq_num_waiting(srq) == srq->max_wr)
		return -ENOMEM;
	ret = siw_recv_wqe_fill(&srq->ring[srq->head & srq->mask], wr, srq->max_sge);
	if (!ret)
		srq->head++;
	return ret;
}

int siw_post_srq_recv(struct ib_srq *base, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr)
{
	struct siw_srq *srq = to_siw_srq(base);
	unsigned long flags;
	int ret = 0;

	/* A process posts by itself. */
	if (siw_srq_is_user(srq)) {
		*bad_wr = wr;
		return -EINVAL;
	}
	spin_lock_irqsave(&srq->lock, flags);
	for (; wr; wr = wr->next) {
		ret = srq_post_one(srq, wr);
		if (ret) {
			*bad_wr = wr;
			break;
		}
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	return ret;
}

static bool srq_pop(struct siw_srq *srq, struct siw_recv_wqe *rqe)
{
	if (srq->tail == srq->head)
		return false;
	*rqe = srq->ring[srq->tail++ & srq->mask];
	return true;
}

bool siw_srq_take(struct siw_srq *srq, struct siw_recv_wqe *rqe)
{
	unsigned long flags;
	bool found;

	spin_lock_irqsave(&srq->lock, flags);
	if (siw_srq_is_user(srq))
		found = siw_user_rq_take(&srq->user, rqe, srq->max_sge);
	else
		found = srq_pop(srq, rqe);
	if (found)
		check_limit(srq);
	spin_unlock_irqrestore(&srq->lock, flags);
	return found;
}
