// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests the checks of datagrams that come to a port: each of them at its limit, with right CRCs. */

#include "ibwire/datagram.h"
#include "ibwire/mad.h"
#include "unit.h"

static const struct datagram_limits limits = { .num_vls = 4, .mtu = 512 };

/* Offsets in a packet without a GRH. */
#define AT_VL		0
#define AT_LNH		1
#define AT_DLID		2
#define AT_SLID		6
#define AT_OPCODE	8
#define AT_PKEY		10
#define AT_DQPN		13
#define AT_SQPN		25
#define AT_MAD		28

enum base {
	SMP,
	UNICAST,
	GLOBAL,
	GROUP,
};

static const struct ibwire_packet bases[] = {
	[SMP] = {
		.lrh = { .vl = VL_MANAGEMENT, .next = LNH_LOCAL, .dlid = LID_PERMISSIVE,
			 .slid = LID_PERMISSIVE },
		.bth = { .opcode = 0x64, .pkey = 0xffff },
		.payload_len = MAD_LEN,
	},
	[UNICAST] = {
		.lrh = { .vl = 3, .next = LNH_LOCAL, .dlid = 0xbfff, .slid = 1 },
		.bth = { .opcode = 0x64, .pkey = 0x8001, .dqpn = 0x12 },
		.ext = { .sqpn = 0x34 },
		.payload_len = 509,
	},
	[GLOBAL] = {
		.lrh = { .next = LNH_GLOBAL, .dlid = 2, .slid = 0xbfff },
		.grh = { .dgid = { 0xfe, 0x80 } },
		.bth = { .opcode = 0x65, .pkey = 0x7fff, .dqpn = 1 },
		.ext = { .sqpn = 1 },
		.payload_len = 0,
	},
	[GROUP] = {
		.lrh = { .next = LNH_GLOBAL, .dlid = 0xc000, .slid = 7 },
		.grh = { .dgid = { 0xff, 0x12 } },
		.bth = { .opcode = 0x64, .pkey = 0xffff, .dqpn = QPN_MULTICAST },
		.ext = { .sqpn = 0x48 },
		.payload_len = 512,
	},
};

/* Returns the bytes of a packet, with right CRCs. */
static struct bytes build(struct ibwire_packet packet)
{
	u8 buf[IBWIRE_HEAD_MAX + 600 + ICRC_LEN + VCRC_LEN] = { 0 };
	u8 *mad = buf + AT_MAD;
	size_t len;

	packet.op = opcode_find(packet.bth.opcode);
	len = ibwire_packet_head_build(buf, &packet);
	if (packet.lrh.vl == VL_MANAGEMENT && packet.payload_len >= 2) {
		mad[0] = MAD_BASE_VERSION;
		mad[1] = MAD_CLASS_SMP_DIRECTED;
	}
	ibwire_packet_tail_build(buf, &packet);
	return bytes_copy(buf, len);
}

/* Calculates the CRCs again, after bytes were changed. */
static void seal(struct bytes in)
{
	struct ibwire_packet packet;

	if (!ibwire_packet_parse(in.at, in.len, &packet))
		ibwire_packet_tail_build(in.at, &packet);
}

static void good_packets(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		struct bytes in = build(bases[i]);
		struct ibwire_packet packet;

		unit_input("base %zu", i);
		CHECK_EQ(datagram_parse(in.at, in.len, &limits, &packet), IBWIRE_OK);
		CHECK_EQ(packet.lrh.dlid, bases[i].lrh.dlid);
		CHECK_EQ(packet.ext.sqpn, bases[i].ext.sqpn);
		CHECK_EQ(packet.payload_len, bases[i].payload_len);
	}
}

/* Changes two bytes of a packet without a GRH, and expects the fault. */
static void wrong_bytes(void)
{
	static const struct {
		enum base base;
		size_t offset;
		u16 value;
		enum ibwire_fault fault;
	} rows[] = {
		{ SMP, AT_DLID, 1, IBWIRE_OK },
		{ SMP, AT_DLID, 0xbfff, IBWIRE_OK },
		{ SMP, AT_DLID, 0xc000, IBWIRE_DLID },
		{ SMP, AT_DLID, 0xfffe, IBWIRE_DLID },
		{ SMP, AT_DLID, 0, IBWIRE_DLID },
		{ SMP, AT_SLID, 0xbfff, IBWIRE_OK },
		{ SMP, AT_SLID, 0xc000, IBWIRE_SLID },
		{ SMP, AT_SLID, 0xfffe, IBWIRE_SLID },
		{ SMP, AT_SLID, 0, IBWIRE_SLID },
		{ SMP, AT_PKEY, 0, IBWIRE_OK },
		{ SMP, AT_DQPN + 1, 1, IBWIRE_QP },
		{ SMP, AT_SQPN + 1, 1, IBWIRE_QP },
		{ SMP, AT_VL, 0x0002, IBWIRE_DLID },	/* permissive, on VL 0 */
		{ SMP, AT_OPCODE, 0x6500, IBWIRE_OPCODE },
		{ SMP, AT_MAD, 0x0281, IBWIRE_MAD_VERSION },
		{ SMP, AT_MAD, 0x0101, IBWIRE_OK },
		{ SMP, AT_MAD, 0x0103, IBWIRE_MAD_CLASS },
		{ UNICAST, AT_VL, 0x0002, IBWIRE_OK },
		{ UNICAST, AT_VL, 0x4002, IBWIRE_VL },
		{ UNICAST, AT_VL, 0xe002, IBWIRE_VL },
		{ UNICAST, AT_VL, 0xf002, IBWIRE_QP },
		{ UNICAST, AT_DLID, 0xc000, IBWIRE_QP },
		{ UNICAST, AT_DLID, 0xffff, IBWIRE_DLID },
		{ UNICAST, AT_SLID, 0xffff, IBWIRE_SLID },
		{ UNICAST, AT_SLID, 0, IBWIRE_SLID },
		{ UNICAST, AT_DQPN + 1, 0, IBWIRE_QP },
		{ UNICAST, AT_SQPN + 1, 0, IBWIRE_QP },
		{ UNICAST, AT_PKEY, 0x8000, IBWIRE_PKEY },
		{ UNICAST, AT_PKEY, 0, IBWIRE_PKEY },
		{ UNICAST, AT_PKEY, 1, IBWIRE_OK },
		{ UNICAST, AT_OPCODE, 0x0430, IBWIRE_OPCODE },	/* RC */
		{ UNICAST, AT_OPCODE, 0x6530, IBWIRE_OK },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bytes in = build(bases[rows[i].base]);
		struct ibwire_packet packet;

		unit_input("row %zu", i);
		put_unaligned_be16(rows[i].value, in.at + rows[i].offset);
		seal(in);
		CHECK_EQ(datagram_parse(in.at, in.len, &limits, &packet), rows[i].fault);
	}
}

