// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests Terminate payloads: which headers each fault quotes, and what happens if they are cut off.
 */

#include <string.h>

#include "iwarp/term.h"
#include "unit.h"

#define TAGGED_HEAD	"0013 c1 40 11223344 0102030405060708"
#define SEND_HEAD	"0015 41 43 00000000 00000000 00000009 00000000"
#define READ_HEAD	"002e 41 41 00000000 00000001 00000002 00000000"
#define READ_REQ	"11223344 0102030405060708 00010000 55667788 1112131415161718"

/* Lists what a Terminate quotes: the Read Request for an RDMAP fault, but not for a DDP fault. */
static const struct {
	enum iwarp_fault fault;
	const char *fpdu, *req;
	const char *want;
} built[] = {
	{ IWARP_DDP_STAG, TAGGED_HEAD, NULL, "1100c000" TAGGED_HEAD },
	{ IWARP_DDP_TO_WRAP, TAGGED_HEAD, NULL, "1103c000" TAGGED_HEAD },
	{ IWARP_DDP_MO, SEND_HEAD, NULL, "1204c000" SEND_HEAD },
	{ IWARP_RDMAP_ACCESS, TAGGED_HEAD, NULL, "0102c000" TAGGED_HEAD },
	{ IWARP_RDMAP_CANNOT_INVALIDATE, SEND_HEAD, NULL, "0109c000" SEND_HEAD },
	{ IWARP_RDMAP_OPCODE, SEND_HEAD, READ_REQ, "0206c000" SEND_HEAD },
	{ IWARP_MPA_CRC, SEND_HEAD, NULL, "20020000" },
	{ IWARP_MPA_IRD, NULL, NULL, "20060000" },
	{ IWARP_RDMAP_LOCAL, SEND_HEAD, NULL, "00000000" },
	{ IWARP_DDP_LOCAL, SEND_HEAD, NULL, "10000000" },
	{ IWARP_RDMAP_STAG, NULL, NULL, "01000000" },
	{ IWARP_RDMAP_STAG, READ_HEAD, READ_REQ, "0100e000" READ_HEAD READ_REQ },
	{ IWARP_RDMAP_OPERATION, READ_HEAD, READ_REQ, "02ffe000" READ_HEAD READ_REQ },
	{ IWARP_DDP_NO_BUFFER, READ_HEAD, READ_REQ, "1202c000" READ_HEAD },
	{ IWARP_RDMAP_STAG, READ_HEAD, NULL, "0100c000" READ_HEAD },
	{ IWARP_RDMAP_STAG, READ_HEAD, "1122", "0100c000" READ_HEAD },
	{ IWARP_RDMAP_STAG, TAGGED_HEAD, READ_REQ, "0100c000" TAGGED_HEAD },
	{ IWARP_ULPDU_SHORT, "0011 41 43 00000000 00000000 00000009 00000000", NULL,
	  "02ff8000 0011" },
	{ IWARP_ULPDU_SHORT, "000d c1 40 11223344 0102030405060708", NULL, "02ff8000 000d" },
};

static void build_vectors(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(built); i++) {
		struct bytes head = bytes_of_hex(built[i].fpdu ? built[i].fpdu : "");
		struct bytes read = bytes_of_hex(built[i].req ? built[i].req : "");
		const struct iwarp_bad_segment bad_segment = {
			.fpdu = head.at, .fpdu_len = head.len,
			.read_req = built[i].req ? read.at : NULL, .read_req_len = read.len,
		};
		const struct iwarp_bad_segment *bad = built[i].fpdu ? &bad_segment : NULL;
		struct bytes model = bytes_of_hex(built[i].want);
		struct bytes buf = bytes_copy(model.at, model.len);

		unit_input("%s, row %zu", iwarp_fault_name(built[i].fault), i);
		memset(buf.at, 0xee, buf.len);
		CHECK_EQ(iwarp_term_build(buf.at, buf.len, built[i].fault, bad), buf.len);
		CHECK_BYTES(buf.at, buf.len, built[i].want);
		for (size_t size = 0; size < model.len; size++) {
			struct bytes small = bytes_copy(model.at, size);

			CHECK_EQ(iwarp_term_build(small.at, size, built[i].fault, bad), -ENOSPC);
		}
	}
}

/*
 * Expects that a Terminate about an incomplete bad segment never quotes the segment's header, and
 * quotes the segment's length as soon as both bytes of the length are there.
 */
static void build_partial(void)
{
	struct bytes head = bytes_of_hex(READ_HEAD);

	for (size_t len = 0; len < head.len; len++) {
		struct bytes part = bytes_copy(head.at, len);
		const struct iwarp_bad_segment bad_segment = { .fpdu = part.at, .fpdu_len = len };
		u8 buf[TERM_PAYLOAD_MAX];
		int n = iwarp_term_build(buf, sizeof(buf), IWARP_RDMAP_OPERATION, &bad_segment);

		unit_input("%zu bytes", len);
		if (len < 2)
			CHECK_BYTES(buf, n, "02ff0000");
		else
			CHECK_BYTES(buf, n, "02ff8000 002e");
	}
}

