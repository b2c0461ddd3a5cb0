// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests DDP segment headers: the bytes of every opcode, and every check at its limit. */

#include <string.h>

#include "iwarp/ddp.h"
#include "iwarp/fpdu.h"
#include "unit.h"

static const struct {
	struct ddp_segment seg;
	const char *hex;
} vectors[] = {
	{ { .opcode = RDMAP_WRITE, .tagged = true, .last = true, .hdr_len = 16,
	    .payload_len = 5, .stag = 0x11223344, .to = 0x0102030405060708 },
	  "0013 c1 40 11223344 0102030405060708" },
	{ { .opcode = RDMAP_WRITE, .tagged = true, .hdr_len = 16, .payload_len = 1440,
	    .stag = 0xffffffff, .to = 0 },
	  "05ae 81 40 ffffffff 0000000000000000" },
	{ { .opcode = RDMAP_READ_RESPONSE, .tagged = true, .last = true, .hdr_len = 16 },
	  "000e c1 42 00000000 0000000000000000" },
	{ { .opcode = RDMAP_READ_REQUEST, .last = true, .hdr_len = 20, .payload_len = 28,
	    .qn = 1, .msn = 1 },
	  "002e 41 41 00000000 00000001 00000001 00000000" },
	{ { .opcode = RDMAP_SEND, .hdr_len = 20, .payload_len = 0xffed, .msn = 0xffffffff,
	    .mo = 0x89abcdef },
	  "ffff 01 43 00000000 00000000 ffffffff 89abcdef" },
	{ { .opcode = RDMAP_SEND, .last = true, .hdr_len = 20, .msn = 1 },
	  "0012 41 43 00000000 00000000 00000001 00000000" },
	{ { .opcode = RDMAP_SEND_INV, .last = true, .hdr_len = 20, .payload_len = 1,
	    .msn = 2, .inv_stag = 0xa1b2c3d4 },
	  "0013 41 44 a1b2c3d4 00000000 00000002 00000000" },
	{ { .opcode = RDMAP_SEND_SE, .last = true, .hdr_len = 20, .msn = 3, .mo = 4 },
	  "0012 41 45 00000000 00000000 00000003 00000004" },
	{ { .opcode = RDMAP_SEND_SE_INV, .last = true, .hdr_len = 20, .msn = 4,
	    .inv_stag = 1 },
	  "0012 41 46 00000001 00000000 00000004 00000000" },
	{ { .opcode = RDMAP_TERMINATE, .last = true, .hdr_len = 20, .payload_len = 4,
	    .qn = 2, .msn = 1 },
	  "0016 41 47 00000000 00000002 00000001 00000000" },
	{ { .opcode = RDMAP_IMMEDIATE, .last = true, .hdr_len = 20, .payload_len = 8,
	    .msn = 5 },
	  "001a 41 48 00000000 00000000 00000005 00000000" },
	{ { .opcode = RDMAP_IMMEDIATE_SE, .last = true, .hdr_len = 20, .payload_len = 8,
	    .msn = 6 },
	  "001a 41 49 00000000 00000000 00000006 00000000" },
	{ { .opcode = RDMAP_ATOMIC_REQUEST, .last = true, .hdr_len = 20, .payload_len = 52,
	    .qn = 1, .msn = 2 },
	  "0046 41 4a 00000000 00000001 00000002 00000000" },
	{ { .opcode = RDMAP_ATOMIC_RESPONSE, .last = true, .hdr_len = 20, .payload_len = 12,
	    .qn = 3, .msn = 1 },
	  "001e 41 4b 00000000 00000003 00000001 00000000" },
};

