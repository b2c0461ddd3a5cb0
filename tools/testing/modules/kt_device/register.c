// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of the registration of devices: the checks of operations, names and ports, and the state
 * after a failure.
 */
#include "provider.h"

/*
 * Registers a device with these operations and, if that succeeds, unregisters the device. Returns
 * the result of the registration.
 */
static int try_register(const struct ib_device_ops *ops, const char *name)
{
	struct ktp_device *ktp = ktp_alloc(ops);
	int ret;

	if (!ktp)
		return -ENOMEM;
	ret = ib_register_device(&ktp->ibdev, name, NULL);
	if (!ret)
		ib_unregister_device(&ktp->ibdev);
	ib_dealloc_device(&ktp->ibdev);
	return ret;
}

static void test_mandatory(struct ktap *t)
{
	struct ib_device_ops ops;

	ops = ktp_ops;
	ops.query_device = NULL;
	KT_EXPECT_EQ(t, try_register(&ops, "ktm"), -EINVAL);
	ops = ktp_ops;
	ops.query_port = NULL;
	KT_EXPECT_EQ(t, try_register(&ops, "ktm"), -EINVAL);
	ops = ktp_ops;
	ops.get_port_immutable = NULL;
	KT_EXPECT_EQ(t, try_register(&ops, "ktm"), -EINVAL);
}

/* An operation that makes objects, the size that a provider declares, and the least one. */
#define OBJECTS(op, type) {							\
	#op, offsetof(struct ib_device_ops, op),				\
	offsetof(struct ib_device_ops, size_##type), sizeof(struct type)	\
}

static const struct {
	const char *name;
	size_t op, size, least;
} objects[] = {
	OBJECTS(alloc_pd, ib_pd),
	OBJECTS(create_ah, ib_ah),
	OBJECTS(create_user_ah, ib_ah),
	OBJECTS(create_cq, ib_cq),
	OBJECTS(alloc_mw, ib_mw),
	OBJECTS(create_qp, ib_qp),
	OBJECTS(create_srq, ib_srq),
	OBJECTS(alloc_xrcd, ib_xrcd),
	OBJECTS(create_rwq_ind_table, ib_rwq_ind_table),
	OBJECTS(create_counters, ib_counters),
	OBJECTS(alloc_ucontext, ib_ucontext),
};

static int never_called(void)
{
	return -EOPNOTSUPP;
}

static void test_sizes(struct ktap *t)
{
	struct ib_device_ops ops;
	unsigned int i, less;
	int ret;

	for (i = 0; i < ARRAY_SIZE(objects); i++) {
		for (less = 0; less < 2; less++) {
			ops = ktp_ops;
			*(void **)((void *)&ops + objects[i].op) = never_called;
			*(size_t *)((void *)&ops + objects[i].size) = objects[i].least - less;
			ret = try_register(&ops, "kts");
			if (ret != (less ? -EINVAL : 0))
				ktap_fail(t, "%s: %u bytes less give %d", objects[i].name, less,
					  ret);
		}
	}
}

static const struct rdma_stat_desc one_desc[] = { { .name = "one" } };

static struct rdma_hw_stats *no_counters(struct ib_device *dev, u32 port)
{
	struct rdma_hw_stats *stats = rdma_alloc_hw_stats_struct(one_desc, 1, 10);

	if (stats)
		stats->num_counters = 0;
	return stats;
}

static struct rdma_hw_stats *no_descs(struct ib_device *dev, u32 port)
{
	struct rdma_hw_stats *stats = rdma_alloc_hw_stats_struct(one_desc, 1, 10);

	if (stats)
		stats->descs = NULL;
	return stats;
}

/* Sets of counters without a counter, or without descriptions. */
static void test_bad_counters(struct ktap *t)
{
	struct ib_device_ops ops = ktp_ops;

	ops.alloc_hw_port_stats = no_counters;
	KT_EXPECT_EQ(t, try_register(&ops, "ktc"), -EINVAL);
	ops.alloc_hw_port_stats = no_descs;
	KT_EXPECT_EQ(t, try_register(&ops, "ktc"), -EINVAL);
}

static struct rdma_hw_stats *long_lived(struct ib_device *dev, u32 port)
{
	struct rdma_hw_stats *stats = rdma_alloc_hw_stats_struct(one_desc, 1, 10);

	if (stats)
		stats->lifespan = msecs_to_jiffies(INT_MAX) + (port == rdma_end_port(dev));
	return stats;
}

static int read_nothing(struct ib_device *dev, struct rdma_hw_stats *stats, u32 port, int index)
{
	return stats->num_counters;
}

