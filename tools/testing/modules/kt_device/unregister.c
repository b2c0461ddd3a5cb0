// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of the unregistration of devices: what unregistration waits for, and whether the core or
 * the caller frees the device.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/netdevice.h>
#include <net/net_namespace.h>

#include "provider.h"

/* Long enough that a thread that is ready to run has run after this time. */
#define A_WHILE	msecs_to_jiffies(100)
#define LONG	(20 * HZ)

struct unregistration {
	struct work_struct work;
	struct ib_device *dev;
	struct completion done;
};

static void unregister_work(struct work_struct *work)
{
	struct unregistration *u = container_of(work, struct unregistration, work);

	ib_unregister_device(u->dev);
	complete(&u->done);
}

static void start_unregister(struct unregistration *u, struct ib_device *dev)
{
	INIT_WORK_ONSTACK(&u->work, unregister_work);
	init_completion(&u->done);
	u->dev = dev;
	queue_work(system_unbound_wq, &u->work);
}

static void finish(struct ktap *t, struct unregistration *u)
{
	KT_EXPECT(t, wait_for_completion_timeout(&u->done, LONG));
	flush_work(&u->work);
	destroy_work_on_stack(&u->work);
}

static void test_waits_for_users(struct ktap *t)
{
	struct ktp_device *ktp = ktp_create(t, "ktu", &ktp_ops);
	struct unregistration u;

	if (!ktp)
		return;
	KT_EXPECT(t, ib_device_try_get(&ktp->ibdev));
	start_unregister(&u, &ktp->ibdev);
	KT_EXPECT(t, !wait_for_completion_timeout(&u.done, A_WHILE));
	KT_EXPECT(t, !ib_device_get_by_name("ktu", RDMA_DRIVER_UNKNOWN));
	ib_device_put(&ktp->ibdev);
	finish(t, &u);
	KT_EXPECT(t, !ib_device_try_get(&ktp->ibdev));
	ib_dealloc_device(&ktp->ibdev);
}

static DECLARE_COMPLETION(remove_started);
static DECLARE_COMPLETION(remove_may_end);

static int plain_add(struct ib_device *dev)
{
	return 0;
}

static void slow_remove(struct ib_device *dev, void *data)
{
	complete(&remove_started);
	wait_for_completion_timeout(&remove_may_end, LONG);
}

static struct ib_client slow = { .name = "kt", .add = plain_add, .remove = slow_remove };

static void test_second_waits(struct ktap *t)
{
	struct ktp_device *ktp = ktp_create(t, "ktu", &ktp_ops);
	struct unregistration first, second;

	if (!ktp)
		return;
	reinit_completion(&remove_started);
	reinit_completion(&remove_may_end);
	KT_EXPECT_EQ(t, ib_register_client(&slow), 0);
	start_unregister(&first, &ktp->ibdev);
	KT_EXPECT(t, wait_for_completion_timeout(&remove_started, LONG));
	start_unregister(&second, &ktp->ibdev);
	KT_EXPECT(t, !wait_for_completion_timeout(&second.done, A_WHILE));
	complete(&remove_may_end);
	finish(t, &first);
	finish(t, &second);
	ib_unregister_client(&slow);
	ib_dealloc_device(&ktp->ibdev);
}

static void test_and_put(struct ktap *t)
{
	struct ktp_device *ktp = ktp_create(t, "ktu", &ktp_dealloc_ops);
	struct ib_device *dev;

	if (!ktp)
		return;
	atomic_set(&ktp_deallocs, 0);
	dev = ib_device_get_by_name("ktu", KTP_DRIVER);
	if (KT_EXPECT(t, dev))
		ib_unregister_device_and_put(dev);
	KT_EXPECT_EQ(t, atomic_read(&ktp_deallocs), 1);
}

static void test_queued(struct ktap *t)
{
	struct ktp_device *ktp = ktp_create(t, "ktu", &ktp_dealloc_ops);
	struct ktp_device *other = ktp_create(t, "ktu2", &ktp_dealloc_ops);

	if (!ktp || !other)
		return;
	atomic_set(&ktp_deallocs, 0);
	reinit_completion(&remove_started);
	reinit_completion(&remove_may_end);
	KT_EXPECT_EQ(t, ib_register_client(&slow), 0);
	ib_unregister_device_queued(&ktp->ibdev);
	ib_unregister_device_queued(&ktp->ibdev);
	KT_EXPECT(t, wait_for_completion_timeout(&remove_started, LONG));
	KT_EXPECT_EQ(t, atomic_read(&ktp_deallocs), 0);
	complete_all(&remove_may_end);
	/*
	 * This call waits until the first device is unregistered, and unregisters the second
	 * device.
	 */
	ib_unregister_driver(KTP_DRIVER);
	KT_EXPECT_EQ(t, atomic_read(&ktp_deallocs), 2);
	ib_unregister_client(&slow);
}

