/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Helpers for the files of all verbs objects: memory for an object, and limits of a device.
 */
#ifndef _KRDMA_VERBS_VERBS_H_
#define _KRDMA_VERBS_VERBS_H_

#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>

/*
 * Allocate zeroed memory for an object. The size is the size that the provider declares for objects
 * of this type or the size of struct @type, whichever is larger. With verbs_zalloc(), the memory of
 * an object with a @uobject is charged to the memory cgroup of the calling process.
 */
#define verbs_zalloc_gfp(dev, type, gfp)					\
	rdma_zalloc_obj((dev), max((dev)->ops.size_##type, sizeof(struct type)), (gfp), true)
#define verbs_zalloc(dev, type, uobject)					\
	verbs_zalloc_gfp(dev, type, (uobject) ? GFP_KERNEL_ACCOUNT : GFP_KERNEL)

/* Returns whether @want exceeds the device's @limit. A limit of 0 means that there is no limit. */
static inline bool verbs_exceeds(u32 want, int limit)
{
	return limit > 0 && want > limit;
}

#endif /* _KRDMA_VERBS_VERBS_H_ */