/* Parses each vector, and what is left of it after every truncation. */
static void parse_vectors(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct ddp_segment *want = &vectors[i].seg;
		struct bytes in = bytes_of_hex(vectors[i].hex);
		struct ddp_segment seg;

		unit_input("%s", vectors[i].hex);
		CHECK_EQ(ddp_header_len(in.at), in.len);
		CHECK_FAULT(ddp_segment_parse(in.at, in.len, &seg), IWARP_OK);
		CHECK_EQ(seg.opcode, want->opcode);
		CHECK_EQ(seg.tagged, want->tagged);
		CHECK_EQ(seg.last, want->last);
		CHECK_EQ(seg.hdr_len, want->hdr_len);
		CHECK_EQ(seg.payload_len, want->payload_len);
		CHECK_EQ(seg.stag, want->stag);
		CHECK_EQ(seg.to, want->to);
		CHECK_EQ(seg.qn, want->qn);
		CHECK_EQ(seg.msn, want->msn);
		CHECK_EQ(seg.mo, want->mo);
		CHECK_EQ(seg.inv_stag, want->inv_stag);
		CHECK_EQ(ddp_ulpdu_len(&seg), in.at[0] << 8 | in.at[1]);
		for (size_t have = 0; have < in.len; have++) {
			struct bytes cut = bytes_copy(in.at, have);

			CHECK_FAULT(ddp_segment_parse(cut.at, have, &seg), IWARP_TRUNCATED);
		}
	}
}

static void build_vectors(void)
{
	u8 plain[DDP_HEAD_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct ddp_segment *s = &vectors[i].seg;
		struct bytes buf = bytes_of_hex(vectors[i].hex);
		size_t len;

		unit_input("%s", vectors[i].hex);
		memset(buf.at, 0xee, buf.len);
		if (s->tagged)
			len = ddp_build_tagged(buf.at, s->opcode, s->last, s->stag, s->to,
					       s->payload_len);
		else
			len = ddp_build_untagged(buf.at, s->opcode, s->last, s->msn, s->mo,
						 s->inv_stag, s->payload_len);
		CHECK_EQ(len, buf.len);
		CHECK_BYTES(buf.at, buf.len, vectors[i].hex);
	}
	unit_input("an STag for an opcode that does not invalidate");
	CHECK_EQ(ddp_build_untagged(plain, RDMAP_SEND_SE, true, 1, 0, 0xdeadbeef, 0), 20);
	CHECK_BYTES(plain, 20, "0012 41 45 00000000 00000000 00000001 00000000");
}

#define UNTAGGED_REST(qn) " 00000000 000000" #qn " 00000001 00000000"
#define TAGGED_REST " 00000001 0000000000000000"

