// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kscript: sessions. A session attaches a device, counts its running commands and handlers, and
 * waits for these when it ends.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "tools/testing/modules/kscript/kscript.h"

struct ks_session *ks_session_new(int (*command)(struct ks_session *s, char *line,
						 bool in_handler))
{
	struct ks_session *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NULL;
	if (ks_reports_init(&s->reports)) {
		kfree(s);
		return NULL;
	}
	s->command = command;
	mutex_init(&s->life);
	spin_lock_init(&s->lock);
	init_waitqueue_head(&s->idle);
	INIT_LIST_HEAD(&s->objs);
	INIT_LIST_HEAD(&s->deferred);
	INIT_LIST_HEAD(&s->rules);
	INIT_LIST_HEAD(&s->wrs);
	s->dying = true;
	return s;
}

void ks_session_free(struct ks_session *s)
{
	ks_reports_free(&s->reports);
	kfree(s);
}

static void device_event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct ks_session *s = container_of(handler, struct ks_session, events);

	ks_report(s, "async %s dev=%s port=%u", ks_name(KS_EVENTS, event->event),
		  dev_name(&event->device->dev), event->element.port_num);
}

static void allow_commands(struct ks_session *s)
{
	spin_lock_irq(&s->lock);
	s->dying = false;
	spin_unlock_irq(&s->lock);
}

int ks_session_attach(struct ks_session *s, const char *name, unsigned int pd_flags)
{
	struct ib_device *dev;
	int ret;

	mutex_lock(&s->life);
	ret = session_attach(&s->base, name);
	if (ret)
		goto unlock;
	dev = s->base.dev;
	s->pd = ib_alloc_pd(dev, pd_flags);
	ret = PTR_ERR_OR_ZERO(s->pd);
	if (ret)
		goto detach;
	s->other_pd = ib_alloc_pd(dev, 0);
	ret = PTR_ERR_OR_ZERO(s->other_pd);
	if (ret)
		goto dealloc_pd;
	INIT_IB_EVENT_HANDLER(&s->events, dev, device_event);
	ib_register_event_handler(&s->events);
	allow_commands(s);
	mutex_unlock(&s->life);
	return 0;

dealloc_pd:
	ib_dealloc_pd(s->pd);
detach:
	s->other_pd = NULL;
	s->pd = NULL;
	session_detach(&s->base);
unlock:
	mutex_unlock(&s->life);
	return ret;
}

struct ib_pd *ks_pd(const struct ks_session *s, struct ks_args *args)
{
	const char *pd = ks_arg(args, "pd");

	if (!pd)
		return s->pd;
	return strcmp(pd, "other") ? ERR_PTR(-EINVAL) : s->other_pd;
}

static bool is_zero(struct ks_session *s, const int *count)
{
	bool zero;

	spin_lock_irq(&s->lock);
	zero = !*count;
	spin_unlock_irq(&s->lock);
	return zero;
}

/*
 * Works in three stages. The first refuses new commands and waits until the running ones have
 * returned. The second destroys all objects: once the identifiers are destroyed no handler runs,
 * once the queues are destroyed no request completes. The third only frees memory.
 */
static void destroy_all(struct ks_session *s)
{
	lockdep_assert_held(&s->life);
	spin_lock_irq(&s->lock);
	s->dying = true;
	spin_unlock_irq(&s->lock);
	wake_up_all(&s->idle);
	wait_event(s->idle, is_zero(s, &s->active));

	ks_obj_destroy_all(s);
	wait_event(s->idle, is_zero(s, &s->handlers));
	ks_wrs_free(s);
	ks_rules_clear(s);
	ks_objs_free_deferred(s);
}

void ks_session_reset(struct ks_session *s)
{
	mutex_lock(&s->life);
	if (s->pd)
		destroy_all(s);
	ks_reports_clear(&s->reports);
	s->requests = 0;
	if (s->pd)
		allow_commands(s);
	mutex_unlock(&s->life);
}

void ks_session_stop(struct session *base, struct ib_device *removed)
{
	struct ks_session *s = container_of(base, struct ks_session, base);

	mutex_lock(&s->life);
	/* Without a PD, the attachment of the device has failed meanwhile. */
	if (s->pd) {
		destroy_all(s);
		ib_unregister_event_handler(&s->events);
		ib_dealloc_pd(s->other_pd);
		ib_dealloc_pd(s->pd);
		s->other_pd = NULL;
		s->pd = NULL;
		session_detach(&s->base);
		if (removed)
			ks_report(s, "removed %s", dev_name(&removed->dev));
	}
	mutex_unlock(&s->life);
}

/*
 * Returns 0, or -ENODEV if commands are refused. If 0 is returned, the device and the PDs stay
 * until ks_session_leave().
 */
int ks_session_enter(struct ks_session *s)
{
	int ret = 0;

	spin_lock_irq(&s->lock);
	if (s->dying)
		ret = -ENODEV;
	else
		s->active++;
	spin_unlock_irq(&s->lock);
	return ret;
}

/*
 * Wakes the waiters with the lock held, because a waiter may free the session as soon as the lock
 * is released.
 */
static void drop(struct ks_session *s, int *count)
{
	spin_lock_irq(&s->lock);
	--*count;
	wake_up_all(&s->idle);
	spin_unlock_irq(&s->lock);
}

void ks_session_leave(struct ks_session *s)
{
	drop(s, &s->active);
}

void ks_handler_begins(struct ks_session *s)
{
	spin_lock_irq(&s->lock);
	s->handlers++;
	spin_unlock_irq(&s->lock);
}

void ks_handler_ends(struct ks_session *s)
{
	drop(s, &s->handlers);
}

int ks_cmd_sleep(struct ks_session *s, struct ks_args *args)
{
	u64 ms = ks_needs_number(args, "ms");

	if (ks_args_end(args) || args->name)
		return -EINVAL;
	wait_event_timeout(s->idle, READ_ONCE(s->dying), msecs_to_jiffies(ms));
	return 0;
}