static void every_fault(void)
{
	struct bytes head = bytes_of_hex(READ_HEAD);
	struct bytes req = bytes_of_hex(READ_REQ);
	const struct iwarp_bad_segment bad_segment = { head.at, head.len, req.at, req.len };

	for (unsigned int f = 0; f < IWARP_FAULT_COUNT; f++) {
		struct iwarp_fault_code wire = iwarp_fault_code(f);
		bool quotes = wire.layer < 2 && wire.etype > 0;
		struct iwarp_term term;
		u8 buf[TERM_PAYLOAD_MAX];
		int len = iwarp_term_build(buf, sizeof(buf), f, &bad_segment);

		unit_input("%s", iwarp_fault_name(f));
		CHECK_FAULT(iwarp_term_parse(buf, len, &term), IWARP_OK);
		CHECK_EQ(term.layer, wire.layer);
		CHECK_EQ(term.etype, wire.etype);
		CHECK_EQ(term.code, wire.code);
		CHECK_FAULT(term.fault,
			    iwarp_fault_from_code(wire.layer, wire.etype, wire.code));
		CHECK_EQ(term.seg_len, quotes ? 0x2e : 0);
		CHECK_EQ(term.ddp_len, quotes ? 18 : 0);
		CHECK_EQ(!!term.read_req, quotes && wire.layer == 0);
		if (term.ddp)
			CHECK(!memcmp(term.ddp, head.at + 2, 18));
		if (term.read_req)
			CHECK(!memcmp(term.read_req, req.at, 28));
	}
}

/* Lists payloads with any of M, D and R. STag and TO are those of a tagged segment. */
static const struct {
	const char *hex;
	u16 seg_len;
	u8 ddp_len;
	bool read_req;
	u32 qn, msn;
	u32 stag;
	u64 to;
} parsed[] = {
	{ "12040000", 0, 0, false, 0, 0, 0, 0 },
	{ "12048000 0055", 0x55, 0, false, 0, 0, 0, 0 },
	{ "1204c000" SEND_HEAD, 0x15, 18, false, 0, 9, 0, 0 },
	{ "1104c000" TAGGED_HEAD, 0x13, 14, false, 0, 0, 0x11223344, 0x0102030405060708 },
	{ "1104c000 0013 c140 11223344 8000000000000102", 0x13, 14, false, 0, 0,
	  0x11223344, 0x8000000000000102 },
	{ "1204e000" READ_HEAD READ_REQ, 0x2e, 18, true, 1, 2, 0, 0 },
	{ "12044000 4143000000000000000300000001000000ff", 0, 18, false, 3, 1, 0, 0 },
	{ "12042000" READ_REQ, 0, 0, true, 0, 0, 0, 0 },
	{ "1204a000 0055" READ_REQ, 0x55, 0, true, 0, 0, 0, 0 },
	{ "12046000 414300000000 00000001 ffffffff 000000ff" READ_REQ, 0, 18, true,
	  1, 0xffffffff, 0, 0 },
	{ "12041fff ffff", 0, 0, false, 0, 0, 0, 0 },
};

static void parse_flags(void)
{
	struct bytes unknown = bytes_of_hex("f5aa0000");
	struct iwarp_term term;

	for (size_t i = 0; i < ARRAY_SIZE(parsed); i++) {
		struct bytes in = bytes_of_hex(parsed[i].hex);

		unit_input("%s", parsed[i].hex);
		CHECK_FAULT(iwarp_term_parse(in.at, in.len, &term), IWARP_OK);
		CHECK_EQ(term.code, 4);
		CHECK_EQ(term.seg_len, parsed[i].seg_len);
		CHECK_EQ(term.ddp_len, parsed[i].ddp_len);
		CHECK_EQ(!!term.ddp, !!parsed[i].ddp_len);
		CHECK_EQ(!!term.read_req, parsed[i].read_req);
		CHECK_EQ(term.untagged, parsed[i].ddp_len == 18);
		CHECK_EQ(term.qn, parsed[i].qn);
		CHECK_EQ(term.msn, parsed[i].msn);
		CHECK_EQ(term.stag, parsed[i].stag);
		CHECK_EQ(term.to, parsed[i].to);
	}
	unit_input("f5aa0000, which is not registered");
	CHECK_FAULT(iwarp_term_parse(unknown.at, unknown.len, &term), IWARP_OK);
	CHECK_EQ(term.layer, 15);
	CHECK_EQ(term.etype, 5);
	CHECK_EQ(term.code, 0xaa);
	CHECK_FAULT(term.fault, IWARP_UNKNOWN);
}

/*
 * Tries all eight combinations of the flags M, D and R at every length, and expects no read beyond
 * the end.
 */
static void every_truncation(void)
{
	struct bytes in = bytes_of_hex("1204e000" READ_HEAD READ_REQ);

	for (unsigned int flags = 0; flags < 8; flags++) {
		in.at[2] = flags << 5;
		for (size_t len = 0; len <= in.len; len++) {
			struct bytes cut = bytes_copy(in.at, len);
			struct iwarp_term term;

			unit_input("flags %#x, %zu bytes", flags, len);
			CHECK_FAULT(iwarp_term_parse(cut.at, len, &term),
				    len < 4 ? IWARP_ULPDU_SHORT : IWARP_OK);
			if (len < 4)
				continue;
			if (term.ddp)
				CHECK(term.ddp + term.ddp_len <= cut.at + len);
			if (term.read_req)
				CHECK(term.read_req + 28 <= cut.at + len);
		}
	}
}

void test_term(void)
{
	unit_run("term: built as bytes, every buffer too small", build_vectors);
	unit_run("term: a bad segment that is not whole", build_partial);
	unit_run("term: every fault built and parsed", every_fault);
	unit_run("term: every combination of M, D and R, and an unregistered code", parse_flags);
	unit_run("term: every truncation", every_truncation);
}
