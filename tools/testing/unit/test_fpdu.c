// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests FPDU sizes for every MSS, the place and byte order of the CRC, and markers against a model.
 */

#include <string.h>

#include "crc32c.h"
#include "iwarp/ddp.h"
#include "iwarp/fpdu.h"
#include "unit.h"

static void pads(void)
{
	static const u8 want[] = { 2, 1, 0, 3, 2, 1, 0, 3 };

	for (u32 len = 0; len < ARRAY_SIZE(want); len++)
		CHECK_EQ(mpa_pad(len), want[len]);
	for (u32 len = 0; len <= 0xffff; len++) {
		CHECK(mpa_pad(len) < 4);
		CHECK_EQ(mpa_fpdu_size(len) % 4, 0);
		CHECK_EQ(mpa_fpdu_size(len), 2 + len + mpa_pad(len) + 4);
	}
	CHECK_EQ(mpa_fpdu_size(0xffff), 0x10008);
}

static void known_mss(void)
{
	CHECK_EQ(mpa_max_ulpdu(1460, false), 1454);
	CHECK_EQ(mpa_max_ulpdu(1448, false), 1442);
	CHECK_EQ(mpa_max_ulpdu(8960, false), 8954);
	CHECK_EQ(mpa_max_ulpdu(536, false), 530);
	CHECK_EQ(mpa_max_ulpdu(1460, true), 1442);
	CHECK_EQ(mpa_max_ulpdu(512, true), 502);
	CHECK_EQ(mpa_max_ulpdu(513, true), 498);
	CHECK_EQ(mpa_max_payload(1460, false, true), 1440);
	CHECK_EQ(mpa_max_payload(1460, false, false), 1436);
	CHECK_EQ(mpa_max_payload(24, false, true), 4);
	CHECK_EQ(mpa_max_payload(20, false, true), 0);
	CHECK_EQ(mpa_max_payload(24, false, false), 0);
}

/*
 * Expects that an FPDU fits into a TCP segment and is the longest that does; with markers, that it
 * fits wherever it begins relative to the markers.
 */
static void every_mss(void)
{
	for (u32 mss = 0; mss <= 0x10010; mss++) {
		u32 capped = mss < 0xffff ? mss : 0xffff;
		u32 len = mpa_max_ulpdu(mss, false);

		unit_input("MSS %u", mss);
		CHECK(len <= 0xffff);
		if (!len) {
			CHECK(mss < 8);
			continue;
		}
		CHECK_EQ(mpa_fpdu_size(len), capped & ~3u);
		CHECK(mpa_fpdu_size(len + 1) > capped);
		CHECK_EQ(mpa_max_payload(mss, false, true) % 4, 0);
		CHECK_EQ(mpa_max_payload(mss, false, false) % 4, 0);
	}
	unit_input("MSS %u", 0xffffffff);
	CHECK_EQ(mpa_max_ulpdu(0xffffffff, false), mpa_max_ulpdu(0xffff, false));
	for (u32 mss = 0; mss <= 20000; mss++) {
		u32 len = mpa_max_ulpdu(mss, true);

		unit_input("MSS %u with markers", mss);
		if (!len) {
			CHECK(mss < 12);
			continue;
		}
		CHECK_EQ(mpa_pad(len), 0);
		for (u32 pos = 0; pos < 512; pos += mss < 1600 ? 4 : 508)
			CHECK(mpa_stream_len(pos, mpa_fpdu_size(len)) <= mss);
	}
}

static void crc_vectors(void)
{
	static const struct {
		u8 first;
		int step;	/* from each byte to the next one */
		const char *wire;
	} cases[] = {
		{ 0, 0, "aa36918a" },
		{ 0xff, 0, "43aba862" },
		{ 0, 1, "4e79dd46" },
		{ 31, -1, "5cdb3f11" },
	};
	const u8 *text = (const u8 *)"123456789";
	u8 data[32], wire[4];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		u32 crc;

		for (size_t at = 0; at < sizeof(data); at++)
			data[at] = cases[i].first + (int)at * cases[i].step;
		unit_input("32 bytes from %u, step %d", cases[i].first, cases[i].step);
		crc = crc32c(~0u, data, 32) ^ ~0u;
		mpa_crc_put(wire, crc);
		CHECK_BYTES(wire, 4, cases[i].wire);
		CHECK_EQ(mpa_crc_get(wire), crc);
	}
	unit_input("byte order");
	CHECK_EQ(mpa_crc_get(bytes_of_hex(cases[0].wire).at), 0x8a9136aa);
	for (size_t cut = 0; cut <= 9; cut++) {
		unit_input("123456789 in two pieces, cut at %zu", cut);
		CHECK_EQ(crc32c(crc32c(~0u, text, cut), text + cut, 9 - cut) ^ ~0u, 0xe3069283);
	}
	unit_input("no bytes");
	CHECK_EQ(crc32c(~0u, "", 0) ^ ~0u, 0);
}

#define SEND_HEAD "0015 41 43 00000000 00000000 00000001 00000000"

