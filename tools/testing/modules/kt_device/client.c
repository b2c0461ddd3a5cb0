// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of clients: the order of add and remove, refusals, registrations in callbacks, and
 * concurrent registrations of devices and clients with random delays and refusals.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/random.h>

#include "provider.h"

/*
 * The calls that clients A, B and C have got: "+A1" is a call of A's add and "-A1" one of A's
 * remove, for a device whose name ends in "1". "!A1" is a call of A's remove with wrong client
 * data.
 */
static char calls[256];
static DEFINE_MUTEX(calls_lock);	/* protects calls[] */
static int refuse_with;

static void record(char what, char who, struct ib_device *dev)
{
	size_t used;

	mutex_lock(&calls_lock);
	used = strlen(calls);
	snprintf(calls + used, sizeof(calls) - used, "%c%c%c ", what, who,
		 dev->name[strlen(dev->name) - 1]);
	mutex_unlock(&calls_lock);
}

#define LETTERED_CLIENT(letter, mark, refusal)					\
static struct ib_client client_##letter;					\
static int add_##letter(struct ib_device *dev)					\
{										\
	record('+', mark, dev);							\
	ib_set_client_data(dev, &client_##letter, dev);				\
	return refusal;								\
}										\
static void remove_##letter(struct ib_device *dev, void *data)			\
{										\
	record(data == dev ? '-' : '!', mark, dev);				\
}										\
static struct ib_client client_##letter = {					\
	.name = "kt_" #letter, .add = add_##letter, .remove = remove_##letter,	\
}

LETTERED_CLIENT(a, 'A', 0);
LETTERED_CLIENT(b, 'B', refuse_with);
LETTERED_CLIENT(c, 'C', 0);

static void expect_calls(struct ktap *t, const char *wanted)
{
	if (strcmp(calls, wanted))
		ktap_fail(t, "calls \"%s\", expected \"%s\"", calls, wanted);
	calls[0] = '\0';
}

static void test_order(struct ktap *t)
{
	struct ktp_device *one, *two;

	ib_register_client(&client_a);
	ib_register_client(&client_b);
	one = ktp_create(t, "ktc1", &ktp_bare_ops);
	expect_calls(t, "+A1 +B1 ");
	two = ktp_create(t, "ktc2", &ktp_bare_ops);
	expect_calls(t, "+A2 +B2 ");
	ib_register_client(&client_c);
	expect_calls(t, "+C1 +C2 ");
	ktp_destroy(one);
	expect_calls(t, "-C1 -B1 -A1 ");
	ib_unregister_client(&client_a);
	expect_calls(t, "-A2 ");
	ktp_destroy(two);
	expect_calls(t, "-C2 -B2 ");
	ib_unregister_client(&client_c);
	ib_unregister_client(&client_b);
	expect_calls(t, "");
}

static void test_refusal(struct ktap *t)
{
	struct ktp_device *ktp;

	refuse_with = -EOPNOTSUPP;
	ib_register_client(&client_a);
	ib_register_client(&client_b);
	ktp = ktp_create(t, "ktc1", &ktp_bare_ops);
	expect_calls(t, "+A1 +B1 ");
	if (ktp)
		KT_EXPECT(t, !ib_get_client_data(&ktp->ibdev, &client_b));
	ktp_destroy(ktp);
	expect_calls(t, "-A1 ");
	ib_unregister_client(&client_b);
	ib_unregister_client(&client_a);
	expect_calls(t, "");
	refuse_with = 0;
}

static void remove_without_add(struct ib_device *dev, void *data)
{
	record(data ? '!' : '-', 'D', dev);
}

static int add_without_remove(struct ib_device *dev)
{
	record('+', 'E', dev);
	return 0;
}

/* A client may have no add(), as those of NVMe-oF, or no remove(). */
static void test_incomplete_clients(struct ktap *t)
{
	struct ib_client no_add = { .name = "kt_d", .remove = remove_without_add };
	struct ib_client no_remove = { .name = "kt_e", .add = add_without_remove };
	struct ktp_device *one, *two;

	one = ktp_create(t, "ktc1", &ktp_bare_ops);
	KT_EXPECT_EQ(t, ib_register_client(&no_add), 0);
	KT_EXPECT_EQ(t, ib_register_client(&no_remove), 0);
	two = ktp_create(t, "ktc2", &ktp_bare_ops);
	ktp_destroy(one);
	expect_calls(t, "+E1 +E2 -D1 ");
	ib_unregister_client(&no_remove);
	ib_unregister_client(&no_add);
	expect_calls(t, "-D2 ");
	ktp_destroy(two);
}

