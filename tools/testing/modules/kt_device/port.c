// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of ports: protocols and capabilities, queries, network interfaces, and the allocation of
 * counter sets.
 */
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/hash.h>
#include <linux/kthread.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_sysfs.h>

#include "provider.h"

enum predicate {
	P_IB, P_ROCE, P_ROCE1, P_ROCE2, P_IWARP, P_RAW, P_USNIC, P_GRH, P_IB_OR_ROCE,
	C_IB_MAD, C_OPA_MAD, C_IB_SMI, C_IB_CM, C_IW_CM, C_IB_SA, C_IB_MCAST, C_AF_IB, C_ETH_AH,
	C_OPA_AH, C_ROCE_GIDS, C_READ_INV, C_OPA_PORT,
};

static u32 predicates(struct ib_device *dev, u32 port)
{
	return rdma_protocol_ib(dev, port) << P_IB |
	       rdma_protocol_roce(dev, port) << P_ROCE |
	       rdma_protocol_roce_eth_encap(dev, port) << P_ROCE1 |
	       rdma_protocol_roce_udp_encap(dev, port) << P_ROCE2 |
	       rdma_protocol_iwarp(dev, port) << P_IWARP |
	       rdma_protocol_raw_packet(dev, port) << P_RAW |
	       rdma_protocol_usnic(dev, port) << P_USNIC |
	       rdma_is_grh_required(dev, port) << P_GRH |
	       rdma_ib_or_roce(dev, port) << P_IB_OR_ROCE |
	       rdma_cap_ib_mad(dev, port) << C_IB_MAD |
	       rdma_cap_opa_mad(dev, port) << C_OPA_MAD |
	       rdma_cap_ib_smi(dev, port) << C_IB_SMI |
	       rdma_cap_ib_cm(dev, port) << C_IB_CM |
	       rdma_cap_iw_cm(dev, port) << C_IW_CM |
	       rdma_cap_ib_sa(dev, port) << C_IB_SA |
	       rdma_cap_ib_mcast(dev, port) << C_IB_MCAST |
	       rdma_cap_af_ib(dev, port) << C_AF_IB |
	       rdma_cap_eth_ah(dev, port) << C_ETH_AH |
	       rdma_cap_opa_ah(dev, port) << C_OPA_AH |
	       rdma_cap_roce_gid_table(dev, port) << C_ROCE_GIDS |
	       rdma_cap_read_inv(dev, port) << C_READ_INV |
	       rdma_core_cap_opa_port(dev, port) << C_OPA_PORT;
}

#define IB_TRUE	(BIT(P_IB) | BIT(P_IB_OR_ROCE) | BIT(C_IB_MAD) | BIT(C_IB_SMI) |	\
		 BIT(C_IB_CM) | BIT(C_IB_SA) | BIT(C_IB_MCAST) | BIT(C_AF_IB))
#define ROCE_TRUE (BIT(P_ROCE) | BIT(P_GRH) | BIT(P_IB_OR_ROCE) | BIT(C_IB_MAD) |	\
		   BIT(C_IB_CM) | BIT(C_AF_IB) | BIT(C_ETH_AH))

static const struct {
	const char *name;
	u32 caps;
	u32 want;
} kinds[] = {
	{ "iWARP", RDMA_CORE_PORT_IWARP, BIT(P_IWARP) | BIT(C_IW_CM) | BIT(C_READ_INV) },
	{ "InfiniBand", RDMA_CORE_PORT_IBA_IB, IB_TRUE },
	{ "RoCE v1", RDMA_CORE_PORT_IBA_ROCE, ROCE_TRUE | BIT(P_ROCE1) },
	{ "RoCE v2", RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP, ROCE_TRUE | BIT(P_ROCE2) },
	{ "Omni-Path", RDMA_CORE_PORT_INTEL_OPA, IB_TRUE | BIT(C_OPA_MAD) | BIT(C_OPA_PORT) },
	{ "Omni-Path, extended", RDMA_CORE_PORT_INTEL_OPA | RDMA_CORE_CAP_OPA_AH,
	  IB_TRUE | BIT(C_OPA_MAD) | BIT(C_OPA_PORT) | BIT(C_OPA_AH) },
	{ "raw packets", RDMA_CORE_PORT_RAW_PACKET, BIT(P_RAW) },
	{ "usNIC", RDMA_CORE_PORT_USNIC, BIT(P_USNIC) },
};

