// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * CQs that the core polls for a ULP: in softirq, in a work item, or in ib_process_cq_direct().
 *
 * A completion event schedules the poller of the CQ's context. The poller polls completions in
 * batches, calls done() for each, and arms the CQ when the CQ is empty. If a completion arrives
 * between the last poll and the arming, ib_req_notify_cq() reports this, and the poller is
 * scheduled again.
 *
 * ib_cq.pollers counts the contexts that may schedule the poller. The CQ is not freed while such a
 * context exists. An event handler holds a count while it schedules the poller. A softirq poller
 * holds a count until it returns, because after its irq_poll_complete() nothing else keeps
 * ib_free_cq() from freeing the CQ. verbs_cq_free_ulp() first waits until no count is held. From
 * then on, no poller can be scheduled. A poller may still be scheduled from before; poller.stop
 * cancels this poller, or waits for it.
 *
 * A work item begins at high priority, so that completions do not wait until busy processes give up
 * the CPU. All work items on a CPU together get a quarter of the CPU's time at high priority. Work
 * beyond this is done at normal priority, and so shares the CPU with processes.
 */
#include "verbs/cq.h"

#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/wait_bit.h>

#include "verbs/verbs.h"

enum {
	BATCH		= 16,	/* completions per call of the provider's poll_cq() */
	BATCH_DIRECT	= 8,	/* fewer in ib_process_cq_direct(), whose array is on the stack */
	BUDGET_SOFTIRQ	= 256,	/* completions per run, so that other softirqs can run */
	CQ_POLL_KILLED	= INT_MIN,
	SLICE_NS	= 4 * NSEC_PER_MSEC, /* nanoseconds that a work item polls at most */
	HIGH_SHARE	= 4,	/* work items get 1/HIGH_SHARE of a CPU at high priority */
};

static const enum ib_cq_notify_flags rearm = IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS;

/* The workqueues that poll CQs: [unbound][high priority]. They exist as long as the module. */
static struct workqueue_struct *comp_wqs[2][2];

static const char *const comp_wq_names[2][2] = {
	{ "ib-comp-normal-wq", "ib-comp-wq" },
	{ "ib-comp-unb-normal-wq", "ib-comp-unb-wq" },
};

/**
 * struct high_credit - time that a CPU's work items may still run at high priority
 * @ns: nanoseconds that were left at the time @at; negative if a handler ran longer than it should
 * @at: local_clock() of the last change
 *
 * Only work items change the two members, with preemption off. An interrupt that reads them during
 * a change may see one old and one new value. Then a work item begins at the wrong priority, once.
 */
struct high_credit {
	s64 ns;
	u64 at;
};

static DEFINE_PER_CPU(struct high_credit, high_credits);

static bool cq_poll_get(struct ib_cq *cq)
{
	return atomic_inc_unless_negative(&cq->pollers);
}

/*
 * Drops a count of ib_cq.pollers. As soon as ib_cq.pollers is CQ_POLL_KILLED, ib_free_cq() may free
 * the CQ, even before wake_up_var() is called. That call is safe, because wake_up_var() uses only
 * the address of ib_cq.pollers, not the memory.
 */
static void cq_poll_put(struct ib_cq *cq)
{
	if (atomic_dec_return(&cq->pollers) == CQ_POLL_KILLED)
		wake_up_var(&cq->pollers);
}

static int reap(struct ib_cq *cq, struct ib_wc *wcs, int batch, int budget)
{
	int handled = 0, want, got, i;

	do {
		want = min(batch, budget - handled);
		got = ib_poll_cq(cq, want, wcs);
		for (i = 0; i < got; i++) {
			/*
			 * Only unsignaled requests may lack a cqe. They complete only if they
			 * fail.
			 */
			if (wcs[i].wr_cqe)
				wcs[i].wr_cqe->done(cq, &wcs[i]);
			else
				WARN_ON_ONCE(wcs[i].status == IB_WC_SUCCESS);
		}
		handled += max(got, 0);
	} while (got == want && handled < budget);
	return handled;
}

static int soft_poll(struct irq_poll *iop, int budget)
{
	struct ib_cq *cq = container_of(iop, struct ib_cq, iop);
	int handled;

	if (!cq_poll_get(cq)) {
		irq_poll_complete(iop);
		return 0;
	}

	handled = reap(cq, cq->wc, BATCH, budget);
	verbs_cq_dim_polled(cq, handled);
	if (handled < budget) {
		irq_poll_complete(iop);
		if (ib_req_notify_cq(cq, rearm) > 0)
			irq_poll_sched(iop);
	}
	cq_poll_put(cq);
	return handled;
}