static void every_length(void)
{
	static const struct {
		const char *hex;
		unsigned int least, most;	/* ULPDU_Length */
	} cases[] = {
		{ "0000 c1 40" TAGGED_REST, 14, 0xffff },
		{ "0000 41 43" UNTAGGED_REST(00), 18, 0xffff },
		{ "0000 41 41" UNTAGGED_REST(01), 46, 46 },
		{ "0000 41 47" UNTAGGED_REST(02), 22, 0xffff },
		{ "0000 41 48" UNTAGGED_REST(00), 26, 26 },
		{ "0000 41 49" UNTAGGED_REST(00), 26, 26 },
		{ "0000 41 4a" UNTAGGED_REST(01), 70, 70 },
		{ "0000 41 4b" UNTAGGED_REST(03), 30, 30 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bytes in = bytes_of_hex(cases[i].hex);

		for (unsigned int len = 0; len <= 0xffff; len++) {
			enum iwarp_fault want = IWARP_OK;
			struct ddp_segment seg;

			if (len < cases[i].least)
				want = IWARP_ULPDU_SHORT;
			else if (len > cases[i].most)
				want = IWARP_DDP_TOO_LONG;
			unit_input("%s, length %u", cases[i].hex, len);
			put_unaligned_be16(len, in.at);
			CHECK_FAULT(ddp_segment_parse(in.at, in.len, &seg), want);
			CHECK_FAULT(ddp_length_check(in.at),
				    len < in.len - MPA_LEN_LEN ? IWARP_ULPDU_SHORT : IWARP_OK);
		}
	}
}

static const struct {
	const char *hex;
	enum iwarp_fault fault;
} headers[] = {
	/* versions of DDP, and of RDMAP */
	{ "000e c0 40" TAGGED_REST, IWARP_DDP_TAGGED_VERSION },
	{ "000e c2 40" TAGGED_REST, IWARP_DDP_TAGGED_VERSION },
	{ "000e c3 40" TAGGED_REST, IWARP_DDP_TAGGED_VERSION },
	{ "0012 40 43" UNTAGGED_REST(00), IWARP_DDP_UNTAGGED_VERSION },
	{ "0012 42 43" UNTAGGED_REST(00), IWARP_DDP_UNTAGGED_VERSION },
	{ "0012 43 43" UNTAGGED_REST(00), IWARP_DDP_UNTAGGED_VERSION },
	{ "000e c1 00" TAGGED_REST, IWARP_RDMAP_VERSION },
	{ "000e c1 80" TAGGED_REST, IWARP_RDMAP_VERSION },
	{ "000e c1 c0" TAGGED_REST, IWARP_RDMAP_VERSION },
	{ "0012 41 03" UNTAGGED_REST(00), IWARP_RDMAP_VERSION },
	{ "0012 41 83" UNTAGGED_REST(00), IWARP_RDMAP_VERSION },
	{ "0012 41 c3" UNTAGGED_REST(00), IWARP_RDMAP_VERSION },
	/* messages of one segment, without L */
	{ "002e 01 41" UNTAGGED_REST(01), IWARP_DDP_TOO_LONG },
	{ "0016 01 47" UNTAGGED_REST(02), IWARP_DDP_TOO_LONG },
	{ "001a 01 48" UNTAGGED_REST(00), IWARP_DDP_TOO_LONG },
	{ "001a 01 49" UNTAGGED_REST(00), IWARP_DDP_TOO_LONG },
	{ "0046 01 4a" UNTAGGED_REST(01), IWARP_DDP_TOO_LONG },
	{ "001e 01 4b" UNTAGGED_REST(03), IWARP_DDP_TOO_LONG },
	{ "0016 01 43" UNTAGGED_REST(00), IWARP_OK },
	/* TO up to 2^64, and past it */
	{ "000f c1 40 00000001 ffffffffffffffff", IWARP_OK },
	{ "0010 c1 40 00000001 ffffffffffffffff", IWARP_DDP_TO_WRAP },
	{ "0010 c1 42 00000001 ffffffffffffffff", IWARP_DDP_TO_WRAP },
	{ "000e c1 40 00000001 ffffffffffffffff", IWARP_OK },
	{ "ffff c1 40 00000001 ffffffffffff000f", IWARP_OK },
	{ "ffff c1 40 00000001 ffffffffffff0010", IWARP_DDP_TO_WRAP },
	/* several faults: that of the lower layer is returned */
	{ "0011 40 0f" UNTAGGED_REST(09), IWARP_ULPDU_SHORT },
	{ "0012 40 0f" UNTAGGED_REST(09), IWARP_DDP_UNTAGGED_VERSION },
	{ "0012 41 0f" UNTAGGED_REST(09), IWARP_DDP_QN },
	{ "0012 41 0f" UNTAGGED_REST(00), IWARP_RDMAP_VERSION },
	{ "0012 41 4f" UNTAGGED_REST(00), IWARP_RDMAP_OPCODE },
	{ "0012 01 41" UNTAGGED_REST(01), IWARP_ULPDU_SHORT },
};

static void header_faults(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		struct bytes in = bytes_of_hex(headers[i].hex);
		struct ddp_segment seg;

		unit_input("%s", headers[i].hex);
		CHECK_FAULT(ddp_segment_parse(in.at, in.len, &seg), headers[i].fault);
	}
}

static enum iwarp_fault model_expected(unsigned int opcode, bool tagged, unsigned int qn)
{
	static const u8 queue[] = { 0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 1, 3 };

