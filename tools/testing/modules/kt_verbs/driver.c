// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of small functions for drivers: virtual functions, memory for objects, types of GIDs,
 * attributes of ports, LIDs and MTUs.
 */
#include <linux/if_link.h>
#include <linux/mm.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_pma.h>

#include "ah.h"

#define VF	3
#define GUID	0x0123456789abcdefULL

static int vf_link_state;

static int set_vf_link_state(struct ib_device *device, int vf, u32 port, int state)
{
	if (vf != VF)
		return -EINVAL;
	vf_link_state = state;
	return 0;
}

static int get_vf_config(struct ib_device *device, int vf, u32 port, struct ifla_vf_info *info)
{
	info->vf = vf;
	info->linkstate = vf_link_state;
	return vf == VF ? 0 : -EINVAL;
}

static int get_vf_stats(struct ib_device *device, int vf, u32 port, struct ifla_vf_stats *stats)
{
	stats->rx_packets = port;
	return vf == VF ? 0 : -EINVAL;
}

static u64 vf_guids[2];

static int get_vf_guid(struct ib_device *device, int vf, u32 port, struct ifla_vf_guid *node_guid,
		       struct ifla_vf_guid *port_guid)
{
	node_guid->guid = vf_guids[0];
	port_guid->guid = vf_guids[1];
	return vf == VF ? 0 : -EINVAL;
}

static int set_vf_guid(struct ib_device *device, int vf, u32 port, u64 guid, int type)
{
	vf_guids[type == IFLA_VF_IB_PORT_GUID] = guid;
	return vf == VF ? 0 : -EINVAL;
}

static const struct ib_device_ops vf_ops = {
	.set_vf_link_state = set_vf_link_state,
	.get_vf_config = get_vf_config,
	.get_vf_stats = get_vf_stats,
	.get_vf_guid = get_vf_guid,
	.set_vf_guid = set_vf_guid,
};

static const struct fakedev_config vf_config = { .more_ops = &vf_ops };

static void test_vf(struct ktap *t)
{
	struct ifla_vf_guid node = {}, port = {};
	struct ifla_vf_stats stats = {};
	struct ifla_vf_info info = {};
	struct kt_env env;

	if (!kt_start_with(t, &env, &vf_config))
		return;
	KT_EXPECT_EQ(t, ib_set_vf_link_state(env.dev, VF, 1, IFLA_VF_LINK_STATE_ENABLE), 0);
	KT_EXPECT_EQ(t, ib_get_vf_config(env.dev, VF, 1, &info), 0);
	KT_EXPECT_EQ(t, info.vf, VF);
	KT_EXPECT_EQ(t, info.linkstate, IFLA_VF_LINK_STATE_ENABLE);
	KT_EXPECT_EQ(t, ib_get_vf_stats(env.dev, VF, 1, &stats), 0);
	KT_EXPECT_EQ(t, stats.rx_packets, 1);
	KT_EXPECT_EQ(t, ib_set_vf_guid(env.dev, VF, 1, GUID, IFLA_VF_IB_NODE_GUID), 0);
	KT_EXPECT_EQ(t, ib_set_vf_guid(env.dev, VF, 1, GUID + 1, IFLA_VF_IB_PORT_GUID), 0);
	KT_EXPECT_EQ(t, ib_get_vf_guid(env.dev, VF, 1, &node, &port), 0);
	KT_EXPECT(t, node.guid == GUID && port.guid == GUID + 1);
	/* The provider knows which virtual functions there are, the core which ports. */
	KT_EXPECT_EQ(t, ib_get_vf_config(env.dev, VF + 1, 1, &info), -EINVAL);
	KT_EXPECT_EQ(t, ib_set_vf_link_state(env.dev, VF, 2, 0), -EINVAL);
	KT_EXPECT_EQ(t, ib_get_vf_config(env.dev, VF, 0, &info), -EINVAL);
	KT_EXPECT_EQ(t, ib_get_vf_stats(env.dev, VF, 2, &stats), -EINVAL);
	KT_EXPECT_EQ(t, ib_get_vf_guid(env.dev, VF, 2, &node, &port), -EINVAL);
	KT_EXPECT_EQ(t, ib_set_vf_guid(env.dev, VF, 2, 0, IFLA_VF_IB_NODE_GUID), -EINVAL);
	KT_EXPECT(t, vf_link_state == IFLA_VF_LINK_STATE_ENABLE && vf_guids[0] == GUID);
	kt_end(t, &env);
}

