// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of GID tables that follow the addresses of a network interface. The interface is a dummy
 * named ktd.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/netdevice.h>

#include "kt_gid.h"

#define V1	IB_GID_TYPE_ROCE
#define V2	IB_GID_TYPE_ROCE_UDP_ENCAP
#define BOTH	(RDMA_CORE_PORT_IBA_ROCE | RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP)

/* The default GID, which the core makes from the interface's MAC address. */
#define DEFAULT_GID	"fe80::211:22ff:fe33:4455"

/* Returns the index of the entry of port 1 with this GID and type, or a negative errno. */
static int index_of(struct ktg_device *ktg, const char *text, enum ib_gid_type type)
{
	union ib_gid gid = kt_gid_of(text);
	const struct ib_gid_attr *attr;
	int index;

	attr = rdma_find_gid_by_port(&ktg->ibdev, &gid, type, 1, NULL);
	if (IS_ERR(attr))
		return PTR_ERR(attr);
	index = attr->index;
	rdma_put_gid_attr(attr);
	return index;
}

static bool has_roce(struct ktg_device *ktg, const char *text)
{
	return index_of(ktg, text, V2) >= 0;
}

/* Creates the dummy, and a device whose port 1 is on the dummy. */
static struct ktg_device *create_roce(struct ktap *t, u32 caps)
{
	struct ktg_device *ktg;
	struct net_device *ndev;

	if (!KT_EXPECT_EQ(t, kt_sh("ip link add ktd address 00:11:22:33:44:55 type dummy"), 0))
		return NULL;
	ndev = dev_get_by_name(&init_net, "ktd");
	ktg = ktg_create(t, caps, ndev);
	dev_put(ndev);
	if (!ktg)
		kt_sh("ip link del ktd");
	return ktg;
}

static void destroy_roce(struct ktap *t, struct ktg_device *ktg)
{
	ib_unregister_device(&ktg->ibdev);
	KT_EXPECT_EQ(t, atomic_read(&ktg->held), 0);
	KT_EXPECT_EQ(t, atomic_read(&ktg->wrong), 0);
	ib_dealloc_device(&ktg->ibdev);
	kt_sh("ip link del ktd 2>/dev/null");
}

static void test_default(struct ktap *t)
{
	struct ktg_device *ktg = create_roce(t, BOTH);
	union ib_gid gid;

	if (!ktg)
		return;
	KT_EXPECT(t, rdma_cap_roce_gid_table(&ktg->ibdev, 1));
	KT_EXPECT_EQ(t, index_of(ktg, DEFAULT_GID, V1), 0);
	KT_EXPECT_EQ(t, index_of(ktg, DEFAULT_GID, V2), 1);
	KT_EXPECT_EQ(t, atomic_read(&ktg->held), 2);
	/*
	 * Expects that the interface's link-local address adds no entry, because the address equals
	 * the default GID.
	 */
	KT_EXPECT_EQ(t, kt_sh("ip link set ktd up"), 0);
	KT_EXPECT_EQ(t, kt_sh("ip address add 10.1.0.1/24 dev ktd"), 0);
	KT_WAIT(t, has_roce(ktg, "10.1.0.1"));
	KT_EXPECT_EQ(t, atomic_read(&ktg->held), 4);
	gid = kt_gid_of("10.1.0.1");
	KT_EXPECT_ERR(t, rdma_find_gid_by_port(&ktg->ibdev, &gid, V2, 1, init_net.loopback_dev),
		      -ENOENT);
	KT_EXPECT_EQ(t, kt_sh("ip link set ktd address 00:11:22:33:44:66"), 0);
	KT_WAIT(t, index_of(ktg, "fe80::211:22ff:fe33:4466", V1) == 0);
	KT_WAIT(t, index_of(ktg, "fe80::211:22ff:fe33:4466", V2) == 1);
	destroy_roce(t, ktg);

	ktg = create_roce(t, RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP);
	if (!ktg)
		return;
	KT_EXPECT_EQ(t, index_of(ktg, DEFAULT_GID, V2), 0);
	KT_EXPECT_EQ(t, index_of(ktg, DEFAULT_GID, V1), -ENOENT);
	destroy_roce(t, ktg);
}

