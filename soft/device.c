// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Initialises and ends struct soft_device, the part of a device that the files of this folder
 * use.
 */
#include "soft/device.h"

int soft_device_init(struct soft_device *dev, const struct soft_provider *provider)
{
	dev->provider = provider;
	xa_init_flags(&dev->stags, XA_FLAGS_LOCK_BH);
	spin_lock_init(&dev->mw_lock);
	dev->stats = __alloc_percpu(provider->num_counters * sizeof(*dev->stats), sizeof(u64));
	return dev->stats ? 0 : -ENOMEM;
}

void soft_device_exit(struct soft_device *dev)
{
	WARN_ON(!xa_empty(&dev->stags));
	xa_destroy(&dev->stags);
	free_percpu(dev->stats);
}