static void test_no_vf(struct ktap *t)
{
	struct ifla_vf_guid node, port;
	struct ifla_vf_stats stats;
	struct ifla_vf_info info;
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	KT_EXPECT_EQ(t, ib_set_vf_link_state(env.dev, VF, 1, 0), -EOPNOTSUPP);
	KT_EXPECT_EQ(t, ib_get_vf_config(env.dev, VF, 1, &info), -EOPNOTSUPP);
	KT_EXPECT_EQ(t, ib_get_vf_stats(env.dev, VF, 1, &stats), -EOPNOTSUPP);
	KT_EXPECT_EQ(t, ib_get_vf_guid(env.dev, VF, 1, &node, &port), -EOPNOTSUPP);
	KT_EXPECT_EQ(t, ib_set_vf_guid(env.dev, VF, 1, 0, IFLA_VF_IB_NODE_GUID), -EOPNOTSUPP);
	kt_end(t, &env);
}

static int nodes_asked;

static int get_numa_node(struct ib_device *dev)
{
	nodes_asked++;
	return numa_mem_id();
}

static int process_mad(struct ib_device *device, int flags, u32 port_num, const struct ib_wc *in_wc,
		       const struct ib_grh *in_grh, const struct ib_mad *in_mad,
		       struct ib_mad *out_mad, size_t *out_mad_size, u16 *out_mad_pkey_index)
{
	return IB_MAD_RESULT_FAILURE;
}

static const struct ib_device_ops numa_ops = {
	.get_numa_node = get_numa_node,
	.process_mad = process_mad,
};

static const struct fakedev_config numa_config = { .more_ops = &numa_ops };

/* A structure of sizes, as struct ib_device_ops is. */
struct sizes {
	DECLARE_RDMA_OBJ_SIZE(ib_pd);
};

static void test_memory(struct ktap *t)
{
	struct fakedev_pd *pd;
	struct kt_env env;
	struct ib_cq *cq;

	BUILD_BUG_ON(!__same_type(((struct sizes *)0)->size_ib_pd, size_t));
	nodes_asked = 0;
	if (!kt_start_with(t, &env, &numa_config))
		return;
	/* The PD and the CQ of the environment. */
	KT_EXPECT_EQ(t, nodes_asked, 2);
	pd = container_of(rdma_zalloc_drv_obj(env.dev, ib_pd), struct fakedev_pd, ibpd);
	if (KT_EXPECT(t, pd)) {
		KT_EXPECT(t, ksize(pd) >= sizeof(*pd));
		KT_EXPECT(t, !memchr_inv(pd, 0, sizeof(*pd)));
	}
	kfree(pd);
	cq = rdma_zalloc_drv_obj_gfp(env.dev, ib_cq, GFP_ATOMIC);
	KT_EXPECT(t, cq && !memchr_inv(cq, 0, env.dev->ops.size_ib_cq));
	kfree(cq);
	KT_EXPECT_EQ(t, nodes_asked, 2);
	cq = rdma_zalloc_drv_obj_numa(env.dev, ib_cq);
	KT_EXPECT(t, cq && !memchr_inv(cq, 0, env.dev->ops.size_ib_cq));
	kfree(cq);
	KT_EXPECT_EQ(t, nodes_asked, 3);
	kt_end(t, &env);
}

