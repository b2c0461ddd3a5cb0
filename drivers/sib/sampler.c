// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The mechanism of samples. While an interval is underway, the mechanism holds the values that the
 * counters had at its begin.
 */
#include "drivers/sib/sampler.h"

#include <linux/hrtimer.h>
#include <linux/slab.h>

/**
 * struct sib_sampler - mechanism of a node
 * @node: the node
 * @timer: expires at either end of the interval
 * @lock: protects @state; taken with softirqs off, innermost
 * @state: what the mechanism does
 */
struct sib_sampler {
	const struct sib_node *node;
	struct hrtimer timer;
	spinlock_t lock; /* protects @state */
	struct sib_sample_state state;
};

static const enum sib_counter counter_of[SIB_SAMPLE_SELECTS] = {
	[SIB_SAMPLE_XMIT_DATA]		= SIB_XMIT_DATA,
	[SIB_SAMPLE_RCV_DATA]		= SIB_RCV_DATA,
	[SIB_SAMPLE_XMIT_PACKETS]	= SIB_XMIT_PACKETS,
	[SIB_SAMPLE_RCV_PACKETS]	= SIB_RCV_PACKETS,
	[SIB_SAMPLE_XMIT_WAIT]		= SIB_XMIT_WAIT,
};

/* Returns the sum that a counter of the mechanism has over all its ports. */
static u64 sum_of(const struct sib_sampler *sampler, u16 select)
{
	const struct sib_sample_plan *plan = &sampler->state.plan;
	u64 sum = 0;
	int num;

	if (select == SIB_SAMPLE_NOTHING)
		return 0;
	for (num = plan->first; num <= plan->last; num++)
		sum += atomic64_read(&sampler->node->ports[num].count[counter_of[select]]);
	return sum;
}

/* Replaces each value by the difference to the present sum, which is the sum itself at first. */
static void take_values(struct sib_sampler *sampler)
{
	struct sib_sample_state *state = &sampler->state;
	int i;

	lockdep_assert_held(&sampler->lock);
	for (i = 0; i < SIB_SAMPLES; i++)
		state->value[i] = sum_of(sampler, state->plan.select[i]) - state->value[i];
}

static enum hrtimer_restart sampler_timer(struct hrtimer *timer)
{
	struct sib_sampler *sampler = container_of(timer, struct sib_sampler, timer);
	struct sib_sample_state *state = &sampler->state;
	enum hrtimer_restart again = HRTIMER_NORESTART;
	u64 interval;

	spin_lock(&sampler->lock);
	take_values(sampler);
	if (state->status == SIB_SAMPLE_STARTED) {
		state->status = SIB_SAMPLE_UNDERWAY;
		/* From now on, and not from the time at which the timer should have expired. */
		interval = (u64)state->plan.interval * SIB_SAMPLE_TICK_NS;
		hrtimer_set_expires(timer, ktime_add_ns(ktime_get(), interval));
		again = HRTIMER_RESTART;
	} else {
		state->status = SIB_SAMPLE_DONE;
	}
	spin_unlock(&sampler->lock);
	return again;
}

static struct sib_sampler *sampler_create(const struct sib_node *node)
{
	struct sib_sampler *sampler = kzalloc(sizeof(*sampler), GFP_KERNEL);

	if (!sampler)
		return NULL;
	sampler->node = node;
	spin_lock_init(&sampler->lock);
	hrtimer_setup(&sampler->timer, sampler_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	return sampler;
}

int sib_sampler_start(struct sib_node *node, const struct sib_sample_plan *plan)
{
	struct sib_sampler *sampler;
	bool starts;

	lockdep_assert_held(&node->fabric->clearing);
	if (!node->sampler)
		node->sampler = sampler_create(node);
	sampler = node->sampler;
	if (!sampler)
		return -ENOMEM;
	spin_lock_bh(&sampler->lock);
	starts = sampler->state.status == SIB_SAMPLE_DONE;
	if (starts)
		sampler->state = (struct sib_sample_state) {
			.plan = *plan,
			.status = SIB_SAMPLE_STARTED,
		};
	spin_unlock_bh(&sampler->lock);
	if (starts)
		hrtimer_start(&sampler->timer, (u64)plan->start * SIB_SAMPLE_TICK_NS,
			      HRTIMER_MODE_REL_SOFT);
	return 0;
}

void sib_sampler_read(const struct sib_node *node, struct sib_sample_state *state)
{
	struct sib_sampler *sampler = node->sampler;

	lockdep_assert_held(&node->fabric->clearing);
	*state = (struct sib_sample_state) {};
	if (!sampler)
		return;
	spin_lock_bh(&sampler->lock);
	*state = sampler->state;
	spin_unlock_bh(&sampler->lock);
	if (state->status != SIB_SAMPLE_DONE)
		memset(state->value, 0, sizeof(state->value));
}

void sib_sampler_free(struct sib_sampler *sampler)
{
	if (!sampler)
		return;
	hrtimer_cancel(&sampler->timer);
	kfree(sampler);
}
