// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Waiting for the link addresses of next hops: a list has the waiters, whose work items are queued
 * when the neighbour table reports an answer.
 */
#include "core/neigh.h"

#include <linux/export.h>
#include <net/netevent.h>
#include <rdma/krdma_route.h>

/*
 * Protects the list "waiters", krdma_neigh_waiter.list and .neigh. Taken with softirqs off; no
 * other lock of ib_core is taken inside it.
 */
static DEFINE_SPINLOCK(waiters_lock);
static LIST_HEAD(waiters);

void krdma_neigh_waiter_init(struct krdma_neigh_waiter *waiter, struct workqueue_struct *wq,
			     struct delayed_work *work)
{
	*waiter = (struct krdma_neigh_waiter) { .wq = wq, .work = work };
	INIT_LIST_HEAD(&waiter->list);
}
EXPORT_SYMBOL(krdma_neigh_waiter_init);

void krdma_neigh_wait(struct krdma_neigh_waiter *waiter, struct neighbour *neigh,
		      unsigned long timeout)
{
	spin_lock_bh(&waiters_lock);
	waiter->neigh = neigh;
	list_add_tail(&waiter->list, &waiters);
	spin_unlock_bh(&waiters_lock);
	/*
	 * If the next hop answered before the waiter was in the list, wake_waiters() did not see
	 * the waiter: queue the work item at once. Otherwise queue the work item with a delay. If
	 * wake_waiters() has queued the work item meanwhile, queue_delayed_work() does nothing.
	 */
	if (READ_ONCE(neigh->nud_state) & NUD_VALID)
		mod_delayed_work(waiter->wq, waiter->work, 0);
	else
		queue_delayed_work(waiter->wq, waiter->work, min_t(unsigned long, HZ, timeout));
}
EXPORT_SYMBOL(krdma_neigh_wait);

void krdma_neigh_stop(struct krdma_neigh_waiter *waiter)
{
	struct neighbour *neigh;

	spin_lock_bh(&waiters_lock);
	neigh = waiter->neigh;
	waiter->neigh = NULL;
	list_del_init(&waiter->list);
	spin_unlock_bh(&waiters_lock);
	if (neigh)
		neigh_release(neigh);
}
EXPORT_SYMBOL(krdma_neigh_stop);

/* Queues the work items of all waiters for a next hop whose link address has become known. */
static int wake_waiters(struct notifier_block *nb, unsigned long event, void *info)
{
	struct krdma_neigh_waiter *waiter;
	struct neighbour *neigh = info;

	if (event != NETEVENT_NEIGH_UPDATE || !(READ_ONCE(neigh->nud_state) & NUD_VALID))
		return NOTIFY_DONE;
	spin_lock_bh(&waiters_lock);
	list_for_each_entry(waiter, &waiters, list)
		if (waiter->neigh == neigh)
			mod_delayed_work(waiter->wq, waiter->work, 0);
	spin_unlock_bh(&waiters_lock);
	return NOTIFY_DONE;
}

static struct notifier_block neigh_notifier = {
	.notifier_call = wake_waiters,
};

int ib_core_neigh_init(void)
{
	return register_netevent_notifier(&neigh_notifier);
}

void ib_core_neigh_exit(void)
{
	unregister_netevent_notifier(&neigh_notifier);
}
