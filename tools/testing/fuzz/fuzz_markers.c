// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Fuzzes markers: FPDUs of any size at any position of the stream are compared with a model, which
 * inserts markers byte by byte. The input has 2 bytes of MSS, 4 bytes of stream position (in units
 * of 4 bytes), and 3 bytes for each FPDU: 1 byte of kind, and 2 bytes of payload length.
 */

#include "fuzz.h"
#include "iwarp/ddp.h"
#include "iwarp/fpdu.h"

#define STREAM_MAX	(1u << 17)
#define PAYLOAD_MAX	0x1fff

struct stream {
	uint64_t pos;		/* stream position of the first byte at @at */
	size_t len;
	uint8_t at[STREAM_MAX];
};

static void put_byte(struct stream *s, uint8_t byte)
{
	CLAIM(s->len < sizeof(s->at));
	s->at[s->len++] = byte;
}

/*
 * Adds an FPDU byte by byte, with markers as RFC 5044 describes them. Returns the number of
 * markers.
 */
static uint32_t add_byte_by_byte(struct stream *s, const uint8_t *fpdu, size_t len)
{
	uint64_t begin = s->pos + s->len;
	uint32_t markers = 0;

	for (size_t i = 0; i < len; i++) {
		uint64_t now = s->pos + s->len;

		if (now % MPA_MARKER_PERIOD == 0) {
			uint16_t back = i ? now - begin : 0;

			put_byte(s, 0);
			put_byte(s, 0);
			put_byte(s, back >> 8);
			put_byte(s, back);
			begin += i ? 0 : MPA_MARKER_LEN;
			markers++;
		}
		put_byte(s, fpdu[i]);
	}
	return markers;
}

/*
 * Claims that a marker is accepted if it points to the begin of the FPDU, whatever the two lowest
 * bits of the pointer are, and that a marker which points elsewhere is refused.
 */
static void claim_markers(const struct stream *s, size_t from)
{
	uint64_t begin = s->pos + from;

	if (begin % MPA_MARKER_PERIOD == 0)
		begin += MPA_MARKER_LEN;
	for (size_t i = from; i < s->len; i++) {
		uint64_t now = s->pos + i;
		uint16_t back = now > begin ? now - begin : 0;

		if (now % MPA_MARKER_PERIOD)
			continue;
		CLAIM(mpa_marker_gap(now) == 0);
		CLAIM(mpa_marker_check(s->at + i, back) == IWARP_OK);
		CLAIM(mpa_marker_check(s->at + i, back ^ 3) == IWARP_OK);
		CLAIM(mpa_marker_check(s->at + i, back + MPA_MARKER_LEN) == IWARP_MPA_MARKER);
	}
}

/*
 * Claims that stripping the markers gives the original FPDU, and that a marker which points
 * elsewhere is a fault.
 */
static void claim_stripped(const struct stream *s, size_t from, const uint8_t *fpdu, uint32_t len)
{
	uint64_t pos = s->pos + from;
	uint32_t whole = s->len - from, left = whole, gap = mpa_marker_gap(pos);
	uint8_t *copy = exact(s->at + from, whole);

	CLAIM(mpa_markers_strip(copy, pos, &left) == IWARP_OK);
	CLAIM(left == len && !memcmp(copy, fpdu, len));
	free(copy);
	if (gap >= whole)
		return;
	/* Damage the last marker; the markers before it are correct. */
	gap += (whole - gap - 1) / MPA_MARKER_PERIOD * MPA_MARKER_PERIOD;
	copy = exact(s->at + from, whole);
	copy[gap + 3] ^= MPA_MARKER_LEN;
	left = whole;
	CLAIM(mpa_markers_strip(copy, pos, &left) == IWARP_MPA_MARKER);
	free(copy);
}

/*
 * Claims that an FPDU of the maximum size, with its markers, fits into a TCP segment wherever the
 * FPDU begins.
 */
static void claim_fits(uint32_t mss, uint64_t pos)
{
	uint32_t ulpdu = mpa_max_ulpdu(mss, true);
	uint32_t payload = mpa_max_payload(mss, true, true);

	CLAIM(ulpdu <= mpa_max_ulpdu(mss, false));
	CLAIM(!payload || payload + DDP_TAGGED_LEN <= ulpdu);
	CLAIM(payload <= mpa_max_payload(mss, false, true));
	CLAIM(mpa_max_payload(mss, true, false) <= payload);
	if (!ulpdu)
		return;
	CLAIM(mpa_stream_len(pos, mpa_fpdu_size(ulpdu)) <= mss);
	CLAIM(mpa_fpdu_size(mpa_max_ulpdu(mss, false)) <= mss);
}

static size_t build(uint8_t *buf, uint8_t kind, size_t payload_len)
{
	size_t len, ulpdu_len;

	if (kind & 1)
		len = ddp_build_tagged(buf, RDMAP_WRITE, kind & 2, 1, kind, payload_len);
	else
		len = ddp_build_untagged(buf, RDMAP_SEND, kind & 2, 1, kind, 0, payload_len);
	for (size_t i = 0; i < payload_len; i++)
		buf[len++] = kind + i * 7;
	ulpdu_len = len - MPA_LEN_LEN;
	return len + mpa_trailer_build(buf + len, ulpdu_len, 0x11223344);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct stream s;
	struct input in = { data, size };
	uint32_t mss = take(&in, 2);
	uint8_t fpdu[PAYLOAD_MAX + DDP_HEAD_MAX + MPA_TRAILER_MAX];

	/*
	 * The lengths of FPDUs and markers are multiples of four, so every position is one as well.
	 */
	s.pos = (uint64_t)take(&in, 4) << 2;
	s.len = 0;
	claim_fits(mss, s.pos);
	for (int i = 0; in.len && i < 8; i++) {
		uint64_t pos = s.pos + s.len;
		size_t from = s.len;
		uint8_t kind = take(&in, 1);
		size_t len = build(fpdu, kind, take(&in, 2) & PAYLOAD_MAX);
		uint32_t markers = add_byte_by_byte(&s, fpdu, len);
		size_t whole = s.len - from;

		CLAIM(mpa_stream_len(pos, len) == whole);
		CLAIM(mpa_markers_within(pos, whole) == markers);
		claim_markers(&s, from);
		claim_stripped(&s, from, fpdu, len);
	}
	return 0;
}
