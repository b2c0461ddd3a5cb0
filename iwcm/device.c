// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * iw_cm as a client of the core: devices that have iWARP connections are added and removed.
 */
#include <linux/slab.h>

#include "iwcm/device.h"
#include "iwcm/handler.h"
#include "iwcm/id.h"
#include "iwcm/iwcm.h"
#include "iwcm/track.h"

static bool has_iwarp(const struct ib_device_ops *ops)
{
	return ops->iw_add_ref && ops->iw_rem_ref && ops->iw_get_qp && ops->iw_connect &&
	       ops->iw_accept && (ops->iw_reject || ops->iw_reject_data) &&
	       ops->iw_create_listen && ops->iw_destroy_listen;
}

static struct ib_client client;

static int add_device(struct ib_device *ibdev)
{
	struct iwcm_device *dev;

	if (!has_iwarp(&ibdev->ops))
		return -EOPNOTSUPP;
	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return -ENOMEM;
	kref_init(&dev->refs);
	mutex_init(&dev->tracking);
	spin_lock_init(&dev->lock);
	INIT_LIST_HEAD(&dev->ids);
	ib_set_client_data(ibdev, &client, dev);
	return 0;
}

/*
 * Waits for calls that are inside the provider, ends listeners, requests and connections, and
 * unlinks all identifiers. The identifiers exist until their clients destroy them. When the
 * provider then reports the end of connections, the clients' handlers are still called with these
 * events.
 */
static void remove_device(struct ib_device *ibdev, void *client_data)
{
	struct iwcm_device *dev = client_data;
	struct iwcm_id *id;

	/* iwcm_device_get() must fail before the reference in the client data is dropped. */
	ib_set_client_data(ibdev, &client, NULL);
	spin_lock_irq(&dev->lock);
	dev->removed = true;
	while ((id = list_first_entry_or_null(&dev->ids, struct iwcm_id, dev_entry))) {
		/* The identifier cannot be freed here, because its client has a reference to it. */
		iwcm_id_get(id);
		spin_unlock_irq(&dev->lock);
		iwcm_id_call(id, IWCM_CALL_REMOVE, NULL);
		iwcm_id_untrack(id);
		iwcm_id_unlink(id);
		iwcm_id_put(id);
		spin_lock_irq(&dev->lock);
	}
	spin_unlock_irq(&dev->lock);
	iwcm_device_put(dev);
}

static struct ib_client client = {
	.name = "iw_cm",
	.add = add_device,
	.remove = remove_device,
};

struct iwcm_device *iwcm_device_get(struct ib_device *ibdev)
{
	struct iwcm_device *dev;

	rcu_read_lock();
	dev = ib_get_client_data(ibdev, &client);
	if (dev && !kref_get_unless_zero(&dev->refs))
		dev = NULL;
	rcu_read_unlock();
	return dev ?: ERR_PTR(has_iwarp(&ibdev->ops) ? -ENODEV : -EOPNOTSUPP);
}

int iwcm_device_init(void)
{
	return ib_register_client(&client);
}

void iwcm_device_exit(void)
{
	ib_unregister_client(&client);
}