static void test_caps(struct ktap *t)
{
	struct ktp_device *ktp;
	unsigned int i;
	u32 seen;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		ktp = ktp_alloc(&ktp_bare_ops);
		if (!KT_EXPECT(t, ktp))
			return;
		ktp->caps = kinds[i].caps;
		if (KT_EXPECT_EQ(t, ib_register_device(&ktp->ibdev, "ktp", NULL), 0)) {
			seen = predicates(&ktp->ibdev, 2);
			if (seen != kinds[i].want)
				ktap_fail(t, "%s: 0x%x, expected 0x%x", kinds[i].name, seen,
					  kinds[i].want);
			KT_EXPECT_EQ(t, rdma_max_mad_size(&ktp->ibdev, 1),
				     rdma_cap_ib_mad(&ktp->ibdev, 1) ? 256 : 0);
			ib_unregister_device(&ktp->ibdev);
		}
		ib_dealloc_device(&ktp->ibdev);
	}
}

static int add_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}

static void test_gid_table(struct ktap *t)
{
	struct ib_device_ops ops = ktp_bare_ops;
	struct ktp_device *ktp;

	ops.add_gid = add_gid;
	ops.del_gid = add_gid;
	ktp = ktp_alloc(&ops);
	if (!KT_EXPECT(t, ktp))
		return;
	ktp->caps = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	if (KT_EXPECT_EQ(t, ib_register_device(&ktp->ibdev, "ktp", NULL), 0)) {
		KT_EXPECT(t, rdma_cap_roce_gid_table(&ktp->ibdev, 1));
		ib_unregister_device(&ktp->ibdev);
	}
	ib_dealloc_device(&ktp->ibdev);
}

static void expect_ports(struct ktap *t, struct ib_device *dev, u32 first, u32 last)
{
	u32 port, count = 0;

	KT_EXPECT_EQ(t, rdma_start_port(dev), first);
	KT_EXPECT_EQ(t, rdma_end_port(dev), last);
	rdma_for_each_port(dev, port)
		count++;
	KT_EXPECT_EQ(t, count, last - first + 1);
	KT_EXPECT_EQ(t, rdma_is_port_valid(dev, last + 1), 0);
	KT_EXPECT_EQ(t, rdma_is_port_valid(dev, last), 1);
	KT_EXPECT_EQ(t, rdma_is_port_valid(dev, U32_MAX), 0);
}

static void test_range(struct ktap *t)
{
	struct ktp_device *ktp = ktp_create(t, "ktp", &ktp_ops);
	u16 speed;
	u8 width;

	if (!ktp)
		return;
	KT_EXPECT(t, !rdma_cap_ib_switch(&ktp->ibdev));
	expect_ports(t, &ktp->ibdev, 1, 2);
	KT_EXPECT_EQ(t, rdma_is_port_valid(&ktp->ibdev, 0), 0);
	ktp_destroy(ktp);

	ktp = ktp_alloc(&ktp_ops);
	if (!KT_EXPECT(t, ktp))
		return;
	ktp->ibdev.is_switch = 1;
	ktp->ibdev.node_type = RDMA_NODE_IB_SWITCH;
	if (KT_EXPECT_EQ(t, ib_register_device(&ktp->ibdev, "ktp", NULL), 0)) {
		KT_EXPECT(t, rdma_cap_ib_switch(&ktp->ibdev));
		expect_ports(t, &ktp->ibdev, 0, 0);
		KT_EXPECT_EQ(t, rdma_port_get_link_layer(&ktp->ibdev, 0), IB_LINK_LAYER_INFINIBAND);
		KT_EXPECT_EQ(t, ib_get_eth_speed(&ktp->ibdev, 0, &speed, &width), -EINVAL);
		ib_unregister_device(&ktp->ibdev);
	}
	ib_dealloc_device(&ktp->ibdev);
}