static void test_no_kverbs(struct ktap *t)
{
	struct ib_device_ops ops = ktp_bare_ops;
	struct ktp_device *ktp;

	ops.poll_cq = NULL;
	client_c.no_kverbs_req = 1;
	ib_register_client(&client_a);
	ib_register_client(&client_c);
	ktp = ktp_create(t, "ktc1", &ops);
	ktp_destroy(ktp);
	expect_calls(t, "+C1 -C1 ");
	ib_unregister_client(&client_c);
	ib_unregister_client(&client_a);
	client_c.no_kverbs_req = 0;
}

/* An add callback that registers client B. nesting_remove() unregisters client B. */
static int nesting_add(struct ib_device *dev)
{
	return ib_register_client(&client_b);
}

static void nesting_remove(struct ib_device *dev, void *data)
{
	ib_unregister_client(&client_b);
}

static struct ib_client nesting = { .name = "nesting", .add = nesting_add,
				    .remove = nesting_remove };

static void test_nested(struct ktap *t)
{
	struct ktp_device *ktp;

	/* Here, the callbacks run while a device is registered and unregistered. */
	KT_EXPECT_EQ(t, ib_register_client(&nesting), 0);
	ktp = ktp_create(t, "ktc1", &ktp_bare_ops);
	expect_calls(t, "+B1 ");
	ktp_destroy(ktp);
	expect_calls(t, "-B1 ");
	ib_unregister_client(&nesting);

	/* Here, the callbacks run while client "nesting" is registered and unregistered. */
	ktp = ktp_create(t, "ktc1", &ktp_bare_ops);
	KT_EXPECT_EQ(t, ib_register_client(&nesting), 0);
	expect_calls(t, "+B1 ");
	ib_unregister_client(&nesting);
	expect_calls(t, "-B1 ");
	ktp_destroy(ktp);
	expect_calls(t, "");
}

static struct ktp_device *inner;

/* Registers another device, ktc2, in add of the first device. maker_remove() destroys ktc2. */
static int maker_add(struct ib_device *dev)
{
	if (inner)
		return 0;
	inner = ktp_alloc(&ktp_bare_ops);
	return inner ? ib_register_device(&inner->ibdev, "ktc2", NULL) : -ENOMEM;
}

static void maker_remove(struct ib_device *dev, void *data)
{
	struct ktp_device *ktp = inner;

	if (!ktp || dev == &ktp->ibdev)
		return;
	ktp_destroy(ktp);
	inner = NULL;
}

static void test_device_from_client(struct ktap *t)
{
	struct ib_client maker = { .name = "maker", .add = maker_add, .remove = maker_remove };
	struct ktp_device *ktp;

	KT_EXPECT_EQ(t, ib_register_client(&maker), 0);
	ib_register_client(&client_a);
	ktp = ktp_create(t, "ktc1", &ktp_bare_ops);
	expect_calls(t, "+A2 +A1 ");
	ktp_destroy(ktp);
	expect_calls(t, "-A1 -A2 ");
	ib_unregister_client(&client_a);
	ib_unregister_client(&maker);
}

/* --- concurrent registrations --- */

#define STRESS_DEVICES	60
#define STRESS_ROUNDS	120

struct stress_client {
	struct ib_client client;
	atomic_t balance;	/* number of devices that were added and not removed */
	atomic_t wrong;		/* number of calls and states that must not occur */
};

static struct stress_client stress_clients[2];
static atomic_t stress_failures;
static atomic_t stress_adds;

static int stress_add(struct ib_device *dev, unsigned int i)
{
	struct stress_client *sc = &stress_clients[i];

	atomic_inc(&stress_adds);
	if (!ib_device_try_get(dev))
		atomic_inc(&sc->wrong);
	else
		ib_device_put(dev);
	if (get_random_u32() % 4 == 0)
		return -EOPNOTSUPP;
	if (get_random_u32() % 4 == 0)
		usleep_range(10, 500);
	atomic_inc(&sc->balance);
	ib_set_client_data(dev, &sc->client, sc);
	return 0;
}