/* Registers a device whose port 1 is on the new interface ktd. Frees the device after an error. */
static bool register_on_ktd(struct ktap *t, struct ktg_device *ktg)
{
	struct net_device *ndev;

	KT_EXPECT_EQ(t, kt_sh("ip link add ktd address 00:11:22:33:44:55 type dummy"), 0);
	ndev = dev_get_by_name(&init_net, "ktd");
	KT_EXPECT_EQ(t, ib_device_set_netdev(&ktg->ibdev, ndev, 1), 0);
	dev_put(ndev);
	if (KT_EXPECT_EQ(t, ktg_register(ktg), 0))
		return true;
	ib_dealloc_device(&ktg->ibdev);
	return false;
}

/* Expects that the GIDs of a provider without a table of its own follow the interface, too. */
static void test_software(struct ktap *t)
{
	struct ktg_device *ktg = ktg_alloc(RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP);

	if (!KT_EXPECT(t, ktg))
		return;
	ktg->ibdev.ops.add_gid = NULL;
	ktg->ibdev.ops.del_gid = NULL;
	if (!register_on_ktd(t, ktg))
		return;
	KT_EXPECT(t, !rdma_cap_roce_gid_table(&ktg->ibdev, 1));
	KT_EXPECT_EQ(t, index_of(ktg, DEFAULT_GID, V2), 0);
	KT_EXPECT_EQ(t, kt_sh("ip link set ktd up && ip address add 10.1.0.1/24 dev ktd"), 0);
	KT_WAIT(t, has_roce(ktg, "10.1.0.1"));
	KT_EXPECT_EQ(t, kt_sh("ip address del 10.1.0.1/24 dev ktd"), 0);
	KT_WAIT(t, !has_roce(ktg, "10.1.0.1"));
	destroy_roce(t, ktg);
}

static void check_entry(struct ktap *t, struct ktg_device *ktg, const char *text)
{
	static const u8 mac[ETH_ALEN] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55 };
	union ib_gid gid = kt_gid_of(text);
	const struct ib_gid_attr *attr;
	struct net_device *ndev;
	u8 smac[ETH_ALEN];
	u16 vlan;

	attr = rdma_find_gid(&ktg->ibdev, &gid, V2, NULL);
	if (!KT_EXPECT_ERR(t, attr, 0))
		return;
	KT_EXPECT_EQ(t, attr->port_num, 1);
	KT_EXPECT(t, rdma_read_gid_hw_context(attr) == &ktg->gids[1][attr->index]);
	KT_EXPECT_EQ(t, rdma_read_gid_l2_fields(attr, &vlan, smac), 0);
	KT_EXPECT_EQ(t, vlan, 0xffff);
	KT_EXPECT(t, ether_addr_equal(smac, mac));
	KT_EXPECT_EQ(t, rdma_read_gid_l2_fields(attr, NULL, NULL), 0);
	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(attr);
	KT_EXPECT(t, !IS_ERR(ndev) && !strcmp(ndev->name, "ktd"));
	rcu_read_unlock();
	rdma_put_gid_attr(attr);
}

static void check_older_query(struct ktap *t, struct ktg_device *ktg, int index)
{
	struct ib_gid_attr attr = {};
	struct net_device *ndev;
	union ib_gid gid;

	if (!KT_EXPECT_EQ(t, ib_query_gid(&ktg->ibdev, 1, index, &gid, &attr), 0))
		return;
	ndev = rcu_access_pointer(attr.ndev);
	KT_EXPECT(t, ndev && !strcmp(ndev->name, "ktd"));
	dev_put(ndev);
}