static void test_query(struct ktap *t)
{
	struct ktp_device *ktp = ktp_create(t, "ktp", &ktp_ops);
	struct ib_port_modify modify = {};
	struct ib_device_modify device_modify = {};
	struct ib_port_attr attr;
	char fw[IB_FW_VERSION_NAME_MAX];
	u16 index, pkey;
	u64 prefix;

	if (!ktp)
		return;
	KT_EXPECT_EQ(t, ib_query_port(&ktp->ibdev, 0, &attr), -EINVAL);
	KT_EXPECT_EQ(t, ib_query_port(&ktp->ibdev, 3, &attr), -EINVAL);
	memset(&attr, 0xff, sizeof(attr));
	KT_EXPECT_EQ(t, ib_query_port(&ktp->ibdev, 2, &attr), 0);
	KT_EXPECT_EQ(t, attr.state, IB_PORT_ACTIVE);
	KT_EXPECT_EQ(t, attr.lid, 0);
	KT_EXPECT_EQ(t, ib_modify_port(&ktp->ibdev, 3, 0, &modify), -EINVAL);
	KT_EXPECT_EQ(t, ib_modify_port(&ktp->ibdev, 1, 1 << 10, &modify), -EINVAL);
	KT_EXPECT_EQ(t, ib_modify_port(&ktp->ibdev, 1, IB_PORT_SHUTDOWN, &modify), -EOPNOTSUPP);
	KT_EXPECT_EQ(t, ib_modify_device(&ktp->ibdev, 1 << 10, &device_modify), -EINVAL);
	strscpy(device_modify.node_desc, "new", sizeof(device_modify.node_desc));
	KT_EXPECT_EQ(t, ib_modify_device(&ktp->ibdev, IB_DEVICE_MODIFY_NODE_DESC,
					 &device_modify), 0);
	KT_EXPECT(t, !strcmp(ktp->ibdev.node_desc, "new"));
	ib_get_device_fw_str(&ktp->ibdev, fw);
	KT_EXPECT(t, !strcmp(fw, "1.2.3"));
	KT_EXPECT_EQ(t, rdma_port_get_link_layer(&ktp->ibdev, 1), IB_LINK_LAYER_ETHERNET);
	/* The port has neither P_Keys nor GIDs. */
	KT_EXPECT_EQ(t, ib_find_pkey(&ktp->ibdev, 1, 0xffff, &index), -EOPNOTSUPP);
	KT_EXPECT_EQ(t, ib_query_pkey(&ktp->ibdev, 1, 0, &pkey), -EOPNOTSUPP);
	KT_EXPECT_EQ(t, ib_get_cached_subnet_prefix(&ktp->ibdev, 1, &prefix), -ENOENT);
	ktp_destroy(ktp);
}

static bool query_fails;

/* Port 1 is in states just beyond those that have a name, port 2 in states between them. */
static int query_odd(struct ib_device *dev, u32 port, struct ib_port_attr *attr)
{
	if (query_fails)
		return -EIO;
	attr->active_width = 3;
	attr->active_speed = IB_SPEED_SDR;
	attr->state = IB_PORT_ACTIVE_DEFER + (port == 1);
	attr->phys_state = port == 1 ? IB_PORT_PHYS_STATE_PHY_TEST + 1 : 0;
	return 0;
}

#define ODD_PORTS	"/sys/class/infiniband/kt_odd/ports/"

/* Expects that no rate is shown of a port whose width is none, and what is shown of its states. */
static void test_odd_port(struct ktap *t)
{
	struct ib_device_ops ops = ktp_ops;
	struct ktp_device *ktp;

	ops.query_port = query_odd;
	ktp = ktp_create(t, "kt_odd", &ops);
	if (!ktp)
		return;
	KT_EXPECT_EQ(t, kt_sh("cat " ODD_PORTS "1/rate 2>&1 | grep -q 'nvalid argument'"), 0);
	KT_EXPECT_EQ(t, kt_sh("grep -qx '6: <unknown>' " ODD_PORTS "1/state"), 0);
	KT_EXPECT_EQ(t, kt_sh("grep -qx '8: <unknown>' " ODD_PORTS "1/phys_state"), 0);
	KT_EXPECT_EQ(t, kt_sh("grep -qx '5: ACTIVE_DEFER' " ODD_PORTS "2/state"), 0);
	KT_EXPECT_EQ(t, kt_sh("grep -qx '0: <unknown>' " ODD_PORTS "2/phys_state"), 0);
	query_fails = true;
	KT_EXPECT_EQ(t, kt_sh("cat " ODD_PORTS "1/rate 2>&1 | grep -q 'nput/output'"), 0);
	KT_EXPECT_EQ(t, kt_sh("rdma link show kt_odd/1 2>&1 | grep -q 'nput/output'"), 0);
	query_fails = false;
	ktp_destroy(ktp);
}