static void test_gid_types(struct ktap *t)
{
	struct kt_env env;

	KT_EXPECT(t, rdma_is_zero_gid(&zgid));
	KT_EXPECT(t, !strcmp(ib_cache_gid_type_str(IB_GID_TYPE_IB), "IB/RoCE v1"));
	KT_EXPECT(t, !strcmp(ib_cache_gid_type_str(IB_GID_TYPE_ROCE), "IB/RoCE v1"));
	KT_EXPECT(t, !strcmp(ib_cache_gid_type_str(IB_GID_TYPE_ROCE_UDP_ENCAP), "RoCE v2"));
	KT_EXPECT(t, !strcmp(ib_cache_gid_type_str(IB_GID_TYPE_SIZE), "Invalid GID type"));
	KT_EXPECT(t, !strcmp(ib_cache_gid_type_str((enum ib_gid_type)77), "Invalid GID type"));
	KT_EXPECT_EQ(t, ib_cache_gid_parse_type_str("RoCE v2"), IB_GID_TYPE_ROCE_UDP_ENCAP);
	KT_EXPECT_EQ(t, ib_cache_gid_parse_type_str("RoCE v2\n"), IB_GID_TYPE_ROCE_UDP_ENCAP);
	KT_EXPECT_EQ(t, ib_cache_gid_parse_type_str("IB/RoCE v1\n"), IB_GID_TYPE_IB);
	KT_EXPECT_EQ(t, ib_cache_gid_parse_type_str("RoCE v2 "), -EINVAL);
	KT_EXPECT_EQ(t, ib_cache_gid_parse_type_str("RoCE"), -EINVAL);
	KT_EXPECT_EQ(t, ib_cache_gid_parse_type_str(""), -EINVAL);

	if (kt_start_ib(t, &env)) {
		KT_EXPECT_EQ(t, roce_gid_type_mask_support(env.dev, 1), BIT(IB_GID_TYPE_IB));
		kt_end(t, &env);
	}
	if (kt_start_roce(t, &env)) {
		KT_EXPECT_EQ(t, roce_gid_type_mask_support(env.dev, 1),
			     BIT(IB_GID_TYPE_ROCE) | BIT(IB_GID_TYPE_ROCE_UDP_ENCAP));
		kt_end_roce(t, &env);
	}
}

static void test_port(struct ktap *t)
{
	struct kt_env env;
	u64 prefix = 0;

	if (!kt_start_ib(t, &env))
		return;
	KT_EXPECT_EQ(t, ib_get_cached_subnet_prefix(env.dev, 2, &prefix), 0);
	KT_EXPECT(t, prefix == 0xfe80000000000000);
	KT_EXPECT_EQ(t, ib_get_cached_subnet_prefix(env.dev, 0, &prefix), -EINVAL);
	KT_EXPECT_EQ(t, ib_get_cached_subnet_prefix(env.dev, 3, &prefix), -EINVAL);
	KT_EXPECT_EQ(t, ib_port_immutable_read(env.dev, 1)->gid_tbl_len, env.fd->nr_gids);
	KT_EXPECT_EQ(t, ib_port_immutable_read(env.dev, 1)->core_cap_flags, env.fd->caps);
	kt_end(t, &env);
	/* An iWARP port without GIDs. */
	if (!kt_start(t, &env))
		return;
	KT_EXPECT_EQ(t, ib_get_cached_subnet_prefix(env.dev, 1, &prefix), -ENOENT);
	kt_end(t, &env);
}

static void test_numbers(struct ktap *t)
{
	KT_EXPECT_EQ(t, ib_lid_cpu16(0xfffe), 0xfffe);
	KT_EXPECT(t, ib_lid_be16(0x1234) == cpu_to_be16(0x1234));
	KT_EXPECT_EQ(t, opa_mtu_int_to_enum(10240), OPA_MTU_10240);
	KT_EXPECT_EQ(t, opa_mtu_int_to_enum(10239), OPA_MTU_8192);
	KT_EXPECT_EQ(t, opa_mtu_int_to_enum(8191), IB_MTU_4096);
	KT_EXPECT_EQ(t, opa_mtu_int_to_enum(1), IB_MTU_256);
	/* The layouts of the wire (IBTA). */
	BUILD_BUG_ON(sizeof(struct ib_mad_hdr) != IB_MGMT_MAD_HDR);
	BUILD_BUG_ON(sizeof(struct ib_mad) != 256);
	BUILD_BUG_ON(sizeof(struct ib_pma_mad) != 256);
	BUILD_BUG_ON(sizeof(struct ib_class_port_info) != 72);
	BUILD_BUG_ON(offsetof(struct ib_pma_portcounters, port_xmit_wait) != 40);
	BUILD_BUG_ON(offsetof(struct ib_pma_portcounters_ext, port_multicast_rcv_packets) != 64);
}

static const struct ktap_case driver_cases[] = {
	{ "virtual functions", test_vf },
	{ "a device without virtual functions", test_no_vf },
	{ "memory for objects", test_memory },
	{ "types of GIDs", test_gid_types },
	{ "subnet and fixed attributes of a port", test_port },
	{ "LIDs and MTUs", test_numbers },
};

KTAP_SUITE(kt_driver_suite, "driver", driver_cases);
