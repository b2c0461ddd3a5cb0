// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests that completions that never end leave time to processes, and that a CQ with few completions
 * is polled at high priority.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "kt_verbs.h"

/* Number of completions in each CQ: more than the core polls at a time. */
#define DEPTH		64
/* Completion handlers and the thread work in units of this many microseconds. */
#define UNIT_US		100
/*
 * The test ends after this many units of all handlers together, on each CPU, and not before each CQ
 * was polled at high priority. This takes long if the host of a virtual machine is busy: what a CPU
 * misses meanwhile counts as time at high priority.
 */
#define UNITS		10000

/**
 * struct hog - a CQ whose completions never end
 * @cqe: the work request of all completions
 * @cq: the CQ
 * @units: number of completions that were handled
 * @high: number of these that were handled by a worker of high priority
 * @start: makes the first completions, on a CPU
 */
struct hog {
	struct ib_cqe cqe;
	struct ib_cq *cq;
	atomic_t units;
	atomic_t high;
	struct work_struct start;
};

/* Whether handlers add no more completions. */
static bool hogs_end;

static bool push_one(struct hog *hog)
{
	struct ib_wc wc = { .wr_cqe = &hog->cqe };

	return fakedev_cq_push(hog->cq, &wc, false);
}

static void hog_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct hog *hog = container_of(wc->wr_cqe, struct hog, cqe);

	udelay(UNIT_US);
	atomic_inc(&hog->units);
	if (task_nice(current) < 0)
		atomic_inc(&hog->high);
	if (!READ_ONCE(hogs_end))
		push_one(hog);
}

static void hog_begin(struct work_struct *work)
{
	struct hog *hog = container_of(work, struct hog, start);
	int i;

	for (i = 0; i < DEPTH; i++)
		push_one(hog);
}

static int keep_busy(void *unused)
{
	while (!kthread_should_stop()) {
		udelay(UNIT_US);
		cond_resched();
	}
	return 0;
}

static bool all_were_high(struct hog *hogs, int num)
{
	while (num--)
		if (!atomic_read(&hogs[num].high))
			return false;
	return true;
}

static int all_units(struct hog *hogs, int num)
{
	int i, sum = 0;

	for (i = 0; i < num; i++)
		sum += atomic_read(&hogs[i].units);
	return sum;
}

/*
 * Runs a hog on each CPU, and beside them a thread of normal priority. The thread's share of one
 * CPU would be a half if the hogs had normal priority always, and about one in 90 if they had high
 * priority always. It is taken from the scheduler, because a virtual machine's CPUs need not be
 * equally fast.
 */
static void compete(struct ktap *t, struct kt_env *env, struct hog *hogs,
		    enum ib_poll_context context)
{
	int num = 0, cpu, limit, share;
	struct task_struct *thread;
	ktime_t start;
	u64 used;

	hogs_end = false;
	for_each_online_cpu(cpu) {
		hogs[num] = (struct hog) { .cqe.done = hog_done };
		INIT_WORK(&hogs[num].start, hog_begin);
		hogs[num].cq = ib_alloc_cq(env->dev, NULL, DEPTH, 0, context);
		if (!KT_EXPECT_ERR(t, hogs[num].cq, 0))
			goto free;
		num++;
	}
	thread = kthread_run(keep_busy, NULL, "kt_fair");
	if (!KT_EXPECT_ERR(t, thread, 0))
		goto free;
	num = 0;
	for_each_online_cpu(cpu)
		schedule_work_on(cpu, &hogs[num++].start);
	start = ktime_get();
	used = READ_ONCE(thread->se.sum_exec_runtime);
	for (limit = 0; limit < 600; limit++) {
		if (all_units(hogs, num) >= num * UNITS && all_were_high(hogs, num))
			break;
		msleep(100);
	}
	used = READ_ONCE(thread->se.sum_exec_runtime) - used;
	share = div64_u64(used * 100, ktime_to_ns(ktime_sub(ktime_get(), start)));
	WRITE_ONCE(hogs_end, true);
	kthread_stop(thread);
	KT_EXPECT(t, all_units(hogs, num) >= num * UNITS);
	/* A quarter at high priority, and half of the rest, leave the thread 37 %. */
	if (!KT_EXPECT(t, share >= 15))
		ktap_note(t, "context %d: the thread got %d %% of a CPU", context, share);
	KT_EXPECT(t, all_were_high(hogs, num));
	for (cpu = 0; cpu < num; cpu++)
		flush_work(&hogs[cpu].start);
free:
	WRITE_ONCE(hogs_end, true);
	while (num--)
		ib_free_cq(hogs[num].cq);
}

static void test_fairness(struct ktap *t)
{
	struct kt_env env;
	struct hog *hogs;

	hogs = kcalloc(num_possible_cpus(), sizeof(*hogs), GFP_KERNEL);
	if (!KT_EXPECT(t, hogs))
		return;
	if (kt_start(t, &env)) {
		cpus_read_lock();
		compete(t, &env, hogs, IB_POLL_WORKQUEUE);
		compete(t, &env, hogs, IB_POLL_UNBOUND_WORKQUEUE);
		cpus_read_unlock();
		kt_end(t, &env);
	}
	kfree(hogs);
}

/* A completion now and then, fewer than a quarter of the time: all are handled at high priority. */
static void test_high_priority(struct ktap *t)
{
	struct kt_env env;
	struct hog hog = { .cqe.done = hog_done };
	int i, j;

	if (!kt_start(t, &env))
		return;
	hogs_end = true;
	hog.cq = ib_alloc_cq(env.dev, NULL, DEPTH, 0, IB_POLL_WORKQUEUE);
	if (KT_EXPECT_ERR(t, hog.cq, 0)) {
		/* What was used up by the test before is earned again. */
		msleep(100);
		for (i = 1; i <= 100; i++) {
			push_one(&hog);
			for (j = 0; j < 1000 && atomic_read(&hog.units) < i; j++)
				usleep_range(1000, 2000);
			usleep_range(1000, 2000);
		}
		KT_EXPECT_EQ(t, atomic_read(&hog.units), 100);
		KT_EXPECT(t, atomic_read(&hog.high) >= 90);
		ib_free_cq(hog.cq);
	}
	kt_end(t, &env);
}

static const struct ktap_case cases[] = {
	{ "completions that never end leave time to a thread", test_fairness },
	{ "few completions are handled at high priority", test_high_priority },
};

KTAP_SUITE(kt_cq_fair_suite, "cq_fair", cases);
