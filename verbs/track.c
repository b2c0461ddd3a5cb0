// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * When verbs objects enter and leave the resource table.
 *
 * Last step of a creation, first step of a destruction: whoever finds an object there may ask its
 * provider about it.
 */
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

/* Returns when nobody looks at the object any more. */
void verbs_untrack(struct ib_device *dev, struct rdma_restrack_entry *res)
{
	rdma_restrack_del(dev, res);
}

/*
 * The provider refused to end the object, so it is back, under a new number. Without memory for
 * that it lives on unseen.
 */
void verbs_retrack(struct ib_device *dev, struct rdma_restrack_entry *res)
{
	const char *caller = res->kern_name;

	if (verbs_track(dev, res, res->type, caller))
		ibdev_warn(dev, "an object that could not be destroyed is no longer listed\n");
}
