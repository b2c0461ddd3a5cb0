// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kpuppet: the life of a session: its device, who is inside, its end.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "tools/testing/modules/kpuppet/kpuppet.h"

struct kp_session *kp_session_new(void)
{
	struct kp_session *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NULL;
	if (kp_reports_init(&s->reports)) {
		kfree(s);
		return NULL;
	}
	mutex_init(&s->life);
	spin_lock_init(&s->lock);
	init_waitqueue_head(&s->idle);
	INIT_LIST_HEAD(&s->objs);
	INIT_LIST_HEAD(&s->graves);
	INIT_LIST_HEAD(&s->rules);
	INIT_LIST_HEAD(&s->wrs);
	s->dying = true;
	return s;
}

void kp_session_free(struct kp_session *s)
{
	kp_reports_free(&s->reports);
	kfree(s);
}

static void device_event(struct ib_event_handler *handler, struct ib_event *event)
{
	struct kp_session *s = container_of(handler, struct kp_session, events);

	kp_report(s, "async %s dev=%s port=%u", kp_event_name(event->event),
		  dev_name(&event->device->dev), event->element.port_num);
}

static void open_gate(struct kp_session *s)
{
	spin_lock_irq(&s->lock);
	s->dying = false;
	spin_unlock_irq(&s->lock);
}

int kp_session_attach(struct kp_session *s, struct ib_device *dev, unsigned int pd_flags)
{
	struct ib_pd *pd, *other_pd;

	lockdep_assert_held(&s->life);
	if (s->dev)
		return -EBUSY;
	pd = ib_alloc_pd(dev, pd_flags);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	other_pd = ib_alloc_pd(dev, 0);
	if (IS_ERR(other_pd)) {
		ib_dealloc_pd(pd);
		return PTR_ERR(other_pd);
	}
	s->pd = pd;
	s->other_pd = other_pd;
	s->dev = dev;
	INIT_IB_EVENT_HANDLER(&s->events, dev, device_event);
	ib_register_event_handler(&s->events);
	open_gate(s);
	return 0;
}

struct ib_pd *kp_pd(const struct kp_session *s, struct kp_args *args)
{
	const char *pd = kp_arg(args, "pd");

	if (!pd)
		return s->pd;
	return strcmp(pd, "other") ? ERR_PTR(-EINVAL) : s->other_pd;
}

static bool is_zero(struct kp_session *s, const int *count)
{
	bool zero;

	spin_lock_irq(&s->lock);
	zero = !*count;
	spin_unlock_irq(&s->lock);
	return zero;
}

/*
 * In stages: nobody comes in and those inside leave; identifiers, so that no handler runs; queues,
 * so that nothing completes; then what only memory was left of.
 */
static void destroy_all(struct kp_session *s)
{
	lockdep_assert_held(&s->life);
	spin_lock_irq(&s->lock);
	s->dying = true;
	spin_unlock_irq(&s->lock);
	wake_up_all(&s->idle);
	wait_event(s->idle, is_zero(s, &s->active));

	kp_obj_destroy_all(s);
	wait_event(s->idle, is_zero(s, &s->handlers));
	kp_wrs_free(s);
	kp_rules_clear(s);
	kp_graves_free(s);
}

void kp_session_reset(struct kp_session *s)
{
	if (s->dev)
		destroy_all(s);
	kp_reports_clear(&s->reports);
	s->requests = 0;
	if (s->dev)
		open_gate(s);
}

void kp_session_detach(struct kp_session *s)
{
	lockdep_assert_held(&s->life);
	if (!s->dev)
		return;
	destroy_all(s);
	ib_unregister_event_handler(&s->events);
	ib_dealloc_pd(s->other_pd);
	ib_dealloc_pd(s->pd);
	s->other_pd = NULL;
	s->pd = NULL;
	s->dev = NULL;
}

/* On success the device and the PD stay until kp_session_leave(). */
int kp_session_enter(struct kp_session *s)
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

/* Under the lock to the end: whoever waits may free the session right after. */
static void drop(struct kp_session *s, int *count)
{
	spin_lock_irq(&s->lock);
	--*count;
	wake_up_all(&s->idle);
	spin_unlock_irq(&s->lock);
}

void kp_session_leave(struct kp_session *s)
{
	drop(s, &s->active);
}

void kp_handler_begins(struct kp_session *s)
{
	spin_lock_irq(&s->lock);
	s->handlers++;
	spin_unlock_irq(&s->lock);
}

void kp_handler_ends(struct kp_session *s)
{
	drop(s, &s->handlers);
}

void kp_session_sleep(struct kp_session *s, unsigned int ms)
{
	wait_event_timeout(s->idle, READ_ONCE(s->dying), msecs_to_jiffies(ms));
}