static void test_addresses(struct ktap *t)
{
	struct ktg_device *ktg = create_roce(t, BOTH);
	struct ib_uverbs_gid_entry entries[KTG_GIDS];
	int events;

	if (!ktg)
		return;
	KT_EXPECT_EQ(t, kt_sh("ip link set ktd up"), 0);
	KT_EXPECT_EQ(t, kt_sh("ip address add 10.1.0.1/24 dev ktd"), 0);
	KT_EXPECT_EQ(t, kt_sh("ip address add fd01::1/64 dev ktd nodad"), 0);
	KT_WAIT(t, has_roce(ktg, "10.1.0.1"));
	KT_WAIT(t, has_roce(ktg, "fd01::1"));
	KT_EXPECT(t, index_of(ktg, "10.1.0.1", V1) >= 2);
	check_entry(t, ktg, "10.1.0.1");
	check_entry(t, ktg, "fd01::1");
	check_older_query(t, ktg, index_of(ktg, "fd01::1", V1));
	KT_EXPECT_EQ(t, rdma_query_gid_table(&ktg->ibdev, entries, KTG_GIDS), 6);
	KT_EXPECT(t, entries[0].netdev_ifindex != 0);
	KT_WAIT(t, atomic_read(&ktg->events) > 0);
	events = atomic_read(&ktg->events);
	KT_EXPECT_EQ(t, kt_sh("ip address del 10.1.0.1/24 dev ktd"), 0);
	KT_WAIT(t, !has_roce(ktg, "10.1.0.1"));
	KT_WAIT(t, atomic_read(&ktg->events) > events);
	KT_EXPECT(t, has_roce(ktg, "fd01::1"));
	KT_WAIT(t, atomic_read(&ktg->held) == 4);
	KT_EXPECT_EQ(t, index_of(ktg, "10.1.0.1", V1), -ENOENT);
	destroy_roce(t, ktg);
}

static void test_reference(struct ktap *t)
{
	struct ktg_device *ktg = create_roce(t, BOTH);
	const struct ib_gid_attr *attr;
	struct net_device *ndev;
	union ib_gid gid;
	int index;

	if (!ktg)
		return;
	KT_EXPECT_EQ(t, kt_sh("ip address add 10.1.0.1/24 dev ktd"), 0);
	KT_WAIT(t, has_roce(ktg, "10.1.0.1"));
	index = index_of(ktg, "10.1.0.1", V2);
	attr = rdma_get_gid_attr(&ktg->ibdev, 1, index);
	if (!KT_EXPECT_ERR(t, attr, 0))
		goto out;
	KT_EXPECT_EQ(t, kt_sh("ip address del 10.1.0.1/24 dev ktd"), 0);
	KT_WAIT(t, !has_roce(ktg, "10.1.0.1"));
	KT_WAIT(t, atomic_read(&ktg->held) == 3);
	gid = kt_gid_of("10.1.0.1");
	KT_EXPECT(t, !memcmp(&attr->gid, &gid, sizeof(gid)));
	KT_EXPECT_EQ(t, rdma_read_gid_l2_fields(attr, NULL, NULL), -ENODEV);
	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(attr);
	rcu_read_unlock();
	KT_EXPECT_ERR(t, ndev, -ENODEV);
	/*
	 * Expects that look-ups find the entry empty, and that the core does not use the entry for
	 * another GID until the reference is put.
	 */
	KT_EXPECT_EQ(t, rdma_query_gid(&ktg->ibdev, 1, index, &gid), -ENOENT);
	KT_EXPECT_EQ(t, kt_sh("ip address add 10.1.0.1/24 dev ktd"), 0);
	KT_WAIT(t, has_roce(ktg, "10.1.0.1"));
	KT_EXPECT(t, index_of(ktg, "10.1.0.1", V2) != index);
	KT_EXPECT_EQ(t, atomic_read(&ktg->held), 5);
	rdma_put_gid_attr(attr);
	KT_WAIT(t, atomic_read(&ktg->held) == 4);
out:
	destroy_roce(t, ktg);
}

