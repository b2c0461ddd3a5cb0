/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Waits for the daemon. A signal that kills the process ends a wait, and so does
 * iwpm_wait_cancel().
 */
#ifndef _KRDMA_IWPM_WAIT_H_
#define _KRDMA_IWPM_WAIT_H_

#include <linux/errno.h>
#include <linux/wait.h>

struct iwpm_wait;

/**
 * struct iwpm_result - a result that threads wait for
 * @queue: the threads that wait; the queue's lock protects @known
 * @known: the result is known
 */
struct iwpm_result {
	wait_queue_head_t queue;
	bool known;
};

void iwpm_result_init(struct iwpm_result *result);

/*
 * Wakes all threads that wait for the result. One of them may have freed @result when this function
 * returns.
 */
void iwpm_result_set(struct iwpm_result *result);

/**
 * iwpm_result_wait - wait for a result
 * @result: the result
 * @wait: lets another thread end the wait; may be NULL
 * @timeout: longest wait in jiffies
 *
 * Return: 0 if the result is known; -ETIMEDOUT; -EINTR if the process was killed; -ECANCELED if
 * @wait was cancelled.
 */
int iwpm_result_wait(struct iwpm_result *result, struct iwpm_wait *wait, long timeout);

/* Returns false if @wait was cancelled, or if the calling process is being killed. */
bool iwpm_wait_allowed(const struct iwpm_wait *wait);

/* Returns whether @err means that a thread has given up waiting for the daemon. */
static inline bool iwpm_gave_up(int err)
{
	return err == -EINTR || err == -ECANCELED;
}

#endif /* _KRDMA_IWPM_WAIT_H_ */
