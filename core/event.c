// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Asynchronous events: queued in any context, delivered in order by one work item per device.
 */
#include "core/event.h"

#include <linux/slab.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

struct queued_event {
	struct list_head	list;
	struct ib_event		event;
};

static struct workqueue_struct *event_wq;

/* Written by ib_core_event_init() only. */
static const struct ib_core_event_cache *event_cache;

static const char *const event_names[] = {
	[IB_EVENT_CQ_ERR]		= "CQ error",
	[IB_EVENT_QP_FATAL]		= "fatal error of a QP",
	[IB_EVENT_QP_REQ_ERR]		= "invalid request at a QP",
	[IB_EVENT_QP_ACCESS_ERR]	= "access violation at a QP",
	[IB_EVENT_COMM_EST]		= "first message on a QP",
	[IB_EVENT_SQ_DRAINED]		= "send queue drained",
	[IB_EVENT_PATH_MIG]		= "QP moved to its other path",
	[IB_EVENT_PATH_MIG_ERR]		= "QP could not move to its other path",
	[IB_EVENT_DEVICE_FATAL]		= "fatal error of the device",
	[IB_EVENT_PORT_ACTIVE]		= "port active",
	[IB_EVENT_PORT_ERR]		= "port error",
	[IB_EVENT_LID_CHANGE]		= "LID changed",
	[IB_EVENT_PKEY_CHANGE]		= "P_Key table changed",
	[IB_EVENT_SM_CHANGE]		= "subnet manager changed",
	[IB_EVENT_SRQ_ERR]		= "SRQ error",
	[IB_EVENT_SRQ_LIMIT_REACHED]	= "SRQ below its limit",
	[IB_EVENT_QP_LAST_WQE_REACHED]	= "QP took its last SRQ request",
	[IB_EVENT_CLIENT_REREGISTER]	= "subnet manager asks to register again",
	[IB_EVENT_GID_CHANGE]		= "GID table changed",
	[IB_EVENT_WQ_FATAL]		= "fatal error of a work queue",
};

const char *ib_event_msg(enum ib_event_type event)
{
	unsigned int index = event;

	return index < ARRAY_SIZE(event_names) ? event_names[index] : "unrecognized event";
}
EXPORT_SYMBOL(ib_event_msg);

static struct queued_event *pop_event(struct ib_device *dev)
{
	struct queued_event *queued;
	unsigned long flags;

	spin_lock_irqsave(&dev->event_lock, flags);
	queued = list_first_entry_or_null(&dev->event_queue, struct queued_event, list);
	if (queued)
		list_del(&queued->list);
	spin_unlock_irqrestore(&dev->event_lock, flags);
	return queued;
}

static void deliver_events(struct work_struct *work)
{
	struct ib_device *dev = container_of(work, struct ib_device, event_work);
	struct ib_event_handler *handler;
	struct queued_event *queued;

	event_cache->renew(dev);
	while ((queued = pop_event(dev))) {
		event_cache->event(&queued->event);
		down_read(&dev->event_handler_rwsem);
		list_for_each_entry(handler, &dev->event_handler_list, list)
			handler->handler(handler, &queued->event);
		up_read(&dev->event_handler_rwsem);
		kfree(queued);
	}
}

/*
 * Drops an event that cannot be queued for want of memory. No handler gets the event, but the
 * caches of its port are refilled.
 */
static void lose_event(const struct ib_event *event)
{
	struct ib_device *dev = event->device;
	unsigned long flags;

	ibdev_err_ratelimited(dev, "event \"%s\" is lost: no memory to queue it\n",
			      ib_event_msg(event->event));
	spin_lock_irqsave(&dev->event_lock, flags);
	if (dev->events_running) {
		event_cache->lost(event);
		queue_work(event_wq, &dev->event_work);
	}
	spin_unlock_irqrestore(&dev->event_lock, flags);
}

void ib_dispatch_event(const struct ib_event *event)
{
	struct ib_device *dev = event->device;
	struct queued_event *queued;
	unsigned long flags;

	queued = kmalloc(sizeof(*queued), GFP_ATOMIC);
	if (!queued) {
		lose_event(event);
		return;
	}
	queued->event = *event;
	spin_lock_irqsave(&dev->event_lock, flags);
	if (dev->events_running) {
		list_add_tail(&queued->list, &dev->event_queue);
		queue_work(event_wq, &dev->event_work);
		queued = NULL;
	}
	spin_unlock_irqrestore(&dev->event_lock, flags);
	kfree(queued);
}
EXPORT_SYMBOL(ib_dispatch_event);

void ib_register_event_handler(struct ib_event_handler *event_handler)
{
	struct ib_device *dev = event_handler->device;

	down_write(&dev->event_handler_rwsem);
	list_add_tail(&event_handler->list, &dev->event_handler_list);
	up_write(&dev->event_handler_rwsem);
}
EXPORT_SYMBOL(ib_register_event_handler);

void ib_unregister_event_handler(struct ib_event_handler *event_handler)
{
	struct ib_device *dev = event_handler->device;

	down_write(&dev->event_handler_rwsem);
	list_del(&event_handler->list);
	up_write(&dev->event_handler_rwsem);
}
EXPORT_SYMBOL(ib_unregister_event_handler);

void ib_core_events_setup(struct ib_device *dev)
{
	spin_lock_init(&dev->event_lock);
	INIT_LIST_HEAD(&dev->event_queue);
	INIT_WORK(&dev->event_work, deliver_events);
}

static void events_set_running(struct ib_device *dev, bool running)
{
	unsigned long flags;

	spin_lock_irqsave(&dev->event_lock, flags);
	dev->events_running = running;
	spin_unlock_irqrestore(&dev->event_lock, flags);
}

void ib_core_events_start(struct ib_device *dev)
{
	events_set_running(dev, true);
}

void ib_core_events_flush(struct ib_device *dev)
{
	flush_work(&dev->event_work);
}

void ib_core_events_stop(struct ib_device *dev)
{
	events_set_running(dev, false);
	flush_work(&dev->event_work);
}

int ib_core_event_init(const struct ib_core_event_cache *cache)
{
	event_cache = cache;
	event_wq = alloc_workqueue("ib_core_event", WQ_UNBOUND, 0);
	return event_wq ? 0 : -ENOMEM;
}

void ib_core_event_exit(void)
{
	destroy_workqueue(event_wq);
}
