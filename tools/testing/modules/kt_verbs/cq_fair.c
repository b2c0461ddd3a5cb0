// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests that completions that never end leave time to processes, that a CQ with few completions is
 * polled at high priority, and that a CQ that waits while others use up the time is not.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "kt_verbs.h"

/* Number of completions in each CQ: more than the core polls at a time. */
#define DEPTH		64
/* Completion handlers and the thread work in units of this many microseconds. */
#define UNIT_US		100
/*
 * The test ends after this many units of all handlers together, on each CPU, and this many of the
 * thread, and not before each CQ was polled at high priority. This takes long if the host of a
 * virtual machine is busy: what a CPU misses meanwhile counts as time at high priority.
 */
#define UNITS		10000
#define THREAD_UNITS	1000
/* What the core gives to work items at high priority: this part of a CPU's time ... */
#define SHARE		4
/* ... of which it saves up this many nanoseconds, and it looks after this many completions. */
#define CREDIT_NS	(4 * NSEC_PER_MSEC)
#define BATCH		16

/**
 * struct hog - a CQ whose completions never end
 * @cqe: the work request of all completions
 * @cq: the CQ
 * @units: number of completions that were handled
 * @high: number of these that the core had handled by a worker of high priority
 * @start: makes the first completions, on a CPU
 * @begin: local_clock() when the work item @start ran
 * @cpus: number of CPUs on which the CQ may be polled
 * @used: nanoseconds that the handler ran at high priority
 * @recent: those of the last BATCH runs, the latest at @next - 1
 * @next: the index of the oldest of @recent
 * @too_much: whether the handler began at high priority although @used was more than the share
 */
struct hog {
	struct ib_cqe cqe;
	struct ib_cq *cq;
	atomic_t units;
	atomic_t high;
	struct work_struct start;
	u64 begin;
	int cpus;
	u64 used;
	u64 recent[BATCH];
	int next;
	bool too_much;
};

/* Whether handlers add no more completions. */
static bool hogs_end;

static bool push_one(struct hog *hog)
{
	struct ib_wc wc = { .wr_cqe = &hog->cqe };

	return fakedev_cq_push(hog->cq, &wc, false);
}

/*
 * Returns whether the time at high priority is up, whatever a work item that is running may still
 * use: it began with CREDIT_NS at most, and looks at the clock after each BATCH. The clocks of two
 * CPUs differ by a tick at most.
 */
static bool share_is_used_up(const struct hog *hog, u64 now)
{
	u64 share = (now - hog->begin) / SHARE + CREDIT_NS + TICK_NSEC;
	u64 recent = 0;
	int i;

	for (i = 0; i < BATCH; i++)
		recent += hog->recent[i];
	return hog->used > share * hog->cpus + recent;
}

static void hog_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct hog *hog = container_of(wc->wr_cqe, struct hog, cqe);
	u64 begin = local_clock();

	udelay(UNIT_US);
	atomic_inc(&hog->units);
	/* Under load a rescuer polls: at high priority, whatever the core chose. */
	if (cq->high_priority && task_nice(current) < 0) {
		if (share_is_used_up(hog, begin))
			WRITE_ONCE(hog->too_much, true);
		hog->recent[hog->next] = max_t(s64, local_clock() - begin, 0);
		hog->used += hog->recent[hog->next];
		hog->next = (hog->next + 1) % BATCH;
		atomic_inc(&hog->high);
	}
	if (!READ_ONCE(hogs_end))
		push_one(hog);
}

static void hog_begin(struct work_struct *work)
{
	struct hog *hog = container_of(work, struct hog, start);
	int i;

	hog->begin = local_clock();
	for (i = 0; i < DEPTH; i++)
		push_one(hog);
}

