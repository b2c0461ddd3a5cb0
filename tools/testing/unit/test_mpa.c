// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests that MPA request and reply frames are built and parsed, without reading beyond the frame.
 */

#include <string.h>

#include "iwarp/mpa.h"
#include "unit.h"

#define REQ "4d504120494420526571204672616d65 "
#define REP "4d504120494420526570204672616d65 "

static const u8 pd_abc[] = { 'a', 'b', 'c' };

static const struct frame_vector {
	struct mpa_frame frame;
	const char *hex;
} vectors[] = {
	{ { .kind = MPA_REQUEST, .rev = 1, .ird = 0x3fff, .ord = 0x3fff },
	  REQ "00 01 0000" },
	{ { .kind = MPA_REQUEST, .rev = 1, .crc = true, .ird = 0x3fff, .ord = 0x3fff,
	    .pd = pd_abc, .pd_len = 3 },
	  REQ "40 01 0003 616263" },
	{ { .kind = MPA_REQUEST, .rev = 1, .large_fpdus = true, .ird = 0x3fff, .ord = 0x3fff },
	  REQ "08 01 0000" },
	{ { .kind = MPA_REQUEST, .rev = 1, .markers = true, .ird = 0x3fff, .ord = 0x3fff },
	  REQ "80 01 0000" },
	{ { .kind = MPA_REPLY, .rev = 1, .reject = true, .ird = 0x3fff, .ord = 0x3fff,
	    .pd = pd_abc, .pd_len = 3 },
	  REP "20 01 0003 616263" },
	{ { .kind = MPA_REPLY, .rev = 2, .ird = 0x3fff, .ord = 0x3fff },
	  REP "00 02 0000" },
	{ { .kind = MPA_REQUEST, .rev = 2, .enhanced = true },
	  REQ "10 02 0004 0000 0000" },
	{ { .kind = MPA_REQUEST, .rev = 2, .enhanced = true, .ird = 1, .ord = 0x3fff },
	  REQ "10 02 0004 0001 3fff" },
	{ { .kind = MPA_REQUEST, .rev = 2, .enhanced = true, .ird = 0x3fff, .ord = 1 },
	  REQ "10 02 0004 3fff 0001" },
	{ { .kind = MPA_REQUEST, .rev = 2, .enhanced = true, .peer_to_peer = true },
	  REQ "10 02 0004 8000 0000" },
	{ { .kind = MPA_REQUEST, .rev = 2, .enhanced = true, .rtr = MPA_RTR_SEND },
	  REQ "10 02 0004 4000 0000" },
	{ { .kind = MPA_REQUEST, .rev = 2, .enhanced = true, .rtr = MPA_RTR_WRITE },
	  REQ "10 02 0004 0000 8000" },
	{ { .kind = MPA_REQUEST, .rev = 2, .enhanced = true, .rtr = MPA_RTR_READ },
	  REQ "10 02 0004 0000 4000" },
	{ { .kind = MPA_REPLY, .rev = 2, .enhanced = true, .markers = true, .crc = true,
	    .reject = true, .peer_to_peer = true, .rtr = MPA_RTR_ALL, .ird = 0x1234,
	    .ord = 0x0567, .pd = pd_abc, .pd_len = 3 },
	  REP "f0 02 0007 d234 c567 616263" },
};

static void check_same(const struct mpa_frame *got, const struct mpa_frame *want)
{
	CHECK_EQ(got->kind, want->kind);
	CHECK_EQ(got->rev, want->rev);
	CHECK_EQ(got->markers, want->markers);
	CHECK_EQ(got->crc, want->crc);
	CHECK_EQ(got->large_fpdus, want->large_fpdus);
	CHECK_EQ(got->reject, want->reject);
	CHECK_EQ(got->enhanced, want->enhanced);
	CHECK_EQ(got->peer_to_peer, want->peer_to_peer);
	CHECK_EQ(got->rtr, want->rtr);
	CHECK_EQ(got->ird, want->ird);
	CHECK_EQ(got->ord, want->ord);
	CHECK_EQ(got->pd_len, want->pd_len);
	CHECK_EQ(!got->pd, !want->pd_len);
	if (got->pd && got->pd_len == want->pd_len)
		CHECK(!memcmp(got->pd, want->pd, want->pd_len));
}

