/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Limits of the cgroup controller "rdma", for modules that make objects on behalf of processes.
 *
 * A context counts as an HCA handle, each object in it as an HCA object. Objects that the kernel
 * makes for itself are not charged.
 */
#ifndef _RDMA_VERBS_CGROUP_H_
#define _RDMA_VERBS_CGROUP_H_

#include <linux/cgroup_rdma.h>
#include <linux/types.h>

struct ib_device;

/**
 * struct ib_rdmacg_object - the cgroup that an object was charged to
 * @cg: that cgroup, with a reference
 */
struct ib_rdmacg_object {
#ifdef CONFIG_CGROUP_RDMA
	struct rdma_cgroup *cg;
#endif
};

#ifdef CONFIG_CGROUP_RDMA

/**
 * ib_rdmacg_try_charge - charge an object to the calling process's cgroup
 * @cg_obj: out: the charge, which the caller stores with the object for ib_rdmacg_uncharge()
 * @device: device that the object will belong to; must be registered
 * @resource_index: RDMACG_RESOURCE_HCA_HANDLE for a context, RDMACG_RESOURCE_HCA_OBJECT for another
 *	object
 *
 * Process context.
 *
 * Return: 0; -EAGAIN if a limit of the cgroup or of one above it is reached; -ENOMEM; -EINVAL if
 * there is no such resource.
 */
int ib_rdmacg_try_charge(struct ib_rdmacg_object *cg_obj, struct ib_device *device,
			 enum rdmacg_resource_type resource_index);

/**
 * ib_rdmacg_uncharge - undo ib_rdmacg_try_charge() after the object was destroyed
 * @cg_obj: the charge, as ib_rdmacg_try_charge() filled it in
 * @device: the device, which must still be registered: a client uncharges all of its objects
 *	before its remove() returns
 * @resource_index: as given to ib_rdmacg_try_charge()
 *
 * Process context; any process may call it.
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