#define FAILING_COUNTERS	"/sys/class/infiniband/kt_failing/ports/1/hw_counters/"

/* Counters that cannot be read any more, and whose last values are too old. */
static void test_failing_counters(struct ktap *t)
{
	struct ktp_device *ktp = ktp_create(t, "kt_failing", &ktp_ops);

	if (!ktp)
		return;
	KT_EXPECT_EQ(t, kt_sh("echo 0 > " FAILING_COUNTERS "lifespan"), 0);
	KT_EXPECT_EQ(t, kt_sh("grep -qx 1 " FAILING_COUNTERS "port"), 0);
	ktp->fail_get_stats = -EIO;
	KT_EXPECT_EQ(t, kt_sh("cat " FAILING_COUNTERS "port 2>&1 | grep -q 'nput/output'"), 0);
	KT_EXPECT_EQ(t, kt_sh("rdma statistic show link kt_failing/1 2>&1 |\n"
			      "grep -q 'nput/output'"), 0);
	ktp->fail_get_stats = 0;
	KT_EXPECT_EQ(t, kt_sh("grep -qx 1 " FAILING_COUNTERS "port"), 0);
	ktp_destroy(ktp);
}

static void test_transports(struct ktap *t)
{
	KT_EXPECT_EQ(t, rdma_node_get_transport(RDMA_NODE_IB_CA), RDMA_TRANSPORT_IB);
	KT_EXPECT_EQ(t, rdma_node_get_transport(RDMA_NODE_IB_SWITCH), RDMA_TRANSPORT_IB);
	KT_EXPECT_EQ(t, rdma_node_get_transport(RDMA_NODE_IB_ROUTER), RDMA_TRANSPORT_IB);
	KT_EXPECT_EQ(t, rdma_node_get_transport(RDMA_NODE_RNIC), RDMA_TRANSPORT_IWARP);
	KT_EXPECT_EQ(t, rdma_node_get_transport(RDMA_NODE_USNIC), RDMA_TRANSPORT_USNIC);
	KT_EXPECT_EQ(t, rdma_node_get_transport(RDMA_NODE_USNIC_UDP), RDMA_TRANSPORT_USNIC_UDP);
	KT_EXPECT_EQ(t, rdma_node_get_transport(RDMA_NODE_UNSPECIFIED),
		     RDMA_TRANSPORT_UNSPECIFIED);
}

static struct ib_device *by_netdev(struct net_device *ndev, enum rdma_driver_id driver)
{
	struct ib_device *dev = ib_device_get_by_netdev(ndev, driver);

	if (dev)
		ib_device_put(dev);
	return dev;
}