static int keep_busy(void *units)
{
	while (!kthread_should_stop()) {
		udelay(UNIT_US);
		atomic_inc(units);
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
 * Runs a hog on each CPU, and beside them a thread of normal priority. No share of the thread is
 * asked for, because that is the scheduler's matter once the hogs have normal priority.
 */
static void compete(struct ktap *t, struct kt_env *env, struct hog *hogs,
		    enum ib_poll_context context)
{
	atomic_t thread_units = ATOMIC_INIT(0);
	int num = 0, cpu, limit;
	struct task_struct *thread;

	hogs_end = false;
	for_each_online_cpu(cpu) {
		hogs[num] = (struct hog) { .cqe.done = hog_done };
		hogs[num].cpus = context == IB_POLL_WORKQUEUE ? 1 : num_online_cpus();
		INIT_WORK(&hogs[num].start, hog_begin);
		hogs[num].cq = ib_alloc_cq(env->dev, NULL, DEPTH, 0, context);
		if (!KT_EXPECT_ERR(t, hogs[num].cq, 0))
			goto free;
		num++;
	}
	thread = kthread_run(keep_busy, &thread_units, "kt_fair");
	if (!KT_EXPECT_ERR(t, thread, 0))
		goto free;
	num = 0;
	for_each_online_cpu(cpu)
		schedule_work_on(cpu, &hogs[num++].start);
	for (limit = 0; limit < 600; limit++) {
		if (all_units(hogs, num) >= num * UNITS && all_were_high(hogs, num) &&
		    atomic_read(&thread_units) >= THREAD_UNITS)
			break;
		msleep(100);
	}
	WRITE_ONCE(hogs_end, true);
	kthread_stop(thread);
	KT_EXPECT(t, all_units(hogs, num) >= num * UNITS);
	KT_EXPECT(t, all_were_high(hogs, num));
	KT_EXPECT(t, atomic_read(&thread_units) >= THREAD_UNITS);
	for (cpu = 0; cpu < num; cpu++) {
		flush_work(&hogs[cpu].start);
		if (!KT_EXPECT(t, !READ_ONCE(hogs[cpu].too_much)))
			ktap_note(t, "context %d: hog %d of %d", context, cpu, num);
	}
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

/**
 * poll_one() - one completion, pushed and handled on this CPU
 * @hog: the CQ
 * @cost: where the nanoseconds are stored that the work item took at most
 *
 * Return: whether it was handled at high priority
 */
static bool poll_one(struct hog *hog, s64 *cost)
{
	int high = atomic_read(&hog->high);
	u64 begin = local_clock();

	push_one(hog);
	flush_work(&hog->cq->work);
	*cost = local_clock() - begin;
	return atomic_read(&hog->high) > high;
}

/*
 * A completion now and then, for which the share of high priority suffices: all are handled at high
 * priority. What a work item took is measured, because on a busy host the processor of a virtual
 * machine may stand still in one for any time, and then the share is used up; with the core's
 * clock, because that jumps where the TSC is not stable.
 */
static void poll_seldom(struct ktap *t, struct hog *hog)
{
	s64 cost, credit;
	u64 last;
	int i;

	/* What the tests before have used up is earned again: a first one at high priority. */
	for (i = 0; i < 10000 && !poll_one(hog, &cost); i++)
		usleep_range(5000, 6000);
	credit = 0;
	for (i = 0; i < 100; i++) {
		credit -= cost;
		last = local_clock();
		while (credit < CREDIT_NS / 8) {
			usleep_range(2000, 3000);
			credit += (local_clock() - last) / SHARE;
			last = local_clock();
		}
		credit = min_t(s64, credit, CREDIT_NS);
		if (!KT_EXPECT(t, poll_one(hog, &cost)))
			break;
	}
}

static void test_high_priority(struct ktap *t)
{
	struct kt_env env;
	struct hog hog = { .cqe.done = hog_done };

	if (!kt_start(t, &env))
		return;
	hogs_end = true;
	hog.begin = local_clock();
	hog.cpus = 1;
	hog.cq = ib_alloc_cq(env.dev, NULL, DEPTH, 0, IB_POLL_WORKQUEUE);
	if (KT_EXPECT_ERR(t, hog.cq, 0)) {
		/* The share is one of each CPU. */
		migrate_disable();
		poll_seldom(t, &hog);
		migrate_enable();
		KT_EXPECT(t, !hog.too_much);
		ib_free_cq(hog.cq);
	}
	kt_end(t, &env);
}

/**
 * struct turn - a CQ whose work item waits while another CQ uses up the share
 * @spend: the work request of @first
 * @wait: the work request of @second
 * @first: the CQ that uses up the share
 * @second: the CQ that waits
 * @queued_high: whether the work item of @second was queued at high priority
 * @nice: the nice value with which the completion of @second was handled
 * @handled: whether it was handled
 */
struct turn {
	struct ib_cqe spend;
	struct ib_cqe wait;
	struct ib_cq *first;
	struct ib_cq *second;
	bool queued_high;
	int nice;
	bool handled;
};

static void push_wait(struct turn *turn)
{
	struct ib_wc wc = { .wr_cqe = &turn->wait };

	fakedev_cq_push(turn->second, &wc, false);
}

/*
 * The core counts what this run takes when it ends. Until then, the share suffices for the other
 * CQ's work item, which is queued on this CPU, behind this one.
 */
static void spend_share(struct ib_cq *cq, struct ib_wc *wc)
{
	struct turn *turn = container_of(wc->wr_cqe, struct turn, spend);
	u64 begin = local_clock();
	int i;

	push_wait(turn);
	turn->queued_high = READ_ONCE(turn->second->high_priority);
	for (i = 0; i < 1000 && local_clock() - begin < 2 * CREDIT_NS; i++)
		udelay(UNIT_US);
}

static void has_waited(struct ib_cq *cq, struct ib_wc *wc)
{
	struct turn *turn = container_of(wc->wr_cqe, struct turn, wait);

	turn->nice = task_nice(current);
	smp_store_release(&turn->handled, true); /* pairs with is_moved() */
}

/*
 * Returns whether a work item was queued at high priority, and ran at normal priority. Sets *@lost
 * if a completion is not handled.
 */
static bool is_moved(struct ktap *t, struct turn *turn, bool *lost)
{
	struct ib_wc wc = { .wr_cqe = &turn->spend };

	turn->handled = false;
	fakedev_cq_push(turn->first, &wc, false);
	*lost = !KT_WAIT(t, smp_load_acquire(&turn->handled)); /* pairs with has_waited() */
	return !*lost && turn->queued_high && turn->nice >= 0;
}

/*
 * Whether a single turn shows anything depends on how busy the machine is: the share may be used up
 * before, or earned anew while the second CQ waits, or another worker takes that CQ at once. But if
 * the core did not look at the share when a work item begins, no turn would.
 */
static void take_turns(struct ktap *t, struct turn *turn)
{
	bool moved = false, lost = false;
	int i;

	for (i = 0; i < 100 && !moved && !lost; i++) {
		/* More than the share that a turn uses is earned. */
		msleep(3 * SHARE * CREDIT_NS / NSEC_PER_MSEC);
		moved = is_moved(t, turn, &lost);
	}
	KT_EXPECT(t, moved);
}

static void test_moved(struct ktap *t)
{
	struct turn turn = { .spend.done = spend_share, .wait.done = has_waited };
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	turn.first = ib_alloc_cq(env.dev, NULL, DEPTH, 0, IB_POLL_WORKQUEUE);
	turn.second = ib_alloc_cq(env.dev, NULL, DEPTH, 0, IB_POLL_WORKQUEUE);
	if (KT_EXPECT_ERR(t, turn.first, 0) && KT_EXPECT_ERR(t, turn.second, 0))
		take_turns(t, &turn);
	if (!IS_ERR(turn.first))
		ib_free_cq(turn.first);
	if (!IS_ERR(turn.second))
		ib_free_cq(turn.second);
	kt_end(t, &env);
}

static const struct ktap_case cq_fair_cases[] = {
	{ "completions that never end leave time to a thread", test_fairness },
	{ "few completions are handled at high priority", test_high_priority },
	{ "a CQ that waits while others use up high priority loses it", test_moved },
};

KTAP_SUITE(kt_cq_fair_suite, "cq_fair", cq_fair_cases);
