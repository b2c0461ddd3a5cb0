// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of the address of the sender of a datagram, for each kind of network header.
 */
#include "ah.h"

#define V1	IB_GID_TYPE_ROCE
#define V2	IB_GID_TYPE_ROCE_UDP_ENCAP

/* Returns the completion of a datagram with a network header. */
static struct ib_wc global_wc(void)
{
	return (struct ib_wc) {
		.wc_flags = IB_WC_GRH,
		.slid = 0x4321,
		.dlid_path_bits = 2,
		.sl = 6,
	};
}

static union rdma_network_hdr header6(union ib_gid from, union ib_gid to, u8 next_hdr)
{
	return (union rdma_network_hdr) {
		/* Traffic class 0x12, flow label 0x34567. */
		.ibgrh.version_tclass_flow = cpu_to_be32(0x61234567),
		.ibgrh.next_hdr = next_hdr,
		.ibgrh.sgid = from,
		.ibgrh.dgid = to,
	};
}

static union rdma_network_hdr header4(__be32 from, __be32 to)
{
	union rdma_network_hdr hdr = {
		.roce4grh.version = 4,
		.roce4grh.ihl = 5,
		.roce4grh.tos = 0x12,
		.roce4grh.saddr = from,
		.roce4grh.daddr = to,
	};

	memset(hdr.reserved, 0xee, sizeof(hdr.reserved));
	return hdr;
}

/* Expects this error, and an address of zeros. */
static void expect_ah_wc_error(struct ktap *t, struct kt_env *env, u32 port, const struct ib_wc *wc,
			       const union rdma_network_hdr *hdr, int error)
{
	struct rdma_ah_attr attr;

	memset(&attr, 0xee, sizeof(attr));
	KT_EXPECT_EQ(t, ib_init_ah_attr_from_wc(env->dev, port, wc, &hdr->ibgrh, &attr), error);
	KT_EXPECT(t, !memchr_inv(&attr, 0, sizeof(attr)));
	KT_EXPECT_ERR(t, ib_create_ah_from_wc(env->pd, wc, &hdr->ibgrh, port), error);
	KT_EXPECT_EQ(t, fakedev_calls(env->fd, FAKEDEV_CREATE_AH), 0);
}

static void test_local(struct ktap *t)
{
	struct ib_wc wc = global_wc();
	struct rdma_ah_attr attr;
	struct kt_env env;
	struct ib_ah *ah;

	if (!kt_start_ib(t, &env))
		return;
	wc.wc_flags = IB_WC_WITH_IMM;
	memset(&attr, 0xee, sizeof(attr));
	KT_EXPECT_EQ(t, ib_init_ah_attr_from_wc(env.dev, 2, &wc, NULL, &attr), 0);
	KT_EXPECT(t, attr.type == RDMA_AH_ATTR_TYPE_IB && attr.port_num == 2 && attr.sl == 6);
	KT_EXPECT(t, attr.ib.dlid == 0x4321 && attr.ib.src_path_bits == 2);
	KT_EXPECT(t, !attr.ah_flags && !attr.grh.sgid_attr);
	ah = ib_create_ah_from_wc(env.pd, &wc, NULL, 1);
	if (KT_EXPECT_ERR(t, ah, 0)) {
		KT_EXPECT(t, !ah->sgid_attr);
		KT_EXPECT_EQ(t, env.fd->last_ah_flags, RDMA_CREATE_AH_SLEEPABLE);
		KT_EXPECT_EQ(t, rdma_destroy_ah(ah), 0);
	}
	kt_end(t, &env);
}

