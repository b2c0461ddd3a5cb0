// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The client's handler. The provider's upcall queues an event; the identifier's work item calls the
 * handler with the event, and destroys the identifier if the handler returns non-zero.
 */
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include <trace/events/iw_cm.h>

#include "iwcm/handler.h"
#include "iwcm/event.h"
#include "iwcm/id.h"
#include "iwcm/iwcm.h"
#include "iwcm/mapping.h"
#include "iwcm/track.h"

/*
 * Frees the events that iwcm_event_take_all() has put into a list, and rejects the requests among
 * them.
 */
static void discard_events(struct list_head *events)
{
	struct iwcm_event *event, *next;

	list_for_each_entry_safe(event, next, events, entry) {
		struct iwcm_id *child = event->content->child;

		if (child) {
			iwcm_id_destroy(child);
			iwcm_id_put(child);
		}
		kfree(event->content);
	}
}

int iwcm_id_call(struct iwcm_id *id, enum iwcm_call call, struct iwcm_args *args)
{
	LIST_HEAD(unseen);
	int ret = iwcm_state_call(id, call, args, &unseen);

	discard_events(&unseen);
	return ret;
}

void iwcm_id_destroy(struct iwcm_id *id)
{
	LIST_HEAD(events);

	if (iwcm_id_call(id, IWCM_CALL_DESTROY, NULL))
		return;
	iwcm_id_untrack(id);
	/* Wait, because while a QP is bound, the provider may report events, which use @spare. */
	spin_lock_irq(&id->lock);
	wait_event_lock_irq(id->wait, !id->qp, id->lock);
	iwcm_event_unreserve(id);
	iwcm_event_take_all(id, &events);
	spin_unlock_irq(&id->lock);
	discard_events(&events);
	iwcm_id_uncount_pending(id);
	iwcm_id_unlink(id);
	/*
	 * Wait for a running handler, unless that handler has called this function. No handler
	 * starts any more, because the queue is empty and stays empty.
	 */
	spin_lock_irq(&id->lock);
	wait_event_lock_irq(id->wait, !id->handler || id->handler == current, id->lock);
	spin_unlock_irq(&id->lock);
	/* Unmap after the wait, because deliver_request() uses the mapping of a listener. */
	iwcm_unmap(id);
	iwcm_id_put(id);
}

static void handler_ended(struct iwcm_id *id)
{
	spin_lock_irq(&id->lock);
	id->handler = NULL;
	wake_up_all(&id->wait);
	iwcm_event_schedule(id);
	spin_unlock_irq(&id->lock);
}

static void deliver_request(struct iwcm_id *listener, struct iwcm_id *child,
			    struct iw_cm_event *event)
{
	int ret;

	child->base.context = listener->base.context;
	child->base.cm_handler = listener->base.cm_handler;
	iwcm_unmap_request(listener, child, event);
	spin_lock_irq(&child->lock);
	child->handler = current;
	spin_unlock_irq(&child->lock);
	ret = child->base.cm_handler(&child->base, event);
	trace_iw_cm_deliver(&child->base, event, ret);
	if (ret)
		iwcm_id_destroy(child);
	handler_ended(child);
	iwcm_id_put(child);
}

