// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The life of an identifier: creation, references, destruction.
 */
#include <linux/completion.h>
#include <linux/export.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "iwcm/iwcm.h"

/* Identifiers there are, and one for the module, which cannot go before all are freed. */
static refcount_t ids = REFCOUNT_INIT(1);
static DECLARE_COMPLETION(ids_freed);

static void ids_put(void)
{
	if (refcount_dec_and_test(&ids))
		complete(&ids_freed);
}

/* Providers may hold identifiers long after the client has destroyed them. */
void iwcm_ids_wait(void)
{
	ids_put();
	wait_for_completion(&ids_freed);
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

static void add_ref(struct iw_cm_id *base)
{
	iwcm_id_get(to_iwcm_id(base));
}

static void rem_ref(struct iw_cm_id *base)
{
	iwcm_id_put(to_iwcm_id(base));
}

/*
 * An idle identifier of which the device does not know yet; who calls for it pays. NULL: no memory.
 */
struct iwcm_id *iwcm_id_new(struct iwcm_device *dev, struct ib_device *ibdev)
{
	struct iwcm_id *id = kzalloc(sizeof(*id), GFP_KERNEL_ACCOUNT);

	if (!id)
		return NULL;
	refcount_inc(&ids);
	kref_get(&dev->refs);
	id->dev = dev;
	id->base.device = ibdev;
	id->base.event_handler = iwcm_event_handler;
	id->base.add_ref = add_ref;
	id->base.rem_ref = rem_ref;
	kref_init(&id->refs);
	INIT_LIST_HEAD(&id->dev_entry);
	INIT_LIST_HEAD(&id->events);
	INIT_WORK(&id->work, iwcm_event_deliver);
	init_waitqueue_head(&id->wait);
	spin_lock_init(&id->lock);
	return id;
}

/* The request no longer counts as pending: it is accepted, rejected, or of no interest. */
void iwcm_id_answered(struct iwcm_id *child)
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

/* No handler runs any more, unless we are in it. None will start: there are no events. */
static void wait_for_handler(struct iwcm_id *id)
{
	spin_lock_irq(&id->lock);
	wait_event_lock_irq(id->wait, !id->handler || id->handler == current, id->lock);
	spin_unlock_irq(&id->lock);
}

/* The provider has let go of the QP; now events need no memory any more. */
static void wait_for_provider(struct iwcm_id *id)
{
	spin_lock_irq(&id->lock);
	wait_event_lock_irq(id->wait, !id->qp, id->lock);
	iwcm_event_unreserve(id);
	spin_unlock_irq(&id->lock);
}

/* Drops the client's reference; of two that try, one does. */
void iwcm_id_destroy(struct iwcm_id *id)
{
	if (iwcm_state_call(id, IWCM_CALL_DESTROY, NULL))
		return;
	iwcm_id_untrack(id);
	wait_for_provider(id);
	iwcm_event_flush(id);
	iwcm_id_answered(id);
	iwcm_device_unlink(id);
	wait_for_handler(id);
	/* Nobody looks for the peers of a listener's requests any more. */
	iwcm_unmap(id);
	iwcm_id_put(id);
}

struct iw_cm_id *__iw_create_cm_id(struct ib_device *device, iw_cm_handler cm_handler,
				   void *context, const char *caller)
{
	struct iwcm_device *dev;
	struct iwcm_id *id;
	int ret = -ENOMEM;

	if (!device || !cm_handler)
		return ERR_PTR(-EINVAL);
	dev = iwcm_device_get(device);
	if (IS_ERR(dev))
		return ERR_CAST(dev);
	id = iwcm_id_new(dev, device);
	if (!id)
		goto put_device;
	id->base.cm_handler = cm_handler;
	id->base.context = context;
	/* The device, when it goes, takes those that it knows out of the table. */
	ret = iwcm_id_track(id, caller);
	if (ret)
		goto put_id;
	ret = iwcm_device_link(id);
	if (ret)
		goto untrack;
	iwcm_device_put(dev);
	return &id->base;

untrack:
	iwcm_id_untrack(id);
put_id:
	iwcm_id_put(id);
put_device:
	iwcm_device_put(dev);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL(__iw_create_cm_id);

void iw_destroy_cm_id(struct iw_cm_id *cm_id)
{
	iwcm_id_destroy(to_iwcm_id(cm_id));
}
EXPORT_SYMBOL(iw_destroy_cm_id);
