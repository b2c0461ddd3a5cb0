// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of the network headers of received datagrams. Each header is the first 40 bytes of a receive
 * buffer, as a device would write them.
 */
#include "kt_verbs.h"

/* The addresses of all headers. The GIDs are those of the IPv6 headers. */
#define SOURCE6	0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0x02, 0x11, 0x22, 0xff, 0xfe, 0x33, 0x44, 0x55
#define DEST6	0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x07
#define SOURCE4	192, 0, 2, 2
#define DEST4	198, 51, 100, 7
#define MAPPED	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff

/* An IPv4 header of a UDP datagram of 308 bytes, with these two fields. */
#define IPV4(version_ihl, sum)							\
	version_ihl, 0x00, 0x01, 0x34, 0x12, 0x34, 0x40, 0x00, 0x40, 0x11,	\
	(sum) >> 8, (sum) & 0xff, SOURCE4, DEST4
#define IPV4_SUM	0x3b48

/* Bytes in front of an IPv4 header. Those of GARBAGE6 look like the beginning of a GRH. */
#define GARBAGE	0xde, 0xad, 0xbe, 0xef, 0xde, 0xad, 0xbe, 0xef, 0xde, 0xad, 0xbe, 0xef,	\
		0xde, 0xad, 0xbe, 0xef, 0xde, 0xad, 0xbe, 0xef
#define GARBAGE6 0x60, 0x00, 0x00, 0x00, 0x01, 0x08, 0x11, 0x40, SOURCE4, SOURCE4, SOURCE4

union bytes {
	u8 raw[40];
	union rdma_network_hdr hdr;
};

/* InfiniBand: traffic class 0x12, flow label 0x34567, next header 0x1b. */
static const union bytes grh_ib = { {
	0x61, 0x23, 0x45, 0x67, 0x01, 0x20, 0x1b, 0x3f, SOURCE6, DEST6 } };
static const union bytes grh_roce_v1 = { {
	0x60, 0x00, 0x00, 0x00, 0x01, 0x18, 0x1b, 0x01, SOURCE6, DEST6 } };
static const union bytes roce_v2_ipv6 = { {
	0x60, 0x20, 0x00, 0x01, 0x01, 0x20, 0x11, 0x40, SOURCE6, DEST6 } };
static const union bytes roce_v2_ipv4 = { { GARBAGE, IPV4(0x45, IPV4_SUM) } };
static const union bytes roce_v2_ipv4_zeros = { { [20] = IPV4(0x45, IPV4_SUM) } };
static const union bytes looks_like_grh = { { GARBAGE6, IPV4(0x45, IPV4_SUM) } };
static const union bytes wrong_sum = { { GARBAGE6, IPV4(0x45, IPV4_SUM + 1) } };
/* The checksum is right, but a header of 24 bytes does not fit. */
static const union bytes wrong_ihl = { { GARBAGE6, IPV4(0x46, IPV4_SUM - 0x100) } };
static const union bytes wrong_version = { { GARBAGE6, IPV4(0x55, IPV4_SUM - 0x1000) } };
static const union bytes neither = { { GARBAGE, IPV4(0x55, IPV4_SUM) } };
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
	static const union ib_gid source6 = { { SOURCE6 } }, dest6 = { { DEST6 } };
	static const union ib_gid source4 = { { MAPPED, SOURCE4 } }, dest4 = { { MAPPED, DEST4 } };

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
	KT_EXPECT_EQ(t, ib_get_gids_from_rdma_hdr(&grh_ib.hdr, RDMA_NETWORK_IPV6 + 1, &sgid, &dgid),
		     -EINVAL);
	KT_EXPECT_EQ(t, ib_get_gids_from_rdma_hdr(&grh_ib.hdr, -1, &sgid, &dgid), -EINVAL);
	KT_EXPECT(t, !memcmp(&sgid, &before, sizeof(sgid)) &&
		     !memcmp(&dgid, &before, sizeof(dgid)));
}

static const struct ktap_case cases[] = {
	{ "the version of each kind of header, and of damaged ones", test_version },
	{ "the addresses of each kind of header", test_gids },
	{ "a kind that does not exist is refused", test_no_such_kind },
};

KTAP_SUITE(kt_hdr_suite, "hdr", cases);
