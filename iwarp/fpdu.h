/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * FPDU arithmetic: pad, sizes, the CRC's position and byte order, markers.
 *
 * The CRC is CRC32c over length field, ULPDU, pad, every marker within these, and a marker directly
 * ahead of the length field. The kernel computes it by "crc32c(~0, data, len) ^ ~0". The number is
 * sent least significant byte first (the iSCSI convention): the CRC of 32 zero bytes is 0x8a9136aa,
 * sent as aa 36 91 8a. If the connection does not use CRCs, the field is sent as zero.
 */
#ifndef IWARP_FPDU_H
#define IWARP_FPDU_H

#include "fault.h"
#include "wire.h"

/**
 * mpa_pad() - get the number of zero bytes between ULPDU and CRC
 * @ulpdu_len: length of the ULPDU in bytes
 *
 * Return: 0 to 3 bytes.
 */
static inline unsigned int mpa_pad(u32 ulpdu_len)
{
	return -(ulpdu_len + MPA_LEN_LEN) & 3;
}

/**
 * mpa_fpdu_size() - get the size of an FPDU, from length field to CRC, without markers
 * @ulpdu_len: length of the ULPDU in bytes
 *
 * Return: the number of bytes, a multiple of 4.
 */
static inline u32 mpa_fpdu_size(u32 ulpdu_len)
{
	return MPA_LEN_LEN + ulpdu_len + mpa_pad(ulpdu_len) + MPA_CRC_LEN;
}

/**
 * mpa_max_ulpdu() - get the length of the largest ULPDU whose FPDU fits into one TCP segment
 * @mss: effective maximum segment size in bytes; more than 65535 counts as 65535
 * @markers: markers are inserted: leave room for the largest number that a segment can have
 *
 * Return: the number of bytes; 0 if no FPDU fits.
 */
u32 mpa_max_ulpdu(u32 mss, bool markers);

/**
 * mpa_max_payload() - get the largest payload of a DDP segment that fits into one TCP segment
 * @mss: effective maximum segment size in bytes
 * @markers: markers are inserted
 * @tagged: the DDP segment is tagged, and has the shorter header
 *
 * Return: the number of bytes, a multiple of 4; 0 if there is no room for payload.
 */
u32 mpa_max_payload(u32 mss, bool markers, bool tagged);

/**
 * mpa_trailer_build() - write pad and CRC
 * @buf: room for MPA_TRAILER_MAX bytes
 * @ulpdu_len: length of the ULPDU in bytes, which determines the length of the pad
 * @crc: CRC over all bytes of the FPDU before the CRC, including the pad; 0 if CRCs are off
 *
 * Return: number of bytes written, 4 to 7.
 */
size_t mpa_trailer_build(u8 *buf, u32 ulpdu_len, u32 crc);

/**
 * mpa_crc_put() - write a CRC
 * @buf: 4 bytes
 * @crc: crc32c(~0, ...) ^ ~0
 */
void mpa_crc_put(u8 *buf, u32 crc);

/**
 * mpa_crc_get() - read a CRC
 * @buf: 4 bytes
 *
 * Return: the number to compare with crc32c(~0, ...) ^ ~0.
 */
u32 mpa_crc_get(const u8 *buf);

/*
 * Markers. A stream position is a number of bytes, including markers, from the start of the first
 * FPDU in that direction. A marker is at each position that is a multiple of 512, so the
 * stream begins with a marker. The lengths of FPDUs and markers are multiples of 4 bytes, so a
 * marker can be within an FPDU only at a 4-byte boundary.
 */

/**
 * mpa_marker_gap() - get the number of stream bytes until the next marker
 * @pos: stream position
 *
 * Return: 0 if a marker is due at @pos, else 4 to 508 for a position that is a multiple of 4.
 */
u32 mpa_marker_gap(u64 pos);

/**
 * mpa_markers_within() - count the markers in a part of the stream
 * @pos: stream position at which the part begins
 * @stream_len: length of the part in bytes, including markers
 *
 * Return: number of markers that begin in the part.
 */
u32 mpa_markers_within(u64 pos, u32 stream_len);

/**
 * mpa_stream_len() - get the length of data in the stream, with markers inserted
 * @pos: stream position at which the data begins. A marker that is due at @pos is included; a
 *	marker that is due directly after the data is not
 * @len: length of the data in bytes, without markers
 *
 * Return: @len plus 4 bytes for each marker; 0 if @len is 0.
 */
u32 mpa_stream_len(u64 pos, u32 len);

/**
 * mpa_marker_build() - write a marker
 * @buf: 4 bytes
 * @fpdu_offset: number of stream bytes, including earlier markers, from the FPDU's length field to
 *	the marker; 0 for a marker directly ahead of the FPDU
 */
void mpa_marker_build(u8 *buf, u16 fpdu_offset);

/**
 * mpa_markers_insert() - insert the markers into an FPDU
 * @buf: mpa_stream_len(@pos, @len) bytes; the last @len of them are the FPDU
 * @len: length of the FPDU in bytes, including the field of the CRC. The CRC covers the markers, so
 *	the caller computes the CRC afterwards
 * @pos: stream position of @buf
 *
 * Return: number of markers.
 */
u32 mpa_markers_insert(u8 *buf, u32 len, u64 pos);

/**
 * mpa_marker_check() - does a received marker point at the start of its FPDU?
 * @buf: 4 bytes
 * @fpdu_offset: number of stream bytes from the FPDU's length field to the marker
 *
 * Reserved bits and the pointer's two low bits are ignored.
 *
 * Return: IWARP_OK or IWARP_MPA_MARKER.
 */
enum iwarp_fault mpa_marker_check(const u8 *buf, u16 fpdu_offset);

/**
 * mpa_markers_strip() - remove the markers from a received FPDU
 * @fpdu: the whole FPDU, and a marker directly ahead of it if there is one
 * @pos: stream position of @fpdu, a multiple of 4
 * @len: in: length with markers in bytes, as from mpa_stream_len(); out: length without markers
 *
 * Return: IWARP_OK; IWARP_MPA_MARKER if a marker does not point at the FPDU's start, after which
 * the contents of @fpdu are undefined.
 */
enum iwarp_fault mpa_markers_strip(u8 *fpdu, u64 pos, u32 *len);

#endif /* IWARP_FPDU_H */
