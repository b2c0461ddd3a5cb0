// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Devices that have connections come and go, and what their identifiers hear then.
 */
#include <linux/slab.h>

#include "cma/cma.h"

static const struct cma_transport *transport_of(struct ib_device *ibdev)
{
	return rdma_cap_iw_cm(ibdev, rdma_start_port(ibdev)) ? &cma_iw : NULL;
}

static int add_device(struct ib_device *ibdev)
{
	const struct cma_transport *transport = transport_of(ibdev);
	struct cma_device *dev;

	if (!transport)
		return -EOPNOTSUPP;
	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return -ENOMEM;
	dev->ibdev = ibdev;
	dev->transport = transport;
	INIT_LIST_HEAD(&dev->listeners);
	INIT_LIST_HEAD(&dev->ids);
	INIT_LIST_HEAD(&dev->leaving);
	init_waitqueue_head(&dev->idle);
	spin_lock_init(&dev->lock);
	ib_set_client_data(ibdev, &cma_client, dev);
	cma_listen_device_add(dev);
	return 0;
}

/* An identifier that has not had DEVICE_REMOVAL, with a reference; none that is being destroyed. */
static struct cma_id *next_id(struct cma_device *dev)
{
	struct cma_id *id;

	spin_lock(&dev->lock);
	do {
		id = list_first_entry_or_null(&dev->ids, struct cma_id, dev_entry);
		if (id)
			list_move_tail(&id->dev_entry, &dev->leaving);
	} while (id && !cma_id_get_unless_unused(id));
	spin_unlock(&dev->lock);
	return id;
}

static bool is_idle(struct cma_device *dev)
{
	bool idle;

	spin_lock(&dev->lock);
	idle = list_empty(&dev->ids) && list_empty(&dev->leaving) && !dev->open;
	spin_unlock(&dev->lock);
	return idle;
}

static void remove_device(struct ib_device *ibdev, void *client_data)
{
	struct cma_device *dev = client_data;
	struct cma_id *id;

	ib_set_client_data(ibdev, &cma_client, NULL);
	spin_lock(&dev->lock);
	dev->gone = true;
	spin_unlock(&dev->lock);
	/* First what brings new identifiers. */
	cma_listen_device_remove(dev);
	while ((id = next_id(dev)))
		cma_deliver_removal(id);
	wait_event(dev->idle, is_idle(dev));
	kfree_rcu(dev, rcu);
}

struct ib_client cma_client = {
	.name = "cma", /* rdma_ucm has that of the node */
	.add = add_device,
	.remove = remove_device,
};

int cma_client_init(void)
{
	return ib_register_client(&cma_client);
}

void cma_client_exit(void)
{
	ib_unregister_client(&cma_client);
}
