/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the files of all verbs objects need: memory for an object, and limits of a device.
 */
#ifndef _KRDMA_VERBS_VERBS_H_
#define _KRDMA_VERBS_VERBS_H_

#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>

/*
 * Zeroed memory of the size that the provider declared for objects of this type, or of the type's
 * own size. An object with a uobject is charged to the memory cgroup of the calling process.
 */
#define verbs_zalloc(dev, type, uobject)					\
	kzalloc(max((dev)->ops.size_##type, sizeof(struct type)),		\
		(uobject) ? GFP_KERNEL_ACCOUNT : GFP_KERNEL)

/* Is @want more than the device's @limit? A limit of 0 means that the device declares none. */
static inline bool verbs_exceeds(u32 want, int limit)
{
	return limit > 0 && want > limit;
}

#endif /* _KRDMA_VERBS_VERBS_H_ */
