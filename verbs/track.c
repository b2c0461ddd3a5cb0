// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * When verbs objects enter and leave the resource table.
 *
 * Last step of a creation, first step of a destruction: whoever finds an object there may ask its
 * provider about it.
 */
#include <linux/sched/task.h>

#include "verbs/verbs.h"

int verbs_track(struct ib_device *dev, struct rdma_restrack_entry *res,
		enum rdma_restrack_type type, const char *caller)
{
	int ret;

	rdma_restrack_new(res, type);
	rdma_restrack_set_name(res, caller);
	ret = rdma_restrack_add(dev, res);
	if (ret)
		rdma_restrack_del(dev, res);
	return ret;
}

/* Returns when nobody looks at the object any more: the process that owns it, or NULL. */
struct task_struct *verbs_untrack(struct ib_device *dev, struct rdma_restrack_entry *res)
{
	struct task_struct *owner = res->task;

	if (owner)
		get_task_struct(owner);
	rdma_restrack_del(dev, res);
	return owner;
}

/* The process that failed to end an object need not be the one that owns it. */
static void retrack(struct ib_device *dev, struct rdma_restrack_entry *res,
		    struct task_struct *owner)
{
	struct rdma_restrack_entry was = { .kern_name = res->kern_name, .task = owner };

	rdma_restrack_new(res, res->type);
	rdma_restrack_parent_name(res, &was);
	if (rdma_restrack_add(dev, res))
		ibdev_warn(dev, "an object that could not be destroyed is no longer listed\n");
}

/*
 * The provider was asked to end the object, and answered @ret. If it refused, the object is back,
 * under a new number; without memory for that it lives on unseen. If not, it has gone.
 */
void verbs_untrack_end(struct ib_device *dev, struct rdma_restrack_entry *res,
		       struct task_struct *owner, int ret)
{
	if (ret)
		retrack(dev, res, owner);
	if (owner)
		put_task_struct(owner);
}
