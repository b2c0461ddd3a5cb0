// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of the network headers of received datagrams. Each header is the first 40 bytes of a
 * receive buffer, as a device would write them.
 */
#include <rdma/ib_addr.h>

#include "kt_verbs.h"

/* The addresses of all headers. The GIDs are those of the IPv6 headers. */
#define SOURCE6	"\x20\x01\x0d\xb8\0\0\0\0\x02\x11\x22\xff\xfe\x33\x44\x55"
#define DEST6	"\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x07"
#define SOURCE4	"\xc0\0\x02\x02"
#define DEST4	"\xc6\x33\x64\x07"
#define MAPPED	"\0\0\0\0\0\0\0\0\0\0\xff\xff"

/* An IPv4 header of a UDP datagram of 308 bytes, with these two fields; SUM is right for "\x45". */
#define IPV4(version_ihl, sum)							\
	version_ihl "\0\x01\x34\x12\x34\x40\0\x40\x11" sum SOURCE4 DEST4
#define SUM	"\x3b\x48"

/* Bytes in front of an IPv4 header. Those of GARBAGE6 look like the beginning of a GRH. */
#define GARBAGE	"\xde\xad\xbe\xef\xde\xad\xbe\xef\xde\xad\xbe\xef\xde\xad\xbe\xef\xde\xad\xbe\xef"
#define ZEROS	"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define GARBAGE6	"\x60\0\0\0\x01\x08\x11\x40" SOURCE4 SOURCE4 SOURCE4

union bytes {
	u8 raw[40];
	union rdma_network_hdr hdr;
};

/* InfiniBand: traffic class 0x12, flow label 0x34567, next header 0x1b. */
static const union bytes grh_ib = { "\x61\x23\x45\x67\x01\x20\x1b\x3f" SOURCE6 DEST6 };
static const union bytes grh_roce_v1 = { "\x60\0\0\0\x01\x18\x1b\x01" SOURCE6 DEST6 };
static const union bytes roce_v2_ipv6 = { "\x60\x20\0\x01\x01\x20\x11\x40" SOURCE6 DEST6 };
static const union bytes roce_v2_ipv4 = { GARBAGE IPV4("\x45", SUM) };
static const union bytes roce_v2_ipv4_zeros = { ZEROS IPV4("\x45", SUM) };
static const union bytes looks_like_grh = { GARBAGE6 IPV4("\x45", SUM) };
static const union bytes wrong_sum = { GARBAGE6 IPV4("\x45", "\x3b\x49") };
/* The checksum is right, but a header of 24 bytes does not fit. */
static const union bytes wrong_ihl = { GARBAGE6 IPV4("\x46", "\x3a\x48") };
static const union bytes wrong_version = { GARBAGE6 IPV4("\x55", "\x2b\x48") };
static const union bytes neither = { GARBAGE IPV4("\x55", SUM) };
static const union bytes zeros;

static void test_version(struct ktap *t)
{
	KT_EXPECT_EQ(t, ib_get_rdma_header_version(&grh_ib.hdr), 6);
	KT_EXPECT_EQ(t, ib_get_rdma_header_version(&grh_roce_v1.hdr), 6);
	KT_EXPECT_EQ(t, ib_get_rdma_header_version(&roce_v2_ipv6.hdr), 6);
	KT_EXPECT_EQ(t, ib_get_rdma_header_version(&roce_v2_ipv4.hdr), 4);
	KT_EXPECT_EQ(t, ib_get_rdma_header_version(&roce_v2_ipv4_zeros.hdr), 4);
	KT_EXPECT_EQ(t, ib_get_rdma_header_version(&looks_like_grh.hdr), 4);
	KT_EXPECT_EQ(t, ib_get_rdma_header_version(&wrong_sum.hdr), 6);
	KT_EXPECT_EQ(t, ib_get_rdma_header_version(&wrong_ihl.hdr), 6);
	KT_EXPECT_EQ(t, ib_get_rdma_header_version(&wrong_version.hdr), 6);
	KT_EXPECT_EQ(t, ib_get_rdma_header_version(&neither.hdr), 0);
	KT_EXPECT_EQ(t, ib_get_rdma_header_version(&zeros.hdr), 0);
}

/* Expects the result 0 and these GIDs. */
static void expect_gids(struct ktap *t, const union bytes *bytes, enum rdma_network_type type,
			const union ib_gid *source, const union ib_gid *dest)
{
	union ib_gid sgid, dgid;

	memset(&sgid, 0xee, sizeof(sgid));
	memset(&dgid, 0xee, sizeof(dgid));
	KT_EXPECT_EQ(t, ib_get_gids_from_rdma_hdr(&bytes->hdr, type, &sgid, &dgid), 0);
	KT_EXPECT(t, !memcmp(&sgid, source, sizeof(sgid)));
	KT_EXPECT(t, !memcmp(&dgid, dest, sizeof(dgid)));
}

