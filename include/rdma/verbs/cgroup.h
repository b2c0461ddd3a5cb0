/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Limits of the cgroup controller "rdma", for modules that make objects on behalf of processes.
 *
 * A context counts as an HCA handle, each object in it as an HCA object. What the kernel makes for
 * itself is not charged.
 */
#ifndef _RDMA_VERBS_CGROUP_H_
#define _RDMA_VERBS_CGROUP_H_

#include <linux/cgroup_rdma.h>
#include <linux/types.h>

struct ib_device;

/**
 * struct ib_rdmacg_object - what an object was charged to
 * @cg: the cgroup, with a reference
 */
struct ib_rdmacg_object {
#ifdef CONFIG_CGROUP_RDMA
	struct rdma_cgroup *cg;
#endif
};

#ifdef CONFIG_CGROUP_RDMA

/**
 * ib_rdmacg_try_charge - charge an object to the calling process's cgroup
 * @cg_obj: result; kept with the object, for ib_rdmacg_uncharge()
 * @device: the device that is to have the object, registered for the caller
 * @resource_index: RDMACG_RESOURCE_HCA_HANDLE for a context, RDMACG_RESOURCE_HCA_OBJECT for another
 *	object
 *
 * Process context.
 *
 * Return: 0; -EAGAIN: a limit of the cgroup, or of one above it, is reached; -ENOMEM; -EINVAL: no
 * such resource.
 */
int ib_rdmacg_try_charge(struct ib_rdmacg_object *cg_obj, struct ib_device *device,
			 enum rdmacg_resource_type resource_index);

/**
 * ib_rdmacg_uncharge - undo ib_rdmacg_try_charge(), when the object is gone
 * @cg_obj: what ib_rdmacg_try_charge() left
 * @device: the device, which must still be registered for the caller: a client uncharges all its
 *	objects in remove()
 * @resource_index: as it was charged
 *
 * Process context, of any process.
 */
void ib_rdmacg_uncharge(struct ib_rdmacg_object *cg_obj, struct ib_device *device,
			enum rdmacg_resource_type resource_index);

#else /* !CONFIG_CGROUP_RDMA */

static inline int ib_rdmacg_try_charge(struct ib_rdmacg_object *cg_obj, struct ib_device *device,
				       enum rdmacg_resource_type resource_index)
{
	return 0;
}

static inline void ib_rdmacg_uncharge(struct ib_rdmacg_object *cg_obj, struct ib_device *device,
				      enum rdmacg_resource_type resource_index)
{
}

#endif

#endif /* _RDMA_VERBS_CGROUP_H_ */