/* Builds trailers, and a whole FPDU: a Send of three bytes, the pad, and the CRC of all before. */
static void trailers(void)
{
	static const char * const tails[] = {
		"0000 44332211", "00 44332211", "44332211", "000000 44332211",
	};
	struct bytes want = bytes_of_hex(SEND_HEAD " 616263 00 00000000");
	struct bytes buf = bytes_copy(want.at, want.len);
	size_t n = ddp_build_untagged(buf.at, RDMAP_SEND, true, 1, 0, 0, 3);

	memcpy(buf.at + n, "abc", 3);
	n += 3;
	memset(buf.at + n, 0, mpa_pad(21));
	n += mpa_trailer_build(buf.at + n, 21, crc32c(~0u, buf.at, n + mpa_pad(21)) ^ ~0u);
	CHECK_EQ(n, want.len);
	CHECK_EQ(n, mpa_fpdu_size(21));
	CHECK(!memcmp(buf.at, want.at, n - 4));
	/* The CRC32c over any data and its CRC always has this value, the residue. */
	CHECK_EQ(crc32c(~0u, buf.at, n), 0xb798b438);

	for (u32 len = 0; len < 8; len++) {
		struct bytes model = bytes_of_hex(tails[len & 3]);

		unit_input("ULPDU of %u bytes", len);
		buf = bytes_copy(model.at, model.len);
		memset(buf.at, 0xee, buf.len);
		CHECK_EQ(mpa_trailer_build(buf.at, len, 0x11223344), model.len);
		CHECK_BYTES(buf.at, buf.len, tails[len & 3]);
	}
}

/*
 * Builds and checks markers. Then inserts one into an FPDU of 24 bytes at stream position 500: at
 * position 512, behind the first 12 bytes of the FPDU.
 */
static void marker_bytes(void)
{
	const char *hex = "eeeeeeee 0011 4040 00000001 00000000 00000000 616263 00 00000000";
	struct bytes m = bytes_of_hex("ffffffff"), fpdu = bytes_of_hex(hex);

	mpa_marker_build(m.at, 0);
	CHECK_BYTES(m.at, 4, "0000 0000");
	mpa_marker_build(m.at, 0x01fc);
	CHECK_BYTES(m.at, 4, "0000 01fc");
	mpa_marker_build(m.at, 0x01ff);
	CHECK_BYTES(m.at, 4, "0000 01fc");
	CHECK_FAULT(mpa_marker_check(m.at, 0x01fc), IWARP_OK);
	CHECK_FAULT(mpa_marker_check(m.at, 0x0200), IWARP_MPA_MARKER);
	CHECK_FAULT(mpa_marker_check(m.at, 0x81fc), IWARP_MPA_MARKER);
	CHECK_FAULT(mpa_marker_check(m.at, 0), IWARP_MPA_MARKER);
	m = bytes_of_hex("beef 01ff");
	CHECK_FAULT(mpa_marker_check(m.at, 0x01fc), IWARP_OK);
	mpa_marker_build(m.at, 0xfffc);
	CHECK_BYTES(m.at, 4, "0000 fffc");

	CHECK_EQ(mpa_stream_len(500, 24), 28);
	CHECK_EQ(mpa_markers_insert(fpdu.at, 24, 500), 1);
	CHECK_BYTES(fpdu.at, fpdu.len,
		    "0011 4040 00000001 00000000 0000000c 00000000 616263 00 00000000");
}

/*
 * Compares the distance to the next marker, and calculated lengths and numbers of markers, with
 * models. The model of lengths lays out data word by word, with a marker before each word at a
 * marker's position.
 */
static void markers_by_model(void)
{
	for (u64 pos = 0; pos < 3000; pos++) {
		unit_input("distance from %u", (unsigned int)pos);
		CHECK(mpa_marker_gap(pos) < 512);
		CHECK_EQ((pos + mpa_marker_gap(pos)) % 512, 0);
	}
	unit_input("distance past 2^32");
	CHECK_EQ(mpa_marker_gap(0xfffffffffffffffcull), 4);
	CHECK_EQ(mpa_marker_gap(0x100000000ull), 0);
	CHECK_EQ(mpa_marker_gap(0x100000004ull), 508);

	for (u64 start = 0; start < 1024; start += 4) {
		u64 pos = start;

		CHECK_EQ(mpa_stream_len(start, 0), 0);
		for (u32 words = 1; words < 600; words++) {
			if (pos % 512 == 0)
				pos += 4;
			pos += 4;
			unit_input("%u words at %u", words, (unsigned int)start);
			CHECK_EQ(mpa_stream_len(start, words * 4), pos - start);
			CHECK_EQ(mpa_markers_within(start, pos - start) * 4 + words * 4,
				 pos - start);
		}
	}
	unit_input("known numbers of markers");
	CHECK_EQ(mpa_markers_within(0, 0), 0);
	CHECK_EQ(mpa_markers_within(0, 1), 1);
	CHECK_EQ(mpa_markers_within(4, 508), 0);
	CHECK_EQ(mpa_markers_within(4, 509), 1);
	CHECK_EQ(mpa_markers_within(0, 0xffffffff), 0x800000);
}

