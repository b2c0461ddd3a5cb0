// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of GID and P_Key tables that the core fills from the provider: look-ups, references, and
 * updates by events.
 */
#include <linux/sched.h>
#include <rdma/ib_cache.h>

#include "kt_gid.h"

static const union ib_gid gid_a = { .raw = { 0xfe, 0x80, [15] = 0xa } };
static const union ib_gid gid_b = { .raw = { 0xfe, 0x80, [15] = 0xb } };
static const union ib_gid gid_c = { .raw = { 0xfe, 0x80, [15] = 0xc } };
static const union ib_gid no_gid;

static bool same(const union ib_gid *a, const union ib_gid *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Creates a device. Port 1 has gid_a at index 0 and gid_b at index 2, port 2 gid_c at index 1. */
static struct ktg_device *create_ib(struct ktap *t)
{
	struct ktg_device *ktg = ktg_alloc(RDMA_CORE_PORT_IBA_IB);

	if (!KT_EXPECT(t, ktg))
		return NULL;
	ktg->gids[1][0] = gid_a;
	ktg->gids[1][2] = gid_b;
	ktg->gids[2][1] = gid_c;
	if (KT_EXPECT_EQ(t, ktg_register(ktg), 0))
		return ktg;
	ib_dealloc_device(&ktg->ibdev);
	return NULL;
}

static void test_query(struct ktap *t)
{
	struct ktg_device *ktg = create_ib(t);
	struct ib_gid_attr attr;
	struct ib_device *dev;
	union ib_gid gid;

	if (!ktg)
		return;
	dev = &ktg->ibdev;
	KT_EXPECT_EQ(t, rdma_query_gid(dev, 1, 2, &gid), 0);
	KT_EXPECT(t, same(&gid, &gid_b));
	KT_EXPECT_EQ(t, rdma_query_gid(dev, 0, 0, &gid), -EINVAL);
	KT_EXPECT_EQ(t, rdma_query_gid(dev, 3, 0, &gid), -EINVAL);
	KT_EXPECT_EQ(t, rdma_query_gid(dev, 1, -1, &gid), -EINVAL);
	KT_EXPECT_EQ(t, rdma_query_gid(dev, 1, KTG_GIDS, &gid), -EINVAL);
	KT_EXPECT_EQ(t, rdma_query_gid(dev, 1, 1, &gid), -ENOENT);
	KT_EXPECT_EQ(t, ib_query_gid(dev, 2, 1, &gid), 0);
	KT_EXPECT(t, same(&gid, &gid_c));
	KT_EXPECT_EQ(t, ib_query_gid(dev, 1, 0, &gid, &attr), 0);
	KT_EXPECT(t, same(&attr.gid, &gid_a) && attr.device == dev && attr.port_num == 1);
	KT_EXPECT(t, !rcu_access_pointer(attr.ndev));
	KT_EXPECT_EQ(t, ib_query_gid(dev, 3, 0, &gid, NULL), -EINVAL);
	KT_EXPECT_EQ(t, ib_query_gid(dev, 1, KTG_GIDS, &gid), -EINVAL);
	KT_EXPECT_EQ(t, ib_query_gid(dev, 1, 1, &gid), -ENOENT);
	KT_EXPECT(t, rdma_is_zero_gid(&no_gid) && !rdma_is_zero_gid(&gid_a));
	ktg_destroy(ktg);
}

static void test_get(struct ktap *t)
{
	struct ktg_device *ktg = create_ib(t);
	const struct ib_gid_attr *attr;
	struct ib_device *dev;
	u8 smac[ETH_ALEN];
	u16 vlan;

	if (!ktg)
		return;
	dev = &ktg->ibdev;
	KT_EXPECT_ERR(t, rdma_get_gid_attr(dev, 3, 0), -EINVAL);
	KT_EXPECT_ERR(t, rdma_get_gid_attr(dev, 1, -1), -EINVAL);
	KT_EXPECT_ERR(t, rdma_get_gid_attr(dev, 1, KTG_GIDS), -EINVAL);
	KT_EXPECT_ERR(t, rdma_get_gid_attr(dev, 1, 1), -ENODATA);
	attr = rdma_get_gid_attr(dev, 1, 2);
	if (KT_EXPECT_ERR(t, attr, 0)) {
		KT_EXPECT(t, same(&attr->gid, &gid_b) && attr->device == dev);
		KT_EXPECT_EQ(t, attr->index, 2);
		KT_EXPECT_EQ(t, attr->port_num, 1);
		KT_EXPECT_EQ(t, attr->gid_type, IB_GID_TYPE_IB);
		KT_EXPECT_EQ(t, rdma_gid_attr_network_type(attr), RDMA_NETWORK_IB);
		KT_EXPECT_EQ(t, rdma_read_gid_l2_fields(attr, &vlan, smac), -ENODEV);
		rcu_read_lock();
		KT_EXPECT_ERR(t, rdma_read_gid_attr_ndev_rcu(attr), -ENODEV);
		rcu_read_unlock();
		rdma_hold_gid_attr(attr);
		rdma_put_gid_attr(attr);
		rdma_put_gid_attr(attr);
	}
	ktg_destroy(ktg);
}

/*
 * Returns whether @attr, the result of a look-up, is the entry at this port and index. Puts the
 * reference that the look-up has taken.
 */
static bool is_at(const struct ib_gid_attr *attr, u32 port, int index)
{
	bool expected;

	if (IS_ERR(attr))
		return false;
	expected = attr->port_num == port && attr->index == index;
	rdma_put_gid_attr(attr);
	return expected;
}

static bool at_index(const union ib_gid *gid, const struct ib_gid_attr *attr, void *context)
{
	return same(gid, &attr->gid) && attr->index == *(int *)context;
}

static void test_find(struct ktap *t)
{
	struct ktg_device *ktg = create_ib(t);
	struct net_device *lo = init_net.loopback_dev;
	enum ib_gid_type type = IB_GID_TYPE_IB;
	int two = 2, three = 3;
	struct ib_device *dev;
	union ib_gid gid;
	u32 port;
	u16 index;

	if (!ktg)
		return;
	dev = &ktg->ibdev;
	KT_EXPECT(t, is_at(rdma_find_gid(dev, &gid_b, type, NULL), 1, 2));
	KT_EXPECT(t, is_at(rdma_find_gid(dev, &gid_c, type, NULL), 2, 1));
	KT_EXPECT_ERR(t, rdma_find_gid(dev, &gid_c, type, lo), -ENOENT);
	KT_EXPECT_ERR(t, rdma_find_gid(dev, &gid_c, IB_GID_TYPE_ROCE_UDP_ENCAP, NULL), -ENOENT);
	KT_EXPECT_ERR(t, rdma_find_gid(dev, &no_gid, type, NULL), -ENOENT);
	KT_EXPECT(t, is_at(rdma_find_gid_by_port(dev, &gid_c, type, 2, NULL), 2, 1));
	KT_EXPECT_ERR(t, rdma_find_gid_by_port(dev, &gid_c, type, 1, NULL), -ENOENT);
	KT_EXPECT_ERR(t, rdma_find_gid_by_port(dev, &gid_c, type, 3, NULL), -EINVAL);
	KT_EXPECT(t, is_at(rdma_find_gid_by_filter(dev, &gid_b, 1, at_index, &two), 1, 2));
	KT_EXPECT_ERR(t, rdma_find_gid_by_filter(dev, &gid_b, 1, at_index, &three), -ENOENT);
	KT_EXPECT_ERR(t, rdma_find_gid_by_filter(dev, &gid_b, 0, at_index, &two), -EINVAL);
	gid = gid_c;
	KT_EXPECT_EQ(t, ib_find_gid(dev, &gid, &port, &index), 0);
	KT_EXPECT(t, port == 2 && index == 1);
	gid = gid_a;
	KT_EXPECT_EQ(t, ib_find_gid(dev, &gid, &port, NULL), 0);
	KT_EXPECT_EQ(t, port, 1);
	gid.raw[15] = 1;
	KT_EXPECT_EQ(t, ib_find_gid(dev, &gid, &port, &index), -ENOENT);
	ktg_destroy(ktg);
}

static void test_whole_table(struct ktap *t)
{
	struct ktg_device *ktg = create_ib(t);
	struct ib_uverbs_gid_entry entries[4];

	if (!ktg)
		return;
	memset(entries, 0xff, sizeof(entries));
	KT_EXPECT_EQ(t, rdma_query_gid_table(&ktg->ibdev, entries, 2), -EINVAL);
	KT_EXPECT_EQ(t, rdma_query_gid_table(&ktg->ibdev, entries, 0), -EINVAL);
	KT_EXPECT_EQ(t, rdma_query_gid_table(&ktg->ibdev, entries, 3), 3);
	KT_EXPECT_EQ(t, rdma_query_gid_table(&ktg->ibdev, entries, 4), 3);
	KT_EXPECT_EQ(t, entries[1].gid_index, 2);
	KT_EXPECT_EQ(t, entries[1].port_num, 1);
	KT_EXPECT_EQ(t, entries[1].gid_type, IB_UVERBS_GID_TYPE_IB);
	KT_EXPECT_EQ(t, entries[1].netdev_ifindex, 0);
	KT_EXPECT(t, !memcmp(&entries[2].gid, &gid_c, sizeof(gid_c)));
	KT_EXPECT_EQ(t, entries[2].port_num, 2);
	KT_EXPECT_EQ(t, entries[3].gid_index, U32_MAX);
	KT_EXPECT_EQ(t, rdma_query_gid_entry(&ktg->ibdev, 2, 1, &entries[3]), 0);
	KT_EXPECT(t, !memcmp(&entries[3], &entries[2], sizeof(entries[3])));
	KT_EXPECT_EQ(t, rdma_query_gid_entry(&ktg->ibdev, 1, 1, &entries[3]), -ENODATA);
	KT_EXPECT_EQ(t, rdma_query_gid_entry(&ktg->ibdev, 1, -1, &entries[3]), -EINVAL);
	KT_EXPECT_EQ(t, rdma_query_gid_entry(&ktg->ibdev, 1, KTG_GIDS, &entries[3]), -EINVAL);
	KT_EXPECT_EQ(t, rdma_query_gid_entry(&ktg->ibdev, 3, 0, &entries[3]), -EINVAL);
	ktg_destroy(ktg);
}

static void test_change(struct ktap *t)
{
	struct ktg_device *ktg = create_ib(t);
	const struct ib_gid_attr *attr;
	union ib_gid gid;

	if (!ktg)
		return;
	attr = rdma_get_gid_attr(&ktg->ibdev, 1, 0);
	if (!KT_EXPECT_ERR(t, attr, 0))
		goto out;
	ktg->gids[1][0] = gid_c;
	ktg->gids[1][2] = no_gid;
	KT_EXPECT_EQ(t, rdma_query_gid(&ktg->ibdev, 1, 0, &gid), 0);
	KT_EXPECT(t, same(&gid, &gid_a));
	ktg_dispatch(ktg, IB_EVENT_GID_CHANGE);
	KT_EXPECT_EQ(t, atomic_read(&ktg->events), 1);
	KT_EXPECT(t, same(&ktg->seen, &gid_c));
	KT_EXPECT_EQ(t, rdma_query_gid(&ktg->ibdev, 1, 2, &gid), -ENOENT);
	KT_EXPECT(t, is_at(rdma_find_gid(&ktg->ibdev, &gid_c, IB_GID_TYPE_IB, NULL), 1, 0));
	KT_EXPECT_ERR(t, rdma_find_gid(&ktg->ibdev, &gid_a, IB_GID_TYPE_IB, NULL), -ENOENT);
	/* Expects that @attr keeps the GID that the entry had when the reference was taken. */
	KT_EXPECT(t, same(&attr->gid, &gid_a));
	KT_EXPECT_EQ(t, attr->index, 0);
	/* Expects that the table does not change if the provider's query_gid fails. */
	ktg->gids[1][0] = gid_b;
	ktg->fail_gid = -EIO;
	ktg_dispatch(ktg, IB_EVENT_PORT_ACTIVE);
	ktg->fail_gid = 0;
	KT_EXPECT_EQ(t, rdma_query_gid(&ktg->ibdev, 1, 0, &gid), 0);
	KT_EXPECT(t, same(&gid, &gid_c));
	ktg_dispatch(ktg, IB_EVENT_CLIENT_REREGISTER);
	KT_EXPECT_EQ(t, rdma_query_gid(&ktg->ibdev, 1, 0, &gid), 0);
	KT_EXPECT(t, same(&gid, &gid_b));
	rdma_put_gid_attr(attr);
out:
	ktg_destroy(ktg);
}

/* Expects that a reference to a GID keeps the memory of the device. */
static void test_outlive(struct ktap *t)
{
	struct ktg_device *ktg = create_ib(t);
	const struct ib_gid_attr *attr;

	if (!ktg)
		return;
	attr = rdma_get_gid_attr(&ktg->ibdev, 2, 1);
	KT_EXPECT_ERR(t, attr, 0);
	ktg_destroy(ktg);
	if (IS_ERR(attr))
		return;
	KT_EXPECT(t, same(&attr->gid, &gid_c));
	KT_EXPECT(t, attr->device == &ktg->ibdev);
	KT_EXPECT_ERR(t, rdma_find_gid(attr->device, &gid_c, IB_GID_TYPE_IB, NULL), -ENOENT);
	rdma_put_gid_attr(attr);
}

static void test_failed_query(struct ktap *t)
{
	struct ktg_device *ktg = ktg_alloc(RDMA_CORE_PORT_IBA_IB);

	if (!KT_EXPECT(t, ktg))
		return;
	ktg->fail_gid = -ENXIO;
	KT_EXPECT_EQ(t, ktg_register(ktg), -ENXIO);
	ib_dealloc_device(&ktg->ibdev);

	ktg = ktg_alloc(RDMA_CORE_PORT_IBA_IB);
	if (!KT_EXPECT(t, ktg))
		return;
	ktg->fail_pkey = -EIO;
	KT_EXPECT_EQ(t, ktg_register(ktg), -EIO);
	ib_dealloc_device(&ktg->ibdev);
}

/* The first of two entries with limited membership counts, also if it is the first of the table. */
static void test_limited_pkeys(struct ktap *t)
{
	struct ktg_device *ktg = ktg_alloc(RDMA_CORE_PORT_IBA_IB);
	u16 index;
	int i;

	if (!KT_EXPECT(t, ktg))
		return;
	for (i = 0; i < KTG_PKEYS; i++)
		ktg->pkeys[1][i] = 1;
	if (KT_EXPECT_EQ(t, ktg_register(ktg), 0)) {
		KT_EXPECT_EQ(t, ib_find_pkey(&ktg->ibdev, 1, 0x8001, &index), 0);
		KT_EXPECT_EQ(t, index, 0);
		KT_EXPECT_EQ(t, ib_find_cached_pkey(&ktg->ibdev, 1, 0x8001, &index), 0);
		KT_EXPECT_EQ(t, index, 0);
		ib_unregister_device(&ktg->ibdev);
	}
	ib_dealloc_device(&ktg->ibdev);
}

/* Of two ports, the first one has no GID. */
static void test_empty_port(struct ktap *t)
{
	struct ktg_device *ktg = ktg_alloc(RDMA_CORE_PORT_IBA_IB);
	struct ib_uverbs_gid_entry entries[2] = {};

	if (!KT_EXPECT(t, ktg))
		return;
	ktg->gids[2][0] = gid_c;
	if (KT_EXPECT_EQ(t, ktg_register(ktg), 0)) {
		KT_EXPECT_EQ(t, rdma_query_gid_table(&ktg->ibdev, entries, 2), 1);
		KT_EXPECT_EQ(t, entries[0].port_num, 2);
		ib_unregister_device(&ktg->ibdev);
	}
	ib_dealloc_device(&ktg->ibdev);
}

static void test_pkeys(struct ktap *t)
{
	struct ktg_device *ktg = create_ib(t);
	struct ib_device *dev;
	u16 pkey, index;

	if (!ktg)
		return;
	dev = &ktg->ibdev;
	KT_EXPECT_EQ(t, ib_query_pkey(dev, 1, 0, &pkey), 0);
	KT_EXPECT_EQ(t, pkey, 0xffff);
	KT_EXPECT_EQ(t, ib_query_pkey(dev, 3, 0, &pkey), -EINVAL);
	KT_EXPECT_EQ(t, ib_query_pkey(dev, 1, KTG_PKEYS, &pkey), -EINVAL);
	KT_EXPECT_EQ(t, ib_get_cached_pkey(dev, 2, 3, &pkey), 0);
	KT_EXPECT_EQ(t, pkey, 2);
	KT_EXPECT_EQ(t, ib_get_cached_pkey(dev, 0, 0, &pkey), -EINVAL);
	KT_EXPECT_EQ(t, ib_get_cached_pkey(dev, 3, 0, &pkey), -EINVAL);
	/* So far outside of the table of ports that there is no memory. */
	KT_EXPECT_EQ(t, ib_get_cached_pkey(dev, 1U << 30, 0, &pkey), -EINVAL);
	KT_EXPECT_EQ(t, ib_get_cached_pkey(dev, 1, -1, &pkey), -EINVAL);
	KT_EXPECT_EQ(t, ib_get_cached_pkey(dev, 1, KTG_PKEYS, &pkey), -EINVAL);
	/*
	 * Expects that look-ups prefer an entry with full membership, and accept one with limited
	 * membership if there is no other. An exact look-up accepts only the given membership.
	 */
	KT_EXPECT_EQ(t, ib_find_pkey(dev, 1, 1, &index), 0);
	KT_EXPECT_EQ(t, index, 2);
	KT_EXPECT_EQ(t, ib_find_cached_pkey(dev, 1, 0x0001, &index), 0);
	KT_EXPECT_EQ(t, index, 2);
	KT_EXPECT_EQ(t, ib_find_cached_pkey(dev, 1, 0x8002, &index), 0);
	KT_EXPECT_EQ(t, index, 3);
	KT_EXPECT_EQ(t, ib_find_exact_cached_pkey(dev, 1, 0x0001, &index), 0);
	KT_EXPECT_EQ(t, index, 1);
	KT_EXPECT_EQ(t, ib_find_exact_cached_pkey(dev, 1, 0x8002, &index), -ENOENT);
	KT_EXPECT_EQ(t, ib_find_exact_cached_pkey(dev, 3, 1, &index), -EINVAL);
	KT_EXPECT_EQ(t, ib_find_cached_pkey(dev, 1, 3, &index), -ENOENT);
	KT_EXPECT_EQ(t, ib_find_cached_pkey(dev, 3, 1, &index), -EINVAL);
	KT_EXPECT_EQ(t, ib_find_pkey(dev, 1, 3, &index), -ENOENT);
	KT_EXPECT_EQ(t, ib_find_pkey(dev, 3, 1, &index), -EINVAL);
	ktg->fail_pkey = -EIO;
	KT_EXPECT_EQ(t, ib_find_pkey(dev, 1, 1, &index), -EIO);
	KT_EXPECT_EQ(t, ib_find_cached_pkey(dev, 1, 1, &index), 0);
	ktg_destroy(ktg);
}

static void test_cached(struct ktap *t)
{
	struct ktg_device *ktg = create_ib(t);
	enum ib_port_state state;
	struct ib_device *dev;
	u64 prefix = 1;
	u16 pkey;
	u8 lmc;

	if (!ktg)
		return;
	dev = &ktg->ibdev;
	KT_EXPECT_EQ(t, ib_get_cached_subnet_prefix(dev, 3, &prefix), -EINVAL);
	KT_EXPECT_EQ(t, ib_get_cached_subnet_prefix(dev, 0, &prefix), -EINVAL);
	KT_EXPECT_EQ(t, prefix, 1);
	KT_EXPECT_EQ(t, ib_get_cached_subnet_prefix(dev, 1, &prefix), 0);
	KT_EXPECT_EQ(t, prefix, be64_to_cpu(gid_a.global.subnet_prefix));
	KT_EXPECT_EQ(t, ib_get_cached_lmc(dev, 1, &lmc), 0);
	KT_EXPECT_EQ(t, lmc, 3);
	KT_EXPECT_EQ(t, ib_get_cached_lmc(dev, 0, &lmc), -EINVAL);
	KT_EXPECT_EQ(t, ib_get_cached_port_state(dev, 1, &state), 0);
	KT_EXPECT_EQ(t, state, IB_PORT_ACTIVE);
	KT_EXPECT_EQ(t, ib_get_cached_port_state(dev, 3, &state), -EINVAL);
	ktg->attr.state = IB_PORT_DOWN;
	ktg->attr.lmc = 1;
	ktg->pkeys[1][0] = 0x7fff;
	/* Expects that an event of an unrelated type does not update the cached values. */
	ktg_dispatch(ktg, IB_EVENT_DEVICE_FATAL);
	ib_get_cached_lmc(dev, 1, &lmc);
	ib_get_cached_port_state(dev, 1, &state);
	ib_get_cached_pkey(dev, 1, 0, &pkey);
	KT_EXPECT(t, lmc == 3 && state == IB_PORT_ACTIVE && pkey == 0xffff);
	ktg_dispatch(ktg, IB_EVENT_PKEY_CHANGE);
	ib_get_cached_lmc(dev, 1, &lmc);
	ib_get_cached_port_state(dev, 1, &state);
	ib_get_cached_pkey(dev, 1, 0, &pkey);
	KT_EXPECT(t, lmc == 1 && state == IB_PORT_DOWN && pkey == 0x7fff);
	ib_get_cached_lmc(dev, 2, &lmc);
	KT_EXPECT_EQ(t, lmc, 3);
	ktg_destroy(ktg);
}

static void test_network_types(struct ktap *t)
{
	struct ib_gid_attr attr = { .gid_type = IB_GID_TYPE_ROCE_UDP_ENCAP, .gid = gid_a };

	KT_EXPECT_EQ(t, rdma_gid_attr_network_type(&attr), RDMA_NETWORK_IPV6);
	ipv6_addr_set_v4mapped(htonl(0x0a000001), (struct in6_addr *)&attr.gid);
	KT_EXPECT_EQ(t, rdma_gid_attr_network_type(&attr), RDMA_NETWORK_IPV4);
	attr.gid_type = IB_GID_TYPE_ROCE;
	KT_EXPECT_EQ(t, rdma_gid_attr_network_type(&attr), RDMA_NETWORK_ROCE_V1);
	KT_EXPECT_EQ(t, ib_network_to_gid_type(RDMA_NETWORK_IPV4), IB_GID_TYPE_ROCE_UDP_ENCAP);
	KT_EXPECT_EQ(t, ib_network_to_gid_type(RDMA_NETWORK_IPV6), IB_GID_TYPE_ROCE_UDP_ENCAP);
	KT_EXPECT_EQ(t, ib_network_to_gid_type(RDMA_NETWORK_ROCE_V1), IB_GID_TYPE_ROCE);
	KT_EXPECT_EQ(t, ib_network_to_gid_type(RDMA_NETWORK_IB), IB_GID_TYPE_IB);
}

/*
 * An event for which there is no memory is lost, but the cache is up to date all the same. Needs a
 * kernel that can make an allocation fail.
 */
static void test_lost_event(struct ktap *t)
{
#ifdef CONFIG_FAILSLAB
	struct ib_event event = { .event = IB_EVENT_PKEY_CHANGE, .element.port_num = 1 };
	struct ktg_device *ktg = create_ib(t);
	u16 pkey = 0;

	if (!ktg)
		return;
	event.device = &ktg->ibdev;
	ktg->pkeys[1][0] = 0x7fff;
	ktg->pkeys[2][0] = 0x7fff;
	current->fail_nth = 1;
	ib_dispatch_event(&event);
	KT_EXPECT_EQ(t, current->fail_nth, 0);
	current->fail_nth = 0;
	KT_WAIT(t, !ib_get_cached_pkey(&ktg->ibdev, 1, 0, &pkey) && pkey == 0x7fff);
	/* The event was about the first port. */
	ib_get_cached_pkey(&ktg->ibdev, 2, 0, &pkey);
	KT_EXPECT_EQ(t, pkey, 0xffff);
	ktg_destroy(ktg);
#else
	ktap_skip(t, "this kernel has no fault injection");
#endif
}

static const struct ktap_case ib_cases[] = {
	{ "GIDs by index", test_query, COVERS(ib_gid) },
	{ "references by index", test_get },
	{ "references by GID", test_find },
	{ "the whole table", test_whole_table },
	{ "the whole table, of which one port has nothing", test_empty_port },
	{ "changes, and references taken before them", test_change },
	{ "a reference outlives the device", test_outlive },
	{ "registration fails if a query of the provider fails", test_failed_query },
	{ "P_Keys", test_pkeys },
	{ "P_Keys of limited membership", test_limited_pkeys },
	{ "P_Keys, LMC and state are cached until an event", test_cached },
	{ "an event without memory renews the cache", test_lost_event },
	{ "network types of GIDs", test_network_types, COVERS(rdma_network_type) },
};

KTAP_SUITE(kt_gid_ib_suite, "InfiniBand", ib_cases);
