// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shared receive queues: receive requests that QPs take, one for each message.
 *
 * A request that a QP has taken completes, or is flushed, with that QP. Requests that are still in
 * the SRQ belong to no QP, and the failure of a QP does not flush them.
 */
#include "soft/srq.h"
#include "soft/device.h"
#include "soft/wqe.h"

static u32 srq_num_waiting(const struct soft_srq *srq)
{
	lockdep_assert_held(&srq->lock);
	return srq->head - srq->tail;
}

static void srq_tasklet(struct tasklet_struct *tasklet)
{
	struct soft_srq *srq = from_tasklet(srq, tasklet, event);
	struct ib_event event = {
		.device = srq->base.device,
		.element.srq = &srq->base,
		.event = IB_EVENT_SRQ_LIMIT_REACHED,
	};

	if (srq->base.event_handler)
		srq->base.event_handler(&event, srq->base.srq_context);
}

void soft_srq_limit_reached(struct soft_srq *srq)
{
	lockdep_assert_held(&srq->lock);
	srq->limit = 0;
	tasklet_schedule(&srq->event);
}

int soft_srq_init(struct soft_srq *srq, struct ib_srq_attr *attr, bool shared)
{
	struct soft_device *dev = to_soft_dev(srq->base.device);

	if (atomic_inc_return(&dev->num_srq) > dev->base.attrs.max_srq)
		goto uncount;
	spin_lock_init(&srq->lock);
	tasklet_setup(&srq->event, srq_tasklet);
	srq->max_sge = attr->max_sge;
	srq->shared = shared;
	if (soft_recv_ring_init(&srq->ring, attr->max_wr, srq->max_sge, shared))
		goto uncount;
	/* Only the size of its ring limits the number of receives that a process posts. */
	srq->max_wr = shared ? srq->ring.mask + 1 : attr->max_wr;
	attr->max_wr = srq->max_wr;
	return 0;

uncount:
	atomic_dec(&dev->num_srq);
	return -ENOMEM;
}

void soft_srq_exit(struct soft_srq *srq)
{
	tasklet_kill(&srq->event);
	soft_recv_ring_exit(&srq->ring);
	atomic_dec(&to_soft_dev(srq->base.device)->num_srq);
}

/*
 * Changes the attributes in @mask. If *@ring has entries, moves the receives to this new ring, and
 * stores the old ring in *@ring. Returns 0; -EINVAL for values that are not possible.
 */
static int srq_modify(struct soft_srq *srq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		      struct soft_recv_ring *ring)
{
	u32 max_wr = mask & IB_SRQ_MAX_WR ? attr->max_wr : srq->max_wr;
	u32 limit = mask & IB_SRQ_LIMIT ? attr->srq_limit : srq->limit;
	u32 i;

	lockdep_assert_held(&srq->lock);
	if (srq_num_waiting(srq) > max_wr || limit > max_wr)
		return -EINVAL;
	if (ring->entries) {
		for (i = srq->tail; i != srq->head; i++)
			soft_recv_ring_copy(soft_recv_ring_at(ring, i),
					    soft_recv_ring_at(&srq->ring, i));
		swap(srq->ring, *ring);
		srq->max_wr = max_wr;
	}
	srq->limit = limit;
	if (srq_num_waiting(srq) < srq->limit)
		soft_srq_limit_reached(srq);
	if (mask & IB_SRQ_MAX_WR)
		attr->max_wr = srq->max_wr;
	if (mask & IB_SRQ_LIMIT)
		attr->srq_limit = srq->limit;
	return 0;
}

int soft_modify_srq(struct ib_srq *base, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		    struct ib_udata *udata)
{
	struct soft_srq *srq = to_soft_srq(base);
	struct soft_recv_ring ring = {};
	int ret;

	if (mask & IB_SRQ_MAX_WR && soft_recv_ring_init(&ring, attr->max_wr, srq->max_sge, false))
		return -ENOMEM;
	spin_lock_irq(&srq->lock);
	ret = srq_modify(srq, attr, mask, &ring);
	spin_unlock_irq(&srq->lock);
	soft_recv_ring_exit(&ring);
	return ret;
}

int soft_query_srq(struct ib_srq *base, struct ib_srq_attr *attr)
{
	struct soft_srq *srq = to_soft_srq(base);

	spin_lock_irq(&srq->lock);
	attr->max_wr = srq->max_wr;
	attr->max_sge = srq->max_sge;
	attr->srq_limit = srq->limit;
	spin_unlock_irq(&srq->lock);
	return 0;
}

int soft_post_srq_recv(struct ib_srq *base, const struct ib_recv_wr *wr,
		       const struct ib_recv_wr **bad_wr)
{
	struct soft_srq *srq = to_soft_srq(base);
	u32 left = SOFT_POST_BATCH;
	unsigned long flags;
	int ret = 0;

	/* A process posts to the ring that it has mapped, and not by this call. */
	if (WARN_ON_ONCE(srq->shared)) {
		*bad_wr = wr;
		return -EINVAL;
	}
	spin_lock_irqsave(&srq->lock, flags);
	for (; wr; wr = wr->next, left--) {
		if (!left) {
			/* Enable interrupts for a moment. */
			spin_unlock_irqrestore(&srq->lock, flags);
			left = SOFT_POST_BATCH;
			spin_lock_irqsave(&srq->lock, flags);
		}
		if (srq_num_waiting(srq) == srq->max_wr)
			ret = -ENOMEM;
		else
			ret = soft_recv_wqe_build(soft_recv_ring_at(&srq->ring, srq->head), wr,
						  srq->max_sge);
		if (ret) {
			*bad_wr = wr;
			break;
		}
		srq->head++;
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	return ret;
}

bool soft_srq_pop(struct soft_srq *srq, struct soft_recv_wqe *wqe)
{
	unsigned long flags;
	bool found;

	spin_lock_irqsave(&srq->lock, flags);
	found = srq->tail != srq->head;
	if (found) {
		soft_recv_ring_copy(wqe, soft_recv_ring_at(&srq->ring, srq->tail++));
		if (srq_num_waiting(srq) < srq->limit)
			soft_srq_limit_reached(srq);
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	return found;
}
