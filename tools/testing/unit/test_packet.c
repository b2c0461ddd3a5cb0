// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests packets of InfiniBand: the bytes of headers, every check at its limit, and both CRCs. */

#include <string.h>

#include "ibwire/icrc.h"
#include "ibwire/packet.h"
#include "ibwire/psn.h"
#include "ibwire/vcrc.h"
#include "unit.h"

/* The output of packet_vectors.py: opcodes, and packets with the CRCs that it calculates. */
static const struct {
	const char *op;
	const char *hex;
} vectors[] = {
	{ "ud_send_only",
	  "f0020007000c00036400ffff0000001200abcdef8001000000000001030a1118"
	  "1f262d343b424950575e656c1c375b6244f5" },
	{ "ud_send_only",
	  "003300070014000365a1234500201b40fe800000000000000002c90300001234"
	  "fe800000000000000002c903000056786430ffff0000001200abcdef80010000"
	  "00000001030a11181f000000f4a812c0f75a" },
	{ "ud_send_only_immediate",
	  "00020007000900036500ffff0000001200abcdef8001000000000001deadbeef"
	  "7e1149f7a845" },
	{ "rc_write_only",
	  "00020007000c00030a90ffff0000001200abcdef010203040506070811223344"
	  "00001000030a11181f262d00ff3052bd07ba" },
	{ "rc_read_request",
	  "30920007000a00030c00ffff0000001200abcdef010203040506070811223344"
	  "00001000c1cbf1ff8675" },
	{ "rc_acknowledge",
	  "00020007000700031100ffff0000001200abcdef1f00000736198afe746c" },
	{ "rc_fetch_add",
	  "000300070017000365a12345002c1b40fe800000000000000002c90300001234"
	  "fe800000000000000002c903000056781400ffff0000001200abcdef00000000"
	  "00001000000000050000000000000006000000000000000727e8137278ab" },
	{ "rc_atomic_acknowledge",
	  "00020007000900031200ffff0000001200abcdef1f0000091122334455667788"
	  "5042d486a969" },
	{ "rc_send_only_invalidate",
	  "00020007000a00031700ffff0000001200abcdef99887766030a11181f262d34"
	  "3b424950d6abf3ddd3ea" },
	{ "xrc_write_only_immediate",
	  "00020007000e0003ab20ffff0000001200abcdef00000abc0102030405060708"
	  "11223344000010000000cafe030a11181f260000350693e14db7" },
	{ "uc_send_first",
	  "00020007004600032000ffff0000001200abcdef030a11181f262d343b424950"
	  "575e656c737a81888f969da4abb2b9c0c7ced5dce3eaf1f8ff060d141b222930"
	  "373e454c535a61686f767d848b9299a0a7aeb5bcc3cad1d8dfe6edf4fb020910"
	  "171e252c333a41484f565d646b727980878e959ca3aab1b8bfc6cdd4dbe2e9f0"
	  "f7fe050c131a21282f363d444b525960676e757c838a91989fa6adb4bbc2c9d0"
	  "d7dee5ecf3fa01080f161d242b323940474e555c636a71787f868d949ba2a9b0"
	  "b7bec5ccd3dae1e8eff6fd040b121920272e353c434a51585f666d747b828990"
	  "979ea5acb3bac1c8cfd6dde4ebf2f900070e151c232a31383f464d545b626970"
	  "777e858c939aa1a8afb6bdc4cbd2d9e0e7eef5fcd52958887b8a" },
};

/* The rest of that output: RoCEv2 over IPv4 and IPv6, without the Ethernet header. */
static const struct {
	const char *name;
	const char *hex;
} roce_vectors[] = {
	{ "roce 4",
	  "4502003c0478400040112222c0a80007c0a80009c00012b7002811116440ffff"
	  "0000000100abcdef8001000000000002030a11181f262d348e4999ea" },
	{ "roce 6",
	  "6025432100281140fd770000000000000000000000000001fd77000000000000"
	  "0000000000000002c00012b7002811116440ffff0000000100abcdef80010000"
	  "00000002030a11181f262d342a19362b" },
};

/* The packet that IBTA calculates as an example in 7.8, and the ICRC that it gives for it. */
#define IBTA_PACKET "70 12 37 5c 00 0e 17 d2 0a 20 24 87 00 87 b1 b3 00 0d ec 2a 01 71 0a 1c"	\
		    "01 5d 40 02 38 f2 7a 05 00 00 00 0e bb 88 4d 85 fd 5c fb a4 72 8b c0 69"	\
		    "0e d4 00 00"
#define IBTA_ICRC "96 25 b7 5a"

