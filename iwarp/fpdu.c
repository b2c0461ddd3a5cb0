// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* FPDU arithmetic: sizes for an MSS, the trailer, markers. */

#include "fpdu.h"

#define MARKER_PTR_LOW	3	/* pointer bits that are always read as zero */
#define DATA_PER_MARKER	(MPA_MARKER_PERIOD - MPA_MARKER_LEN)

u32 mpa_max_ulpdu(u32 mss, bool markers)
{
	u32 overhead = MPA_LEN_LEN + MPA_CRC_LEN;

	mss = min_t(u32, mss, U16_MAX);
	overhead += mss & 3;
	/* The largest number of markers in the segment, wherever in the stream it begins. */
	if (markers)
		overhead += MPA_MARKER_LEN * ((mss + MPA_MARKER_PERIOD - 1) / MPA_MARKER_PERIOD);
	return mss > overhead ? mss - overhead : 0;
}

u32 mpa_max_payload(u32 mss, bool markers, bool tagged)
{
	u32 ulpdu = mpa_max_ulpdu(mss, markers);
	u32 header = tagged ? DDP_TAGGED_LEN : DDP_UNTAGGED_LEN;

	return ulpdu > header ? ulpdu - header : 0;
}

void mpa_crc_put(u8 *buf, u32 crc)
{
	put_unaligned_le32(crc, buf);
}

u32 mpa_crc_get(const u8 *buf)
{
	return get_unaligned_le32(buf);
}

size_t mpa_trailer_build(u8 *buf, u32 ulpdu_len, u32 crc)
{
	unsigned int pad = mpa_pad(ulpdu_len);

	memset(buf, 0, pad);
	mpa_crc_put(buf + pad, crc);
	return pad + MPA_CRC_LEN;
}

u32 mpa_marker_gap(u64 pos)
{
	return -(u32)pos & (MPA_MARKER_PERIOD - 1);
}

u32 mpa_markers_within(u64 pos, u32 stream_len)
{
	u32 gap = mpa_marker_gap(pos);

	if (stream_len <= gap)
		return 0;
	return (stream_len - gap - 1) / MPA_MARKER_PERIOD + 1;
}

u32 mpa_stream_len(u64 pos, u32 len)
{
	u32 gap = mpa_marker_gap(pos);

	if (len <= gap)
		return len;
	return len + MPA_MARKER_LEN * ((len - gap - 1) / DATA_PER_MARKER + 1);
}

void mpa_marker_build(u8 *buf, u16 fpdu_offset)
{
	put_unaligned_be16(0, buf);
	put_unaligned_be16(fpdu_offset & ~MARKER_PTR_LOW, buf + 2);
}

u32 mpa_markers_insert(u8 *buf, u32 len, u64 pos)
{
	u32 start = mpa_marker_gap(pos) ? 0 : MPA_MARKER_LEN;
	u32 from = mpa_stream_len(pos, len) - len;
	u32 done = 0;
	u32 at = 0;
	u32 n;

	/*
	 * Move the FPDU to the start of @buf, piece by piece, with a marker after each piece. The
	 * gap between the moved and the unmoved bytes shrinks by the length of a marker each time.
	 * Once there is no gap, the remaining bytes are in place.
	 */
	while (at < from + done) {
		n = min_t(u32, mpa_marker_gap(pos + at), len - done);
		memmove(buf + at, buf + from + done, n);
		done += n;
		at += n;
		mpa_marker_build(buf + at, at < start ? 0 : at - start);
		at += MPA_MARKER_LEN;
	}
	return from / MPA_MARKER_LEN;
}

enum iwarp_fault mpa_marker_check(const u8 *buf, u16 fpdu_offset)
{
	u16 ptr = get_unaligned_be16(buf + 2);

	return (ptr ^ fpdu_offset) & ~MARKER_PTR_LOW ? IWARP_MPA_MARKER : IWARP_OK;
}

enum iwarp_fault mpa_markers_strip(u8 *fpdu, u64 pos, u32 *len)
{
	u32 gap = mpa_marker_gap(pos);
	u32 start = gap ? 0 : MPA_MARKER_LEN;
	u32 from = 0;
	u32 to = 0;
	u32 at;

	for (at = gap; at + MPA_MARKER_LEN <= *len; at += MPA_MARKER_PERIOD) {
		if (mpa_marker_check(fpdu + at, at < start ? 0 : at - start))
			return IWARP_MPA_MARKER;
		memmove(fpdu + to, fpdu + from, at - from);
		to += at - from;
		from = at + MPA_MARKER_LEN;
	}
	memmove(fpdu + to, fpdu + from, *len - from);
	*len = to + *len - from;
	return IWARP_OK;
}
