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

static void check_same(const struct ddp_segment *got, const struct ddp_segment *want)
{
	CHECK_EQ(got->opcode, want->opcode);
	CHECK_EQ(got->tagged, want->tagged);
	CHECK_EQ(got->last, want->last);
	CHECK_EQ(got->hdr_len, want->hdr_len);
	CHECK_EQ(got->payload_len, want->payload_len);
	CHECK_EQ(got->stag, want->stag);
	CHECK_EQ(got->to, want->to);
	CHECK_EQ(got->qn, want->qn);
	CHECK_EQ(got->msn, want->msn);
	CHECK_EQ(got->mo, want->mo);
	CHECK_EQ(got->inv_stag, want->inv_stag);
}

static void parse_vectors(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct bytes in = bytes_of_hex(vectors[i].hex);
		struct ddp_segment seg;

		CHECK_EQ(ddp_header_len(in.at), in.len);
		CHECK_FAULT(ddp_segment_parse(in.at, in.len, &seg), IWARP_OK);
		check_same(&seg, &vectors[i].seg);
		CHECK_EQ(ddp_ulpdu_len(&seg), in.at[0] << 8 | in.at[1]);
	}
}

static void build_vectors(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct ddp_segment *s = &vectors[i].seg;
		struct bytes buf = bytes_of_hex(vectors[i].hex);
		size_t len;

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
}

static void build_drops_inv_stag(void)
{
	u8 buf[DDP_HEAD_MAX];

	CHECK_EQ(ddp_build_untagged(buf, RDMAP_SEND_SE, true, 1, 0, 0xdeadbeef, 0), 20);
	CHECK_BYTES(buf, 20, "0012 41 45 00000000 00000000 00000001 00000000");
}

static void every_truncation(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct bytes in = bytes_of_hex(vectors[i].hex);

		for (size_t have = 0; have < in.len; have++) {
			struct bytes cut = bytes_copy(in.at, have);
			struct ddp_segment seg;

			CHECK_FAULT(ddp_segment_parse(cut.at, have, &seg), IWARP_TRUNCATED);
		}
	}
}

static enum iwarp_fault parse_hex(const char *hex)
{
	struct bytes in = bytes_of_hex(hex);
	struct ddp_segment seg;

	return ddp_segment_parse(in.at, in.len, &seg);
}

#define UNTAGGED_REST(qn) " 00000000 000000" #qn " 00000001 00000000"
#define TAGGED_REST " 00000001 0000000000000000"

static void short_lengths(void)
{
	struct bytes tagged = bytes_of_hex("0000 c1 40" TAGGED_REST);
	struct bytes send = bytes_of_hex("0000 41 43" UNTAGGED_REST(00));
	struct bytes read = bytes_of_hex("0000 41 41" UNTAGGED_REST(01));
	struct bytes term = bytes_of_hex("0000 41 47" UNTAGGED_REST(02));
	struct ddp_segment seg;

	for (unsigned int len = 0; len < 60; len++) {
		tagged.at[1] = len;
		send.at[1] = len;
		read.at[1] = len;
		term.at[1] = len;
		CHECK_FAULT(ddp_segment_parse(tagged.at, 16, &seg),
			    len < 14 ? IWARP_ULPDU_SHORT : IWARP_OK);
		CHECK_FAULT(ddp_segment_parse(send.at, 20, &seg),
			    len < 18 ? IWARP_ULPDU_SHORT : IWARP_OK);
		CHECK_FAULT(ddp_segment_parse(read.at, 20, &seg),
			    len < 46 ? IWARP_ULPDU_SHORT :
			    len > 46 ? IWARP_DDP_TOO_LONG : IWARP_OK);
		CHECK_FAULT(ddp_segment_parse(term.at, 20, &seg),
			    len < 22 ? IWARP_ULPDU_SHORT : IWARP_OK);
		CHECK_FAULT(ddp_length_check(tagged.at),
			    len < 14 ? IWARP_ULPDU_SHORT : IWARP_OK);
		CHECK_FAULT(ddp_length_check(send.at),
			    len < 18 ? IWARP_ULPDU_SHORT : IWARP_OK);
	}
	CHECK_FAULT(parse_hex("ffff 41 41" UNTAGGED_REST(01)), IWARP_DDP_TOO_LONG);
	CHECK_FAULT(parse_hex("0019 41 48" UNTAGGED_REST(00)), IWARP_ULPDU_SHORT);
	CHECK_FAULT(parse_hex("001b 41 48" UNTAGGED_REST(00)), IWARP_DDP_TOO_LONG);
	CHECK_FAULT(parse_hex("0019 41 49" UNTAGGED_REST(00)), IWARP_ULPDU_SHORT);
	CHECK_FAULT(parse_hex("001b 41 49" UNTAGGED_REST(00)), IWARP_DDP_TOO_LONG);
	CHECK_FAULT(parse_hex("0045 41 4a" UNTAGGED_REST(01)), IWARP_ULPDU_SHORT);
	CHECK_FAULT(parse_hex("0047 41 4a" UNTAGGED_REST(01)), IWARP_DDP_TOO_LONG);
	CHECK_FAULT(parse_hex("001d 41 4b" UNTAGGED_REST(03)), IWARP_ULPDU_SHORT);
	CHECK_FAULT(parse_hex("001f 41 4b" UNTAGGED_REST(03)), IWARP_DDP_TOO_LONG);
	CHECK_FAULT(parse_hex("ffff 41 47" UNTAGGED_REST(02)), IWARP_OK);
}