static void test_netdev(struct ktap *t)
{
	struct net_device *ndev = init_net.loopback_dev, *found;
	int refs = netdev_refcnt_read(ndev);
	struct ktp_device *ktp = ktp_alloc(&ktp_bare_ops);
	struct ib_port_attr attr = {};
	u16 speed;
	u8 width;

	if (!KT_EXPECT(t, ktp))
		return;
	/* Before the first interface is set, the device has no ports, but can be asked for them. */
	KT_EXPECT(t, !ib_device_get_netdev(&ktp->ibdev, 1));
	KT_EXPECT_EQ(t, ib_query_port(&ktp->ibdev, 2, &attr), 0);
	KT_EXPECT_EQ(t, attr.state, IB_PORT_ACTIVE);
	KT_EXPECT_EQ(t, ib_device_set_netdev(&ktp->ibdev, ndev, 3), -EINVAL);
	KT_EXPECT_EQ(t, ib_device_set_netdev(&ktp->ibdev, ndev, 2), 0);
	KT_EXPECT_EQ(t, ib_device_set_netdev(&ktp->ibdev, ndev, 2), 0);
	KT_EXPECT_EQ(t, netdev_refcnt_read(ndev), refs + 1);
	KT_EXPECT(t, !by_netdev(ndev, RDMA_DRIVER_UNKNOWN));
	if (KT_EXPECT_EQ(t, ib_register_device(&ktp->ibdev, "ktp", NULL), 0)) {
		KT_EXPECT(t, by_netdev(ndev, RDMA_DRIVER_UNKNOWN) == &ktp->ibdev);
		KT_EXPECT(t, by_netdev(ndev, KTP_DRIVER) == &ktp->ibdev);
		KT_EXPECT(t, !by_netdev(ndev, RDMA_DRIVER_SIW));
		found = ib_device_get_netdev(&ktp->ibdev, 2);
		KT_EXPECT(t, found == ndev);
		dev_put(found);
		KT_EXPECT(t, !ib_device_get_netdev(&ktp->ibdev, 1));
		KT_EXPECT(t, !ib_device_get_netdev(&ktp->ibdev, 3));
		KT_EXPECT_EQ(t, ib_get_eth_speed(&ktp->ibdev, 1, &speed, &width), -ENODEV);
		KT_EXPECT_EQ(t, ib_get_eth_speed(&ktp->ibdev, 3, &speed, &width), -EINVAL);
		KT_EXPECT_EQ(t, ib_get_eth_speed(&ktp->ibdev, 2, &speed, &width), 0);
		/* lo reports no speed. */
		KT_EXPECT_EQ(t, speed, IB_SPEED_SDR);
		KT_EXPECT_EQ(t, width, IB_WIDTH_1X);
		KT_EXPECT_EQ(t, ib_device_set_netdev(&ktp->ibdev, NULL, 2), 0);
		KT_EXPECT_EQ(t, netdev_refcnt_read(ndev), refs);
		KT_EXPECT(t, !by_netdev(ndev, KTP_DRIVER));
		KT_EXPECT_EQ(t, ib_device_set_netdev(&ktp->ibdev, ndev, 1), 0);
		ib_unregister_device(&ktp->ibdev);
	}
	KT_EXPECT_EQ(t, netdev_refcnt_read(ndev), refs);
	KT_EXPECT(t, !by_netdev(ndev, RDMA_DRIVER_UNKNOWN));
	KT_EXPECT_EQ(t, ib_device_set_netdev(&ktp->ibdev, ndev, 1), -ENODEV);
	ib_dealloc_device(&ktp->ibdev);

	/*
	 * Expects that freeing a device that was never registered drops the device's reference to
	 * its network interface.
	 */
	ktp = ktp_alloc(&ktp_bare_ops);
	if (!KT_EXPECT(t, ktp))
		return;
	KT_EXPECT_EQ(t, ib_device_set_netdev(&ktp->ibdev, ndev, 1), 0);
	ib_dealloc_device(&ktp->ibdev);
	KT_EXPECT_EQ(t, netdev_refcnt_read(ndev), refs);
}

static int query_preset(struct ib_device *dev, u32 port, struct ib_port_attr *attr)
{
	return 0;
}

/* A port whose interface is too small for IP has no address, and gets one later. */
static void test_no_address(struct ktap *t)
{
	struct ib_device_ops ops = ktp_bare_ops;
	struct ib_port_attr attr = {};
	struct net_device *ndev;
	struct ktp_device *ktp;

	KT_EXPECT_EQ(t, kt_sh("ip link add kttiny type dummy && ip link set kttiny mtu 60"), 0);
	KT_EXPECT_EQ(t, kt_sh("ip link set kttiny up"), 0);
	ops.query_port = query_preset;
	ktp = ktp_create(t, "ktp", &ops);
	ndev = dev_get_by_name(&init_net, "kttiny");
	if (ktp && KT_EXPECT(t, ndev)) {
		KT_EXPECT_EQ(t, ib_device_set_netdev(&ktp->ibdev, ndev, 1), 0);
		KT_EXPECT_EQ(t, ib_query_port(&ktp->ibdev, 1, &attr), 0);
		KT_EXPECT_EQ(t, attr.state, IB_PORT_INIT);
		KT_EXPECT_EQ(t, kt_sh("ip link set kttiny mtu 1500"), 0);
		KT_EXPECT_EQ(t, kt_sh("ip address add 10.1.9.9/24 dev kttiny"), 0);
		KT_EXPECT_EQ(t, ib_query_port(&ktp->ibdev, 1, &attr), 0);
		KT_EXPECT_EQ(t, attr.state, IB_PORT_ACTIVE);
	}
	ktp_destroy(ktp);
	dev_put(ndev);
	kt_sh("ip link del kttiny");
}