static void test_down(struct ktap *t)
{
	struct ktg_device *ktg = create_roce(t, BOTH);
	const struct ib_gid_attr *attr;
	union ib_gid gid = kt_gid_of("10.1.0.1");
	struct net_device *ndev;

	if (!ktg)
		return;
	KT_EXPECT_EQ(t, kt_sh("ip link set ktd up"), 0);
	KT_EXPECT_EQ(t, kt_sh("ip address add 10.1.0.1/24 dev ktd"), 0);
	KT_EXPECT_EQ(t, kt_sh("ip address add fd01::1/64 dev ktd nodad"), 0);
	KT_WAIT(t, has_roce(ktg, "fd01::1") && has_roce(ktg, "10.1.0.1"));
	KT_EXPECT_EQ(t, kt_sh("ip link set ktd down"), 0);
	/* IPv6 deletes its addresses when an interface goes down, IPv4 does not. */
	KT_WAIT(t, !has_roce(ktg, "fd01::1"));
	attr = rdma_find_gid(&ktg->ibdev, &gid, V1, NULL);
	if (KT_EXPECT_ERR(t, attr, 0)) {
		rcu_read_lock();
		ndev = rdma_read_gid_attr_ndev_rcu(attr);
		rcu_read_unlock();
		KT_EXPECT_ERR(t, ndev, -ENODEV);
		KT_EXPECT_EQ(t, rdma_read_gid_l2_fields(attr, NULL, NULL), 0);
		KT_EXPECT_EQ(t, kt_sh("ip link set ktd up"), 0);
		rcu_read_lock();
		ndev = rdma_read_gid_attr_ndev_rcu(attr);
		rcu_read_unlock();
		KT_EXPECT_ERR(t, ndev, 0);
		rdma_put_gid_attr(attr);
	}
	destroy_roce(t, ktg);
}

/* Expects that a reference to a GID does not delay the removal of the GID's network interface. */
static void test_netdev_removed(struct ktap *t)
{
	struct ktg_device *ktg = create_roce(t, BOTH);
	const struct ib_gid_attr *attr;
	unsigned long start;
	union ib_gid gid;

	if (!ktg)
		return;
	KT_EXPECT_EQ(t, kt_sh("ip link add link ktd name ktv type macvlan"), 0);
	KT_EXPECT_EQ(t, kt_sh("ip address add 10.1.7.1/24 dev ktv"), 0);
	KT_WAIT(t, has_roce(ktg, "10.1.7.1"));
	gid = kt_gid_of("10.1.7.1");
	attr = rdma_find_gid(&ktg->ibdev, &gid, V2, NULL);
	if (KT_EXPECT_ERR(t, attr, 0)) {
		start = jiffies;
		KT_EXPECT_EQ(t, kt_sh("ip link del ktv"), 0);
		KT_EXPECT(t, time_before(jiffies, start + 9 * HZ));
		KT_WAIT(t, !has_roce(ktg, "10.1.7.1"));
		KT_EXPECT_EQ(t, rdma_read_gid_l2_fields(attr, NULL, NULL), -ENODEV);
		rdma_put_gid_attr(attr);
	}
	/* Expects that the table becomes empty when the provider drops the port's own interface. */
	KT_EXPECT_EQ(t, ib_device_set_netdev(&ktg->ibdev, NULL, 1), 0);
	KT_WAIT(t, atomic_read(&ktg->held) == 0);
	KT_EXPECT_EQ(t, rdma_query_gid(&ktg->ibdev, 1, 0, &gid), -ENOENT);
	destroy_roce(t, ktg);
}

/*
 * Tests a table of four entries, which are enough for the default GID and one address, each with
 * two GID types.
 */
static void test_full(struct ktap *t)
{
	struct ktg_device *ktg = ktg_alloc(BOTH);
	const struct ib_gid_attr *attr;

	if (!KT_EXPECT(t, ktg))
		return;
	ktg->gid_tbl_len = 4;
	if (!register_on_ktd(t, ktg))
		return;
	KT_EXPECT_EQ(t, kt_sh("ip address add 10.1.0.1/24 dev ktd"), 0);
	KT_WAIT(t, has_roce(ktg, "10.1.0.1"));
	KT_EXPECT_EQ(t, kt_sh("ip address add 10.1.0.2/24 dev ktd"), 0);
	rdma_roce_rescan_device(&ktg->ibdev);
	KT_EXPECT(t, !has_roce(ktg, "10.1.0.2"));
	attr = rdma_get_gid_attr(&ktg->ibdev, 1, 3);
	KT_EXPECT_ERR(t, attr, 0);
	/*
	 * Deleting 10.1.0.1 may also delete its secondary address 10.1.0.2. So both addresses are
	 * flushed, and 10.1.0.2 is added again.
	 */
	KT_EXPECT_EQ(t, kt_sh("ip address flush dev ktd; ip address add 10.1.0.2/24 dev ktd"), 0);
	KT_WAIT(t, index_of(ktg, "10.1.0.2", V1) == 2);
	KT_EXPECT(t, !has_roce(ktg, "10.1.0.2"));
	/*
	 * 10.1.0.2 has its RoCE v1 entry now. Expects that its RoCE v2 entry is added only when the
	 * reference to the old entry 3 is put.
	 */
	if (!IS_ERR(attr))
		rdma_put_gid_attr(attr);
	KT_WAIT(t, index_of(ktg, "10.1.0.2", V2) == 3);
	destroy_roce(t, ktg);
}

