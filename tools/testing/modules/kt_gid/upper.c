// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of the GIDs of interfaces in other network namespaces, and of those stacked on the port's
 * interface: VLANs, macvlans, bridges and bonds.
 */
#include <linux/delay.h>
#include <linux/inet.h>
#include <linux/netdevice.h>

#include "kt_gid.h"

/*
 * Looks up the RoCE v2 entry of an IPv4 address on port 1. Returns the entry with a reference, or
 * an ERR_PTR().
 */
static const struct ib_gid_attr *find(struct ktg_device *ktg, const char *text)
{
	union ib_gid gid;
	__be32 ipv4;

	in4_pton(text, -1, (u8 *)&ipv4, -1, NULL);
	ipv6_addr_set_v4mapped(ipv4, (struct in6_addr *)&gid);
	return rdma_find_gid_by_port(&ktg->ibdev, &gid, IB_GID_TYPE_ROCE_UDP_ENCAP, 1, NULL);
}

static bool has_upper(struct ktg_device *ktg, const char *text)
{
	const struct ib_gid_attr *attr = find(ktg, text);

	if (IS_ERR(attr))
		return false;
	rdma_put_gid_attr(attr);
	return true;
}

/* Returns whether the entry of an IPv4 address is on the interface @name and the VLAN @vlan. */
static bool is_on(struct ktg_device *ktg, const char *text, const char *name, u16 vlan)
{
	const struct ib_gid_attr *attr = find(ktg, text);
	const struct net_device *ndev;
	u16 seen = 0;
	bool matches;

	if (IS_ERR(attr))
		return false;
	rcu_read_lock();
	ndev = rcu_dereference(attr->ndev);
	matches = ndev && !strcmp(ndev->name, name);
	rcu_read_unlock();
	matches = matches && !rdma_read_gid_l2_fields(attr, &seen, NULL) && seen == vlan;
	rdma_put_gid_attr(attr);
	return matches;
}

static struct ktg_device *create_upper(struct ktap *t, const char *name)
{
	struct net_device *ndev = dev_get_by_name(&init_net, name);
	struct ktg_device *ktg;

	if (!KT_EXPECT(t, ndev))
		return NULL;
	ktg = ktg_create(t, RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP, ndev);
	dev_put(ndev);
	return ktg;
}

static void destroy_upper(struct ktap *t, struct ktg_device *ktg)
{
	if (!ktg)
		return;
	ib_unregister_device(&ktg->ibdev);
	KT_EXPECT_EQ(t, atomic_read(&ktg->held), 0);
	KT_EXPECT_EQ(t, atomic_read(&ktg->wrong), 0);
	ib_dealloc_device(&ktg->ibdev);
}

static void test_vlan(struct ktap *t)
{
	struct ktg_device *ktg;

	KT_EXPECT_EQ(t, kt_sh("ip link add ktd type dummy && ip link set ktd up"), 0);
	KT_EXPECT_EQ(t, kt_sh("ip link add link ktd name ktd.5 type vlan id 5"), 0);
	KT_EXPECT_EQ(t, kt_sh("ip address add 10.1.5.1/24 dev ktd.5"), 0);
	ktg = create_upper(t, "ktd");
	if (ktg) {
		KT_EXPECT(t, is_on(ktg, "10.1.5.1", "ktd.5", 5));
		kt_sh("ip link add link ktd.5 name ktm type macvlan");
		kt_sh("ip address add 10.1.6.1/24 dev ktm");
		KT_WAIT(t, is_on(ktg, "10.1.6.1", "ktm", 5));
		kt_sh("ip link add link ktd name ktd.9 type vlan id 9");
		kt_sh("ip address add 10.1.9.1/24 dev ktd.9");
		KT_WAIT(t, is_on(ktg, "10.1.9.1", "ktd.9", 9));
		kt_sh("ip link del ktd.5");
		KT_WAIT(t, !has_upper(ktg, "10.1.5.1") && !has_upper(ktg, "10.1.6.1"));
		KT_EXPECT(t, has_upper(ktg, "10.1.9.1"));
	}
	destroy_upper(t, ktg);
	KT_EXPECT_EQ(t, kt_sh("ip link del ktd"), 0);
}

static void test_bridge(struct ktap *t)
{
	struct ktg_device *ktg;

	KT_EXPECT_EQ(t, kt_sh("ip link add ktd type dummy && ip link add ktb type bridge"), 0);
	KT_EXPECT_EQ(t, kt_sh("ip address add 10.1.3.1/24 dev ktb"), 0);
	ktg = create_upper(t, "ktd");
	if (ktg) {
		KT_EXPECT(t, !has_upper(ktg, "10.1.3.1"));
		kt_sh("ip link set ktd master ktb");
		KT_WAIT(t, is_on(ktg, "10.1.3.1", "ktb", 0xffff));
		kt_sh("ip link set ktd nomaster");
		KT_WAIT(t, !has_upper(ktg, "10.1.3.1"));
	}
	destroy_upper(t, ktg);
	KT_EXPECT_EQ(t, kt_sh("ip link del ktb; ip link del ktd"), 0);
}

