// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of the headers of unreliable datagrams. The bytes that are expected were written by hand
 * from the layouts of the headers, or are made with the structures of the network stack.
 */
#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <rdma/ib_pack.h>

#include "kt_verbs.h"

#define PAYLOAD		6	/* two bytes of pad follow */
/* What follows the last header that has a length: BTH, DETH, payload, pad and ICRC. */
#define TRANSPORT	(12 + 8 + 8 + 4)

static const u8 bth_deth[] = {
	0x64, 0xe0, 0xff, 0xff,		/* UD SEND only; solicited, migrated, 2 pad bytes; P_Key */
	0x00, 0x00, 0x00, 0x01,		/* destination QP 1 */
	0x80, 0x12, 0x34, 0x56,		/* acknowledgment asked for, PSN */
	0x80, 0x01, 0x00, 0x00,		/* Q_Key */
	0x00, 0xab, 0xcd, 0xef,		/* source QP */
};

/* Fills in what ib_ud_header_init() leaves to drivers. */
static void fill_transport(struct ib_ud_header *header)
{
	header->bth.solicited_event = 1;
	header->bth.mig_req = 1;
	header->bth.pkey = cpu_to_be16(0xffff);
	header->bth.destination_qpn = cpu_to_be32(1);
	header->bth.ack_req = 1;
	header->bth.psn = cpu_to_be32(0x123456);
	header->deth.qkey = cpu_to_be32(0x80010000);
	header->deth.source_qpn = cpu_to_be32(0xabcdef);
}

static void fill_ethernet(struct ib_ud_header *header, u16 type)
{
	memcpy(header->eth.dmac_h, "\x02\x03\x04\x05", 4);
	memcpy(header->eth.dmac_l, "\x06\x07", 2);
	memcpy(header->eth.smac_h, "\x12\x13", 2);
	memcpy(header->eth.smac_l, "\x14\x15\x16\x17", 4);
	if (header->vlan_present) {
		header->vlan.tag = cpu_to_be16(0x6123);
		header->vlan.type = cpu_to_be16(type);
	} else {
		header->eth.type = cpu_to_be16(type);
	}
}

static const u8 macs[] = { 2, 3, 4, 5, 6, 7, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17 };

static void fill_grh(struct ib_ud_header *header)
{
	int i;

	header->grh.traffic_class = 0xa5;
	header->grh.flow_label = cpu_to_be32(0xfedcb);
	header->grh.hop_limit = 63;
	for (i = 0; i < 16; i++) {
		header->grh.source_gid.raw[i] = 0x20 + i;
		header->grh.destination_gid.raw[i] = 0x40 + i;
	}
}

/* Makes the same header as fill_grh() with the structure of the network stack. */
static struct ipv6hdr plain_grh(u16 payload, u8 next)
{
	struct ipv6hdr hdr = {
		.version = 6, .priority = 0xa, .flow_lbl = { 0x5f, 0xed, 0xcb },
		.payload_len = cpu_to_be16(payload), .nexthdr = next, .hop_limit = 63,
	};
	int i;

	for (i = 0; i < 16; i++) {
		hdr.saddr.s6_addr[i] = 0x20 + i;
		hdr.daddr.s6_addr[i] = 0x40 + i;
	}
	return hdr;
}

/* Packs the headers, and expects that they are these bytes. */
static void expect_bytes(struct ktap *t, struct ib_ud_header *header, const void *wanted, int len)
{
	u8 bytes[IB_UD_HEADER_BYTES + 1];

	memset(bytes, 0x99, sizeof(bytes));
	KT_EXPECT_EQ(t, ib_ud_header_pack(header, bytes), len);
	if (!KT_EXPECT(t, !memcmp(bytes, wanted, len))) {
		ktap_note(t, "is     %*ph", min(len, 64), bytes);
		ktap_note(t, "wanted %*ph", min(len, 64), wanted);
	}
	KT_EXPECT_EQ(t, bytes[len], 0x99);
}

static u8 *append(u8 *at, const void *bytes, int len)
{
	memcpy(at, bytes, len);
	return at + len;
}

