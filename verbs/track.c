// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Functions that add verbs objects to the resource table and remove them.
 */
#include "verbs/track.h"

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

struct task_struct *verbs_untrack(struct ib_device *dev, struct rdma_restrack_entry *res)
{
	struct task_struct *owner = res->task;

	might_sleep();
	if (owner)
		get_task_struct(owner);
	rdma_restrack_del(dev, res);
	return owner;
}

void verbs_untrack_end(struct ib_device *dev, struct rdma_restrack_entry *res,
		       struct task_struct *owner, int ret)
{
	/*
	 * If @ret is 0, do not touch @res: the object may be a memory region, and the provider has
	 * already freed the region's memory.
	 */
	if (ret) {
		struct rdma_restrack_entry was = { .kern_name = res->kern_name, .task = owner };

		/*
		 * The object keeps its owner, which need not be the process that failed to destroy
		 * the object.
		 */
		rdma_restrack_new(res, res->type);
		rdma_restrack_parent_name(res, &was);
		if (rdma_restrack_add(dev, res))
			ibdev_warn(dev,
				   "an object that could not be destroyed is no longer listed\n");
	}
	if (owner)
		put_task_struct(owner);
}
