// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Devices that have iWARP connections come and go, and what happens to their identifiers then.
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

/* Some identifier that is left, with a reference. In the list it has its client's, at least. */
static struct iwcm_id *any_id(struct iwcm_device *dev)
{
	struct iwcm_id *id;

	spin_lock_irq(&dev->lock);
	id = list_first_entry_or_null(&dev->ids, struct iwcm_id, dev_entry);
	if (id)
		iwcm_id_get(id);
	spin_unlock_irq(&dev->lock);
	return id;
}

/*
 * Ends what there is at the provider, waits for calls that are inside it, and cuts all identifiers
 * off. They live on for their owners, who hear of the end of connections from the provider.
 */
static void remove_device(struct ib_device *ibdev, void *client_data)
{
	struct iwcm_device *dev = client_data;
	struct iwcm_id *id;

	/* Look-ups must not find it when the reference is gone. */
	ib_set_client_data(ibdev, &client, NULL);
	spin_lock_irq(&dev->lock);
	dev->removed = true;
	spin_unlock_irq(&dev->lock);
	while ((id = any_id(dev))) {
		iwcm_id_call(id, IWCM_CALL_REMOVE, NULL);
		iwcm_id_untrack(id);
		iwcm_id_unlink(id);
		iwcm_id_put(id);
	}
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

	if (!has_iwarp(&ibdev->ops))
		return ERR_PTR(-EOPNOTSUPP);
	rcu_read_lock();
	dev = ib_get_client_data(ibdev, &client);
	if (dev && !kref_get_unless_zero(&dev->refs))
		dev = NULL;
	rcu_read_unlock();
	return dev ?: ERR_PTR(-ENODEV);
}

int iwcm_device_init(void)
{
	return ib_register_client(&client);
}

void iwcm_device_exit(void)
{
	ib_unregister_client(&client);
}
