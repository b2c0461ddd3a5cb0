// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The state of a QP: references, the connection that it is bound to, verbs states, asynchronous
 * events, flushing.
 */
#include <trace/events/siw.h>

#include "drivers/siw/queue/qp_state.h"
#include "drivers/siw/base/siw.h"
#include "drivers/siw/queue/rq.h"
#include "drivers/siw/queue/sq.h"

/*
 * Flushes QPs of the kernel. WQ_MEM_RECLAIM, because reclaim may depend on the completions. QPs of
 * processes are flushed on system_dfl_wq, so that they do not delay QPs of the kernel.
 */
static struct workqueue_struct *flush_wq;

int siw_flush_init(void)
{
	flush_wq = alloc_workqueue("siw_flush", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return flush_wq ? 0 : -ENOMEM;
}

void siw_flush_exit(void)
{
	destroy_workqueue(flush_wq);
}

struct siw_qp *siw_qp_find(struct siw_device *dev, u32 qpn)
{
	struct siw_qp *qp;

	xa_lock_bh(&dev->qps);
	qp = xa_load(&dev->qps, qpn);
	/* A QP leaves the table before its first reference is dropped. */
	if (qp)
		siw_qp_get(qp);
	xa_unlock_bh(&dev->qps);
	return qp;
}

void siw_qp_get(struct siw_qp *qp)
{
	kref_get(&qp->ref);
}

static void qp_release(struct kref *ref)
{
	complete(&container_of(ref, struct siw_qp, ref)->freed);
}

void siw_qp_put(struct siw_qp *qp)
{
	kref_put(&qp->ref, qp_release);
}

int siw_qp_bind(struct siw_qp *qp, struct siw_cep *cep)
{
	int ret = 0;

	spin_lock_irq(&qp->state_lock);
	/*
	 * Refuse a QP that is being destroyed: siw_destroy_qp() unbinds only once, and would wait
	 * for a connection that is bound after that.
	 */
	if (qp->cep)
		ret = -EISCONN;
	else if (READ_ONCE(qp->destroying) || qp->resetting || qp->soft.state > IB_QPS_RTR)
		ret = -EINVAL;
	else
		qp->cep = cep;
	spin_unlock_irq(&qp->state_lock);
	return ret;
}

struct siw_cep *siw_qp_unbind(struct siw_qp *qp, struct siw_cep *cep)
{
	unsigned long flags;
	struct siw_cep *bound;

	spin_lock_irqsave(&qp->state_lock, flags);
	bound = !cep || qp->cep == cep ? qp->cep : NULL;
	if (bound)
		qp->cep = NULL;
	spin_unlock_irqrestore(&qp->state_lock, flags);
	return bound;
}

static void qp_event_tasklet(struct tasklet_struct *tasklet)
{
	struct siw_qp *qp = from_tasklet(qp, tasklet, event);
	unsigned long events = xchg(&qp->events, 0);
	int event;

	for_each_set_bit(event, &events, BITS_PER_LONG) {
		struct ib_event record = {
			.device = qp->soft.base.device,
			.element.qp = &qp->soft.base,
			.event = event,
		};

		trace_siw_qp_event(&qp->soft.base, event);
		if (qp->soft.base.event_handler)
			qp->soft.base.event_handler(&record, qp->soft.base.qp_context);
	}
}

void siw_qp_event(struct siw_qp *qp, enum ib_event_type event)
{
	BUILD_BUG_ON(IB_EVENT_WQ_FATAL >= BITS_PER_LONG);
	if (READ_ONCE(qp->destroying))
		return;
	set_bit(event, &qp->events);
	tasklet_schedule(&qp->event);
}

static void qp_set_state(struct siw_qp *qp, enum ib_qp_state state)
{
	lockdep_assert_held(&qp->state_lock);
	if (qp->soft.state != state)
		trace_siw_qp_state(&qp->soft.base, qp->soft.state, state);
	WRITE_ONCE(qp->soft.state, state);
}

int siw_qp_connected(struct siw_qp *qp)
{
	unsigned long flags;
	int ret = -EINVAL;

	spin_lock_irqsave(&qp->state_lock, flags);
	if (qp->soft.state <= IB_QPS_RTR) {
		qp_set_state(qp, IB_QPS_RTS);
		ret = 0;
	}
	spin_unlock_irqrestore(&qp->state_lock, flags);
	return ret;
}

int siw_qp_begin_reset(struct siw_qp *qp)
{
	int ret = 0;

	spin_lock_irq(&qp->state_lock);
	/* In RTS and SQD, a QP has a connection; it is in ERR before it loses the connection. */
	if (qp->cep) {
		ret = -EBUSY;
	} else {
		qp->resetting = true;
		qp_set_state(qp, IB_QPS_RESET);
	}
	spin_unlock_irq(&qp->state_lock);
	if (!ret)
		cancel_work_sync(&qp->flush_work);
	return ret;
}

void siw_qp_end_reset(struct siw_qp *qp)
{
	spin_lock_irq(&qp->state_lock);
	qp->resetting = false;
	spin_unlock_irq(&qp->state_lock);
}

int siw_qp_modify_unconnected(struct siw_qp *qp, enum ib_qp_state to)
{
	unsigned long flags;
	int ret = -EINVAL;

	spin_lock_irqsave(&qp->state_lock, flags);
	if (qp->soft.state <= to) {
		qp_set_state(qp, to);
		ret = 0;
	}
	spin_unlock_irqrestore(&qp->state_lock, flags);
	return ret;
}

int siw_qp_drain(struct siw_qp *qp)
{
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&qp->state_lock, flags);
	if (qp->soft.state == IB_QPS_RTS)
		qp_set_state(qp, IB_QPS_SQD);
	else if (qp->soft.state != IB_QPS_SQD && qp->soft.state != IB_QPS_ERR)
		ret = -EINVAL;
	spin_unlock_irqrestore(&qp->state_lock, flags);
	return ret;
}

void siw_qp_set_err(struct siw_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->state_lock, flags);
	if (qp->soft.state != IB_QPS_ERR && qp->soft.base.srq)
		siw_qp_event(qp, IB_EVENT_QP_LAST_WQE_REACHED);
	qp_set_state(qp, IB_QPS_ERR);
	spin_unlock_irqrestore(&qp->state_lock, flags);
}

void siw_qp_flush(struct siw_qp *qp)
{
	bool more_sends = siw_sq_flush(qp);
	bool more_recvs = siw_rq_flush(qp);

	if (more_sends || more_recvs)
		queue_work(siw_qp_is_user(qp) ? system_dfl_wq : flush_wq, &qp->flush_work);
}

static void qp_flush_work(struct work_struct *work)
{
	siw_qp_flush(container_of(work, struct siw_qp, flush_work));
}

void siw_qp_state_init(struct siw_qp *qp)
{
	kref_init(&qp->ref);
	init_completion(&qp->freed);
	spin_lock_init(&qp->state_lock);
	mutex_init(&qp->modify);
	qp->soft.state = IB_QPS_RESET;
	tasklet_setup(&qp->event, qp_event_tasklet);
	INIT_WORK(&qp->flush_work, qp_flush_work);
}

void siw_qp_state_exit(struct siw_qp *qp)
{
	tasklet_kill(&qp->event);
	cancel_work_sync(&qp->flush_work);
	mutex_destroy(&qp->modify);
}