static void soft_event(struct ib_cq *cq, void *context)
{
	if (!cq_poll_get(cq))
		return;
	irq_poll_sched(&cq->iop);
	cq_poll_put(cq);
}

static void soft_init(struct ib_cq *cq)
{
	irq_poll_init(&cq->iop, BUDGET_SOFTIRQ, soft_poll);
}

static void soft_stop(struct ib_cq *cq)
{
	irq_poll_disable(&cq->iop);
}

/* Returns for how many nanoseconds work items may run at high priority on this CPU from now on. */
static s64 high_credit_left(void)
{
	const struct high_credit *credit = raw_cpu_ptr(&high_credits);
	s64 since = local_clock() - READ_ONCE(credit->at);

	return min_t(s64, READ_ONCE(credit->ns) + since / HIGH_SHARE, SLICE_NS);
}

static void high_credit_use(u64 ns)
{
	struct high_credit *credit = get_cpu_ptr(&high_credits);

	WRITE_ONCE(credit->ns, high_credit_left() - ns);
	WRITE_ONCE(credit->at, local_clock());
	put_cpu_ptr(&high_credits);
}

/*
 * Queues the CQ's work item. Called by the event handler that has raised ib_cq.events from 0, and
 * by the poller while ib_cq.events is not 0. The work item may begin on one workqueue before its
 * previous run, on the other workqueue, has returned. This is safe, because a run does not touch
 * the CQ any more after the run has called this function.
 */
static void work_schedule(struct ib_cq *cq)
{
	cq->high_priority = high_credit_left() > 0;
	queue_work(comp_wqs[cq->poll_ctx == IB_POLL_UNBOUND_WORKQUEUE][cq->high_priority],
		   &cq->work);
}

static void work_event(struct ib_cq *cq, void *context)
{
	if (!cq_poll_get(cq))
		return;
	if (!atomic_fetch_inc(&cq->events))
		work_schedule(cq);
	cq_poll_put(cq);
}

/*
 * Polls the CQ for a slice of time, and arms it. Returns whether the CQ was empty when it was
 * armed; if not, the work item has to run again.
 */
static bool work_poll_slice(struct ib_cq *cq)
{
	s64 slice = cq->high_priority ? high_credit_left() : SLICE_NS;
	u64 begin = local_clock();
	int handled = 0, got;

	/* While this work item was queued, others may have used up the time at high priority. */
	if (slice <= 0)
		return false;
	do {
		got = reap(cq, cq->wc, BATCH, BATCH);
		handled += got;
		cond_resched();
	} while (got == BATCH && local_clock() - begin < slice);
	if (cq->high_priority)
		high_credit_use(local_clock() - begin);
	verbs_cq_dim_polled(cq, handled);
	return ib_req_notify_cq(cq, rearm) <= 0;
}

static void work_poll(struct work_struct *work)
{
	struct ib_cq *cq = container_of(work, struct ib_cq, work);

	/*
	 * This run covers all events so far: atomic_xchg() is a full barrier, so the completions of
	 * these events are seen by the polls below.
	 */
	atomic_xchg(&cq->events, 1);
	/* Once cq->events is 0, another context may schedule the work item, or free the CQ. */
	if (!work_poll_slice(cq) || atomic_dec_return(&cq->events))
		work_schedule(cq);
}

static void work_init(struct ib_cq *cq)
{
	INIT_WORK(&cq->work, work_poll);
}

static void work_stop(struct ib_cq *cq)
{
	cancel_work_sync(&cq->work);
}

static void direct_event(struct ib_cq *cq, void *context)
{
	WARN_ONCE(1, "completion event on a CQ that is never armed\n");
}

/**
 * struct poller - how the CQs of one context are polled
 * @event: the CQ's comp_handler
 * @init: makes the CQ ready for events; NULL if the ULP calls ib_process_cq_direct()
 * @stop: called when no poller can be scheduled any more; cancels a poller that was scheduled
 *	before, or waits for its end; NULL if the ULP calls ib_process_cq_direct()
 */
struct poller {
	ib_comp_handler event;
	void (*init)(struct ib_cq *cq);
	void (*stop)(struct ib_cq *cq);
};

static const struct poller pollers[] = {
	[IB_POLL_SOFTIRQ]	    = { soft_event, soft_init, soft_stop },
	[IB_POLL_WORKQUEUE]	    = { work_event, work_init, work_stop },
	[IB_POLL_UNBOUND_WORKQUEUE] = { work_event, work_init, work_stop },
	[IB_POLL_DIRECT]	    = { direct_event },
};

