// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Adaptive moderation of CQs that the core polls: the kernel's DIM library measures what the polls
 * find, and chooses how long a completion event waits for further completions.
 */
#include "verbs/cq.h"

#include <linux/dim.h>
#include <linux/slab.h>

#include "verbs/verbs.h"

/*
 * The first profile has the lowest latency, and the last one causes the fewest events. The library
 * moves by one profile at a time.
 */
static const struct dim_cq_moder profiles[RDMA_DIM_PARAMS_NUM_PROFILES] = {
	{ .usec = 1,  .comps = 1 },
	{ .usec = 1,  .comps = 4 },
	{ .usec = 2,  .comps = 4 },
	{ .usec = 2,  .comps = 8 },
	{ .usec = 4,  .comps = 8 },
	{ .usec = 8,  .comps = 16 },
	{ .usec = 16, .comps = 16 },
	{ .usec = 16, .comps = 32 },
	{ .usec = 32, .comps = 64 },
};

/* Limits @value to @max. A @max of 0 means that the device declares no limit. */
static u16 dim_clamp(u16 value, u16 max)
{
	return max ? min(value, max) : value;
}

static void dim_apply_profile(struct work_struct *work)
{
	struct dim *dim = container_of(work, struct dim, work);
	const struct dim_cq_moder *profile = &profiles[dim->profile_ix];
	struct ib_cq *cq = dim->priv;
	const struct ib_cq_caps *caps = &cq->device->attrs.cq_caps;

	dim->state = DIM_START_MEASURE;
	/* After an error the old moderation stays, and the next measurement tries again. */
	cq->device->ops.modify_cq(cq, dim_clamp(profile->comps, caps->max_cq_moderation_count),
				  dim_clamp(profile->usec, caps->max_cq_moderation_period));
}

bool ib_core_can_moderate(const struct ib_device *dev)
{
	return KRDMA_HAS_DIM && dev->ops.modify_cq;
}

int verbs_cq_dim_init(struct ib_cq *cq)
{
	struct dim *dim;

	if (!cq->device->use_cq_dim || !ib_core_can_moderate(cq->device))
		return 0;
	dim = kmalloc(sizeof(*dim), GFP_KERNEL);
	if (!dim)
		return -ENOMEM;
	*dim = (struct dim) {
		.priv = cq,
		.profile_ix = RDMA_DIM_START_PROFILE,
		.state = DIM_START_MEASURE,
		.tune_state = DIM_GOING_RIGHT,
	};
	INIT_WORK(&dim->work, dim_apply_profile);
	cq->dim = dim;
	return 0;
}

void verbs_cq_dim_polled(struct ib_cq *cq, int completions)
{
	if (cq->dim && completions)
		rdma_dim(cq->dim, completions);
}

void verbs_cq_dim_end(struct ib_cq *cq)
{
	if (!cq->dim)
		return;
	cancel_work_sync(&cq->dim->work);
	kfree(cq->dim);
}