static void test_ah_wc_global(struct ktap *t)
{
	union rdma_network_hdr hdr = header6(fakedev_gid(9, 9), fakedev_gid(1, 2), 0x1b);
	union ib_gid from = fakedev_gid(9, 9);
	struct ib_wc wc = global_wc();
	struct rdma_ah_attr attr;
	struct kt_env env;
	struct ib_ah *ah;

	if (!kt_start_ib(t, &env))
		return;
	KT_EXPECT_EQ(t, ib_init_ah_attr_from_wc(env.dev, 1, &wc, &hdr.ibgrh, &attr), 0);
	KT_EXPECT(t, attr.ah_flags == IB_AH_GRH && attr.ib.dlid == 0x4321);
	KT_EXPECT(t, attr.grh.sgid_index == 2 && attr.grh.sgid_attr);
	KT_EXPECT(t, !memcmp(&attr.grh.dgid, &from, sizeof(from)));
	KT_EXPECT(t, attr.grh.traffic_class == 0x12 && attr.grh.flow_label == 0x34567);
	KT_EXPECT_EQ(t, attr.grh.hop_limit, 0xff);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 2), 1);
	rdma_destroy_ah_attr(&attr);

	/* Older callers get the index, and no reference. */
	KT_EXPECT_EQ(t, ib_init_ah_from_wc(env.dev, 1, &wc, &hdr.ibgrh, &attr), 0);
	KT_EXPECT(t, attr.grh.sgid_index == 2 && !attr.grh.sgid_attr);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 2), 0);

	ah = ib_create_ah_from_wc(env.pd, &wc, &hdr.ibgrh, 1);
	if (KT_EXPECT_ERR(t, ah, 0)) {
		KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 2), 1);
		KT_EXPECT_EQ(t, rdma_destroy_ah(ah), 0);
	}
	fakedev_fail(env.fd, FAKEDEV_CREATE_AH, 1, -ENOMEM);
	KT_EXPECT_ERR(t, ib_create_ah_from_wc(env.pd, &wc, &hdr.ibgrh, 1), -ENOMEM);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 2), 0);
	kt_end(t, &env);
}

static void test_subnet_administration(struct ktap *t)
{
	union ib_gid sa = { .global.interface_id = cpu_to_be64(0x0200000000000002) };
	union rdma_network_hdr hdr = header6(fakedev_gid(9, 9), sa, 0x1b);
	struct ib_wc wc = global_wc();
	struct rdma_ah_attr attr;
	struct kt_env env;

	if (!kt_start_ib(t, &env))
		return;
	KT_EXPECT_EQ(t, ib_init_ah_from_wc(env.dev, 2, &wc, &hdr.ibgrh, &attr), 0);
	KT_EXPECT_EQ(t, attr.grh.sgid_index, 0);
	kt_end(t, &env);
}

static void test_ah_wc_errors(struct ktap *t)
{
	union rdma_network_hdr hdr = header6(fakedev_gid(9, 9), fakedev_gid(2, 0), 0x1b);
	const struct fakedev_config no_gids = { .node_type = RDMA_NODE_IB_CA };
	union ib_gid sa = { .global.interface_id = cpu_to_be64(0x0200000000000002) };
	union rdma_network_hdr to_sa = header6(fakedev_gid(9, 9), sa, 0x1b);
	struct ib_wc wc = global_wc();
	struct kt_env env;

	if (!kt_start_ib(t, &env))
		return;
	expect_ah_wc_error(t, &env, 0, &wc, &hdr, -EINVAL);
	expect_ah_wc_error(t, &env, 3, &wc, &hdr, -EINVAL);
	expect_ah_wc_error(t, &env, 1, &wc, NULL, -EINVAL);
	/* The GID is one of port 2. */
	expect_ah_wc_error(t, &env, 1, &wc, &hdr, -ENOENT);
	kt_end(t, &env);

	if (kt_start_with(t, &env, &no_gids)) {
		expect_ah_wc_error(t, &env, 1, &wc, &to_sa, -ENODATA);
		kt_end(t, &env);
	}
	/* iWARP has no datagrams; its completion is not read. */
	if (kt_start(t, &env)) {
		expect_ah_wc_error(t, &env, 1, NULL, &hdr, -EOPNOTSUPP);
		kt_end(t, &env);
	}
}