static void stress_remove(struct ib_device *dev, void *data, unsigned int i)
{
	struct stress_client *sc = &stress_clients[i];

	if (data != sc)
		atomic_inc(&sc->wrong);
	if (get_random_u32() % 4 == 0)
		usleep_range(10, 500);
	atomic_dec(&sc->balance);
}

static int stress_add_0(struct ib_device *dev)
{
	return stress_add(dev, 0);
}

static int stress_add_1(struct ib_device *dev)
{
	return stress_add(dev, 1);
}

static void stress_remove_0(struct ib_device *dev, void *data)
{
	stress_remove(dev, data, 0);
}

static void stress_remove_1(struct ib_device *dev, void *data)
{
	stress_remove(dev, data, 1);
}

static void register_devices(struct work_struct *work)
{
	struct ktp_device *ktp;
	unsigned int i;

	for (i = 0; i < STRESS_DEVICES; i++) {
		ktp = ktp_alloc(i % 2 ? &ktp_ops : &ktp_dealloc_ops);
		if (!ktp || ib_register_device(&ktp->ibdev, "kts%d", NULL)) {
			atomic_inc(&stress_failures);
			continue;
		}
		if (i % 2)
			ktp_destroy(ktp);
		else
			ib_unregister_device_queued(&ktp->ibdev);
	}
}

static void register_clients(struct stress_client *sc)
{
	unsigned int i;

	for (i = 0; i < STRESS_ROUNDS; i++) {
		if (ib_register_client(&sc->client)) {
			atomic_inc(&stress_failures);
			continue;
		}
		usleep_range(10, 2000);
		ib_unregister_client(&sc->client);
		if (atomic_read(&sc->balance))
			atomic_inc(&sc->wrong);
	}
}

static void register_client_0(struct work_struct *work)
{
	register_clients(&stress_clients[0]);
}

static void register_client_1(struct work_struct *work)
{
	register_clients(&stress_clients[1]);
}

static void look_up_devices(struct work_struct *work)
{
	struct ib_device *dev;
	unsigned int i;

	for (i = 0; i < 2000; i++) {
		dev = ib_device_get_by_name(i % 2 ? "kts0" : "kts1", KTP_DRIVER);
		if (dev)
			ib_device_put(dev);
		cond_resched();
	}
}

static void test_stress(struct ktap *t)
{
	static const work_func_t functions[] = { register_devices, register_devices,
						 register_client_0, register_client_1,
						 look_up_devices };
	struct work_struct works[ARRAY_SIZE(functions)];
	unsigned int i;

	memset(stress_clients, 0, sizeof(stress_clients));
	stress_clients[0].client = (struct ib_client){ .name = "stress0", .add = stress_add_0,
						       .remove = stress_remove_0 };
	stress_clients[1].client = (struct ib_client){ .name = "stress1", .add = stress_add_1,
						       .remove = stress_remove_1 };
	atomic_set(&ktp_deallocs, 0);
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		INIT_WORK_ONSTACK(&works[i], functions[i]);
		queue_work(system_unbound_wq, &works[i]);
	}
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		flush_work(&works[i]);
		destroy_work_on_stack(&works[i]);
	}
	ib_unregister_driver(KTP_DRIVER);
	KT_EXPECT_EQ(t, atomic_read(&stress_failures), 0);
	KT_EXPECT_EQ(t, atomic_read(&ktp_deallocs), STRESS_DEVICES);
	for (i = 0; i < 2; i++) {
		KT_EXPECT_EQ(t, atomic_read(&stress_clients[i].balance), 0);
		KT_EXPECT_EQ(t, atomic_read(&stress_clients[i].wrong), 0);
	}
	ktap_note(t, "%d calls of add", atomic_read(&stress_adds));
}

static const struct ktap_case client_cases[] = {
	{ "added in order, removed in reverse", test_order },
	{ "a client that declines a device is not asked to remove it", test_refusal },
	{ "a client without add or remove is refused", test_incomplete_clients },
	{ "only some clients accept devices without kernel verbs", test_no_kverbs },
	{ "clients registered in another client's callbacks", test_nested },
	{ "devices registered in a client's callbacks", test_device_from_client },
	{ "devices and clients are registered concurrently", test_stress },
};

KTAP_SUITE(kt_client_suite, "client", client_cases);