static u32 link_mbps;

static int get_link_settings(struct net_device *ndev, struct ethtool_link_ksettings *settings)
{
	settings->base.speed = link_mbps;
	return 0;
}

static const struct ethtool_ops speed_ops = {
	.get_link_ksettings = get_link_settings,
};

/* Speeds of an interface, and of the port: the next one that has a code, or else the last one. */
static const struct {
	u32 mbps;
	u16 speed;
	u8 width;
} link_speeds[] = {
	{ 0, IB_SPEED_SDR, IB_WIDTH_1X },
	{ SPEED_25000, IB_SPEED_EDR, IB_WIDTH_1X },
	{ SPEED_25000 + 1, IB_SPEED_QDR, IB_WIDTH_4X },
	{ 800000, IB_SPEED_NDR, IB_WIDTH_8X },
	{ 1600000, IB_SPEED_NDR, IB_WIDTH_8X },
};

static void expect_speeds(struct ktap *t, struct ib_device *dev, struct net_device *ndev)
{
	const struct ethtool_ops *before = ndev->ethtool_ops;
	u16 speed;
	u8 width;
	int i;

	ndev->ethtool_ops = &speed_ops;
	for (i = 0; i < ARRAY_SIZE(link_speeds); i++) {
		link_mbps = link_speeds[i].mbps;
		KT_EXPECT_EQ(t, ib_get_eth_speed(dev, 1, &speed, &width), 0);
		KT_EXPECT_EQ(t, speed, link_speeds[i].speed);
		KT_EXPECT_EQ(t, width, link_speeds[i].width);
	}
	ndev->ethtool_ops = before;
}

static void test_speeds(struct ktap *t)
{
	struct net_device *ndev;
	struct ktp_device *ktp;

	KT_EXPECT_EQ(t, kt_sh("ip link add ktspeed type dummy"), 0);
	ktp = ktp_create(t, "ktp", &ktp_bare_ops);
	ndev = dev_get_by_name(&init_net, "ktspeed");
	if (ktp && KT_EXPECT(t, ndev) &&
	    KT_EXPECT_EQ(t, ib_device_set_netdev(&ktp->ibdev, ndev, 1), 0))
		expect_speeds(t, &ktp->ibdev, ndev);
	ktp_destroy(ktp);
	dev_put(ndev);
	kt_sh("ip link del ktspeed");
}

#define SPARE_NETDEVS	34	/* more than hash buckets, so that two share a bucket */
#define LOOKUP_TIME	HZ

/* A device whose port changes between two network interfaces. */
struct restless {
	struct ib_device *dev;
	struct net_device *ndevs[2];
};

static int change_netdev(void *arg)
{
	struct restless *restless = arg;
	int i;

	for (i = 0; !kthread_should_stop(); i++) {
		ib_device_set_netdev(restless->dev, restless->ndevs[i % 2], 1);
		cond_resched();
	}
	return 0;
}

/*
 * Returns how often the device of @ndev was not found while another device changes its interface.
 */
static int miss_device(struct ktap *t, struct net_device *ndev, struct restless *restless)
{
	struct task_struct *thread = kthread_run(change_netdev, restless, "ktp_change");
	unsigned long end = jiffies + LOOKUP_TIME;
	int misses = 0, i;

	if (!KT_EXPECT_ERR(t, thread, 0))
		return 0;
	while (time_before(jiffies, end)) {
		for (i = 0; i < 64; i++)
			misses += !by_netdev(ndev, KTP_DRIVER);
		cond_resched();
	}
	kthread_stop(thread);
	return misses;
}

