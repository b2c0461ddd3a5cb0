/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Builds, decodes and checks the heads of DDP segments, and the order of segments in a queue. */
#ifndef IWARP_DDP_H
#define IWARP_DDP_H

#include "fault.h"
#include "wire.h"

#define DDP_OP_TAGGED		0x01	/* uses the tagged buffer model */
#define DDP_OP_INVALIDATE	0x02	/* carries an STag to invalidate */
#define DDP_OP_SOLICITED	0x04	/* wakes the receiver */
#define DDP_OP_SINGLE		0x08	/* always one segment: L must be set */

/**
 * struct ddp_op - attributes of an RDMAP opcode
 * @name: name of the RDMAP message, as text
 * @flags: DDP_OP_*
 * @qn: queue of an untagged opcode, enum ddp_queue; 0 for a tagged one
 * @head_len: number of bytes from the start of the length field to the payload
 * @payload_min: least payload of a segment, in bytes
 * @payload_max: largest payload of a segment, in bytes
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
 * Return: the attributes of the opcode; NULL if the opcode is unknown.
 */
const struct ddp_op *ddp_op(u8 opcode);

/**
 * struct ddp_segment - the head of a DDP segment, decoded
 * @opcode: enum rdmap_opcode; ddp_op() is not NULL for it
 * @tagged: the segment uses the tagged buffer model. A description below begins with "tagged" or
 *	"untagged" if the member is zero in segments of the other model
 * @last: the segment is the last one of its message (L)
 * @hdr_len: number of bytes from the start of the length field to the payload, 16 or 20
 * @payload_len: length of the payload in bytes
 * @stag: tagged: STag of the data sink
 * @to: tagged: offset of the payload in the data sink; the payload's last byte is at 2^64 - 1 or
 *	below
 * @qn: untagged: queue number
 * @msn: untagged: message sequence number
 * @mo: untagged: offset of the payload in the message
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
 * ddp_ulpdu_len() - get the ULPDU_Length of a decoded segment
 * @seg: the segment
 *
 * Return: the number of bytes that the FPDU's length field has.
 */
static inline u32 ddp_ulpdu_len(const struct ddp_segment *seg)
{
	return seg->hdr_len - MPA_LEN_LEN + seg->payload_len;
}

/**
 * ddp_header_len() - get the number of bytes that ddp_segment_parse() needs
 * @fpdu: DDP_CTRL_END bytes: length field and control bytes
 *
 * Return: DDP_TAGGED_HEAD or DDP_UNTAGGED_HEAD, which include the length field.
 */
static inline size_t ddp_header_len(const u8 *fpdu)
{
	return fpdu[MPA_LEN_LEN] & DDP_CTRL_TAGGED ? DDP_TAGGED_HEAD : DDP_UNTAGGED_HEAD;
}

/**
 * ddp_length_check() - is ULPDU_Length enough for the header that follows it?
 * @fpdu: DDP_CTRL_END bytes: length field and control bytes
 *
 * Called by a receiver that needs to know whether to wait for the rest of the header.
 *
 * Return: IWARP_OK or IWARP_ULPDU_SHORT.
 */
enum iwarp_fault ddp_length_check(const u8 *fpdu);

/**
 * ddp_segment_parse() - decode and check the head of a segment
 * @fpdu: the FPDU from its length field on
 * @have: number of bytes at @fpdu
 * @seg: out: the head; set on IWARP_OK, undefined otherwise
 *
 * The checks are made in the order of the faults below. Reserved bits are ignored, as the RFCs
 * demand. The caller checks STags, MSN, MO and memory.
 *
 * Return: IWARP_OK; IWARP_TRUNCATED if @have is less than ddp_header_len(); IWARP_ULPDU_SHORT if
 * ULPDU_Length is less than the header; IWARP_DDP_TAGGED_VERSION or IWARP_DDP_UNTAGGED_VERSION for
 * another DDP version; IWARP_DDP_QN for an unknown queue; IWARP_RDMAP_VERSION for another RDMAP
 * version; IWARP_RDMAP_OPCODE if the opcode is unknown, or belongs to the other buffer model or
 * another queue; IWARP_ULPDU_SHORT or IWARP_DDP_TOO_LONG if the opcode does not allow this payload
 * length; IWARP_DDP_TOO_LONG if a message of this opcode is always one segment, but L is not set;
 * IWARP_DDP_TO_WRAP if TO + length passes 2^64.
 */
enum iwarp_fault ddp_segment_parse(const u8 *fpdu, size_t have, struct ddp_segment *seg);

/**
 * ddp_build_tagged() - write length field and header of a tagged segment
 * @buf: room for DDP_TAGGED_HEAD bytes
 * @opcode: RDMAP_WRITE or RDMAP_READ_RESPONSE
 * @last: the segment is the last one of its message
 * @stag: STag of the data sink
 * @to: offset of the payload in the data sink
 * @payload_len: length of the payload in bytes; at most 65535 - DDP_TAGGED_LEN
 *
 * Return: bytes written, DDP_TAGGED_HEAD.
 */
size_t ddp_build_tagged(u8 *buf, u8 opcode, bool last, u32 stag, u64 to, u16 payload_len);

/**
 * ddp_build_untagged() - write length field and header of an untagged segment
 * @buf: room for DDP_UNTAGGED_HEAD bytes
 * @opcode: a known untagged opcode, which determines the queue
 * @last: the segment is the last one of its message
 * @msn: message sequence number
 * @mo: offset of the payload in the message
 * @inv_stag: STag to invalidate; written only if the opcode has DDP_OP_INVALIDATE
 * @payload_len: length of the payload in bytes; at most 65535 - DDP_UNTAGGED_LEN
 *
 * Return: bytes written, DDP_UNTAGGED_HEAD.
 */
size_t ddp_build_untagged(u8 *buf, u8 opcode, bool last, u32 msn, u32 mo, u32 inv_stag,
			  u16 payload_len);

/**
 * struct ddp_untagged_rx - the segment that must come next on an untagged queue
 * @next_msn: MSN of that segment
 * @next_mo: MO of that segment
 * @open: an earlier segment of the same message has arrived
 * @opcode: opcode of that earlier segment, which all segments of the message must have; valid if
 *	@open
 */
struct ddp_untagged_rx {
	u32 next_msn;
	u32 next_mo;
	bool open;
	u8 opcode;
};

/**
 * ddp_untagged_init() - set a queue to the start of the stream
 * @rx: the queue
 */
void ddp_untagged_init(struct ddp_untagged_rx *rx);

/**
 * ddp_untagged_verify() - is a segment the one that must come next?
 * @rx: queue of the segment
 * @seg: the untagged segment, parsed
 *
 * Return: IWARP_OK; IWARP_DDP_MSN for another MSN; IWARP_DDP_MO for another MO; IWARP_RDMAP_OPCODE
 * if the opcode differs from that of the message's earlier segments; IWARP_DDP_TOO_LONG if the
 * message would be longer than 2^32 - 1 bytes.
 */
enum iwarp_fault ddp_untagged_verify(const struct ddp_untagged_rx *rx,
				     const struct ddp_segment *seg);

/**
 * ddp_untagged_advance() - expect the next segment, after one has been placed
 * @rx: queue of the segment
 * @seg: the segment that was verified and placed
 */
void ddp_untagged_advance(struct ddp_untagged_rx *rx, const struct ddp_segment *seg);

#endif /* IWARP_DDP_H */