/* Returns what is wrong with a packet whose CRCs are right. */
static enum ibwire_fault fault_of(const struct ibwire_packet *packet)
{
	struct bytes in = build(*packet);
	struct ibwire_packet out;

	return datagram_parse(in.at, in.len, &limits, &out);
}

static void global_smp(void)
{
	struct ibwire_packet packet = bases[SMP];

	packet.lrh.next = LNH_GLOBAL;
	CHECK_EQ(fault_of(&packet), IBWIRE_GRH);
}

static void length_of_an_smp(void)
{
	struct ibwire_packet packet = bases[SMP];

	for (packet.payload_len = MAD_LEN - 4; packet.payload_len <= MAD_LEN + 4;
	     packet.payload_len++) {
		unit_input("%u bytes", packet.payload_len);
		CHECK_EQ(fault_of(&packet),
			 packet.payload_len == MAD_LEN ? IBWIRE_OK : IBWIRE_PAYLOAD);
	}
}

static void length_of_data(void)
{
	struct ibwire_packet packet = bases[UNICAST];

	packet.payload_len = limits.mtu;
	CHECK_EQ(fault_of(&packet), IBWIRE_OK);
	packet.payload_len = limits.mtu + 1;
	CHECK_EQ(fault_of(&packet), IBWIRE_MTU);
	packet.payload_len = 0;
	CHECK_EQ(fault_of(&packet), IBWIRE_OK);
}

/* A group has a LID, a GID and a QP: all three or none. */
static void groups(void)
{
	for (int bits = 0; bits < 8; bits++) {
		bool lid = bits & 1, gid = bits & 2, qp = bits & 4;
		struct ibwire_packet packet = bases[GLOBAL];
		enum ibwire_fault want = IBWIRE_OK;

		if (lid != qp)
			want = IBWIRE_QP;
		else if (lid != gid)
			want = IBWIRE_GRH;
		packet.lrh.dlid = lid ? 0xfffe : 0xbfff;
		packet.grh.dgid[0] = gid ? 0xff : 0xfe;
		packet.bth.dqpn = qp ? QPN_MULTICAST : QPN_MULTICAST - 1;
		unit_input("LID %d, GID %d, QP %d", lid, gid, qp);
		CHECK_EQ(fault_of(&packet), want);
	}
}

static void group_without_grh(void)
{
	struct ibwire_packet packet = bases[GROUP];

	packet.lrh.next = LNH_LOCAL;
	CHECK_EQ(fault_of(&packet), IBWIRE_GRH);
}

/* Each bit of each packet that is changed gives a fault, because a CRC covers it. */
static void flipped_bits(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		struct bytes in = build(bases[i]);
		struct ibwire_packet packet;

		for (size_t bit = 0; bit < 8 * in.len; bit++) {
			unit_input("base %zu, bit %zu", i, bit);
			in.at[bit / 8] ^= 1 << bit % 8;
			CHECK(datagram_parse(in.at, in.len, &limits, &packet) != IBWIRE_OK);
			in.at[bit / 8] ^= 1 << bit % 8;
		}
	}
}

static void truncations(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		struct bytes in = build(bases[i]);
		struct ibwire_packet packet;

		for (size_t len = 0; len < in.len; len++) {
			struct bytes cut = bytes_copy(in.at, len);

			unit_input("base %zu, %zu bytes", i, len);
			CHECK_EQ(datagram_parse(cut.at, len, &limits, &packet),
				 len < LRH_LEN ? IBWIRE_TRUNCATED : IBWIRE_LENGTH);
		}
	}
}

void test_datagram(void)
{
	unit_run("datagram: good packets", good_packets);
	unit_run("datagram: wrong bytes", wrong_bytes);
	unit_run("datagram: an SMP with a GRH", global_smp);
	unit_run("datagram: length of an SMP", length_of_an_smp);
	unit_run("datagram: length of data", length_of_data);
	unit_run("datagram: multicast groups", groups);
	unit_run("datagram: a group without a GRH", group_without_grh);
	unit_run("datagram: flipped bits", flipped_bits);
	unit_run("datagram: truncations", truncations);
}
