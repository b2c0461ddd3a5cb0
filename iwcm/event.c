// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Events on their way from the provider to the client: their memory, and each identifier's queue,
 * which iwcm_id.lock protects.
 */
#include <linux/slab.h>

#include "iwcm/event.h"
#include "iwcm/id.h"
#include "iwcm/iwcm.h"

/*
 * Runs the work items of all identifiers. The workqueue is unbound, and runs as many items at a
 * time as possible, so that a handler that sleeps does not delay other identifiers. WQ_MEM_RECLAIM
 * ensures progress during reclaim: if a thread cannot be created in time, the rescuer runs the
 * pending items one after the other.
 */
static struct workqueue_struct *delivery;

struct iwcm_event_content *iwcm_event_new(u16 room, gfp_t gfp)
{
	struct iwcm_event_content *content;

	content = kzalloc(struct_size(content, data, room), gfp);
	if (!content)
		return NULL;
	content->queued.content = content;
	content->room = room;
	return content;
}

int iwcm_event_reserve(struct iwcm_id *id, enum iw_cm_event_type opening)
{
	struct iwcm_event_content *open = iwcm_event_new(IWCM_MAX_PRIVATE_DATA, GFP_KERNEL_ACCOUNT);

	if (!open)
		return -ENOMEM;
	spin_lock_irq(&id->lock);
	iwcm_event_unreserve(id);
	id->spare[opening] = &open->queued;
	id->disconnect = (struct iwcm_event) {};
	id->close = (struct iwcm_event) {};
	id->spare[IW_CM_EVENT_DISCONNECT] = &id->disconnect;
	id->spare[IW_CM_EVENT_CLOSE] = &id->close;
	spin_unlock_irq(&id->lock);
	return 0;
}

void iwcm_event_unreserve(struct iwcm_id *id)
{
	int i;

	lockdep_assert_held(&id->lock);
	for (i = 0; i < ARRAY_SIZE(id->spare); i++) {
		if (id->spare[i])
			kfree(id->spare[i]->content);
		id->spare[i] = NULL;
	}
}

void iwcm_event_queue(struct iwcm_id *id, struct iwcm_event *event,
		      const struct iw_cm_event *from)
{
	struct iwcm_event_content *content = event->content;

	lockdep_assert_held(&id->lock);
	event->type = from->event;
	event->status = from->status;
	if (content) {
		u16 len = min(from->private_data_len, content->room);

		content->event = *from;
		content->event.private_data = len ? content->data : NULL;
		content->event.private_data_len = len;
		if (len)
			memcpy(content->data, from->private_data, len);
	}
	list_add_tail(&event->entry, &id->events);
	iwcm_event_schedule(id);
}

bool iwcm_event_deliverable(const struct iwcm_id *id)
{
	lockdep_assert_held(&id->lock);
	return !list_empty(&id->events) && !id->busy && !id->handler &&
	       id->state != IWCM_DESTROYING;
}

void iwcm_event_schedule(struct iwcm_id *id)
{
	lockdep_assert_held(&id->lock);
	/*
	 * The work may be queued before its reference is taken, because the work needs id->lock,
	 * which is held here, before it can drop the reference.
	 */
	if (iwcm_event_deliverable(id) && queue_work(delivery, &id->work))
		iwcm_id_get(id);
}

void iwcm_event_take_all(struct iwcm_id *id, struct list_head *to)
{
	struct iwcm_event *event, *next;

	lockdep_assert_held(&id->lock);
	list_for_each_entry_safe(event, next, &id->events, entry) {
		list_del(&event->entry);
		if (event->content)
			list_add_tail(&event->entry, to);
	}
}

void iwcm_event_drop_disconnect(struct iwcm_id *id)
{
	struct iwcm_event *event, *next;

	lockdep_assert_held(&id->lock);
	list_for_each_entry_safe(event, next, &id->events, entry)
		if (event->type == IW_CM_EVENT_DISCONNECT)
			list_del(&event->entry);
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
