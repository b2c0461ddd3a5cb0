// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Identifiers and the devices that they are on: references, and a device's list of identifiers.
 */
#include <linux/completion.h>
#include <linux/refcount.h>
#include <linux/slab.h>

#include "iwcm/id.h"
#include "iwcm/iwcm.h"

/* Each identifier holds one reference; the module holds one until iwcm_ids_wait(). */
static refcount_t ids = REFCOUNT_INIT(1);
static DECLARE_COMPLETION(ids_freed);

static void ids_put(void)
{
	if (refcount_dec_and_test(&ids))
		complete(&ids_freed);
}

void iwcm_ids_wait(void)
{
	ids_put();
	wait_for_completion(&ids_freed);
}

static void free_device(struct kref *refs)
{
	struct iwcm_device *dev = container_of(refs, struct iwcm_device, refs);

	kfree_rcu(dev, rcu);
}

void iwcm_device_put(struct iwcm_device *dev)
{
	kref_put(&dev->refs, free_device);
}

static void free_id(struct kref *refs)
{
	struct iwcm_id *id = container_of(refs, struct iwcm_id, refs);

	iwcm_device_put(id->dev);
	kfree(id);
	ids_put();
}

void iwcm_id_get(struct iwcm_id *id)
{
	kref_get(&id->refs);
}

void iwcm_id_put(struct iwcm_id *id)
{
	kref_put(&id->refs, free_id);
}

static void id_add_ref(struct iw_cm_id *base)
{
	iwcm_id_get(to_iwcm_id(base));
}

static void id_rem_ref(struct iw_cm_id *base)
{
	iwcm_id_put(to_iwcm_id(base));
}

struct iwcm_id *iwcm_id_new(struct iwcm_device *dev, struct ib_device *ibdev, gfp_t gfp)
{
	struct iwcm_id *id = kzalloc(sizeof(*id), gfp);

	if (!id)
		return NULL;
	refcount_inc(&ids);
	kref_get(&dev->refs);
	id->dev = dev;
	id->base.device = ibdev;
	id->base.add_ref = id_add_ref;
	id->base.rem_ref = id_rem_ref;
	kref_init(&id->refs);
	INIT_LIST_HEAD(&id->dev_entry);
	INIT_LIST_HEAD(&id->events);
	iwpm_wait_init(&id->asking);
	init_waitqueue_head(&id->wait);
	spin_lock_init(&id->lock);
	return id;
}

int iwcm_id_link(struct iwcm_id *id)
{
	struct iwcm_device *dev = id->dev;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&dev->lock, flags);
	if (dev->removed)
		ret = -ENODEV;
	else
		list_add_tail(&id->dev_entry, &dev->ids);
	spin_unlock_irqrestore(&dev->lock, flags);
	return ret;
}

void iwcm_id_unlink(struct iwcm_id *id)
{
	spin_lock_irq(&id->dev->lock);
	list_del_init(&id->dev_entry);
	spin_unlock_irq(&id->dev->lock);
}

void iwcm_id_uncount_pending(struct iwcm_id *child)
{
	struct iwcm_id *listener;

	spin_lock_irq(&child->lock);
	listener = child->listener;
	child->listener = NULL;
	spin_unlock_irq(&child->lock);
	if (!listener)
		return;

	spin_lock_irq(&listener->lock);
	listener->pending--;
	spin_unlock_irq(&listener->lock);
	iwcm_id_put(listener);
}
