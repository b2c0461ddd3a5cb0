/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory of the device that processes allocate and register.
 */
#ifndef _RDMA_VERBS_DM_H_
#define _RDMA_VERBS_DM_H_

#include <linux/atomic.h>
#include <linux/types.h>

struct ib_device;
struct ib_mr;
struct ib_pd;
struct ib_ucontext;
struct ib_uobject;
struct uverbs_attr_bundle;

/**
 * struct ib_dm - memory of a device
 * @device: the device
 * @length: length in bytes
 * @flags: &ib_dm_alloc_attr.flags
 * @uobject: handle of the process
 * @usecnt: number of regions in the memory
 */
struct ib_dm {
	struct ib_device	*device;
	u32			length;
	u32			flags;
	struct ib_uobject	*uobject;
	atomic_t		usecnt;
};

/**
 * struct ib_dm_alloc_attr - memory to be allocated
 * @length: length in bytes
 * @alignment: binary logarithm of the alignment
 * @flags: 0; for the provider's own methods
 */
struct ib_dm_alloc_attr {
	u64			length;
	u32			alignment;
	u32			flags;
};

/**
 * struct ib_dm_mr_attr - a region to be registered
 * @length: length in bytes
 * @offset: offset of the region's first byte
 * @access_flags: &enum ib_access_flags, with %IB_ZERO_BASED
 */
struct ib_dm_mr_attr {
	u64			length;
	u64			offset;
	u32			access_flags;
};

/**
 * ib_alloc_dm_user - allocate memory of a device for a process
 * @device: the device
 * @context: the process's context
 * @attr: memory to be allocated
 * @uobject: handle of the process
 * @attrs: the process's call
 *
 * Process context, may sleep.
 *
 * Return: the memory; or an ERR_PTR: -EOPNOTSUPP if the device has none; -ENODEV if the device is
 * being unregistered; or the provider's error.
 */
struct ib_dm *ib_alloc_dm_user(struct ib_device *device, struct ib_ucontext *context,
			       struct ib_dm_alloc_attr *attr, struct ib_uobject *uobject,
			       struct uverbs_attr_bundle *attrs);
/**
 * ib_dealloc_dm_user - free memory of a device
 * @dm: the memory
 * @attrs: the process's call
 *
 * Process context, may sleep.
 *
 * Return: 0; -EBUSY if regions are in the memory; or the provider's error. After an error the
 * memory is as before.
 */
int ib_dealloc_dm_user(struct ib_dm *dm, struct uverbs_attr_bundle *attrs);
/**
 * ib_reg_dm_mr_user - make a region in memory of a device
 * @pd: protection domain
 * @dm: the memory
 * @attr: the region
 * @uobject: handle of the process
 * @attrs: the process's call
 *
 * Process context, may sleep. The region is destroyed with ib_dereg_mr_user().
 *
 * Return: the region; or an ERR_PTR: -EOPNOTSUPP if the device cannot register its memory; -EINVAL
 * if @dm is of another device, if the region is not within @dm, if the rights are without
 * %IB_ZERO_BASED, or as ib_check_mr_access(); -ENODEV if the device is being unregistered; -ENOMEM;
 * or the provider's error.
 */
struct ib_mr *ib_reg_dm_mr_user(struct ib_pd *pd, struct ib_dm *dm, struct ib_dm_mr_attr *attr,
				struct ib_uobject *uobject, struct uverbs_attr_bundle *attrs);

#endif /* _RDMA_VERBS_DM_H_ */