/* The lifespan of counters that a provider has set itself, and that is too long on port 2. */
static void test_lifespans(struct ktap *t)
{
	struct ib_device_ops ops = ktp_ops;
	struct ktp_device *ktp;

	ops.alloc_hw_device_stats = NULL;
	ops.alloc_hw_port_stats = long_lived;
	ops.get_hw_stats = read_nothing;
	ktp = ktp_create(t, "ktl", &ops);
	if (!ktp)
		return;
	KT_EXPECT(t, !ktp->ibdev.hw_stats);
	KT_EXPECT_EQ(t, ktp->ibdev.port_data[1].hw_stats->lifespan, msecs_to_jiffies(INT_MAX));
	KT_EXPECT_EQ(t, ktp->ibdev.port_data[2].hw_stats->lifespan,
		     msecs_to_jiffies(RDMA_HW_STATS_DEFAULT_LIFESPAN));
	ktp_destroy(ktp);
}

/* A device has counters, and its ports have none. */
static void test_device_counters(struct ktap *t)
{
	struct ib_device_ops ops = ktp_ops;
	struct ktp_device *ktp;

	ops.alloc_hw_port_stats = NULL;
	ktp = ktp_create(t, "ktl", &ops);
	if (!ktp)
		return;
	KT_EXPECT(t, ktp->ibdev.hw_stats);
	KT_EXPECT(t, !ktp->ibdev.port_data[1].hw_stats);
	ktp_destroy(ktp);
}

static const size_t verbs[] = {
	offsetof(struct ib_device_ops, alloc_pd), offsetof(struct ib_device_ops, dealloc_pd),
	offsetof(struct ib_device_ops, create_qp), offsetof(struct ib_device_ops, modify_qp),
	offsetof(struct ib_device_ops, destroy_qp), offsetof(struct ib_device_ops, post_send),
	offsetof(struct ib_device_ops, post_recv), offsetof(struct ib_device_ops, create_cq),
	offsetof(struct ib_device_ops, destroy_cq), offsetof(struct ib_device_ops, poll_cq),
	offsetof(struct ib_device_ops, req_notify_cq), offsetof(struct ib_device_ops, get_dma_mr),
	offsetof(struct ib_device_ops, dereg_mr),
};

static void test_kverbs(struct ktap *t)
{
	struct ktp_device *ktp;
	struct ib_device_ops ops;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		ops = ktp_ops;
		*(void **)((void *)&ops + verbs[i]) = NULL;
		ktp = ktp_create(t, "ktv", &ops);
		if (!ktp)
			return;
		if (ktp->ibdev.kverbs_provider)
			ktap_fail(t, "without verb %u, kverbs_provider is still set", i);
		ktp_destroy(ktp);
	}
	ktp = ktp_create(t, "ktv", &ktp_ops);
	if (!ktp)
		return;
	KT_EXPECT(t, ktp->ibdev.kverbs_provider);
	ktp_destroy(ktp);
}

static int other_query(struct ib_device *dev, struct ib_device_attr *attr, struct ib_udata *udata)
{
	return -EIO;
}

static void test_merge(struct ktap *t)
{
	static const struct ib_device_ops more = {
		.driver_id = RDMA_DRIVER_SIW,
		.query_device = other_query,
		.uverbs_abi_ver = 7,
		.size_ib_pd = 4096,
		.uverbs_no_driver_id_binding = 1,
	};
	struct ktp_device *ktp = ktp_alloc(&ktp_ops);

	if (!KT_EXPECT(t, ktp))
		return;
	ib_set_device_ops(&ktp->ibdev, &more);
	KT_EXPECT(t, ktp->ibdev.ops.query_device == ktp_ops.query_device);
	KT_EXPECT_EQ(t, ktp->ibdev.ops.driver_id, KTP_DRIVER);
	KT_EXPECT_EQ(t, ktp->ibdev.ops.uverbs_abi_ver, 7);
	KT_EXPECT_EQ(t, ktp->ibdev.ops.size_ib_pd, sizeof(struct ib_pd));
	KT_EXPECT_EQ(t, ktp->ibdev.ops.uverbs_no_driver_id_binding, 1);
	ib_dealloc_device(&ktp->ibdev);
}

#define CHARS_62	"n123456789n123456789n123456789n123456789n123456789n123456789nn"

static void test_bad_names(struct ktap *t)
{
	static const char *const bad[] = {
		"", ".", "..", "a/b", "a b", "a\tb", "a\nb", "\x80", "\xe9", "%s", "%", "a%d%d",
		"a%d/", "%u", CHARS_62 "nn", CHARS_62 "n%d",
	};
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		ret = try_register(&ktp_bare_ops, bad[i]);
		if (ret != -EINVAL)
			ktap_fail(t, "name \"%s\" gives %d", bad[i], ret);
	}
	KT_EXPECT_EQ(t, try_register(&ktp_bare_ops, CHARS_62 "n"), 0);
}

