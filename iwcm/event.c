// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Events on their way from the provider to the client: memory for them, the queue of each
 * identifier, and the work item that calls the client's handler.
 */
#include <linux/sched.h>
#include <linux/slab.h>

#include <trace/events/iw_cm.h>

#include "iwcm/iwcm.h"

/*
 * Unbound, as many at a time as can be: a handler that sleeps keeps nobody else from theirs. Only
 * where a thread is needed and cannot be had at once (short of memory, or of CPU), the rescuer runs
 * what waits, one after the other: that is the price of progress when memory is being reclaimed.
 */
static struct workqueue_struct *delivery;

static struct iwcm_event *new_event(u16 room)
{
	struct iwcm_event *event = kzalloc(struct_size(event, data, room), GFP_KERNEL);

	if (event)
		event->room = room;
	return event;
}

/*
 * Memory for all events of a connection, the first of which is @opening (CONNECT_REPLY, or
 * ESTABLISHED). The identifier is busy, and in a state that takes no events.
 */
int iwcm_event_reserve(struct iwcm_id *id, enum iw_cm_event_type opening)
{
	struct iwcm_event *open = new_event(IWCM_MAX_PRIVATE_DATA);
	struct iwcm_event *disconnect = new_event(0);
	struct iwcm_event *close = new_event(0);

	if (!open || !disconnect || !close) {
		kfree(open);
		kfree(disconnect);
		kfree(close);
		return -ENOMEM;
	}
	spin_lock_irq(&id->lock);
	iwcm_event_unreserve(id);
	id->spare[opening] = open;
	id->spare[IW_CM_EVENT_DISCONNECT] = disconnect;
	id->spare[IW_CM_EVENT_CLOSE] = close;
	spin_unlock_irq(&id->lock);
	return 0;
}

void iwcm_event_unreserve(struct iwcm_id *id)
{
	int i;

	lockdep_assert_held(&id->lock);
	for (i = 0; i < ARRAY_SIZE(id->spare); i++) {
		kfree(id->spare[i]);
		id->spare[i] = NULL;
	}
}

/* Queues @event as a copy of @from, with as much private data as this kind of event carries. */
void iwcm_event_queue(struct iwcm_id *id, struct iwcm_event *event,
		      const struct iw_cm_event *from)
{
	u16 len = min(from->private_data_len, event->room);

	lockdep_assert_held(&id->lock);
	event->event = *from;
	event->event.private_data = len ? event->data : NULL;
	event->event.private_data_len = len;
	if (len)
		memcpy(event->data, from->private_data, len);
	list_add_tail(&event->entry, &id->events);
	iwcm_event_kick(id);
}

static bool deliverable(const struct iwcm_id *id)
{
	lockdep_assert_held(&id->lock);
	return !list_empty(&id->events) && !id->busy && !id->handler &&
	       id->state != IWCM_DESTROYING;
}

/* Starts delivery, if it can. Whoever removes an obstacle (busy, handler) calls this. */
void iwcm_event_kick(struct iwcm_id *id)
{
	lockdep_assert_held(&id->lock);
	/* The work needs the lock before it can drop the reference. */
	if (deliverable(id) && queue_work(delivery, &id->work))
		iwcm_id_get(id);
}

/* Forgets an event of the connection that the client has not been told yet. */
void iwcm_event_drop(struct iwcm_id *id, enum iw_cm_event_type type)
{
	struct iwcm_event *event, *next;

	lockdep_assert_held(&id->lock);
	list_for_each_entry_safe(event, next, &id->events, entry) {
		if (event->event.event != type)
			continue;
		list_del(&event->entry);
		kfree(event);
	}
}

/* Throws away events that were taken off a queue. Requests among them are rejected. */
void iwcm_event_discard(struct list_head *events)
{
	struct iwcm_event *event, *next;

	list_for_each_entry_safe(event, next, events, entry) {
		if (event->child) {
			iwcm_id_destroy(event->child);
			iwcm_id_put(event->child);
		}
		kfree(event);
	}
}

void iwcm_event_flush(struct iwcm_id *id)
{
	LIST_HEAD(events);

	spin_lock_irq(&id->lock);
	list_splice_init(&id->events, &events);
	spin_unlock_irq(&id->lock);
	iwcm_event_discard(&events);
}

static struct iwcm_event *next_event(struct iwcm_id *id)
{
	struct iwcm_event *event = NULL;

	spin_lock_irq(&id->lock);
	if (deliverable(id)) {
		event = list_first_entry(&id->events, struct iwcm_event, entry);
		list_del(&event->entry);
		if (event->last)
			iwcm_state_told(id);
		id->handler = current;
	}
	spin_unlock_irq(&id->lock);
	return event;
}

static void handler_begins(struct iwcm_id *id)
{
	spin_lock_irq(&id->lock);
	id->handler = current;
	spin_unlock_irq(&id->lock);
}