/* Parses each vector, builds it again, and finds every truncation. */
static void vectors_both_ways(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct bytes in = bytes_of_hex(vectors[i].hex), out = bytes_copy(in.at, in.len);
		struct ibwire_packet packet, again;

		unit_input("%s", vectors[i].hex);
		CHECK_EQ(ibwire_packet_parse(in.at, in.len, &packet), IBWIRE_OK);
		CHECK(!strcmp(packet.op->name, vectors[i].op));
		CHECK_EQ(ibwire_packet_check(in.at, in.len, &packet), IBWIRE_OK);

		again = packet;
		again.lrh.words = 0;
		again.grh.pay_len = 0;
		again.bth.pad = 0;
		again.head_len = 0;
		memset(out.at, 0xee, packet.head_len);
		memset(out.at + packet.head_len + packet.payload_len, 0xee,
		       out.len - packet.head_len - packet.payload_len);
		CHECK_EQ(ibwire_packet_head_build(out.at, &again), in.len);
		ibwire_packet_tail_build(out.at, &again);
		CHECK_BYTES(out.at, out.len, vectors[i].hex);
		for (size_t len = 0; len < in.len; len++) {
			struct bytes cut = bytes_copy(in.at, len);

			CHECK_EQ(ibwire_packet_parse(cut.at, len, &again),
				 len < LRH_LEN ? IBWIRE_TRUNCATED : IBWIRE_LENGTH);
		}
	}
}

static void fields_of_a_datagram(void)
{
	struct bytes in = bytes_of_hex(vectors[1].hex);
	struct ibwire_packet packet;

	CHECK_EQ(ibwire_packet_parse(in.at, in.len, &packet), IBWIRE_OK);
	CHECK_EQ(packet.lrh.vl, 0);
	CHECK_EQ(packet.lrh.sl, 3);
	CHECK_EQ(packet.lrh.next, LNH_GLOBAL);
	CHECK_EQ(packet.lrh.dlid, 7);
	CHECK_EQ(packet.lrh.slid, 3);
	CHECK_EQ(packet.lrh.words, 20);
	CHECK_EQ(packet.grh.tclass, 0x5a);
	CHECK_EQ(packet.grh.flow, 0x12345);
	CHECK_EQ(packet.grh.hop_limit, 0x40);
	CHECK_EQ(packet.grh.pay_len, 32);
	CHECK_BYTES(packet.grh.sgid, GID_LEN, "fe80000000000000 0002c90300001234");
	CHECK_BYTES(packet.grh.dgid, GID_LEN, "fe80000000000000 0002c90300005678");
	CHECK_EQ(packet.bth.opcode, 0x64);
	CHECK_EQ(packet.bth.pad, 3);
	CHECK(!packet.bth.solicited && !packet.bth.migrated && !packet.bth.ack_req);
	CHECK(!packet.bth.fecn && !packet.bth.becn);
	CHECK_EQ(packet.bth.pkey, 0xffff);
	CHECK_EQ(packet.bth.dqpn, 0x12);
	CHECK_EQ(packet.bth.psn, 0xabcdef);
	CHECK_EQ(packet.ext.qkey, 0x80010000);
	CHECK_EQ(packet.ext.sqpn, 1);
	CHECK_EQ(packet.head_len, LRH_LEN + GRH_LEN + BTH_LEN + DETH_LEN);
	CHECK_EQ(packet.payload_len, 5);
}

/* The extended headers of the other vectors, each with values of its own. */
static void fields_of_extended_headers(void)
{
	struct ibwire_packet packet[ARRAY_SIZE(vectors)];

	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct bytes in = bytes_of_hex(vectors[i].hex);

		unit_input("%s", vectors[i].hex);
		CHECK_EQ(ibwire_packet_parse(in.at, in.len, &packet[i]), IBWIRE_OK);
	}
	CHECK_EQ(packet[2].ext.imm, cpu_to_be32(0xdeadbeef));
	CHECK_EQ(packet[3].ext.va, 0x0102030405060708);
	CHECK_EQ(packet[3].ext.rkey, 0x11223344);
	CHECK_EQ(packet[3].ext.len, 0x1000);
	CHECK(packet[3].bth.solicited);
	CHECK_EQ(packet[5].ext.syndrome, 0x1f);
	CHECK_EQ(packet[5].ext.msn, 7);
	CHECK_EQ(packet[6].ext.va, 0x1000);
	CHECK_EQ(packet[6].ext.rkey, 5);
	CHECK_EQ(packet[6].ext.swap_add, 6);
	CHECK_EQ(packet[6].ext.compare, 7);
	CHECK_EQ(packet[7].ext.syndrome, 0x1f);
	CHECK_EQ(packet[7].ext.msn, 9);
	CHECK_EQ(packet[7].ext.old, 0x1122334455667788);
	CHECK_EQ(packet[8].ext.inv_rkey, 0x99887766);
	CHECK_EQ(packet[9].ext.srqn, 0xabc);
	CHECK_EQ(packet[9].ext.len, 0x1000);
	CHECK_EQ(packet[9].ext.imm, cpu_to_be32(0xcafe));
}