/* Makes a bond with two interfaces by the command @add, and gives it an address. */
static void make_bond(struct ktap *t, const char *add)
{
	KT_EXPECT_EQ(t, kt_sh("ip link add ktd1 type dummy && ip link add ktd2 type dummy"), 0);
	KT_EXPECT_EQ(t, kt_sh(add), 0);
	KT_EXPECT_EQ(t, kt_sh("ip link set ktd1 master ktbond && ip link set ktd2 master ktbond"),
		     0);
	KT_EXPECT_EQ(t, kt_sh("ip link set ktbond up; ip address add 10.1.4.1/24 dev ktbond"), 0);
}

/*
 * Expects that the default GID and the GIDs of a bond's addresses are only in the table of the port
 * that is on the bond's active interface.
 */
static void test_bond(struct ktap *t)
{
	struct ktg_device *one, *two;

	make_bond(t, "ip link add ktbond type bond mode active-backup miimon 100");
	KT_EXPECT_EQ(t, kt_sh("ip link add link ktbond name ktbond.7 type vlan id 7; "
			       "ip address add 10.1.7.1/24 dev ktbond.7"), 0);
	KT_EXPECT_EQ(t, kt_sh("ip link set ktbond type bond active_slave ktd1"), 0);
	one = create_upper(t, "ktd1");
	two = create_upper(t, "ktd2");
	if (one && two) {
		KT_WAIT(t, is_on(one, "10.1.4.1", "ktbond", 0xffff));
		KT_WAIT(t, is_on(one, "10.1.7.1", "ktbond.7", 7));
		KT_WAIT(t, !has_upper(two, "10.1.4.1") && !has_upper(two, "10.1.7.1"));
		KT_WAIT(t, atomic_read(&two->held) == 0);
		KT_EXPECT_EQ(t, kt_sh("ip link set ktbond type bond active_slave ktd2"), 0);
		KT_WAIT(t, is_on(two, "10.1.4.1", "ktbond", 0xffff));
		KT_WAIT(t, !has_upper(one, "10.1.4.1") && !has_upper(one, "10.1.7.1"));
		KT_WAIT(t, atomic_read(&one->held) == 0);
		kt_sh("ip link set ktd1 nomaster");
		KT_WAIT(t, atomic_read(&one->held) == 1);
	}
	destroy_upper(t, one);
	destroy_upper(t, two);
	KT_EXPECT_EQ(t, kt_sh("ip link del ktbond; ip link del ktd1; ip link del ktd2"), 0);
}

/*
 * Moves a VLAN to another namespace and deletes the namespace; then does the same with the port's
 * own interface. Expects that the GIDs follow the interfaces' addresses.
 */
static void test_namespaces(struct ktap *t)
{
	struct ktg_device *ktg;

	KT_EXPECT_EQ(t, kt_sh("ip netns add ktns && ip link add ktd type dummy"), 0);
	KT_EXPECT_EQ(t, kt_sh("ip link add link ktd name ktd.5 type vlan id 5"), 0);
	KT_EXPECT_EQ(t, kt_sh("ip address add 10.1.5.1/24 dev ktd.5"), 0);
	ktg = create_upper(t, "ktd");
	if (ktg) {
		KT_EXPECT(t, has_upper(ktg, "10.1.5.1"));
		kt_sh("ip link set ktd.5 netns ktns");
		KT_WAIT(t, !has_upper(ktg, "10.1.5.1"));
		kt_sh("ip -n ktns address add 10.1.5.2/24 dev ktd.5");
		KT_WAIT(t, is_on(ktg, "10.1.5.2", "ktd.5", 5));
		kt_sh("ip netns del ktns");
		KT_WAIT(t, !has_upper(ktg, "10.1.5.2"));
		kt_sh("ip address add 10.1.0.1/24 dev ktd");
		KT_WAIT(t, has_upper(ktg, "10.1.0.1"));
		kt_sh("ip netns add ktns && ip link set ktd netns ktns");
		KT_WAIT(t, !has_upper(ktg, "10.1.0.1"));
		kt_sh("ip -n ktns address add 10.1.0.2/24 dev ktd");
		KT_WAIT(t, has_upper(ktg, "10.1.0.2"));
		ib_device_set_netdev(&ktg->ibdev, NULL, 1);
		kt_sh("ip netns del ktns");
		KT_WAIT(t, atomic_read(&ktg->held) == 0);
	}
	destroy_upper(t, ktg);
}

/* Expects that the GIDs of a bond that uses all its interfaces are in the tables of all of them. */
static void test_balanced_bond(struct ktap *t)
{
	struct ktg_device *one, *two;

	make_bond(t, "ip link add ktbond type bond mode balance-rr miimon 100");
	one = create_upper(t, "ktd1");
	two = create_upper(t, "ktd2");
	if (one && two) {
		KT_WAIT(t, is_on(one, "10.1.4.1", "ktbond", 0xffff));
		KT_WAIT(t, is_on(two, "10.1.4.1", "ktbond", 0xffff));
	}
	destroy_upper(t, one);
	destroy_upper(t, two);
	KT_EXPECT_EQ(t, kt_sh("ip link del ktbond; ip link del ktd1; ip link del ktd2"), 0);
}

static const struct ktap_case upper_cases[] = {
	{ "VLANs, and a macvlan on one", test_vlan },
	{ "a bridge", test_bridge },
	{ "a bond and a VLAN on it, on the active interface only", test_bond },
	{ "a bond that uses all its interfaces", test_balanced_bond },
	{ "interfaces in other namespaces", test_namespaces },
};

KTAP_SUITE(kt_gid_upper_suite, "stacked interfaces", upper_cases);
