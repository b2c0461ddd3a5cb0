/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * FPDU arithmetic: pad, sizes, the CRC's position and byte order, markers.
 *
 * The CRC is CRC32c over length field, ULPDU, pad and every marker within or directly
 * ahead of them. As a number it is the kernel's "crc32c(~0, data, len) ^ ~0", and it
 * is sent least significant byte first (the iSCSI convention): 32 zero bytes give
 * 0x8a9136aa, sent as aa 36 91 8a. Without CRCs the field is present and sent as zero.
 */
#ifndef IWARP_FPDU_H
#define IWARP_FPDU_H

#include "fault.h"
#include "wire.h"

/**
 * mpa_pad() - zero bytes between ULPDU and CRC
 * @ulpdu_len: length of the ULPDU
 *
 * Return: 0 to 3.
 */
static inline unsigned int mpa_pad(u32 ulpdu_len)
{
	return -(ulpdu_len + MPA_LEN_LEN) & 3;
}

/**
 * mpa_fpdu_size() - an FPDU from length field to CRC, without markers
 * @ulpdu_len: length of the ULPDU
 *
 * Return: bytes, a multiple of 4.
 */
static inline u32 mpa_fpdu_size(u32 ulpdu_len)
{
	return MPA_LEN_LEN + ulpdu_len + mpa_pad(ulpdu_len) + MPA_CRC_LEN;
}

/**
 * mpa_max_ulpdu() - largest ULPDU whose FPDU stays within one TCP segment
 * @mss: effective maximum segment size; more than 65535 counts as 65535
 * @markers: markers are inserted: leave room for the largest number that can fall within
 *
 * Return: bytes; 0 if no FPDU fits.
 */
u32 mpa_max_ulpdu(u32 mss, bool markers);

/**
 * mpa_max_payload() - largest payload of one DDP segment within one TCP segment
 * @mss: effective maximum segment size
 * @markers: markers are inserted
 * @tagged: header to leave room for
 *
 * Return: bytes, a multiple of 4; 0 if there is no room for payload.
 */
u32 mpa_max_payload(u32 mss, bool markers, bool tagged);

/**
 * mpa_trailer_build() - write pad and CRC
 * @buf: room for MPA_TRAILER_MAX
 * @ulpdu_len: length of the ULPDU, for the pad
 * @crc: over everything before it, these pad bytes included; 0 when CRCs are off
 *
 * Return: bytes written, 4 to 7.
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
 * Markers. A stream position counts bytes from the first FPDU byte of that direction,
 * markers included. A marker is at each multiple of 512, so that the stream begins with
 * one. FPDUs and markers are multiples of 4 bytes long, so that a marker can interrupt an
 * FPDU only at a 4-byte boundary.
 */

/**
 * mpa_marker_gap() - stream bytes until the next marker
 * @pos: stream position
 *
 * Return: 0 if a marker is due at @pos, else 4 to 508 for a position that is a multiple of 4.
 */
u32 mpa_marker_gap(u64 pos);

/**
 * mpa_markers_within() - markers in a stretch of stream
 * @pos: where it begins
 * @stream_len: its length, markers included
 *
 * Return: number of markers that begin within.
 */
u32 mpa_markers_within(u64 pos, u32 stream_len);

/**
 * mpa_stream_len() - stream bytes that data takes once markers are inserted
 * @pos: where the data begins; a marker due there counts, one due right after the data does not
 * @len: length of the data without markers
 *
 * Return: @len plus 4 for each marker; 0 without data.
 */
u32 mpa_stream_len(u64 pos, u32 len);

/**
 * mpa_marker_build() - write a marker
 * @buf: 4 bytes
 * @fpdu_offset: stream bytes from the FPDU's length field to the marker, earlier markers
 *	included; 0 for the marker ahead of an FPDU
 */
void mpa_marker_build(u8 *buf, u16 fpdu_offset);

/**
 * mpa_markers_insert() - insert the markers into an FPDU
 * @buf: mpa_stream_len(@pos, @len) bytes, of which the last @len are the FPDU
 * @len: length of the FPDU, including its CRC, which is computed after the markers are in
 * @pos: stream position of @buf
 *
 * Return: number of markers.
 */
u32 mpa_markers_insert(u8 *buf, u32 len, u64 pos);

/**
 * mpa_marker_check() - compare a received marker with where the FPDU is known to begin
 * @buf: 4 bytes
 * @fpdu_offset: as for mpa_marker_build()
 *
 * Reserved bits and the pointer's two low bits are ignored.
 *
 * Return: IWARP_OK or IWARP_MPA_MARKER.
 */
enum iwarp_fault mpa_marker_check(const u8 *buf, u16 fpdu_offset);

/**
 * mpa_markers_strip() - remove the markers from a received FPDU
 * @fpdu: all of it, from the marker directly ahead of it if there is one
 * @pos: stream position of @fpdu, a multiple of 4
 * @len: in: stream bytes, as mpa_stream_len() has them; out: bytes that remain
 *
 * Return: IWARP_OK, or IWARP_MPA_MARKER if a marker does not point to the FPDU's start; the
 * contents of @fpdu are then undefined.
 */
enum iwarp_fault mpa_markers_strip(u8 *fpdu, u64 pos, u32 *len);

#endif /* IWARP_FPDU_H */