/* What headers that an opcode has not would contain is zero. */
static void no_extended_headers(void)
{
	struct bth_ext ext;

	memset(&ext, 0xff, sizeof(ext));
	bth_ext_parse(NULL, OP_SEND | OP_FIRST, &ext);
	CHECK_EQ(ext.qkey | ext.sqpn | ext.srqn | ext.rkey | ext.len | ext.msn | ext.inv_rkey, 0);
	CHECK_EQ(ext.va | ext.swap_add | ext.compare | ext.old, 0);
	CHECK_EQ(ext.syndrome, 0);
	CHECK_EQ(ext.imm, 0);
}

/* Only the low 24 bits of numbers of QPs, SRQs and messages are sent. */
static void numbers_are_cut(void)
{
	const struct bth_ext ext = {
		.qkey = 0x80000001, .sqpn = 0xaa123456, .srqn = 0xbb654321, .syndrome = 0x1f,
		.msn = 0xcc000007,
	};
	u8 buf[16];

	CHECK_EQ(bth_ext_build(buf, OP_DETH | OP_XRCETH | OP_AETH, &ext), sizeof(buf));
	CHECK_BYTES(buf, sizeof(buf), "80000001 00123456 00654321 1f000007");
}

/* The flags of a BTH, one at a time: which bit of which byte each of them is. */
static void flags_of_bth(void)
{
	static const struct {
		struct bth bth;
		const char *hex;
	} rows[] = {
		{ { .solicited = true }, "04 80 0000 00000000 00000000" },
		{ { .migrated = true }, "04 40 0000 00000000 00000000" },
		{ { .pad = 3 }, "04 30 0000 00000000 00000000" },
		{ { .pkey = 0x8001 }, "04 00 8001 00000000 00000000" },
		{ { .fecn = true }, "04 00 0000 80000000 00000000" },
		{ { .becn = true }, "04 00 0000 40000000 00000000" },
		{ { .dqpn = 0xffffff }, "04 00 0000 00ffffff 00000000" },
		{ { .ack_req = true }, "04 00 0000 00000000 80000000" },
		{ { .psn = 0xffffff }, "04 00 0000 00000000 00ffffff" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bytes in = bytes_of_hex(rows[i].hex);
		struct bth got, want = rows[i].bth;
		u8 buf[BTH_LEN];

		unit_input("%s", rows[i].hex);
		want.opcode = 0x04;
		bth_build(buf, &want);
		CHECK_BYTES(buf, sizeof(buf), rows[i].hex);
		CHECK_EQ(bth_parse(in.at, in.len, &got), IBWIRE_OK);
		bth_build(buf, &got);
		CHECK_BYTES(buf, sizeof(buf), rows[i].hex);
		CHECK_EQ(bth_parse(in.at, in.len - 1, &got), IBWIRE_TRUNCATED);
	}
}

/* Changes one byte of a vector, and expects the fault. */
static void wrong_bytes(void)
{
	static const struct {
		size_t vector, offset;
		u8 value;
		enum ibwire_fault fault;
	} rows[] = {
		{ 0, 0, 0xf1, IBWIRE_LVER },
		{ 0, 1, 0x00, IBWIRE_RAW },
		{ 0, 1, 0x01, IBWIRE_RAW },
		{ 0, 1, 0x0e, IBWIRE_OK },		/* reserved bits */
		{ 0, 4, 0xf8, IBWIRE_OK },
		{ 0, 5, 0x0d, IBWIRE_LENGTH },
		{ 0, 5, 0x0b, IBWIRE_LENGTH },
		{ 0, 3, 0x00, IBWIRE_DLID },
		{ 0, 9, 0x01, IBWIRE_TVER },
		{ 0, 8, 0x66, IBWIRE_OPCODE },
		{ 0, 8, 0x44, IBWIRE_OPCODE },		/* RD */
		{ 0, 8, 0x15, IBWIRE_OPCODE },
		{ 0, 1, 0x03, IBWIRE_GRH },
		{ 1, 8, 0x45, IBWIRE_GRH },
		{ 1, 14, 0x1c, IBWIRE_GRH },
		{ 1, 13, 0x21, IBWIRE_PAYLEN },
		{ 1, 13, 0x1f, IBWIRE_PAYLEN },
		{ 2, 9, 0x10, IBWIRE_PAD },		/* no payload */
		{ 3, 8, 0x13, IBWIRE_TRUNCATED },	/* a longer header */
		{ 8, 8, 0x11, IBWIRE_PAYLOAD },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bytes in = bytes_of_hex(vectors[rows[i].vector].hex);
		struct ibwire_packet packet;

		unit_input("row %zu", i);
		in.at[rows[i].offset] = rows[i].value;
		CHECK_EQ(ibwire_packet_parse(in.at, in.len, &packet), rows[i].fault);
	}
}

/* A packet of the least length has no payload; one word less is too short whatever it says. */
static void least_length(void)
{
	struct bytes in = bytes_of_hex("0002 0007 0006 0003 0400 ffff 00000012 00000001 00000000"
				       "0000");
	struct ibwire_packet packet;

	CHECK_EQ(ibwire_packet_parse(in.at, in.len, &packet), IBWIRE_OK);
	CHECK_EQ(packet.payload_len, 0);
	in.at[5] = 5;
	CHECK_EQ(ibwire_packet_parse(in.at, in.len - 4, &packet), IBWIRE_LENGTH);
}

/* Every bit of a packet is covered by the VCRC, and all but those that may change by the ICRC. */
static void flipped_bits(void)
{
	static const struct {
		size_t offset;
		u8 mask;
	} changing[] = {
		{ 0, 0xf0 }, { 8, 0x0f }, { 9, 0xff }, { 10, 0xff }, { 11, 0xff }, { 15, 0xff },
		{ 52, 0xff },
	};
	struct bytes in = bytes_of_hex(vectors[1].hex);
	struct ibwire_packet packet;

	CHECK_EQ(ibwire_packet_parse(in.at, in.len, &packet), IBWIRE_OK);
	for (size_t bit = 0; bit < 8 * in.len; bit++) {
		bool changes = false;
		u16 crc;

		unit_input("bit %zu", bit);
		for (size_t i = 0; i < ARRAY_SIZE(changing); i++)
			changes |= changing[i].offset == bit / 8 &&
				   changing[i].mask & 1 << bit % 8;
		in.at[bit / 8] ^= 1 << bit % 8;
		CHECK_EQ(ibwire_packet_check(in.at, in.len, &packet), IBWIRE_VCRC);
		if (bit < 8 * (in.len - VCRC_LEN)) {
			u8 kept[VCRC_LEN];

			memcpy(kept, in.at + in.len - VCRC_LEN, VCRC_LEN);
			crc = vcrc(in.at, in.len - VCRC_LEN);
			in.at[in.len - 2] = crc;
			in.at[in.len - 1] = crc >> 8;
			CHECK_EQ(ibwire_packet_check(in.at, in.len, &packet),
				 changes ? IBWIRE_OK : IBWIRE_ICRC);
			memcpy(in.at + in.len - VCRC_LEN, kept, VCRC_LEN);
		}
		in.at[bit / 8] ^= 1 << bit % 8;
	}
}

static void published_icrc(void)
{
	struct bytes in = bytes_of_hex(IBTA_PACKET);
	u8 icrc[ICRC_LEN];
	u32 crc;

	crc = icrc_begin(in.at, LRH_LEN + BTH_LEN, false);
	icrc_end(icrc, icrc_add(crc, in.at + LRH_LEN + BTH_LEN, in.len - LRH_LEN - BTH_LEN));
	CHECK_BYTES(icrc, sizeof(icrc), IBTA_ICRC);
}

/* Returns whether the ICRC behind a RoCEv2 packet is right. @head: length of its headers */
static bool roce_icrc_ok(struct bytes in, size_t head)
{
	size_t len = in.len - ICRC_LEN;
	u8 icrc[ICRC_LEN];

	icrc_end(icrc, icrc_add(icrc_begin_roce(in.at, head), in.at + head, len - head));
	return !memcmp(icrc, in.at + len, ICRC_LEN);
}

static void roce_icrc(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(roce_vectors); i++) {
		struct bytes in = bytes_of_hex(roce_vectors[i].hex);
		size_t ip = in.at[0] >> 4 == 4 ? IPV4_LEN : IPV6_LEN;
		size_t head = ip + UDP_LEN + BTH_LEN + DETH_LEN;

		unit_input("%s", roce_vectors[i].name);
		CHECK(roce_icrc_ok(in, head));
		/* What a router changes: hop limit and the header's check sum. */
		in.at[ip == IPV4_LEN ? 8 : 7]--;
		in.at[ip == IPV4_LEN ? 10 : 1] ^= 0x10;
		CHECK(roce_icrc_ok(in, head));
		in.at[in.len - ICRC_LEN - 1] ^= 1;
		CHECK(!roce_icrc_ok(in, head));
	}
}