static void ddp_versions(void)
{
	CHECK_FAULT(parse_hex("000e c0 40" TAGGED_REST), IWARP_DDP_TAGGED_VERSION);
	CHECK_FAULT(parse_hex("000e c2 40" TAGGED_REST), IWARP_DDP_TAGGED_VERSION);
	CHECK_FAULT(parse_hex("000e c3 40" TAGGED_REST), IWARP_DDP_TAGGED_VERSION);
	CHECK_FAULT(parse_hex("0012 40 43" UNTAGGED_REST(00)), IWARP_DDP_UNTAGGED_VERSION);
	CHECK_FAULT(parse_hex("0012 42 43" UNTAGGED_REST(00)), IWARP_DDP_UNTAGGED_VERSION);
	CHECK_FAULT(parse_hex("0012 43 43" UNTAGGED_REST(00)), IWARP_DDP_UNTAGGED_VERSION);
}

static void rdmap_versions(void)
{
	CHECK_FAULT(parse_hex("000e c1 00" TAGGED_REST), IWARP_RDMAP_VERSION);
	CHECK_FAULT(parse_hex("000e c1 80" TAGGED_REST), IWARP_RDMAP_VERSION);
	CHECK_FAULT(parse_hex("000e c1 c0" TAGGED_REST), IWARP_RDMAP_VERSION);
	CHECK_FAULT(parse_hex("0012 41 03" UNTAGGED_REST(00)), IWARP_RDMAP_VERSION);
	CHECK_FAULT(parse_hex("0012 41 83" UNTAGGED_REST(00)), IWARP_RDMAP_VERSION);
	CHECK_FAULT(parse_hex("0012 41 c3" UNTAGGED_REST(00)), IWARP_RDMAP_VERSION);
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
		CHECK_FAULT(ddp_segment_parse(in.at, in.len, &seg),
			    model_expected(opcode, tagged, qn));
	}
}

static void last_of_single(void)
{
	CHECK_FAULT(parse_hex("002e 01 41" UNTAGGED_REST(01)), IWARP_DDP_TOO_LONG);
	CHECK_FAULT(parse_hex("0016 01 47" UNTAGGED_REST(02)), IWARP_DDP_TOO_LONG);
	CHECK_FAULT(parse_hex("001a 01 48" UNTAGGED_REST(00)), IWARP_DDP_TOO_LONG);
	CHECK_FAULT(parse_hex("001a 01 49" UNTAGGED_REST(00)), IWARP_DDP_TOO_LONG);
	CHECK_FAULT(parse_hex("0046 01 4a" UNTAGGED_REST(01)), IWARP_DDP_TOO_LONG);
	CHECK_FAULT(parse_hex("001e 01 4b" UNTAGGED_REST(03)), IWARP_DDP_TOO_LONG);
	CHECK_FAULT(parse_hex("0016 01 43" UNTAGGED_REST(00)), IWARP_OK);
}