static void test_infiniband(struct ktap *t)
{
	static const u8 local[] = {
		0x30, 0x52, 0x12, 0x34,	/* VL 3, version 0; SL 5, BTH follows; destination LID */
		0x00, 0x0a, 0x56, 0x78,	/* 10 words; source LID */
	}, global[] = {
		0x30, 0x53, 0x12, 0x34,
		0x00, 0x14, 0x56, 0x78,	/* 20 words */
	};
	struct ib_ud_header header, back;
	struct ipv6hdr grh = plain_grh(TRANSPORT, 0x1b);
	u8 wanted[IB_UD_HEADER_BYTES], *end;

	KT_EXPECT_EQ(t, ib_ud_header_init(PAYLOAD, 1, 0, 0, 0, 0, 0, 0, &header), 0);
	header.lrh.virtual_lane = 3;
	header.lrh.service_level = 5;
	header.lrh.destination_lid = cpu_to_be16(0x1234);
	header.lrh.source_lid = cpu_to_be16(0x5678);
	fill_transport(&header);
	end = append(append(wanted, local, sizeof(local)), bth_deth, sizeof(bth_deth));
	expect_bytes(t, &header, wanted, end - wanted);
	KT_EXPECT_EQ(t, ib_ud_header_unpack(wanted, &back), 0);
	KT_EXPECT(t, !memcmp(&back, &header, sizeof(header)));

	KT_EXPECT_EQ(t, ib_ud_header_init(PAYLOAD, 1, 0, 0, 1, 0, 0, 0, &header), 0);
	header.lrh.virtual_lane = 3;
	header.lrh.service_level = 5;
	header.lrh.destination_lid = cpu_to_be16(0x1234);
	header.lrh.source_lid = cpu_to_be16(0x5678);
	fill_grh(&header);
	fill_transport(&header);
	end = append(append(wanted, global, sizeof(global)), &grh, sizeof(grh));
	end = append(end, bth_deth, sizeof(bth_deth));
	expect_bytes(t, &header, wanted, end - wanted);
	KT_EXPECT_EQ(t, ib_ud_header_unpack(wanted, &back), 0);
	KT_EXPECT(t, !memcmp(&back, &header, sizeof(header)));
}

static void test_immediate(struct ktap *t)
{
	struct ib_ud_header header, back;
	u8 bytes[IB_UD_HEADER_BYTES];

	KT_EXPECT_EQ(t, ib_ud_header_init(4, 1, 0, 0, 0, 0, 0, 1, &header), 0);
	header.immediate_data = cpu_to_be32(0xcafe0123);
	KT_EXPECT_EQ(t, ib_ud_header_pack(&header, bytes), 8 + 12 + 8 + 4);
	KT_EXPECT_EQ(t, bytes[8], 0x65);
	KT_EXPECT(t, !memcmp(bytes + 28, "\xca\xfe\x01\x23", 4));
	/* LRH to ICRC, in words; no pad. */
	KT_EXPECT_EQ(t, bytes[5], (8 + 12 + 8 + 4 + 4 + 4) / 4);
	KT_EXPECT_EQ(t, bytes[9] & 0x30, 0);
	KT_EXPECT_EQ(t, ib_ud_header_unpack(bytes, &back), 0);
	KT_EXPECT_EQ(t, back.immediate_present, 1);
	KT_EXPECT(t, back.immediate_data == header.immediate_data);
}

static void test_roce_v1(struct ktap *t)
{
	struct ipv6hdr grh = plain_grh(TRANSPORT, 0x1b);
	u8 wanted[IB_UD_HEADER_BYTES], *end;
	struct ib_ud_header header;

	KT_EXPECT_EQ(t, ib_ud_header_init(PAYLOAD, 0, 1, 0, 1, 0, 0, 0, &header), 0);
	fill_ethernet(&header, 0x8915);
	fill_grh(&header);
	fill_transport(&header);
	end = append(append(wanted, macs, sizeof(macs)), "\x89\x15", 2);
	end = append(append(end, &grh, sizeof(grh)), bth_deth, sizeof(bth_deth));
	expect_bytes(t, &header, wanted, end - wanted);

	/* With a VLAN. */
	KT_EXPECT_EQ(t, ib_ud_header_init(PAYLOAD, 0, 1, 1, 1, 0, 0, 0, &header), 0);
	fill_ethernet(&header, 0x8915);
	fill_grh(&header);
	fill_transport(&header);
	end = append(append(wanted, macs, sizeof(macs)), "\x81\x00\x61\x23\x89\x15", 6);
	end = append(append(end, &grh, sizeof(grh)), bth_deth, sizeof(bth_deth));
	expect_bytes(t, &header, wanted, end - wanted);
}

