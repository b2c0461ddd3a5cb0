// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Waiting for the daemon. A caller whose wait another thread may cancel passes a struct iwpm_wait.
 * While the caller sleeps, it points to the wait queue, so that iwpm_wait_cancel() can wake it.
 */
#include <linux/export.h>
#include <linux/sched/signal.h>
#include <rdma/iw_portmap.h>

#include "iwpm/wait.h"

void iwpm_result_init(struct iwpm_result *result)
{
	init_waitqueue_head(&result->queue);
	result->known = false;
}

void iwpm_result_set(struct iwpm_result *result)
{
	spin_lock(&result->queue.lock);
	result->known = true;
	wake_up_all_locked(&result->queue);
	spin_unlock(&result->queue.lock);
}

static void set_queue(struct iwpm_wait *wait, wait_queue_head_t *queue)
{
	if (!wait)
		return;
	spin_lock(&wait->lock);
	wait->queue = queue;
	spin_unlock(&wait->lock);
}

static bool is_cancelled(const struct iwpm_wait *wait)
{
	return wait && READ_ONCE(wait->cancelled);
}

int iwpm_result_wait(struct iwpm_result *result, struct iwpm_wait *wait, long timeout)
{
	bool known;
	long left;

	set_queue(wait, &result->queue);
	left = wait_event_killable_timeout(result->queue,
					   READ_ONCE(result->known) || is_cancelled(wait), timeout);
	set_queue(wait, NULL);
	/*
	 * Take the lock even if the result is known: the caller may free the queue after this
	 * function returns, but iwpm_result_set() uses the queue until it releases the lock.
	 */
	spin_lock(&result->queue.lock);
	known = result->known;
	spin_unlock(&result->queue.lock);
	if (known)
		return 0;
	if (left < 0)
		return -EINTR;
	return is_cancelled(wait) ? -ECANCELED : -ETIMEDOUT;
}

bool iwpm_wait_allowed(const struct iwpm_wait *wait)
{
	return !is_cancelled(wait) && !fatal_signal_pending(current);
}

void iwpm_wait_init(struct iwpm_wait *wait)
{
	spin_lock_init(&wait->lock);
	wait->cancelled = false;
	wait->queue = NULL;
}
EXPORT_SYMBOL(iwpm_wait_init);

void iwpm_wait_cancel(struct iwpm_wait *wait)
{
	spin_lock(&wait->lock);
	WRITE_ONCE(wait->cancelled, true);
	/*
	 * The queue still exists, because the sleeping thread takes wait->lock before it frees the
	 * queue.
	 */
	if (wait->queue)
		wake_up_all(wait->queue);
	spin_unlock(&wait->lock);
}
EXPORT_SYMBOL(iwpm_wait_cancel);
