// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Counters of processes.
 */
#include "core/registry.h"
#include "verbs/verbs.h"

struct ib_counters *ib_create_counters_user(struct ib_device *device, struct ib_uobject *uobject,
					    struct uverbs_attr_bundle *attrs)
{
	struct ib_counters *counters;
	int ret;

	might_sleep();
	if (!device->ops.create_counters)
		return ERR_PTR(-EOPNOTSUPP);
	if (!ib_core_device_usable(device))
		return ERR_PTR(-ENODEV);
	counters = verbs_zalloc(device, ib_counters, uobject);
	if (!counters)
		return ERR_PTR(-ENOMEM);
	counters->device = device;
	counters->uobject = uobject;
	atomic_set(&counters->usecnt, 0);
	ret = device->ops.create_counters(counters, attrs);
	if (ret) {
		kfree(counters);
		return ERR_PTR(ret);
	}
	return counters;
}
EXPORT_SYMBOL(ib_create_counters_user);

int ib_destroy_counters(struct ib_counters *counters)
{
	int ret;

	might_sleep();
	if (atomic_read(&counters->usecnt))
		return -EBUSY;
	ret = counters->device->ops.destroy_counters(counters);
	if (!ret)
		kfree(counters);
	return ret;
}
EXPORT_SYMBOL(ib_destroy_counters);

int ib_read_counters(struct ib_counters *counters, struct ib_counters_read_attr *attr,
		     struct uverbs_attr_bundle *attrs)
{
	might_sleep();
	if (!counters->device->ops.read_counters)
		return -EOPNOTSUPP;
	if (!atomic_read(&counters->usecnt))
		return -EINVAL;
	return counters->device->ops.read_counters(counters, attr, attrs);
}
EXPORT_SYMBOL(ib_read_counters);