static void test_netdev_changes(struct ktap *t)
{
	struct ktp_device *still = ktp_create(t, "ktp0", &ktp_bare_ops);
	struct ktp_device *other = ktp_create(t, "ktp1", &ktp_bare_ops);
	struct net_device *ndevs[SPARE_NETDEVS] = {}, *ndev = NULL;
	struct restless restless = {};
	int i, k;

	for (i = 0; i < SPARE_NETDEVS && !restless.ndevs[0]; i++) {
		ndevs[i] = alloc_netdev(0, "ktp%d", NET_NAME_UNKNOWN, ether_setup);
		for (k = 0; ndevs[i] && k < i; k++)
			if (hash_ptr(ndevs[k], 5) == hash_ptr(ndevs[i], 5)) {
				ndev = ndevs[k];
				restless.ndevs[0] = ndevs[i];
			}
	}
	restless.ndevs[1] = init_net.loopback_dev;
	if (KT_EXPECT(t, still && other && ndev)) {
		restless.dev = &other->ibdev;
		KT_EXPECT_EQ(t, ib_device_set_netdev(&still->ibdev, ndev, 1), 0);
		KT_EXPECT_EQ(t, miss_device(t, ndev, &restless), 0);
	}
	if (other)
		ktp_destroy(other);
	if (still)
		ktp_destroy(still);
	for (i = 0; i < SPARE_NETDEVS; i++)
		if (ndevs[i])
			free_netdev(ndevs[i]);
}

static const char *const stat_names[] = { "one", "two" };

/* The third one has a flag that the core does not know. */
static const struct rdma_stat_desc stat_descs[] = {
	{ .name = "one" }, { .name = "two", .flags = IB_STAT_FLAG_OPTIONAL },
	{ .name = "three", .flags = 0x80 },
};

/* Sets without a counter, and of the longest lifespan. */
static void test_stats_limits(struct ktap *t)
{
	struct rdma_hw_stats *stats;

	KT_EXPECT(t, !rdma_alloc_hw_stats_struct(stat_names, 0, 10));
	KT_EXPECT(t, !rdma_alloc_hw_stats_struct(stat_names, -1, 10));
	KT_EXPECT(t, !rdma_alloc_hw_stats_struct(stat_descs, 0, 10));
	KT_EXPECT(t, !rdma_alloc_hw_stats_struct(stat_descs, -1, 10));
	stats = rdma_alloc_hw_stats_struct(stat_names, 1, INT_MAX);
	if (KT_EXPECT(t, stats))
		KT_EXPECT_EQ(t, stats->lifespan, msecs_to_jiffies(INT_MAX));
	rdma_free_hw_stats_struct(stats);
	stats = rdma_alloc_hw_stats_struct(stat_names, 1, INT_MAX + 1UL);
	if (KT_EXPECT(t, stats))
		KT_EXPECT_EQ(t, stats->lifespan, msecs_to_jiffies(RDMA_HW_STATS_DEFAULT_LIFESPAN));
	rdma_free_hw_stats_struct(stats);
}

static void test_stats(struct ktap *t)
{
	struct rdma_hw_stats *stats;

	stats = rdma_alloc_hw_stats_struct(stat_names, ARRAY_SIZE(stat_names), 5000);
	if (KT_EXPECT(t, stats)) {
		KT_EXPECT_EQ(t, stats->num_counters, 2);
		KT_EXPECT_EQ(t, stats->lifespan, msecs_to_jiffies(5000));
		KT_EXPECT(t, stats->names == stat_names);
		KT_EXPECT(t, !strcmp(stats->descs[1].name, "two"));
		KT_EXPECT_EQ(t, stats->descs[1].flags, 0);
		KT_EXPECT_EQ(t, stats->value[0] + stats->value[1], 0);
		KT_EXPECT(t, !test_bit(1, stats->is_disabled));
	}
	rdma_free_hw_stats_struct(stats);
	stats = rdma_alloc_hw_stats_struct(stat_descs, ARRAY_SIZE(stat_descs), -1);
	if (KT_EXPECT(t, stats)) {
		KT_EXPECT_EQ(t, stats->lifespan, msecs_to_jiffies(RDMA_HW_STATS_DEFAULT_LIFESPAN));
		KT_EXPECT(t, stats->descs == stat_descs);
		KT_EXPECT(t, !strcmp(stats->names[0], "one"));
		KT_EXPECT(t, !test_bit(0, stats->is_disabled));
		KT_EXPECT(t, test_bit(1, stats->is_disabled));
		KT_EXPECT(t, !test_bit(2, stats->is_disabled));
	}
	rdma_free_hw_stats_struct(stats);
	rdma_free_hw_stats_struct(NULL);
}