/* Expects a RoCE address with these properties. */
static void expect_sender(struct ktap *t, struct kt_env *env, const struct ib_wc *wc,
			  const union rdma_network_hdr *hdr, union ib_gid from, int sgid_index,
			  u32 flow_label, u8 last_of_mac)
{
	struct rdma_ah_attr attr;

	if (!KT_EXPECT_EQ(t, ib_init_ah_attr_from_wc(env->dev, 1, wc, &hdr->ibgrh, &attr), 0))
		return;
	KT_EXPECT(t, attr.type == RDMA_AH_ATTR_TYPE_ROCE && attr.port_num == 1 && attr.sl == 6);
	KT_EXPECT(t, !memcmp(&attr.grh.dgid, &from, sizeof(from)));
	KT_EXPECT_EQ(t, attr.grh.sgid_index, sgid_index);
	KT_EXPECT_EQ(t, kt_gid_refs(env, 1, sgid_index), 1);
	KT_EXPECT_EQ(t, attr.grh.traffic_class, 0x12);
	KT_EXPECT_EQ(t, attr.grh.flow_label, flow_label);
	KT_EXPECT_EQ(t, attr.roce.dmac[5], last_of_mac);
	rdma_destroy_ah_attr(&attr);
	KT_EXPECT_EQ(t, kt_gid_refs(env, 1, sgid_index), 0);
}

static void test_ah_wc_roce(struct ktap *t)
{
	__be32 from4 = htonl(0x0a4d0009), to4 = htonl(0x0a4d0001), other4 = htonl(0x0a4d0002);
	union ib_gid from6 = kt_gid_of("fd77::9"), to6 = kt_gid_of("fd77::1");
	union rdma_network_hdr v1 = header6(from6, to6, 0x1b);
	union rdma_network_hdr v2_ipv6 = header6(from6, to6, IPPROTO_UDP);
	union rdma_network_hdr v2_ipv4 = header4(from4, to4), other = header4(from4, other4);
	union rdma_network_hdr neither = {};
	struct ib_wc wc = global_wc();
	struct kt_env env;
	struct ib_ah *ah;

	if (!kt_start_roce(t, &env))
		return;
	KT_EXPECT_EQ(t, kt_sh("ip neigh add 10.77.0.9 lladdr 02:00:00:00:00:09 dev kta &&\n"
			      "ip neigh add fd77::9 lladdr 02:00:00:00:00:19 dev kta"), 0);
	expect_ah_wc_error(t, &env, 1, &wc, &neither, -EPROTOTYPE);
	expect_ah_wc_error(t, &env, 1, &wc, &other, -ENOENT);
	expect_sender(t, &env, &wc, &v1, from6, kt_gid_index(&env, "fd77::1", V1), 0x34567, 0x19);
	expect_sender(t, &env, &wc, &v2_ipv6, from6, kt_gid_index(&env, "fd77::1", V2), 0x34567,
		      0x19);
	/* IPv4 has no flow label, and what stands in its place is undefined. */
	expect_sender(t, &env, &wc, &v2_ipv4, kt_gid_of("10.77.0.9"),
		      kt_gid_index(&env, "10.77.0.1", V2), 0, 0x09);
	ah = ib_create_ah_from_wc(env.pd, &wc, &v2_ipv4.ibgrh, 1);
	if (KT_EXPECT_ERR(t, ah, 0)) {
		KT_EXPECT_EQ(t, to_fakedev_ah(ah)->attr.roce.dmac[5], 0x09);
		KT_EXPECT_EQ(t, rdma_destroy_ah(ah), 0);
	}

	/* What the completion says of the header comes before what the header looks like. */
	wc.wc_flags |= IB_WC_WITH_NETWORK_HDR_TYPE;
	wc.network_hdr_type = RDMA_NETWORK_IPV6;
	expect_sender(t, &env, &wc, &v1, from6, kt_gid_index(&env, "fd77::1", V2), 0x34567, 0x19);
	kt_end_roce(t, &env);
}

