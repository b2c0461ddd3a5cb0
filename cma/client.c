// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Addition and removal of devices. The removal of a device waits until all identifiers and
 * listeners of the device are destroyed.
 */
#include "cma/client.h"

#include <linux/slab.h>
#include <linux/workqueue.h>

#include "cma/device.h"
#include "cma/handler.h"
#include "cma/id.h"
#include "cma/listen.h"
#include "cma/transport.h"

static int add_device(struct ib_device *ibdev)
{
	struct cma_device *dev;

	if (!rdma_cap_iw_cm(ibdev, rdma_start_port(ibdev)))
		return -EOPNOTSUPP;
	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return -ENOMEM;
	dev->map_wq = alloc_workqueue("rdma_cm_map", WQ_UNBOUND | WQ_MEM_RECLAIM, WQ_MAX_ACTIVE);
	if (!dev->map_wq) {
		kfree(dev);
		return -ENOMEM;
	}
	dev->ibdev = ibdev;
	dev->transport = &cma_iw;
	INIT_LIST_HEAD(&dev->listeners);
	INIT_LIST_HEAD(&dev->ids);
	INIT_LIST_HEAD(&dev->leaving);
	init_waitqueue_head(&dev->idle);
	spin_lock_init(&dev->lock);
	ib_set_client_data(ibdev, &cma_client, dev);
	cma_listen_device_add(dev);
	return 0;
}

/*
 * Returns the next identifier that has to get DEVICE_REMOVAL, and takes a reference to it; returns
 * NULL if none is left. Skips identifiers that are being destroyed.
 */
static struct cma_id *next_leaving_id(struct cma_device *dev)
{
	struct cma_id *id;

	spin_lock(&dev->lock);
	do {
		id = list_first_entry_or_null(&dev->ids, struct cma_id, dev_entry);
		if (id)
			list_move_tail(&id->dev_entry, &dev->leaving);
	} while (id && !cma_id_tryget(id));
	spin_unlock(&dev->lock);
	return id;
}

static bool device_is_idle(struct cma_device *dev)
{
	bool idle;

	spin_lock(&dev->lock);
	idle = list_empty(&dev->leaving) && !dev->open;
	spin_unlock(&dev->lock);
	return idle;
}

static void remove_device(struct ib_device *ibdev, void *client_data)
{
	struct cma_device *dev = client_data;
	struct cma_id *id;

	ib_set_client_data(ibdev, &cma_client, NULL);
	spin_lock(&dev->lock);
	WRITE_ONCE(dev->gone, true);
	spin_unlock(&dev->lock);
	/* Listeners are destroyed first, because their requests create new identifiers. */
	cma_listen_device_remove(dev);
	while ((id = next_leaving_id(dev)))
		cma_deliver_removal(id);
	wait_event(dev->idle, device_is_idle(dev));
	/* Wait for work items that have destroyed their own identifier and are still returning. */
	destroy_workqueue(dev->map_wq);
	kfree_rcu(dev, rcu);
}

struct ib_client cma_client = {
	.name = "cma", /* not "rdma_cm", which is the name of rdma_ucm's client */
	.add = add_device,
	.remove = remove_device,
};
