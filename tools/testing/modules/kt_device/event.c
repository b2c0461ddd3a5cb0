// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of asynchronous events: their order, the contexts in which they are dispatched, and when no
 * events are delivered.
 */
#include <linux/delay.h>

#include "provider.h"

struct listener {
	struct ib_event_handler handler;
	atomic_t seen;
	atomic_t wrong;		/* events out of order, of another device or another type */
	unsigned int delay_us;
};

/*
 * Counts an event. Expects port number 1 in the first event, 2 in the second and so on, because the
 * tests call dispatch() with these numbers.
 */
static void listen(struct ib_event_handler *handler, struct ib_event *event)
{
	struct listener *l = container_of(handler, struct listener, handler);

	if (l->delay_us)
		usleep_range(l->delay_us, l->delay_us * 2);
	if (event->element.port_num != atomic_inc_return(&l->seen) ||
	    event->device != handler->device || event->event != IB_EVENT_PORT_ACTIVE)
		atomic_inc(&l->wrong);
}

static void start_event(struct listener *l, struct ib_device *dev)
{
	memset(l, 0, sizeof(*l));
	INIT_IB_EVENT_HANDLER(&l->handler, dev, listen);
	ib_register_event_handler(&l->handler);
}

static void dispatch(struct ib_device *dev, u32 number)
{
	struct ib_event event = { .device = dev, .event = IB_EVENT_PORT_ACTIVE };

	event.element.port_num = number;
	ib_dispatch_event(&event);
	memset(&event, 0xff, sizeof(event));
}

static void wait_for(struct listener *l, int count)
{
	unsigned long end = jiffies + 10 * HZ;

	while (atomic_read(&l->seen) < count && time_before(jiffies, end))
		usleep_range(500, 1000);
}

static void test_delivered(struct ktap *t)
{
	struct ktp_device *ktp = ktp_create(t, "kte", &ktp_bare_ops);
	struct listener one, two;
	unsigned int i;

	if (!ktp)
		return;
	start_event(&one, &ktp->ibdev);
	start_event(&two, &ktp->ibdev);
	for (i = 1; i <= 100; i++) {
		local_irq_disable();
		dispatch(&ktp->ibdev, i);
		local_irq_enable();
	}
	wait_for(&one, 100);
	wait_for(&two, 100);
	ib_unregister_event_handler(&one.handler);
	ib_unregister_event_handler(&two.handler);
	KT_EXPECT_EQ(t, atomic_read(&one.seen), 100);
	KT_EXPECT_EQ(t, atomic_read(&two.seen), 100);
	KT_EXPECT_EQ(t, atomic_read(&one.wrong) + atomic_read(&two.wrong), 0);
	ktp_destroy(ktp);
}

static void test_none_after(struct ktap *t)
{
	struct ktp_device *ktp = ktp_create(t, "kte", &ktp_bare_ops);
	struct listener l;
	unsigned int i;
	int seen;

	if (!ktp)
		return;
	start_event(&l, &ktp->ibdev);
	l.delay_us = 1000;
	for (i = 1; i <= 50; i++)
		dispatch(&ktp->ibdev, i);
	wait_for(&l, 1);
	ib_unregister_event_handler(&l.handler);
	seen = atomic_read(&l.seen);
	msleep(100);
	KT_EXPECT_EQ(t, atomic_read(&l.seen), seen);
	KT_EXPECT(t, seen >= 1);
	ktp_destroy(ktp);
}

static void test_flushed(struct ktap *t)
{
	struct ktp_device *ktp = ktp_create(t, "kte", &ktp_bare_ops);
	struct listener l;
	unsigned int i;

	if (!ktp)
		return;
	start_event(&l, &ktp->ibdev);
	l.delay_us = 1000;
	for (i = 1; i <= 50; i++)
		dispatch(&ktp->ibdev, i);
	ib_unregister_device(&ktp->ibdev);
	KT_EXPECT_EQ(t, atomic_read(&l.seen), 50);
	KT_EXPECT_EQ(t, atomic_read(&l.wrong), 0);
	dispatch(&ktp->ibdev, 51);
	msleep(20);
	KT_EXPECT_EQ(t, atomic_read(&l.seen), 50);
	ib_unregister_event_handler(&l.handler);
	ib_dealloc_device(&ktp->ibdev);
}

static struct listener of_client;

static int client_add(struct ib_device *dev)
{
	start_event(&of_client, dev);
	of_client.delay_us = 1000;
	return 0;
}

static void client_remove(struct ib_device *dev, void *data)
{
	ib_unregister_event_handler(&of_client.handler);
}

/*
 * Expects that a client gets all events that were dispatched before the device is unregistered, and
 * that the client's remove is called only afterwards.
 */
static void test_clients(struct ktap *t)
{
	struct ib_client client = {
		.name = "kt_event", .add = client_add, .remove = client_remove,
		.no_kverbs_req = true,
	};
	struct ktp_device *ktp = ktp_create(t, "kte", &ktp_bare_ops);
	unsigned int i;

	if (!ktp)
		return;
	if (KT_EXPECT_EQ(t, ib_register_client(&client), 0)) {
		for (i = 1; i <= 20; i++)
			dispatch(&ktp->ibdev, i);
		ib_unregister_device(&ktp->ibdev);
		KT_EXPECT_EQ(t, atomic_read(&of_client.seen), 20);
		KT_EXPECT_EQ(t, atomic_read(&of_client.wrong), 0);
		ib_unregister_client(&client);
	} else {
		ib_unregister_device(&ktp->ibdev);
	}
	ib_dealloc_device(&ktp->ibdev);
}

static void test_before(struct ktap *t)
{
	struct ktp_device *ktp = ktp_alloc(&ktp_bare_ops);
	struct listener l;

	if (!KT_EXPECT(t, ktp))
		return;
	start_event(&l, &ktp->ibdev);
	dispatch(&ktp->ibdev, 1);
	msleep(20);
	KT_EXPECT_EQ(t, atomic_read(&l.seen), 0);
	ib_unregister_event_handler(&l.handler);
	ib_dealloc_device(&ktp->ibdev);
}

static void test_messages(struct ktap *t)
{
	unsigned int event;

	for (event = 0; event <= IB_EVENT_WQ_FATAL; event++)
		if (!strcmp(ib_event_msg(event), "unrecognized event"))
			ktap_fail(t, "event %u has no name", event);
	KT_EXPECT(t, !strcmp(ib_event_msg(IB_EVENT_WQ_FATAL + 1), "unrecognized event"));
	KT_EXPECT(t, !strcmp(ib_event_msg(-1), "unrecognized event"));
	KT_EXPECT(t, !strcmp(ib_event_msg(IB_EVENT_PORT_ERR), "port error"));
}

static const struct ktap_case event_cases[] = {
	{ "delivered in order, dispatched in any context", test_delivered, COVERS(ib_event) },
	{ "none are delivered once the handler is unregistered", test_none_after },
	{ "queued events are delivered before the device is unregistered", test_flushed },
	{ "queued events reach a client before its remove is called", test_clients },
	{ "none are delivered before the device is registered", test_before },
	{ "names of events", test_messages },
};

KTAP_SUITE(kt_event_suite, "event", event_cases);