static int add_and_unregister(struct ib_device *dev)
{
	ib_unregister_device_queued(dev);
	return 0;
}

static void plain_remove(struct ib_device *dev, void *data)
{
}

static void test_queued_from_add(struct ktap *t)
{
	struct ib_client client = { .name = "kt", .add = add_and_unregister,
				    .remove = plain_remove };
	struct ktp_device *ktp;

	atomic_set(&ktp_deallocs, 0);
	KT_EXPECT_EQ(t, ib_register_client(&client), 0);
	ktp = ktp_alloc(&ktp_dealloc_ops);
	if (KT_EXPECT(t, ktp))
		KT_EXPECT_EQ(t, ib_register_device(&ktp->ibdev, "ktu", NULL), 0);
	ib_unregister_driver(KTP_DRIVER);
	KT_EXPECT_EQ(t, atomic_read(&ktp_deallocs), 1);
	ib_unregister_client(&client);
}

static void test_queued_while_failing(struct ktap *t)
{
	struct ktp_device *ktp = ktp_alloc(&ktp_dealloc_ops);

	if (!KT_EXPECT(t, ktp))
		return;
	atomic_set(&ktp_deallocs, 0);
	ktp->queue_in_enable = true;
	ktp->fail_enable = -EIO;
	KT_EXPECT_EQ(t, ib_register_device(&ktp->ibdev, "ktu", NULL), -EIO);
	ib_unregister_driver(KTP_DRIVER);
	/* Expects that the core did not free the device, because the registration failed. */
	KT_EXPECT_EQ(t, atomic_read(&ktp_deallocs), 0);
	ib_dealloc_device(&ktp->ibdev);
	KT_EXPECT_EQ(t, atomic_read(&ktp_deallocs), 1);
}

static int set_late, cleared_late;

static void set_in_remove(struct ib_device *dev, void *data)
{
	set_late = ib_device_set_netdev(dev, init_net.loopback_dev, 1);
	cleared_late = ib_device_set_netdev(dev, NULL, 1);
}

/* A device that is being unregistered gets no network interface any more. */
static void test_late_netdev(struct ktap *t)
{
	struct ib_client client = { .name = "kt", .add = plain_add, .remove = set_in_remove };
	int refs = netdev_refcnt_read(init_net.loopback_dev);
	struct ktp_device *ktp = ktp_create(t, "ktu", &ktp_ops);

	if (!ktp)
		return;
	set_late = 1;
	cleared_late = 1;
	KT_EXPECT_EQ(t, ib_register_client(&client), 0);
	ib_unregister_device(&ktp->ibdev);
	KT_EXPECT_EQ(t, set_late, -ENODEV);
	KT_EXPECT_EQ(t, cleared_late, 0);
	KT_EXPECT_EQ(t, netdev_refcnt_read(init_net.loopback_dev), refs);
	ib_unregister_client(&client);
	ib_dealloc_device(&ktp->ibdev);
}

static void test_driver_id(struct ktap *t)
{
	struct ktp_device *ktp = ktp_create(t, "ktu", &ktp_ops);

	if (!ktp)
		return;
	ib_unregister_driver(RDMA_DRIVER_RXE);
	KT_EXPECT(t, ib_device_try_get(&ktp->ibdev));
	ib_device_put(&ktp->ibdev);
	ib_unregister_driver(KTP_DRIVER);
	KT_EXPECT(t, !ib_device_try_get(&ktp->ibdev));
	/* This call has no effect, because the device is unregistered already. */
	ib_unregister_device(&ktp->ibdev);
	ib_dealloc_device(&ktp->ibdev);
}

static const struct ktap_case unregister_cases[] = {
	{ "unregistration waits for references", test_waits_for_users },
	{ "a second unregistration waits for the first", test_second_waits },
	{ "a device that was looked up is unregistered and put", test_and_put },
	{ "a driver's unregistration waits for queued ones", test_queued },
	{ "unregistration is queued in a client's add", test_queued_from_add },
	{ "unregistration is queued by a registration that fails", test_queued_while_failing },
	{ "no network interface is set while a device is unregistered", test_late_netdev },
	{ "a driver's unregistration affects its devices only", test_driver_id },
};

KTAP_SUITE(kt_unregister_suite, "unregister", unregister_cases);