static void test_roce_errors(struct ktap *t)
{
	union rdma_network_hdr hdr = header6(kt_gid_of("2001:db8::9"), kt_gid_of("fd77::1"),
					     IPPROTO_UDP);
	struct ib_wc wc = global_wc();
	struct kt_env env;

	if (!kt_start_roce(t, &env))
		return;
	wc.wc_flags = 0;
	expect_ah_wc_error(t, &env, 1, &wc, &hdr, -EPROTOTYPE);
	wc.wc_flags = IB_WC_GRH | IB_WC_WITH_NETWORK_HDR_TYPE;
	wc.network_hdr_type = 77;
	expect_ah_wc_error(t, &env, 1, &wc, &hdr, -EPROTOTYPE);
	/* No route leads back to the sender. */
	wc.wc_flags = IB_WC_GRH;
	expect_ah_wc_error(t, &env, 1, &wc, &hdr, -ENETUNREACH);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, kt_gid_index(&env, "fd77::1", V2)), 0);
	kt_end_roce(t, &env);
}

static void test_vlan(struct ktap *t)
{
	union rdma_network_hdr hdr = header4(htonl(0x0a4d0009), htonl(0x0a4d0001));
	union ib_gid from = kt_gid_of("10.77.0.9");
	struct ib_wc wc = global_wc();
	struct kt_env env;
	int index;

	if (!kt_start_roce(t, &env))
		return;
	KT_EXPECT_EQ(t, kt_sh("ip neigh add 10.77.0.9 lladdr 02:00:00:00:00:09 dev kta"), 0);
	index = kt_gid_index(&env, "10.77.0.1", V2);
	/* VLAN 0 is no VLAN. */
	wc.wc_flags |= IB_WC_WITH_VLAN;
	expect_sender(t, &env, &wc, &hdr, from, index, 0, 0x09);
	wc.vlan_id = 5;
	expect_ah_wc_error(t, &env, 1, &wc, &hdr, -ENOENT);

	/* The same addresses in VLAN 5 belong to another GID and another neighbour. */
	KT_EXPECT_EQ(t, kt_sh("ip link add link kta name kta.5 type vlan id 5 &&\n"
			      "echo 1 > /proc/sys/net/ipv6/conf/kta.5/disable_ipv6 &&\n"
			      "ip link set kta.5 up && ip address add 10.77.0.1/24 dev kta.5 &&\n"
			      "ip neigh add 10.77.0.9 lladdr 02:00:00:00:00:59 dev kta.5"), 0);
	KT_WAIT(t, atomic_read(&env.fd->gids_held) == 8);
	expect_sender(t, &env, &wc, &hdr, from, 7, 0, 0x59);
	wc.wc_flags = IB_WC_GRH;
	expect_sender(t, &env, &wc, &hdr, from, index, 0, 0x09);
	KT_EXPECT_EQ(t, kt_sh("ip link del kta.5"), 0);
	kt_end_roce(t, &env);
}

static const struct ktap_case ah_wc_cases[] = {
	{ "InfiniBand: a sender of the same subnet", test_local,
	  COVERS(ib_init_ah_from_wc ib_create_ah_from_wc ib_wc) },
	{ "InfiniBand: a sender with a global route", test_ah_wc_global,
	  COVERS(ib_init_ah_from_wc ib_grh) },
	{ "InfiniBand: a datagram to the subnet administration", test_subnet_administration },
	{ "InfiniBand and iWARP: each error", test_ah_wc_errors,
	  COVERS(ib_init_ah_from_wc ib_create_ah_from_wc) },
	{ "RoCE: each kind of header", test_ah_wc_roce,
	  COVERS(ib_init_ah_from_wc rdma_network_hdr) },
	{ "RoCE: each error", test_roce_errors },
	{ "RoCE: VLANs", test_vlan },
};

KTAP_SUITE(kt_ah_wc_suite, "ah wc", ah_wc_cases);