static void test_roce_v2_ipv4(struct ktap *t)
{
	struct udphdr udp = {
		.source = cpu_to_be16(0xc123), .dest = cpu_to_be16(4791),
		.len = cpu_to_be16(8 + TRANSPORT),
	};
	struct iphdr ip = {
		.version = 4, .ihl = 5, .tos = 0x28, .tot_len = cpu_to_be16(20 + 8 + TRANSPORT),
		.id = cpu_to_be16(0x4321), .frag_off = cpu_to_be16(IP_DF), .ttl = 64,
		.protocol = IPPROTO_UDP, .saddr = cpu_to_be32(0x0a4d0001),
		.daddr = cpu_to_be32(0x0a4d0009),
	};
	u8 wanted[IB_UD_HEADER_BYTES], *end;
	struct ib_ud_header header;

	ip.check = ip_fast_csum(&ip, ip.ihl);
	KT_EXPECT_EQ(t, ib_ud_header_init(PAYLOAD, 0, 1, 0, 1, 4, 1, 0, &header), 0);
	KT_EXPECT_EQ(t, header.grh_present, 0);
	fill_ethernet(&header, ETH_P_IP);
	header.ip4.tos = 0x28;
	header.ip4.id = cpu_to_be16(0x4321);
	header.ip4.frag_off = cpu_to_be16(IP_DF);
	header.ip4.ttl = 64;
	header.ip4.saddr = ip.saddr;
	header.ip4.daddr = ip.daddr;
	header.ip4.check = (__force __sum16)cpu_to_be16(0xffff);
	header.ip4.check = ib_ud_ip4_csum(&header);
	KT_EXPECT(t, header.ip4.check == ip.check);
	header.udp.sport = cpu_to_be16(0xc123);
	header.udp.dport = cpu_to_be16(4791);
	fill_transport(&header);
	end = append(append(wanted, macs, sizeof(macs)), "\x08\x00", 2);
	end = append(append(end, &ip, sizeof(ip)), &udp, sizeof(udp));
	end = append(end, bth_deth, sizeof(bth_deth));
	expect_bytes(t, &header, wanted, end - wanted);
}

static void test_roce_v2_ipv6(struct ktap *t)
{
	struct udphdr udp = {
		.source = cpu_to_be16(0xc123), .dest = cpu_to_be16(4791),
		.len = cpu_to_be16(8 + TRANSPORT),
	};
	struct ipv6hdr ip = plain_grh(8 + TRANSPORT, IPPROTO_UDP);
	u8 wanted[IB_UD_HEADER_BYTES], *end;
	struct ib_ud_header header;

	KT_EXPECT_EQ(t, ib_ud_header_init(PAYLOAD, 0, 1, 1, 0, 6, 1, 0, &header), 0);
	fill_ethernet(&header, ETH_P_IPV6);
	fill_grh(&header);
	header.udp.sport = cpu_to_be16(0xc123);
	header.udp.dport = cpu_to_be16(4791);
	fill_transport(&header);
	end = append(append(wanted, macs, sizeof(macs)), "\x81\x00\x61\x23\x86\xdd", 6);
	end = append(append(end, &ip, sizeof(ip)), &udp, sizeof(udp));
	end = append(end, bth_deth, sizeof(bth_deth));
	expect_bytes(t, &header, wanted, end - wanted);
}

static void test_wrong(struct ktap *t)
{
	struct ib_ud_header header;
	u8 good[IB_UD_HEADER_BYTES], bytes[IB_UD_HEADER_BYTES];
	static const struct {
		const char *name;
		int at;
		u8 value;
	} damages[] = {
		{ "version of the link", 0, 0x01 },
		{ "raw packet", 1, 0x00 },
		{ "IP packet", 1, 0x01 },
		{ "version of IP", 8, 0x40 },
		{ "another operation", 48, IB_OPCODE_RC_SEND_ONLY },
		{ "version of the transport", 49, 0x01 },
	};
	int i;

	KT_EXPECT_EQ(t, ib_ud_header_init(0, 0, 1, 0, 0, 0, 1, 0, &header), -EINVAL);
	KT_EXPECT_EQ(t, ib_ud_header_init(0, 0, 1, 0, 1, 5, 1, 0, &header), -EINVAL);
	KT_EXPECT_EQ(t, ib_ud_header_init(0, 1, 0, 0, 1, 0, 0, 0, &header), 0);
	ib_ud_header_pack(&header, good);
	KT_EXPECT_EQ(t, ib_ud_header_unpack(good, &header), 0);
	for (i = 0; i < ARRAY_SIZE(damages); i++) {
		memcpy(bytes, good, sizeof(bytes));
		bytes[damages[i].at] = damages[i].value;
		if (!KT_EXPECT_EQ(t, ib_ud_header_unpack(bytes, &header), -EINVAL))
			ktap_note(t, "%s", damages[i].name);
	}
	/* Without a global header, what follows looks like what is expected after a local one. */
	KT_EXPECT_EQ(t, ib_ud_header_init(0, 1, 0, 0, 0, 0, 0, 0, &header), 0);
	ib_ud_header_pack(&header, bytes);
	KT_EXPECT_EQ(t, ib_ud_header_unpack(bytes, &header), 0);
	for (i = IB_LNH_RAW; i <= IB_LNH_IP; i++) {
		bytes[1] = (bytes[1] & ~3) | i;
		KT_EXPECT_EQ(t, ib_ud_header_unpack(bytes, &header), -EINVAL);
	}
}