static void test_gids(struct ktap *t)
{
	static const union ib_gid source6 = { SOURCE6 }, dest6 = { DEST6 };
	static const union ib_gid source4 = { MAPPED SOURCE4 }, dest4 = { MAPPED DEST4 };

	expect_gids(t, &grh_ib, RDMA_NETWORK_IB, &source6, &dest6);
	expect_gids(t, &grh_roce_v1, RDMA_NETWORK_ROCE_V1, &source6, &dest6);
	expect_gids(t, &roce_v2_ipv6, RDMA_NETWORK_IPV6, &source6, &dest6);
	expect_gids(t, &roce_v2_ipv4, RDMA_NETWORK_IPV4, &source4, &dest4);
	expect_gids(t, &looks_like_grh, RDMA_NETWORK_IPV4, &source4, &dest4);
}

static void test_no_such_kind(struct ktap *t)
{
	union ib_gid sgid, dgid, before;

	memset(&before, 0xee, sizeof(before));
	sgid = before;
	dgid = before;
	KT_EXPECT_EQ(t, ib_get_gids_from_rdma_hdr(&grh_ib.hdr, RDMA_NETWORK_IPV6 + 1, &sgid,
						  &dgid), -EINVAL);
	KT_EXPECT_EQ(t, ib_get_gids_from_rdma_hdr(&grh_ib.hdr, -1, &sgid, &dgid), -EINVAL);
	KT_EXPECT(t, !memcmp(&sgid, &before, sizeof(sgid)));
	KT_EXPECT(t, !memcmp(&dgid, &before, sizeof(dgid)));
}

/* The label's upper six bits are mixed into its lower fourteen. */
static void test_udp_port(struct ktap *t)
{
	KT_EXPECT_EQ(t, rdma_flow_label_to_udp_sport(0), 0xc000);
	KT_EXPECT_EQ(t, rdma_flow_label_to_udp_sport(0x3fff), 0xffff);
	KT_EXPECT_EQ(t, rdma_flow_label_to_udp_sport(0x4000), 0xc001);
	KT_EXPECT_EQ(t, rdma_flow_label_to_udp_sport(0xfffff), 0xffc0);
	KT_EXPECT_EQ(t, rdma_flow_label_to_udp_sport(0xfff00000), 0xc000);
	KT_EXPECT_EQ(t, rdma_calc_flow_label(0x11, 0x100), 0x1100);
	KT_EXPECT_EQ(t, rdma_calc_flow_label(0x100000, 3), 3);
	KT_EXPECT_EQ(t, rdma_calc_flow_label(0xffffff, 0xabcde),
		     rdma_calc_flow_label(0xabcde, 0xffffff));
	KT_EXPECT_EQ(t, rdma_get_udp_sport(5, 0x11, 0x100), 0xc005);
	KT_EXPECT_EQ(t, rdma_get_udp_sport(0, 0x11, 0x100), 0xd100);
}

static void test_ethernet(struct ktap *t)
{
	union ib_gid gid = { .raw = { [11] = 0xff, [12] = 0xfe } };

	KT_EXPECT_EQ(t, iboe_get_mtu(65535), IB_MTU_4096);
	KT_EXPECT_EQ(t, iboe_get_mtu(4192), IB_MTU_4096);
	KT_EXPECT_EQ(t, iboe_get_mtu(4191), IB_MTU_2048);
	KT_EXPECT_EQ(t, iboe_get_mtu(1500), IB_MTU_1024);
	KT_EXPECT_EQ(t, iboe_get_mtu(352), IB_MTU_256);
	KT_EXPECT_EQ(t, iboe_get_mtu(351), 0);
	KT_EXPECT_EQ(t, iboe_get_mtu(0), 0);
	KT_EXPECT_EQ(t, rdma_get_vlan_id(&gid), 0xffff);
	gid.raw[11] = 0x0f;
	gid.raw[12] = 0xff;
	KT_EXPECT_EQ(t, rdma_get_vlan_id(&gid), 0xfff);
	gid.raw[11] = 0x10;
	gid.raw[12] = 0;
	KT_EXPECT_EQ(t, rdma_get_vlan_id(&gid), 0xffff);
}

static const struct ktap_case hdr_cases[] = {
	{ "the version of each kind of header, and of damaged ones", test_version,
	  COVERS(ib_get_rdma_header_version rdma_network_hdr) },
	{ "the addresses of each kind of header", test_gids,
	  COVERS(ib_get_gids_from_rdma_hdr rdma_network_hdr rdma_network_type ib_grh) },
	{ "a kind that does not exist is refused", test_no_such_kind,
	  COVERS(ib_get_gids_from_rdma_hdr) },
	{ "UDP ports and flow labels", test_udp_port },
	{ "MTU and VLAN of RoCE", test_ethernet },
};

KTAP_SUITE(kt_hdr_suite, "hdr", hdr_cases);
