/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The payload of a Terminate: the error, and the headers of the segment in which it was found. */
#ifndef IWARP_TERM_H
#define IWARP_TERM_H

#include "fault.h"
#include "wire.h"

/**
 * struct iwarp_bad_segment - the received FPDU that a Terminate reports
 * @fpdu: the FPDU from its length field on, as received
 * @fpdu_len: number of bytes at @fpdu; up to DDP_HEAD_MAX are used
 * @read_req: payload, if the segment is a Read Request and its payload was received; else NULL
 * @read_req_len: number of bytes at @read_req; RDMAP_READ_REQ_LEN are used
 */
struct iwarp_bad_segment {
	const u8 *fpdu;
	size_t fpdu_len;
	const u8 *read_req;
	size_t read_req_len;
};

/**
 * iwarp_term_build() - write the payload of a Terminate
 * @buf: out: the payload
 * @size: size of @buf in bytes; TERM_PAYLOAD_MAX always suffices
 * @fault: the reason
 * @bad_segment: the bad segment; NULL if there is none
 *
 * Echoes the parts that RFC 5040 asks for, if they were received completely: for an RDMAP or DDP
 * error the segment's length and DDP header; for an RDMAP error in a Read Request also that
 * request; nothing for an error of MPA or a local catastrophic error. The caller sends the payload
 * as RDMAP_TERMINATE with MSN 1, MO 0 and L.
 *
 * Return: number of bytes written; -ENOSPC if @size is too small.
 */
int iwarp_term_build(u8 *buf, size_t size, enum iwarp_fault fault,
		     const struct iwarp_bad_segment *bad_segment);

/**
 * struct iwarp_term - a received Terminate, decoded
 * @layer: enum iwarp_layer, as received
 * @etype: error type, as received
 * @code: error code, as received
 * @fault: fault with this layer, type and code; IWARP_UNKNOWN if there is none
 * @seg_len: ULPDU_Length of the bad segment; 0 if bit M is clear, or the payload ends too early
 * @ddp: DDP header of the bad segment, in the parsed buffer; NULL if bit D is clear, or the payload
 *	of the Terminate ends too early
 * @ddp_len: length of @ddp, DDP_TAGGED_LEN or DDP_UNTAGGED_LEN; 0 if @ddp is NULL
 * @untagged: @ddp is an untagged header, and @qn and @msn are valid
 * @qn: untagged: queue number of the bad segment
 * @msn: untagged: message sequence number of the bad segment
 * @stag: tagged: STag of the data sink
 * @to: tagged: offset in the data sink
 * @read_req: RDMAP_READ_REQ_LEN bytes of the bad Read Request, in the parsed buffer; NULL if bit R
 *	is clear, or the payload of the Terminate ends too early
 */
struct iwarp_term {
	u8 layer;
	u8 etype;
	u8 code;
	enum iwarp_fault fault;
	u16 seg_len;
	const u8 *ddp;
	u8 ddp_len;
	bool untagged;
	u32 qn;
	u32 msn;
	u32 stag;
	u64 to;
	const u8 *read_req;
};

/**
 * iwarp_term_parse() - decode the payload of a Terminate
 * @buf: payload
 * @len: length of the payload in bytes
 * @term: out: the Terminate; set on IWARP_OK, with pointers into @buf
 *
 * An incomplete echo is ignored, and not treated as a fault, because the reason for the end of the
 * stream matters more.
 *
 * Return: IWARP_OK; IWARP_ULPDU_SHORT if the control word is incomplete.
 */
enum iwarp_fault iwarp_term_parse(const u8 *buf, size_t len, struct iwarp_term *term);

#endif /* IWARP_TERM_H */