/* The opcodes that IBTA defines for adapters of today, and the lengths of their headers. */
static void all_opcodes(void)
{
	static const u8 reliable[] = {
		12, 12, 12, 16, 12, 16, 28, 12, 12, 16, 28, 32,
		28, 16, 12, 16, 16, 16, 24, 40, 40, 0, 16, 16,
	};

	for (unsigned int value = 0; value < 256; value++) {
		const struct opcode *op = opcode_find(value);
		unsigned int service = value & OPCODE_SERVICE_MASK, number = value & 0x1f;
		unsigned int want = 0;

		unit_input("opcode %#x", value);
		if ((service == SERVICE_RC || service == SERVICE_XRC) && number < sizeof(reliable))
			want = reliable[number];
		else if (service == SERVICE_UC && number < 12)
			want = reliable[number];
		else if (service == SERVICE_UD && (number == 4 || number == 5))
			want = number == 4 ? 20 : 24;
		else if (value == 0x81)
			want = 12;
		/* Requests of XRC have 4 bytes more. */
		if (want && service == SERVICE_XRC && !(number >= 0x0d && number <= 0x12))
			want += XRCETH_LEN;
		CHECK_EQ(op ? op->head_len : 0, want);
	}
	CHECK_EQ(opcode_find(0xb3)->head_len, IBWIRE_HEAD_MAX - LRH_LEN - GRH_LEN);
}