static void offset_wrap(void)
{
	CHECK_FAULT(parse_hex("000f c1 40 00000001 ffffffffffffffff"), IWARP_OK);
	CHECK_FAULT(parse_hex("0010 c1 40 00000001 ffffffffffffffff"), IWARP_DDP_TO_WRAP);
	CHECK_FAULT(parse_hex("0010 c1 42 00000001 ffffffffffffffff"), IWARP_DDP_TO_WRAP);
	CHECK_FAULT(parse_hex("000e c1 40 00000001 ffffffffffffffff"), IWARP_OK);
	CHECK_FAULT(parse_hex("ffff c1 40 00000001 ffffffffffff000f"), IWARP_OK);
	CHECK_FAULT(parse_hex("ffff c1 40 00000001 ffffffffffff0010"), IWARP_DDP_TO_WRAP);
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

/* Expects the fault of the lower layer if a segment has several faults. */
static void order_of_checks(void)
{
	CHECK_FAULT(parse_hex("0011 40 0f" UNTAGGED_REST(09)), IWARP_ULPDU_SHORT);
	CHECK_FAULT(parse_hex("0012 40 0f" UNTAGGED_REST(09)), IWARP_DDP_UNTAGGED_VERSION);
	CHECK_FAULT(parse_hex("0012 41 0f" UNTAGGED_REST(09)), IWARP_DDP_QN);
	CHECK_FAULT(parse_hex("0012 41 0f" UNTAGGED_REST(00)), IWARP_RDMAP_VERSION);
	CHECK_FAULT(parse_hex("0012 41 4f" UNTAGGED_REST(00)), IWARP_RDMAP_OPCODE);
	CHECK_FAULT(parse_hex("0012 01 41" UNTAGGED_REST(01)), IWARP_ULPDU_SHORT);
}

static void descriptors(void)
{
	for (unsigned int opcode = 0; opcode < 256; opcode++) {
		const struct ddp_op *op = ddp_op(opcode);

		CHECK_EQ(!op, opcode > 11);
		if (!op)
			continue;
		CHECK(op->name && *op->name);
		CHECK_EQ(op->head_len, op->flags & DDP_OP_TAGGED ? 16 : 20);
		CHECK(op->payload_min <= op->payload_max);
		CHECK(op->head_len - 2 + op->payload_max <= 0xffff);
	}
	CHECK_EQ(ddp_op(RDMAP_SEND_INV)->flags, DDP_OP_INVALIDATE);
	CHECK_EQ(ddp_op(RDMAP_SEND_SE)->flags, DDP_OP_SOLICITED);
	CHECK_EQ(ddp_op(RDMAP_IMMEDIATE)->flags, DDP_OP_SINGLE);
	CHECK_EQ(ddp_op(RDMAP_IMMEDIATE_SE)->flags, DDP_OP_SINGLE | DDP_OP_SOLICITED);
	CHECK_EQ(ddp_op(RDMAP_SEND_SE_INV)->flags, DDP_OP_SOLICITED | DDP_OP_INVALIDATE);
}

void test_ddp(void)
{
	unit_run("ddp: every opcode parsed from bytes", parse_vectors);
	unit_run("ddp: every opcode built as bytes", build_vectors);
	unit_run("ddp: no STag in opcodes that do not invalidate", build_drops_inv_stag);
	unit_run("ddp: every truncation", every_truncation);
	unit_run("ddp: ULPDU_Length at the limit of each opcode", short_lengths);
	unit_run("ddp: DDP versions", ddp_versions);
	unit_run("ddp: RDMAP versions", rdmap_versions);
	unit_run("ddp: opcodes, buffer models and queues", opcode_matrix);
	unit_run("ddp: L of single-segment messages", last_of_single);
	unit_run("ddp: TO wraps past 2^64 only", offset_wrap);
	unit_run("ddp: reserved bits are ignored", reserved_bits);
	unit_run("ddp: the lower layer's fault comes first", order_of_checks);
	unit_run("ddp: descriptors are sound", descriptors);
}