static void test_pattern(struct ktap *t)
{
	struct ktp_device *a, *b, *c;

	a = ktp_create(t, "ktp%dx", &ktp_bare_ops);
	b = ktp_create(t, "ktp%dx", &ktp_bare_ops);
	if (a && b) {
		KT_EXPECT(t, !strcmp(a->ibdev.name, "ktp0x"));
		KT_EXPECT(t, !strcmp(dev_name(&b->ibdev.dev), "ktp1x"));
		KT_EXPECT(t, a->ibdev.index != b->ibdev.index);
	}
	ktp_destroy(a);
	c = ktp_create(t, "ktp%dx", &ktp_bare_ops);
	if (c)
		KT_EXPECT(t, !strcmp(c->ibdev.name, "ktp0x"));
	ktp_destroy(b);
	ktp_destroy(c);
}

static void test_pattern_full(struct ktap *t)
{
	struct ktp_device *devices[10] = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(devices); i++)
		devices[i] = ktp_create(t, CHARS_62 "%d", &ktp_bare_ops);
	KT_EXPECT_EQ(t, try_register(&ktp_bare_ops, CHARS_62 "%d"), -ENFILE);
	for (i = 0; i < ARRAY_SIZE(devices); i++)
		ktp_destroy(devices[i]);
}

static void test_name_in_use(struct ktap *t)
{
	struct ktp_device *first, *second;

	first = ktp_create(t, "ktt", &ktp_ops);
	second = ktp_alloc(&ktp_ops);
	if (first && second) {
		KT_EXPECT_EQ(t, ib_register_device(&second->ibdev, "ktt", NULL), -EEXIST);
		KT_EXPECT_EQ(t, ib_register_device(&second->ibdev, "ktt2", NULL), 0);
		KT_EXPECT_EQ(t, ib_register_device(&second->ibdev, "ktt3", NULL), -EINVAL);
		ib_unregister_device(&second->ibdev);
		/* Expects that a device can be registered only once. */
		KT_EXPECT_EQ(t, ib_register_device(&second->ibdev, "ktt2", NULL), -EINVAL);
	}
	if (second)
		ib_dealloc_device(&second->ibdev);
	ktp_destroy(first);
}

static void test_ports(struct ktap *t)
{
	struct ktp_device *ktp = ktp_alloc(&ktp_ops);

	if (!KT_EXPECT(t, ktp))
		return;
	ktp->ibdev.phys_port_cnt = 0;
	KT_EXPECT_EQ(t, ib_register_device(&ktp->ibdev, "kto", NULL), -EINVAL);
	ktp->ibdev.phys_port_cnt = U32_MAX;
	KT_EXPECT_EQ(t, ib_register_device(&ktp->ibdev, "kto", NULL), -EINVAL);
	ib_dealloc_device(&ktp->ibdev);
}

static int mad_without_size(struct ib_device *dev, u32 port, struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	return 0;
}

static int size_without_mad(struct ib_device *dev, u32 port, struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IWARP;
	immutable->max_mad_size = 256;
	return 0;
}

static void test_port_data(struct ktap *t)
{
	struct ib_device_ops ops = ktp_ops;

	ops.get_port_immutable = mad_without_size;
	KT_EXPECT_EQ(t, try_register(&ops, "ktd"), -EINVAL);
	ops.get_port_immutable = size_without_mad;
	KT_EXPECT_EQ(t, try_register(&ops, "ktd"), -EINVAL);
}

static atomic_t added, removed;

static int count_add(struct ib_device *dev)
{
	atomic_inc(&added);
	return 0;
}

static void count_remove(struct ib_device *dev, void *data)
{
	atomic_inc(&removed);
}

static struct ib_client counter = { .name = "kt", .add = count_add, .remove = count_remove };

/*
 * Expects that the device whose registration failed is still allocated, that its name is free, and
 * that no client was called. Frees the device.
 */
static void expect_nothing_left(struct ktap *t, struct ktp_device *ktp, int ret, int want)
{
	struct ktp_device *next;

	KT_EXPECT_EQ(t, ret, want);
	KT_EXPECT(t, !ib_device_get_by_name("ktf", RDMA_DRIVER_UNKNOWN));
	KT_EXPECT(t, !ib_device_try_get(&ktp->ibdev));
	KT_EXPECT_EQ(t, atomic_read(&added), 0);
	KT_EXPECT(t, !ktp->ibdev.hw_stats);
	KT_EXPECT(t, !device_is_registered(&ktp->ibdev.dev));
	ib_dealloc_device(&ktp->ibdev);

	next = ktp_create(t, "ktf", &ktp_ops);
	KT_EXPECT_EQ(t, atomic_read(&added), 1);
	ktp_destroy(next);
	KT_EXPECT_EQ(t, atomic_read(&removed), 1);
	atomic_set(&added, 0);
	atomic_set(&removed, 0);
}