static void psn_wraps(void)
{
	CHECK_EQ(psn_add(0xffffff, 1), 0);
	CHECK_EQ(psn_add(0x800000, 0x800000), 0);
	CHECK_EQ(psn_diff(0, 0xffffff), 1);
	CHECK_EQ(psn_diff(0xffffff, 0), -1);
	CHECK_EQ(psn_diff(0x7fffff, 0), 0x7fffff);
	CHECK_EQ(psn_diff(0x800000, 0), -0x800000);
	CHECK_EQ(psn_diff(5, 5), 0);
	CHECK(psn_before(0xfffffe, 1));
	CHECK(!psn_before(1, 0xfffffe));
	CHECK(!psn_before(7, 7));
}

static void lids(void)
{
	CHECK(!lid_is_unicast(0));
	CHECK(lid_is_unicast(1));
	CHECK(lid_is_unicast(0xbfff));
	CHECK(!lid_is_unicast(0xc000));
	CHECK(!lid_is_multicast(0xbfff));
	CHECK(lid_is_multicast(0xc000));
	CHECK(lid_is_multicast(0xfffe));
	CHECK(!lid_is_multicast(LID_PERMISSIVE) && !lid_is_unicast(LID_PERMISSIVE));
}

static void names_of_faults(void)
{
	for (unsigned int i = 0; i < IBWIRE_FAULT_COUNT; i++) {
		unit_input("%u", i);
		CHECK(ibwire_fault_name(i) && *ibwire_fault_name(i));
		for (unsigned int k = 0; k < i; k++)
			CHECK(strcmp(ibwire_fault_name(i), ibwire_fault_name(k)));
	}
	CHECK(!strcmp(ibwire_fault_name(IBWIRE_FAULT_COUNT), "unknown"));
}

void test_packet(void)
{
	unit_run("packet: vectors, parsed and built", vectors_both_ways);
	unit_run("packet: fields of a datagram with GRH", fields_of_a_datagram);
	unit_run("packet: fields of extended headers", fields_of_extended_headers);
	unit_run("packet: no extended headers", no_extended_headers);
	unit_run("packet: numbers in extended headers", numbers_are_cut);
	unit_run("packet: flags of a BTH", flags_of_bth);
	unit_run("packet: wrong bytes", wrong_bytes);
	unit_run("packet: least length", least_length);
	unit_run("packet: each flipped bit", flipped_bits);
	unit_run("packet: ICRC of IBTA's example", published_icrc);
	unit_run("packet: ICRC of RoCEv2", roce_icrc);
	unit_run("packet: all opcodes", all_opcodes);
	unit_run("packet: PSNs wrap", psn_wraps);
	unit_run("packet: LIDs", lids);
	unit_run("packet: names of faults", names_of_faults);
}