/* A table of one entry, which is too small for the default GID with both GID types. */
static void test_one_entry(struct ktap *t)
{
	struct ktg_device *ktg = ktg_alloc(BOTH);

	if (!KT_EXPECT(t, ktg))
		return;
	ktg->gid_tbl_len = 1;
	if (!register_on_ktd(t, ktg))
		return;
	KT_EXPECT_EQ(t, kt_sh("ip address add 10.1.0.1/24 dev ktd"), 0);
	rdma_roce_rescan_device(&ktg->ibdev);
	KT_EXPECT_EQ(t, index_of(ktg, DEFAULT_GID, V1), 0);
	KT_EXPECT_EQ(t, index_of(ktg, DEFAULT_GID, V2), -ENOENT);
	KT_EXPECT_EQ(t, index_of(ktg, "10.1.0.1", V1), -ENOENT);
	KT_EXPECT_EQ(t, atomic_read(&ktg->held), 1);
	destroy_roce(t, ktg);
}

static void test_refused(struct ktap *t)
{
	struct ktg_device *ktg = create_roce(t, BOTH);

	if (!ktg)
		return;
	ktg->fail_add = -ENOSPC;
	KT_EXPECT_EQ(t, kt_sh("ip address add 10.1.0.1/24 dev ktd"), 0);
	rdma_roce_rescan_device(&ktg->ibdev);
	KT_EXPECT(t, !has_roce(ktg, "10.1.0.1"));
	KT_EXPECT_EQ(t, index_of(ktg, DEFAULT_GID, V1), 0);
	ktg->fail_add = 0;
	rdma_roce_rescan_device(&ktg->ibdev);
	KT_EXPECT(t, has_roce(ktg, "10.1.0.1"));
	destroy_roce(t, ktg);
}

/* Gets and puts references to all entries of port 1 repeatedly until the thread is stopped. */
static int look_up_entries(void *arg)
{
	struct ktg_device *ktg = arg;
	const struct ib_gid_attr *attr;
	int i;

	while (!kthread_should_stop())
		for (i = 0; i < KTG_GIDS; i++) {
			attr = rdma_get_gid_attr(&ktg->ibdev, 1, i);
			if (IS_ERR(attr))
				continue;
			rdma_read_gid_l2_fields(attr, NULL, NULL);
			cond_resched();
			rdma_put_gid_attr(attr);
		}
	return 0;
}

static void test_race(struct ktap *t)
{
	struct ktg_device *ktg = create_roce(t, BOTH);
	struct task_struct *reader;
	int i;

	if (!ktg)
		return;
	reader = kthread_run(look_up_entries, ktg, "kt_gid");
	if (KT_EXPECT_ERR(t, reader, 0)) {
		for (i = 0; i < 8; i++) {
			kt_sh("ip address add 10.1.0.1/24 dev ktd");
			kt_sh("ip address del 10.1.0.1/24 dev ktd; ip link set ktd up");
			kt_sh("ip link set ktd down");
		}
		kthread_stop(reader);
	}
	KT_WAIT(t, atomic_read(&ktg->held) == 2);
	destroy_roce(t, ktg);
}

static const struct ktap_case roce_cases[] = {
	{ "default GIDs, which follow the MAC address", test_default },
	{ "a provider without a GID table of its own", test_software },
	{ "GIDs follow addresses, with events", test_addresses },
	{ "a reference keeps the content, and the entry occupied", test_reference },
	{ "an interface that is down", test_down },
	{ "an interface is removed despite a reference", test_netdev_removed },
	{ "a table that is full", test_full },
	{ "a table of one entry", test_one_entry },
	{ "a provider that refuses a GID", test_refused },
	{ "look-ups while addresses are added and deleted", test_race },
};

KTAP_SUITE(kt_gid_roce_suite, "RoCE", roce_cases);
