/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* DDP segments with their RDMAP control byte: decoding, checking, building. */
#ifndef IWARP_DDP_H
#define IWARP_DDP_H

#include "fault.h"
#include "wire.h"

#define DDP_OP_TAGGED		0x01	/* uses the tagged buffer model */
#define DDP_OP_INVALIDATE	0x02	/* carries an STag to invalidate */
#define DDP_OP_SOLICITED	0x04	/* wakes the receiver */
#define DDP_OP_SINGLE		0x08	/* always one segment: L must be set */

/**
 * struct ddp_op - what an opcode means to DDP
 * @name: for messages
 * @flags: DDP_OP_*
 * @qn: enum ddp_queue, for untagged ones
 * @head_len: bytes from the length field to the payload
 * @payload_min: least payload of a segment
 * @payload_max: most payload of a segment
 */
struct ddp_op {
	const char *name;
	u8 flags;
	u8 qn;
	u8 head_len;
	u16 payload_min;
	u16 payload_max;
};

/**
 * ddp_op() - look up an opcode
 * @opcode: any value
 *
 * Return: its description; NULL for one we do not know.
 */
const struct ddp_op *ddp_op(u8 opcode);

/**
 * struct ddp_segment - the head of a DDP segment, decoded
 * @opcode: enum rdmap_opcode, one that ddp_op() knows
 * @tagged: buffer model; the fields below of the other model are zero
 * @last: L: ends its message
 * @hdr_len: bytes from the length field to the payload, 16 or 20
 * @payload_len: bytes of payload
 * @stag: tagged: data sink
 * @to: tagged: offset in it; @to + @payload_len does not wrap
 * @qn: untagged: queue
 * @msn: untagged: message sequence number
 * @mo: untagged: offset in the message
 * @inv_stag: STag to invalidate; zero unless the opcode has DDP_OP_INVALIDATE
 */
struct ddp_segment {
	u8 opcode;
	bool tagged;
	bool last;
	u8 hdr_len;
	u16 payload_len;
	u32 stag;
	u64 to;
	u32 qn;
	u32 msn;
	u32 mo;
	u32 inv_stag;
};

/**
 * ddp_ulpdu_len() - ULPDU_Length of a decoded segment
 * @seg: the segment
 *
 * Return: bytes, as the FPDU's length field has it.
 */
static inline u32 ddp_ulpdu_len(const struct ddp_segment *seg)
{
	return seg->hdr_len - MPA_LEN_LEN + seg->payload_len;
}

/**
 * ddp_header_len() - how many bytes ddp_segment_parse() needs
 * @fpdu: DDP_CTRL_END bytes: length field and control bytes
 *
 * Return: DDP_TAGGED_HEAD or DDP_UNTAGGED_HEAD, both counted from the length field.
 */
static inline size_t ddp_header_len(const u8 *fpdu)
{
	return fpdu[MPA_LEN_LEN] & DDP_CTRL_TAGGED ? DDP_TAGGED_HEAD : DDP_UNTAGGED_HEAD;
}

/**
 * ddp_length_check() - is ULPDU_Length enough for the header that follows it?
 * @fpdu: DDP_CTRL_END bytes
 *
 * For a receiver that has to know whether to wait for the rest of the header.
 *
 * Return: IWARP_OK or IWARP_ULPDU_SHORT.
 */
enum iwarp_fault ddp_length_check(const u8 *fpdu);

/**
 * ddp_segment_parse() - decode and check the head of a segment
 * @fpdu: from the length field on
 * @have: bytes there
 * @seg: filled on IWARP_OK; undefined otherwise
 *
 * Checks, in this order: header whole, ULPDU_Length, DDP version, queue number, RDMAP
 * version, opcode and whether it belongs to this buffer model and queue, payload length
 * of the opcode, L where a message is one segment, TO wrap. Reserved bits are ignored, as
 * the RFCs demand. The caller checks STags, MSN, MO and memory.
 *
 * Return: IWARP_OK; IWARP_TRUNCATED if @have is less than ddp_header_len();
 * IWARP_ULPDU_SHORT, IWARP_DDP_TAGGED_VERSION, IWARP_DDP_UNTAGGED_VERSION, IWARP_DDP_QN,
 * IWARP_RDMAP_VERSION, IWARP_RDMAP_OPCODE, IWARP_DDP_TOO_LONG, IWARP_DDP_TO_WRAP.
 */
enum iwarp_fault ddp_segment_parse(const u8 *fpdu, size_t have, struct ddp_segment *seg);

/**
 * ddp_build_tagged() - write length field and header of a tagged segment
 * @buf: room for DDP_TAGGED_HEAD
 * @opcode: RDMAP_WRITE or RDMAP_READ_RESPONSE
 * @last: ends the message
 * @stag: data sink
 * @to: offset in it
 * @payload_len: bytes that follow; at most 65535 - DDP_TAGGED_LEN
 *
 * Return: bytes written, DDP_TAGGED_HEAD.
 */
size_t ddp_build_tagged(u8 *buf, u8 opcode, bool last, u32 stag, u64 to, u16 payload_len);

/**
 * ddp_build_untagged() - write length field and header of an untagged segment
 * @buf: room for DDP_UNTAGGED_HEAD
 * @opcode: an untagged one that ddp_op() knows; it determines the queue
 * @last: ends the message
 * @msn: message sequence number
 * @mo: offset of the payload in the message
 * @inv_stag: STag to invalidate; written only if the opcode invalidates
 * @payload_len: bytes that follow; at most 65535 - DDP_UNTAGGED_LEN
 *
 * Return: bytes written, DDP_UNTAGGED_HEAD.
 */
size_t ddp_build_untagged(u8 *buf, u8 opcode, bool last, u32 msn, u32 mo, u32 inv_stag,
			  u16 payload_len);

#endif /* IWARP_DDP_H */