	if (!tagged && qn > 3)
		return IWARP_DDP_QN;
	if (opcode > 11)
		return IWARP_RDMAP_OPCODE;
	if (tagged != (opcode == RDMAP_WRITE || opcode == RDMAP_READ_RESPONSE))
		return IWARP_RDMAP_OPCODE;
	return tagged || queue[opcode] == qn ? IWARP_OK : IWARP_RDMAP_OPCODE;
}

/*
 * Tries all 16 opcodes as tagged and as untagged segments, with known and unknown queues, and with
 * a valid length.
 */
static void opcode_matrix(void)
{
	static const u8 lens[] = { 46, 46, 46, 46, 46, 46, 46, 46, 26, 26, 70, 30, 46, 46, 46, 46 };
	static const u32 qns[] = { 0, 1, 2, 3, 4, 0x100, 0x01000000, 0xffffffff };
	struct bytes in = bytes_of_hex("0000 41 40" UNTAGGED_REST(00));
	struct ddp_segment seg;

	for (unsigned int i = 0; i < 16 * 2 * 8; i++) {
		unsigned int opcode = i & 15;
		bool tagged = i & 16;
		u32 qn = qns[i / 32];

		in.at[1] = lens[opcode];
		in.at[2] = tagged ? 0xc1 : 0x41;
		in.at[3] = 0x40 | opcode;
		put_unaligned_be32(qn, in.at + 8);
		unit_input("opcode %u, %s, queue %#x", opcode, tagged ? "tagged" : "untagged", qn);
		CHECK_FAULT(ddp_segment_parse(in.at, in.len, &seg),
			    model_expected(opcode, tagged, qn));
	}
}

static void reserved_bits(void)
{
	struct bytes in = bytes_of_hex("0012 7d 73 deadbeef 00000000 00000001 00000000");
	struct ddp_segment seg;

	CHECK_FAULT(ddp_segment_parse(in.at, in.len, &seg), IWARP_OK);
	CHECK_EQ(seg.opcode, RDMAP_SEND);
	CHECK_EQ(seg.inv_stag, 0);
	in = bytes_of_hex("000e bd 70 00000001 0000000000000000");
	CHECK_FAULT(ddp_segment_parse(in.at, in.len, &seg), IWARP_OK);
	CHECK(!seg.last);
}

static void descriptors(void)
{
	for (unsigned int opcode = 0; opcode < 256; opcode++) {
		const struct ddp_op *op = ddp_op(opcode);

		unit_input("opcode %u", opcode);
		CHECK_EQ(!op, opcode > 11);
		if (!op)
			continue;
		CHECK(op->name && *op->name);
		CHECK_EQ(op->head_len, op->flags & DDP_OP_TAGGED ? 16 : 20);
		CHECK(op->payload_min <= op->payload_max);
		CHECK(op->head_len - 2 + op->payload_max <= 0xffff);
	}
	unit_input("flags");
	CHECK_EQ(ddp_op(RDMAP_SEND_INV)->flags, DDP_OP_INVALIDATE);
	CHECK_EQ(ddp_op(RDMAP_SEND_SE)->flags, DDP_OP_SOLICITED);
	CHECK_EQ(ddp_op(RDMAP_IMMEDIATE)->flags, DDP_OP_SINGLE);
	CHECK_EQ(ddp_op(RDMAP_IMMEDIATE_SE)->flags, DDP_OP_SINGLE | DDP_OP_SOLICITED);
	CHECK_EQ(ddp_op(RDMAP_SEND_SE_INV)->flags, DDP_OP_SOLICITED | DDP_OP_INVALIDATE);
}

void test_ddp(void)
{
	unit_run("ddp: every opcode parsed from bytes, every truncation", parse_vectors);
	unit_run("ddp: every opcode built as bytes", build_vectors);
	unit_run("ddp: every ULPDU_Length of opcodes that have a limit", every_length);
	unit_run("ddp: versions, L, and TO at its limit; the lower layer's fault first",
		 header_faults);
	unit_run("ddp: opcodes, buffer models and queues", opcode_matrix);
	unit_run("ddp: reserved bits are ignored", reserved_bits);
	unit_run("ddp: descriptors are sound", descriptors);
}