void verbs_cq_free_ulp(struct ib_cq *cq)
{
	const struct poller *poller = &pollers[cq->poll_ctx];

	might_sleep();
	atomic_add(CQ_POLL_KILLED, &cq->pollers);
	wait_var_event(&cq->pollers, atomic_read(&cq->pollers) == CQ_POLL_KILLED);
	if (poller->stop)
		poller->stop(cq);
	verbs_cq_dim_end(cq);

	/* Leak a CQ that the provider fails to destroy, because the provider may still use it. */
	if (WARN_ON_ONCE(verbs_cq_end(cq, NULL)))
		return;
	kfree(cq->wc);
	kfree(cq);
}

struct ib_cq *__ib_alloc_cq(struct ib_device *dev, void *private, int nr_cqe, int comp_vector,
			    enum ib_poll_context poll_ctx, const char *caller)
{
	struct ib_cq_init_attr attr = { .cqe = nr_cqe, .comp_vector = comp_vector };
	const struct poller *poller;
	struct ib_cq *cq;
	int ret;

	if ((unsigned int)poll_ctx >= ARRAY_SIZE(pollers))
		return ERR_PTR(-EINVAL);
	cq = verbs_cq_alloc(dev, &attr, NULL);
	if (IS_ERR(cq))
		return cq;

	poller = &pollers[poll_ctx];
	cq->cq_context = private;
	cq->poll_ctx = poll_ctx;
	cq->comp_handler = poller->event;
	if (poller->init) {
		ret = -ENOMEM;
		cq->wc = kmalloc_array(BATCH, sizeof(*cq->wc), GFP_KERNEL);
		if (!cq->wc)
			goto err_free;
		ret = verbs_cq_dim_init(cq);
		if (ret)
			goto err_wc;
		poller->init(cq);
	}

	ret = verbs_cq_start(cq, &attr, NULL, caller);
	if (ret)
		goto err_dim;
	if (poll_ctx != IB_POLL_DIRECT)
		ret = ib_req_notify_cq(cq, IB_CQ_NEXT_COMP);
	if (ret < 0) {
		verbs_cq_free_ulp(cq);
		return ERR_PTR(ret);
	}
	return cq;

err_dim:
	verbs_cq_dim_end(cq);
err_wc:
	kfree(cq->wc);
err_free:
	kfree(cq);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL(__ib_alloc_cq);

struct ib_cq *__ib_alloc_cq_any(struct ib_device *dev, void *private, int nr_cqe,
				enum ib_poll_context poll_ctx, const char *caller)
{
	static atomic_t next_vector;
	unsigned int vector = atomic_inc_return(&next_vector);
	unsigned int vectors = min_t(unsigned int, dev->num_comp_vectors, num_online_cpus());

	return __ib_alloc_cq(dev, private, nr_cqe, vector % max(vectors, 1U), poll_ctx, caller);
}
EXPORT_SYMBOL(__ib_alloc_cq_any);

void ib_free_cq(struct ib_cq *cq)
{
	if (WARN_ON_ONCE(atomic_read(&cq->usecnt) || cq->shared))
		return;
	verbs_cq_free_ulp(cq);
}
EXPORT_SYMBOL(ib_free_cq);

int ib_process_cq_direct(struct ib_cq *cq, int budget)
{
	struct ib_wc wcs[BATCH_DIRECT];

	if (!budget)
		return 0;
	return reap(cq, wcs, BATCH_DIRECT, budget < 0 ? INT_MAX : budget);
}
EXPORT_SYMBOL(ib_process_cq_direct);

void ib_core_cq_exit(void)
{
	int unbound, high;

	for (unbound = 0; unbound < 2; unbound++)
		for (high = 0; high < 2; high++)
			if (comp_wqs[unbound][high])
				destroy_workqueue(comp_wqs[unbound][high]);
}

int ib_core_cq_init(void)
{
	int unbound, high;

	for (unbound = 0; unbound < 2; unbound++) {
		for (high = 0; high < 2; high++) {
			/*
			 * Work items of normal priority may run long. WQ_CPU_INTENSIVE keeps them
			 * from holding up other work items of their CPU.
			 */
			unsigned int flags = WQ_MEM_RECLAIM | WQ_SYSFS |
					     (high ? WQ_HIGHPRI : WQ_CPU_INTENSIVE) |
					     (unbound ? WQ_UNBOUND : WQ_PERCPU);

			comp_wqs[unbound][high] =
				alloc_workqueue(comp_wq_names[unbound][high], flags,
						unbound ? WQ_UNBOUND_MAX_ACTIVE : 0);
			if (!comp_wqs[unbound][high]) {
				ib_core_cq_exit();
				return -ENOMEM;
			}
		}
	}
	return 0;
}