static void build_vectors(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct bytes want = bytes_of_hex(vectors[i].hex);
		struct bytes buf = bytes_copy(want.at, want.len);

		unit_input("%s", vectors[i].hex);
		memset(buf.at, 0xee, buf.len);
		CHECK_EQ(mpa_frame_build(buf.at, buf.len, &vectors[i].frame), want.len);
		CHECK_BYTES(buf.at, buf.len, vectors[i].hex);
		for (size_t size = 0; size < want.len; size++) {
			struct bytes small = bytes_copy(want.at, size);

			CHECK_EQ(mpa_frame_build(small.at, size, &vectors[i].frame), -ENOSPC);
		}
	}
}

static void parse_vectors(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		struct bytes in = bytes_of_hex(vectors[i].hex);
		enum mpa_kind kind = vectors[i].frame.kind;
		struct mpa_frame frame;

		unit_input("%s", vectors[i].hex);
		CHECK_FAULT(mpa_frame_parse(in.at, in.len, kind, &frame), IWARP_OK);
		check_same(&frame, &vectors[i].frame);
		for (size_t len = 0; len < in.len; len++) {
			struct bytes cut = bytes_copy(in.at, len);

			CHECK_FAULT(mpa_frame_parse(cut.at, len, kind, &frame), IWARP_TRUNCATED);
		}
	}
}

static void parse_in_two_steps(void)
{
	struct bytes in = bytes_of_hex(REP "f0 02 0007 d234 c567 616263");
	struct bytes hdr = bytes_copy(in.at, MPA_HDR_LEN);
	struct bytes private = bytes_copy(in.at + MPA_HDR_LEN, 7);
	struct mpa_frame frame;
	u16 left;

	CHECK_FAULT(mpa_frame_parse_header(hdr.at, MPA_REPLY, &frame, &left), IWARP_OK);
	CHECK_EQ(left, 7);
	CHECK_EQ(frame.pd_len, 3);
	CHECK(frame.reject && frame.enhanced);
	CHECK_FAULT(mpa_frame_parse_private(private.at, 6, &frame), IWARP_TRUNCATED);
	CHECK_FAULT(mpa_frame_parse_private(private.at, 7, &frame), IWARP_OK);
	CHECK_EQ(frame.ird, 0x1234);
	CHECK_EQ(frame.ord, 0x0567);
	CHECK_BYTES(frame.pd, frame.pd_len, "616263");
}

/* Tries frames with any bit of the key flipped, with the other kind's key, and of any revision. */
static void bad_headers(void)
{
	struct bytes request = bytes_of_hex(REQ "00 01 0000");
	struct bytes reply = bytes_of_hex(REP "00 01 0000");
	struct mpa_frame frame;

	for (size_t bit = 0; bit < MPA_KEY_LEN * 8; bit++) {
		struct bytes in = bytes_copy(request.at, request.len);

		unit_input("bit %zu of the key", bit);
		in.at[bit / 8] ^= 1 << bit % 8;
		CHECK_FAULT(mpa_frame_parse(in.at, in.len, MPA_REQUEST, &frame), IWARP_MPA_KEY);
	}
	unit_input("key of the other kind");
	CHECK_FAULT(mpa_frame_parse(request.at, request.len, MPA_REPLY, &frame), IWARP_MPA_KEY);
	CHECK_FAULT(mpa_frame_parse(reply.at, reply.len, MPA_REQUEST, &frame), IWARP_MPA_KEY);

	reply = bytes_of_hex(REP "e0 00 0000");
	for (unsigned int rev = 0; rev < 256; rev++) {
		bool good = rev == 1 || rev == 2;

		unit_input("revision %u", rev);
		reply.at[17] = rev;
		CHECK_FAULT(mpa_frame_parse(reply.at, reply.len, MPA_REPLY, &frame),
			    good ? IWARP_OK : IWARP_MPA_REV);
		CHECK_EQ(frame.rev, rev);
		CHECK(frame.reject && frame.crc && frame.markers);
	}
}