static ssize_t kt_answer_show(struct ib_device *ibdev, u32 port_num, struct ib_port_attribute *attr,
			      char *buf)
{
	return sysfs_emit(buf, "%u\n", 40 + port_num);
}
static IB_PORT_ATTR_RO(kt_answer);

static struct ib_port_attribute kt_empty = { .attr = { .name = "kt_empty", .mode = 0644 } };

static struct attribute *client_attrs[] = { &ib_port_attr_kt_answer.attr, &kt_empty.attr, NULL };
static const struct attribute_group client_group = { .name = "kt_client", .attrs = client_attrs };
static const struct attribute_group *client_groups[] = { &client_group, NULL };

#define CLIENT_FILES	"/sys/class/infiniband/kt_groups/ports/2/kt_client"

static void test_client_groups(struct ktap *t)
{
	struct ktp_device *ktp = ktp_create(t, "kt_groups", &ktp_ops);
	struct ib_device *dev;

	if (!ktp)
		return;
	dev = &ktp->ibdev;
	KT_EXPECT_EQ(t, ib_port_register_client_groups(dev, 0, client_groups), -EINVAL);
	KT_EXPECT_EQ(t, ib_port_register_client_groups(dev, 3, client_groups), -EINVAL);
	KT_EXPECT_EQ(t, ib_port_register_client_groups(dev, 2, client_groups), 0);
	KT_EXPECT_EQ(t, kt_sh("test $(cat " CLIENT_FILES "/kt_answer) = 42"), 0);
	/* A file that can neither be read nor written. */
	KT_EXPECT_EQ(t, kt_sh("cat " CLIENT_FILES "/kt_empty 2>&1 | grep -q 'nput/output'"), 0);
	KT_EXPECT_EQ(t, kt_sh("echo 1 2>&1 > " CLIENT_FILES "/kt_empty | grep -q 'nput/output'"),
		     0);
	ib_port_unregister_client_groups(dev, 2, client_groups);
	KT_EXPECT_EQ(t, kt_sh("test ! -e " CLIENT_FILES), 0);
	KT_EXPECT_EQ(t, ib_port_register_client_groups(dev, 2, client_groups), 0);
	ib_port_unregister_client_groups(dev, 2, client_groups);
	/* What is left goes with the device. */
	KT_EXPECT_EQ(t, ib_port_register_client_groups(dev, 1, client_groups), 0);
	ktp_destroy(ktp);
}

static const struct ktap_case port_cases[] = {
	{ "capabilities follow from the protocol", test_caps,
	  COVERS(rdma_cap_ib_mad rdma_cap_opa_mad rdma_cap_ib_smi rdma_cap_ib_cm rdma_cap_iw_cm
		 rdma_cap_ib_sa rdma_cap_ib_mcast rdma_cap_af_ib rdma_cap_eth_ah
		 rdma_cap_opa_ah rdma_max_mad_size) },
	{ "a RoCE port has a GID table if the provider has add_gid", test_gid_table,
	  COVERS(rdma_cap_roce_gid_table) },
	{ "port numbers, also of a switch", test_range,
	  COVERS(rdma_start_port rdma_end_port rdma_cap_ib_switch) },
	{ "queries and modifications", test_query, COVERS(ib_device) },
	{ "a port of a width and of states that do not exist", test_odd_port },
	{ "counters that cannot be read", test_failing_counters },
	{ "transports of node types", test_transports, COVERS(rdma_link_layer) },
	{ "network interfaces", test_netdev, COVERS(net_device) },
	{ "a network interface without an address", test_no_address },
	{ "the speed of a network interface", test_speeds },
	{ "a device is found while another device changes its interface", test_netdev_changes },
	{ "files of a client in the directory of a port", test_client_groups },
	{ "limits of sets of counters", test_stats_limits },
	{ "sets of counters from names and from descriptors", test_stats,
	  COVERS(rdma_alloc_hw_stats_struct rdma_hw_stats get_hw_stats) },
};

KTAP_SUITE(kt_port_suite, "port", port_cases);