struct sample {
	u8 three;
	__be16 eleven;
	__be32 twenty;
	__be64 wide;
};

#define SAMPLE(member, words, bits, size)						\
	{ offsetof(struct sample, member), sizeof_field(struct sample, member), words, bits,	\
	  size, #member }

static void test_fields(struct ktap *t)
{
	/* The third field crosses the end of a word; two bits behind it are not described. */
	static const struct ib_field fields[] = {
		SAMPLE(three, 0, 0, 3),
		SAMPLE(eleven, 0, 3, 11),
		SAMPLE(twenty, 0, 14, 20),
		SAMPLE(wide, 1, 4, 60),
		{ RESERVED, .offset_words = 3, .offset_bits = 0, .size_bits = 4 },
	};
	struct sample from = {
		.three = 0xfd, .eleven = cpu_to_be16(0xfd55), .twenty = cpu_to_be32(0x89abc),
		.wide = cpu_to_be64(0xfaabbccddeeff012),
	}, to;
	/* 101, 10101010101, 10001001101010111100, two bits that stay, 1010 ... */
	static const u8 wanted[] = {
		0xb5, 0x56, 0x26, 0xaf, 0x3a, 0xab, 0xbc, 0xcd, 0xde, 0xef, 0xf0, 0x12, 0x0f, 0xff,
	};
	u8 bytes[16];

	memset(bytes, 0xff, sizeof(bytes));
	ib_pack(fields, ARRAY_SIZE(fields), &from, bytes);
	if (!KT_EXPECT(t, !memcmp(bytes, wanted, sizeof(wanted))))
		ktap_note(t, "%*ph", 16, bytes);

	memset(&to, 0xff, sizeof(to));
	ib_unpack(fields, ARRAY_SIZE(fields), bytes, &to);
	KT_EXPECT_EQ(t, to.three, 5);
	KT_EXPECT_EQ(t, be16_to_cpu(to.eleven), 0x555);
	KT_EXPECT_EQ(t, be32_to_cpu(to.twenty), 0x89abc);
	KT_EXPECT(t, be64_to_cpu(to.wide) == 0xaabbccddeeff012);
}

struct long_sample {
	__be64 wide;
	u8 bytes[12];
};

/* A field of 64 bits may begin at any bit; a longer one has whole bytes, which may be reserved. */
static void test_long_fields(struct ktap *t)
{
	static const struct ib_field fields[] = {
		{ offsetof(struct long_sample, wide), 8, 0, 4, 64, "wide" },
		{ RESERVED, .offset_words = 3, .offset_bits = 0, .size_bits = 72 },
		{ offsetof(struct long_sample, bytes), 12, 6, 8, 96, "bytes" },
	};
	struct long_sample from = {
		.wide = cpu_to_be64(0x123456789abcdef0), .bytes = "0123456789a",
	}, to;
	u8 wanted[40], bytes[40];

	memset(wanted, 0xff, sizeof(wanted));
	memcpy(wanted, "\xf1\x23\x45\x67\x89\xab\xcd\xef\x0f", 9);
	memset(wanted + 12, 0, 9);
	memcpy(wanted + 25, from.bytes, sizeof(from.bytes));
	memset(bytes, 0xff, sizeof(bytes));
	ib_pack(fields, ARRAY_SIZE(fields), &from, bytes);
	if (!KT_EXPECT(t, !memcmp(bytes, wanted, sizeof(wanted))))
		ktap_note(t, "%*ph", 40, bytes);
	memset(&to, 0xff, sizeof(to));
	ib_unpack(fields, ARRAY_SIZE(fields), bytes, &to);
	KT_EXPECT(t, to.wide == from.wide);
	KT_EXPECT(t, !memcmp(to.bytes, from.bytes, sizeof(to.bytes)));
}

static const struct ktap_case ud_cases[] = {
	{ "InfiniBand, local and global", test_infiniband },
	{ "immediate data", test_immediate },
	{ "RoCE version 1", test_roce_v1 },
	{ "RoCE version 2 over IPv4", test_roce_v2_ipv4 },
	{ "RoCE version 2 over IPv6", test_roce_v2_ipv6 },
	{ "wrong headers", test_wrong },
	{ "fields of any length at any bit", test_fields },
	{ "fields of 64 bits and more", test_long_fields },
};

KTAP_SUITE(kt_ud_suite, "ud", ud_cases);
