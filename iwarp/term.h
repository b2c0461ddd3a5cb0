/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The payload of a Terminate: the error, and the headers of the segment in which it was found. */
#ifndef IWARP_TERM_H
#define IWARP_TERM_H

#include "fault.h"
#include "wire.h"

/**
 * struct iwarp_bad_segment - the received FPDU that a Terminate reports
 * @fpdu: from its length field on, as received
 * @fpdu_len: bytes there; up to DDP_HEAD_MAX are used
 * @read_req: payload, if the segment is a Read Request and its payload is there; else NULL
 * @read_req_len: bytes there; RDMAP_READ_REQ_LEN are used
 */
struct iwarp_bad_segment {
	const u8 *fpdu;
	size_t fpdu_len;
	const u8 *read_req;
	size_t read_req_len;
};

/**
 * iwarp_term_build() - write the payload of a Terminate
 * @buf: gets the payload
 * @size: bytes there; TERM_PAYLOAD_MAX always suffices
 * @fault: the reason
 * @bad_segment: the bad segment; NULL if there is none
 *
 * Echoes what RFC 5040 asks for, as far as it was received completely: segment length and DDP
 * header for RDMAP and DDP errors, and the Read Request for an RDMAP error in one; nothing for
 * MPA's and local catastrophic errors. The message is sent as RDMAP_TERMINATE, MSN 1, MO 0, L.
 *
 * Return: bytes written; -ENOSPC if @size is too small.
 */
int iwarp_term_build(u8 *buf, size_t size, enum iwarp_fault fault,
		     const struct iwarp_bad_segment *bad_segment);

/**
 * struct iwarp_term - a received Terminate, decoded
 * @layer: enum iwarp_layer, as received
 * @etype: error type, as received
 * @code: error code, as received
 * @fault: the fault that these name; IWARP_UNKNOWN if none
 * @seg_len: ULPDU_Length of the bad segment; 0 if not echoed (M)
 * @ddp: its DDP header, in the parsed buffer; NULL if not echoed completely (D)
 * @ddp_len: DDP_TAGGED_LEN or DDP_UNTAGGED_LEN, 0 without @ddp
 * @untagged: @ddp is an untagged header: @qn and @msn are valid
 * @qn: untagged: queue of the bad segment
 * @msn: untagged: its message sequence number
 * @stag: tagged: its data sink
 * @to: tagged: offset in it
 * @read_req: its Read Request of RDMAP_READ_REQ_LEN bytes, in the parsed buffer; NULL if not
 *	echoed completely (R)
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
 * @len: bytes there
 * @term: filled on IWARP_OK; its pointers are into @buf
 *
 * An incomplete echo is left out rather than treated as a fault, because the reason for the
 * end of the stream matters more.
 *
 * Return: IWARP_OK; IWARP_ULPDU_SHORT if the control word is incomplete.
 */
enum iwarp_fault iwarp_term_parse(const u8 *buf, size_t len, struct iwarp_term *term);

#endif /* IWARP_TERM_H */