/*
 * Lays out an FPDU of @words words in @stream as markers_by_model() does. Word i has the value i.
 * Returns the length in bytes, markers included.
 */
static u32 lay_out(u8 *stream, u64 start, u32 words)
{
	u64 pos = start;
	u64 fpdu = start % 512 ? start : start + 4;

	for (u32 i = 0; i < words; i++) {
		if (pos % 512 == 0) {
			mpa_marker_build(stream + (pos - start), pos < fpdu ? 0 : pos - fpdu);
			pos += 4;
		}
		memcpy(stream + (pos - start), &i, 4);
		pos += 4;
	}
	return pos - start;
}

static void markers_taken_out(void)
{
	u8 stream[4096];

	for (u64 start = 0; start < 1024; start += 4) {
		for (u32 words = 1; words < 800; words += 13) {
			u32 len = lay_out(stream, start, words);
			struct bytes fpdu = bytes_copy(stream, len);
			u32 left = len;
			bool right = true;

			unit_input("%u words at %u", words, (unsigned int)start);
			CHECK_FAULT(mpa_markers_strip(fpdu.at, start, &left), IWARP_OK);
			CHECK_EQ(left, words * 4);
			for (u32 i = 0; i < words; i++)
				right &= !memcmp(fpdu.at + i * 4, &i, 4);
			CHECK(right);
		}
	}
}

static void marker_pointing_elsewhere(void)
{
	u8 stream[4096];

	for (u64 start = 0; start < 512; start += 4) {
		u32 len = lay_out(stream, start, 300);

		for (u32 at = mpa_marker_gap(start); at < len; at += 512) {
			struct bytes fpdu = bytes_copy(stream, len);
			u32 left = len;

			unit_input("start %u, marker at %u", (unsigned int)start, at);
			fpdu.at[at + 3] ^= 4;
			CHECK_FAULT(mpa_markers_strip(fpdu.at, start, &left), IWARP_MPA_MARKER);
		}
	}
}

/*
 * Removes the markers from one FPDU at stream position @pos, word by word, and expects that each
 * marker holds the distance to the first word of the FPDU. Returns the length in bytes without
 * markers.
 */
static u32 unmark(const u8 *stream, u32 len, u64 pos, u8 *fpdu)
{
	u32 start = 0, data = 0;

	for (u32 at = 0; at < len; at += 4) {
		if ((pos + at) % 512) {
			if (!data)
				start = at;
			memcpy(fpdu + data, stream + at, 4);
			data += 4;
			continue;
		}
		CHECK_FAULT(mpa_marker_check(stream + at, data ? at - start : 0), IWARP_OK);
	}
	return data;
}

static void insert_once(u64 pos, u32 len)
{
	u32 total = mpa_stream_len(pos, len);
	u8 fpdu[5000], back[5000];
	struct bytes stream;

	unit_input("%u bytes at %llu", len, (unsigned long long)pos);
	for (u32 i = 0; i < len; i++)
		fpdu[i] = i * 7 + (i >> 8);
	memset(back, 0xee, sizeof(back));
	memcpy(back + total - len, fpdu, len);
	stream = bytes_copy(back, total);
	CHECK_EQ(mpa_markers_insert(stream.at, len, pos), (total - len) / 4);
	CHECK_EQ(unmark(stream.at, total, pos, back), len);
	CHECK(!memcmp(back, fpdu, len));
}

/*
 * Inserts markers into single FPDUs, and into a whole stream, whose position advances from FPDU to
 * FPDU. Expects that no FPDU of the stream with its markers is longer than the MSS.
 */
static void markers_inserted(void)
{
	u64 at = 0;

	for (u64 pos = 0; pos < 516; pos += 4)
		for (u32 len = 20; len < 4800; len += pos % 512 ? 244 : 4)
			insert_once(pos, len);
	for (u32 i = 0; i < 3000; i++) {
		u32 mss = 100 + i * 37 % 4000;
		u32 len = mpa_fpdu_size(mpa_max_ulpdu(mss, true) - i % 4);

		insert_once(at, len);
		CHECK(mpa_stream_len(at, len) <= mss);
		at += mpa_stream_len(at, len);
	}
}

void test_fpdu(void)
{
	unit_run("fpdu: pads and sizes", pads);
	unit_run("fpdu: known MSS values", known_mss);
	unit_run("fpdu: largest ULPDU for every MSS, and with markers at every position",
		 every_mss);
	unit_run("fpdu: CRC32c check vectors, byte order, and in pieces", crc_vectors);
	unit_run("fpdu: trailers, and a whole FPDU", trailers);
	unit_run("fpdu: markers as bytes, and one in an FPDU", marker_bytes);
	unit_run("fpdu: markers against a model", markers_by_model);
	unit_run("fpdu: markers removed", markers_taken_out);
	unit_run("fpdu: a marker that points elsewhere", marker_pointing_elsewhere);
	unit_run("fpdu: markers inserted and removed again, no FPDU above its MSS",
		 markers_inserted);
}
