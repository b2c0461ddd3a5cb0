// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Devices in the cgroup controller "rdma", whose files rdma.max and rdma.current name the devices.
 */
#include "core/cgroup.h"

#include <linux/cgroup_rdma.h>
#include <rdma/ib_verbs.h>

#ifdef CONFIG_CGROUP_RDMA

/* The controller keeps a pointer to dev->name, and so shows the new name after a rename. */
void ib_core_cgroup_add(struct ib_device *dev)
{
	dev->cg_device.name = dev->name;
	rdmacg_register_device(&dev->cg_device);
}

/* Called when the device has no objects any more, and nothing is charged to any cgroup for it. */
void ib_core_cgroup_del(struct ib_device *dev)
{
	rdmacg_unregister_device(&dev->cg_device);
}

int ib_rdmacg_try_charge(struct ib_rdmacg_object *cg_obj, struct ib_device *device,
			 enum rdmacg_resource_type resource_index)
{
	return rdmacg_try_charge(&cg_obj->cg, &device->cg_device, resource_index);
}
EXPORT_SYMBOL(ib_rdmacg_try_charge);

void ib_rdmacg_uncharge(struct ib_rdmacg_object *cg_obj, struct ib_device *device,
			enum rdmacg_resource_type resource_index)
{
	rdmacg_uncharge(cg_obj->cg, &device->cg_device, resource_index);
}
EXPORT_SYMBOL(ib_rdmacg_uncharge);

#else

void ib_core_cgroup_add(struct ib_device *dev) { }
void ib_core_cgroup_del(struct ib_device *dev) { }

#endif