/*
 * Registers a device in which the fail_* member at offset @member has the value @value. Expects
 * that the registration returns @want.
 */
static void fail_at(struct ktap *t, size_t member, int value, int want)
{
	struct ktp_device *ktp = ktp_alloc(&ktp_ops);

	if (!KT_EXPECT(t, ktp))
		return;
	*(int *)((void *)ktp + member) = value;
	expect_nothing_left(t, ktp, ib_register_device(&ktp->ibdev, "ktf", NULL), want);
}

static void fail_stats_at(struct ktap *t, bool of_port)
{
	struct ktp_device *ktp = ktp_alloc(&ktp_ops);

	if (!KT_EXPECT(t, ktp))
		return;
	ktp->fail_device_stats = !of_port;
	ktp->fail_port_stats = of_port;
	expect_nothing_left(t, ktp, ib_register_device(&ktp->ibdev, "ktf", NULL), -ENOMEM);
}

static void test_failures(struct ktap *t)
{
	if (!KT_EXPECT_EQ(t, ib_register_client(&counter), 0))
		return;
	fail_at(t, offsetof(struct ktp_device, fail_query), -EIO, -EIO);
	fail_at(t, offsetof(struct ktp_device, fail_immutable), -ENXIO, -ENXIO);
	fail_at(t, offsetof(struct ktp_device, fail_enable), -EAGAIN, -EAGAIN);
	fail_at(t, offsetof(struct ktp_device, fail_get_stats), -EIO, -EIO);
	fail_stats_at(t, false);
	fail_stats_at(t, true);
	ib_unregister_client(&counter);
}

static void test_retry(struct ktap *t)
{
	struct ktp_device *ktp = ktp_alloc(&ktp_ops);

	if (!KT_EXPECT(t, ktp))
		return;
	ktp->fail_query = -EIO;
	KT_EXPECT_EQ(t, ib_register_device(&ktp->ibdev, "ktr", NULL), -EIO);
	ktp->fail_query = 0;
	KT_EXPECT_EQ(t, ib_register_device(&ktp->ibdev, "ktr", NULL), 0);
	KT_EXPECT_EQ(t, ktp->enabled, 1);
	ktp_destroy(ktp);
}

static void test_by_name(struct ktap *t)
{
	struct ktp_device *ktp = ktp_create(t, "ktn", &ktp_ops);
	struct ib_device *found;

	if (!ktp)
		return;
	found = ib_device_get_by_name("ktn", RDMA_DRIVER_UNKNOWN);
	KT_EXPECT(t, found == &ktp->ibdev);
	if (found)
		ib_device_put(found);
	found = ib_device_get_by_name("ktn", KTP_DRIVER);
	KT_EXPECT(t, found == &ktp->ibdev);
	if (found)
		ib_device_put(found);
	KT_EXPECT(t, !ib_device_get_by_name("ktn", RDMA_DRIVER_SIW));
	KT_EXPECT(t, !ib_device_get_by_name("ktm", RDMA_DRIVER_UNKNOWN));
	KT_EXPECT(t, rdma_dev_access_netns(&ktp->ibdev, &init_net));
	ktp_destroy(ktp);
	KT_EXPECT(t, !ib_device_get_by_name("ktn", RDMA_DRIVER_UNKNOWN));
}

static const struct ktap_case register_cases[] = {
	{ "a missing mandatory operation is refused", test_mandatory },
	{ "an object size that is too small is refused", test_sizes },
	{ "sets of counters that say nothing", test_bad_counters },
	{ "lifespans of counters that a provider sets itself", test_lifespans },
	{ "a device with counters, and ports without", test_device_counters },
	{ "a device without one of the verbs is no provider of kernel verbs", test_kverbs },
	{ "operations that are set are not replaced", test_merge },
	{ "bad names are refused", test_bad_names },
	{ "%d is the lowest free number", test_pattern },
	{ "a pattern runs out of numbers", test_pattern_full },
	{ "a name in use is refused; another one can be tried", test_name_in_use },
	{ "no ports and too many ports are refused", test_ports },
	{ "contradictory port data is refused", test_port_data },
	{ "a failure in any step leaves nothing behind", test_failures },
	{ "a device can be registered after a failure", test_retry },
	{ "look-up by name", test_by_name },
};

KTAP_SUITE(kt_register_suite, "register", register_cases);