static void handler_ended(struct iwcm_id *id)
{
	spin_lock_irq(&id->lock);
	id->handler = NULL;
	wake_up_all(&id->wait);
	iwcm_event_kick(id);
	spin_unlock_irq(&id->lock);
}

/*
 * Addresses that the provider tells are the true ones on the wire, and in fact unless the port
 * mapper has mapped them; else those of the client hold.
 */
static void settle_addresses(struct iw_cm_id *base, struct iw_cm_event *event)
{
	if (event->event != IW_CM_EVENT_CONNECT_REPLY || event->status)
		return;
	if (event->local_addr.ss_family)
		base->m_local_addr = event->local_addr;
	if (event->remote_addr.ss_family)
		base->m_remote_addr = event->remote_addr;
	if (!base->mapped) {
		base->local_addr = base->m_local_addr;
		base->remote_addr = base->m_remote_addr;
	}
	event->local_addr = base->local_addr;
	event->remote_addr = base->remote_addr;
}

static void deliver_request(struct iwcm_id *listener, struct iwcm_event *event)
{
	struct iwcm_id *child = event->child;
	int ret;

	child->base.context = listener->base.context;
	child->base.cm_handler = listener->base.cm_handler;
	iwcm_unmap_request(listener, child, &event->event);
	handler_begins(child);
	ret = child->base.cm_handler(&child->base, &event->event);
	trace_iw_cm_deliver(&child->base, &event->event, ret);
	if (ret)
		iwcm_id_destroy(child);
	handler_ended(child);
	iwcm_id_put(child);
}

static void deliver_event(struct iwcm_id *id, struct iwcm_event *event)
{
	int ret;

	settle_addresses(&id->base, &event->event);
	ret = id->base.cm_handler(&id->base, &event->event);
	trace_iw_cm_deliver(&id->base, &event->event, ret);
	if (ret)
		iwcm_id_destroy(id);
}

void iwcm_event_deliver(struct work_struct *work)
{
	struct iwcm_id *id = container_of(work, struct iwcm_id, work);
	struct iwcm_event *event;

	event = next_event(id);
	if (event) {
		if (event->child)
			deliver_request(id, event);
		else
			deliver_event(id, event);
		/* Queues the work once more if there is more to deliver. */
		handler_ended(id);
		kfree(event);
	}
	iwcm_id_put(id);
}

/* The identifier of a request: what the client will get, and a reference of the event's. */
static struct iwcm_id *new_child(struct iwcm_id *listener, const struct iw_cm_event *event)
{
	struct iwcm_id *child = iwcm_id_new(listener->dev, listener->base.device);

	if (!child)
		return NULL;
	child->base.provider_data = event->provider_data;
	child->base.local_addr = event->local_addr;
	child->base.m_local_addr = event->local_addr;
	child->base.remote_addr = event->remote_addr;
	child->base.m_remote_addr = event->remote_addr;
	child->state = IWCM_CONN_RECV;
	iwcm_id_get(child);
	return child;
}

static int take_request(struct iwcm_id *listener, const struct iw_cm_event *event)
{
	struct iwcm_event *request;
	int ret = -ENOMEM;

	if (!iwcm_is_inet(&event->local_addr) || !iwcm_is_inet(&event->remote_addr))
		return -EINVAL;
	request = new_event(event->private_data_len);
	if (!request)
		return -ENOMEM;
	request->child = new_child(listener, event);
	if (!request->child)
		goto free_request;
	ret = iwcm_id_track_child(request->child, listener);
	if (ret)
		goto put_child;
	ret = iwcm_state_event(listener, event, request);
	if (ret)
		goto untrack_child;
	return 0;

	/* Nobody knows the child: the provider ends what is its own. */
untrack_child:
	iwcm_id_untrack(request->child);
put_child:
	iwcm_id_put(request->child);
	iwcm_id_put(request->child);
free_request:
	kfree(request);
	return ret;
}

/* The provider's upcall. */
int iwcm_event_handler(struct iw_cm_id *base, struct iw_cm_event *event)
{
	struct iwcm_id *id = to_iwcm_id(base);
	int ret;

	if (event->private_data_len > IWCM_MAX_PRIVATE_DATA ||
	    (event->private_data_len && !event->private_data))
		return -EINVAL;
	if (event->event == IW_CM_EVENT_CONNECT_REQUEST)
		ret = take_request(id, event);
	else
		ret = iwcm_state_event(id, event, NULL);
	trace_iw_cm_report(base, event, ret);
	return ret;
}

void iw_cm_flush(void)
{
	flush_workqueue(delivery);
}
EXPORT_SYMBOL(iw_cm_flush);

int iwcm_event_init(void)
{
	delivery = alloc_workqueue("iw_cm", WQ_UNBOUND | WQ_MEM_RECLAIM, WQ_MAX_ACTIVE);
	return delivery ? 0 : -ENOMEM;
}

void iwcm_event_exit(void)
{
	destroy_workqueue(delivery);
}