static void private_lengths(void)
{
	static u8 buf[MPA_HDR_LEN + 0x10000];
	struct bytes hdr = bytes_of_hex(REQ "00 02 0000");
	struct mpa_frame frame;
	u16 left;

	memcpy(buf, hdr.at, hdr.len);
	for (unsigned int enhanced = 0; enhanced < 2; enhanced++) {
		buf[16] = enhanced ? MPA_FLAG_ENHANCED : 0;
		for (unsigned int len = 0; len < 0x10000; len++) {
			bool good = len <= 512 && len >= 4 * enhanced;

			unit_input("%u bytes%s", len, enhanced ? ", enhanced" : "");
			buf[18] = len >> 8;
			buf[19] = len;
			CHECK_FAULT(mpa_frame_parse(buf, sizeof(buf), MPA_REQUEST, &frame),
				    good ? IWARP_OK : IWARP_MPA_PD_LEN);
			if (good)
				CHECK_EQ(frame.pd_len, len - 4 * enhanced);
			mpa_frame_parse_header(buf, MPA_REQUEST, &frame, &left);
			CHECK_EQ(left, good ? len : 0);
		}
	}
}

static void reserved_bits(void)
{
	static const u8 pd[] = { 0x55 };
	static const struct frame_vector cases[] = {
		{ { .kind = MPA_REQUEST, .rev = 1 }, REQ "07 01 0000" },
		/* Large FPDUs have a flag in a request, and another one in a reply. */
		{ { .kind = MPA_REQUEST, .rev = 1, .large_fpdus = true }, REQ "08 01 0000" },
		{ { .kind = MPA_REPLY, .rev = 1 }, REP "0b 01 0000" },
		{ { .kind = MPA_REPLY, .rev = 1, .large_fpdus = true }, REP "04 01 0000" },
		/* Flag R is ignored in a request, and flag S in revision 1. */
		{ { .kind = MPA_REQUEST, .rev = 1 }, REQ "20 01 0000" },
		{ { .kind = MPA_REPLY, .rev = 1, .pd = pd, .pd_len = 1 }, REP "10 01 0001 55" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bytes in = bytes_of_hex(cases[i].hex);
		struct mpa_frame frame, want = cases[i].frame;

		unit_input("%s", cases[i].hex);
		want.ird = MPA_DEPTH_ULP;
		want.ord = MPA_DEPTH_ULP;
		CHECK_FAULT(mpa_frame_parse(in.at, in.len, want.kind, &frame), IWARP_OK);
		check_same(&frame, &want);
	}
}

static void build_refuses(void)
{
	static u8 pd[MPA_PD_MAX + 1], buf[MPA_FRAME_MAX];
	static const struct {
		struct mpa_frame frame;
		int want;
	} cases[] = {
		{ { .rev = 1, .pd = pd, .pd_len = 512 }, 532 },
		{ { .rev = 1, .pd = pd, .pd_len = 513 }, -EMSGSIZE },
		{ { .rev = 2, .enhanced = true, .pd = pd, .pd_len = 508 }, 532 },
		{ { .rev = 2, .enhanced = true, .pd = pd, .pd_len = 509 }, -EMSGSIZE },
		{ { .rev = 2, .enhanced = true, .pd = pd, .pd_len = 0xffff }, -EMSGSIZE },
		{ { .rev = 2, .enhanced = true }, 24 },
		{ { .rev = 0 }, -EINVAL },
		{ { .rev = 3 }, -EINVAL },
		{ { .rev = 0, .enhanced = true }, -EINVAL },
		{ { .rev = 1, .enhanced = true }, -EINVAL },
		{ { .rev = 3, .enhanced = true }, -EINVAL },
		{ { .rev = 2, .enhanced = true, .reject = true }, -EINVAL },
		{ { .rev = 2, .enhanced = true, .ird = 0x4000 }, -EINVAL },
		{ { .rev = 2, .enhanced = true, .ord = 0x4000 }, -EINVAL },
		{ { .rev = 2, .enhanced = true, .rtr = 8 }, -EINVAL },
		{ { .rev = 2, .enhanced = true, .pd_len = 1 }, -EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct mpa_frame frame = cases[i].frame;

		unit_input("row %zu", i);
		frame.kind = MPA_REQUEST;
		CHECK_EQ(mpa_frame_build(buf, sizeof(buf), &frame), cases[i].want);
	}
}

/*
 * Feeds a frame in chunks of @step bytes, and expects that bytes behind the frame are not consumed.
 */
static void collect(const struct frame_vector *v, size_t step)
{
	struct bytes in = bytes_of_hex(v->hex);
	struct mpa_frame frame;
	struct mpa_rx rx;
	size_t pos = 0;
	u8 stream[64];

	unit_input("%s in steps of %zu", v->hex, step);
	memset(stream, 0x5a, sizeof(stream));
	memcpy(stream, in.at, in.len);
	mpa_rx_init(&rx, v->frame.kind);
	while (mpa_rx_want(&rx)) {
		CHECK(mpa_rx_want(&rx) <= in.len - pos);
		CHECK_FAULT(mpa_rx_parse(&rx, &frame), IWARP_TRUNCATED);
		pos += mpa_rx_push(&rx, stream + pos, min_t(size_t, step, sizeof(stream) - pos));
	}
	CHECK_EQ(pos, in.len);
	CHECK_EQ(mpa_rx_push(&rx, stream + pos, sizeof(stream) - pos), 0);
	CHECK_FAULT(mpa_rx_parse(&rx, &frame), IWARP_OK);
	check_same(&frame, &v->frame);
}

static void collect_any_step(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
		for (size_t step = 1; step <= 64; step++)
			collect(&vectors[i], step);
}

static void collect_in_place(void)
{
	struct bytes in = bytes_of_hex(REQ "10 02 0007 0001 0002 616263");
	struct mpa_frame frame;
	struct mpa_rx rx;

	mpa_rx_init(&rx, MPA_REQUEST);
	CHECK_EQ(mpa_rx_want(&rx), 20);
	memcpy(mpa_rx_space(&rx), in.at, 20);
	mpa_rx_add(&rx, 20);
	CHECK_EQ(mpa_rx_want(&rx), 7);
	memcpy(mpa_rx_space(&rx), in.at + 20, 7);
	mpa_rx_add(&rx, 1000);
	CHECK_EQ(rx.have, 27);
	CHECK_EQ(mpa_rx_want(&rx), 0);
	CHECK_FAULT(mpa_rx_parse(&rx, &frame), IWARP_OK);
	CHECK_EQ(frame.ird, 1);
	CHECK_EQ(frame.ord, 2);
}

/*
 * Expects that a faulty header ends the frame, because the length in the header is not reliable,
 * and that the frame with the longest private data is collected.
 */
static void collect_faulty(void)
{
	static const struct {
		const char *hex;
		enum iwarp_fault fault;
		size_t pd_len;
	} cases[] = {
		{ REP "00 01 0010", IWARP_MPA_KEY, 0 },
		{ REQ "00 09 0010", IWARP_MPA_REV, 0 },
		{ REQ "00 01 0201", IWARP_MPA_PD_LEN, 0 },
		{ REQ "10 02 0003", IWARP_MPA_PD_LEN, 0 },
		{ REQ "00 01 0200", IWARP_OK, 512 },
	};
	static const u8 more[600];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bytes in = bytes_of_hex(cases[i].hex);
		struct mpa_frame frame;
		struct mpa_rx rx;

		unit_input("%s", cases[i].hex);
		mpa_rx_init(&rx, MPA_REQUEST);
		for (size_t n = 0; n < in.len; n++)
			CHECK_EQ(mpa_rx_push(&rx, in.at + n, 1), 1);
		CHECK_EQ(mpa_rx_want(&rx), cases[i].pd_len);
		CHECK_EQ(mpa_rx_push(&rx, more, sizeof(more)), cases[i].pd_len);
		CHECK_FAULT(mpa_rx_parse(&rx, &frame), cases[i].fault);
		if (!cases[i].fault)
			CHECK_EQ(frame.pd_len, cases[i].pd_len);
	}
}

void test_mpa(void)
{
	unit_run("mpa: frames built as bytes, every buffer too small", build_vectors);
	unit_run("mpa: frames parsed from bytes, every truncation", parse_vectors);
	unit_run("mpa: header first, private data later", parse_in_two_steps);
	unit_run("mpa: any bit of the key, the other frame's, and every revision", bad_headers);
	unit_run("mpa: every private data length", private_lengths);
	unit_run("mpa: reserved bits are ignored", reserved_bits);
	unit_run("mpa: longest private data, and invalid frames, which are not built",
		 build_refuses);
	unit_run("mpa: collected in any segmentation", collect_any_step);
	unit_run("mpa: collected in place", collect_in_place);
	unit_run("mpa: faulty header ends collecting, largest frame collected", collect_faulty);
}