static void deliver_event(struct iwcm_id *id, struct iw_cm_event *event)
{
	struct iw_cm_id *base = &id->base;
	int ret;

	/*
	 * The provider reports the addresses on the wire in a CONNECT_REPLY. If the port mapper has
	 * mapped the identifier's addresses, the handler gets the real addresses, which the reply
	 * does not change. Otherwise the reported addresses also become the real ones, even if the
	 * provider replaces ports by itself, because it reports the ports that its client knows.
	 */
	if (event->event == IW_CM_EVENT_CONNECT_REPLY && !event->status) {
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
	ret = base->cm_handler(base, event);
	trace_iw_cm_deliver(base, event, ret);
	if (ret)
		iwcm_id_destroy(id);
}

static void deliver_work(struct work_struct *work)
{
	struct iwcm_id *id = container_of(work, struct iwcm_id, work);
	struct iwcm_event_content *content = NULL;
	struct iw_cm_event plain = {};
	struct iw_cm_event *event = NULL;

	spin_lock_irq(&id->lock);
	if (iwcm_event_deliverable(id)) {
		struct iwcm_event *first = list_first_entry(&id->events, struct iwcm_event, entry);

		list_del(&first->entry);
		content = first->content;
		plain.event = first->type;
		plain.status = first->status;
		event = content ? &content->event : &plain;
		if (first->last)
			iwcm_state_delivered(id);
		id->handler = current;
	}
	spin_unlock_irq(&id->lock);
	if (event) {
		if (content && content->child)
			deliver_request(id, content->child, event);
		else
			deliver_event(id, event);
		/* Schedules the work again if another event can be delivered. */
		handler_ended(id);
		kfree(content);
	}
	iwcm_id_put(id);
}

/*
 * Allocates the event of a request and the identifier (child) of the new connection. Charges both
 * to the memory cgroup of the listener. If the cgroup has no memory left, the request is refused,
 * because no process should be killed for what its peers ask. May be called in a softirq, because
 * drivers such as qedr report requests in one. Returns NULL if there is no memory.
 */
static struct iwcm_event_content *new_request(struct iwcm_id *listener, u16 room)
{
	struct mem_cgroup *memcg = listener->base.memcg;
	struct mem_cgroup *active = set_active_memcg(memcg);
	gfp_t gfp = in_interrupt() ? GFP_ATOMIC : GFP_KERNEL;
	struct iwcm_event_content *request;

	if (memcg)
		gfp |= __GFP_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN;
	request = iwcm_event_new(room, gfp);
	if (request)
		request->child = iwcm_id_create(listener->dev, listener->base.device, gfp);
	set_active_memcg(active);
	if (request && request->child)
		return request;
	kfree(request);
	return NULL;
}

/* Queues a request on the listener, with a new identifier (child) for its connection. */
static int report_request(struct iwcm_id *listener, const struct iw_cm_event *event)
{
	struct iwcm_event_content *request;
	struct iwcm_id *child;
	int ret;

	if (!iwcm_is_inet(&event->local_addr) || !iwcm_is_inet(&event->remote_addr))
		return -EINVAL;
	request = new_request(listener, event->private_data_len);
	if (!request)
		return -ENOMEM;
	child = request->child;
	child->base.provider_data = event->provider_data;
	child->base.local_addr = event->local_addr;
	child->base.m_local_addr = event->local_addr;
	child->base.remote_addr = event->remote_addr;
	child->base.m_remote_addr = event->remote_addr;
	child->state = IWCM_CONN_RECV;
	/* The client owns the child's first reference; take another one for the event. */
	iwcm_id_get(child);
	ret = iwcm_id_track(child, NULL, listener);
	if (ret)
		goto put_child;
	ret = iwcm_state_event(listener, event, request);
	if (ret)
		goto untrack_child;
	return 0;

	/* Nobody else knows the child. The provider, which gets the error, ends the connection. */
untrack_child:
	if (child->tracked)
		iwcm_id_untrack(child);
put_child:
	iwcm_id_put(child);
	iwcm_id_put(child);
	kfree(request);
	return ret;
}

/* Handles the provider's upcall: iw_cm_id.event_handler. */
static int report_event(struct iw_cm_id *base, struct iw_cm_event *event)
{
	struct iwcm_id *id = to_iwcm_id(base);
	int ret;

	if (event->private_data_len > IWCM_MAX_PRIVATE_DATA ||
	    (event->private_data_len && !event->private_data))
		return -EINVAL;
	if (event->event == IW_CM_EVENT_CONNECT_REQUEST)
		ret = report_request(id, event);
	else
		ret = iwcm_state_event(id, event, NULL);
	trace_iw_cm_report(base, event, ret);
	return ret;
}

struct iwcm_id *iwcm_id_create(struct iwcm_device *dev, struct ib_device *ibdev, gfp_t gfp)
{
	struct iwcm_id *id = iwcm_id_new(dev, ibdev, gfp);

	if (!id)
		return NULL;
	id->base.event_handler = report_event;
	INIT_WORK(&id->work, deliver_work);
	return id;
}
