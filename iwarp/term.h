/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The payload of a Terminate: what went wrong, and the headers it went wrong in. */
#ifndef IWARP_TERM_H
#define IWARP_TERM_H

#include "fault.h"
#include "wire.h"

/**
 * struct iwarp_bad_segment - the received FPDU a Terminate is about
 * @fpdu: from its length field on, as it came
 * @fpdu_len: bytes there; up to DDP_HEAD_MAX are of use
 * @read_req: payload of a Read Request, if it is one and came; else NULL
 * @read_req_len: bytes there; RDMAP_READ_REQ_LEN are of use
 */
struct iwarp_bad_segment {
	const u8 *fpdu;
	size_t fpdu_len;
	const u8 *read_req;
	size_t read_req_len;
};

/**
 * iwarp_term_build() - write the payload of a Terminate
 * @buf: where to
 * @size: room there; TERM_PAYLOAD_MAX always suffices
 * @fault: why
 * @offender: the segment at fault; NULL if no segment is
 *
 * Echoes what RFC 5040 asks for and the offender has whole: segment length and DDP header
 * for RDMAP and DDP errors, the Read Request too if RDMAP found fault with one; nothing for
 * MPA's and local catastrophic errors. The message travels as RDMAP_TERMINATE, MSN 1, MO 0, L.
 *
 * Return: bytes written; -ENOSPC if @size is too small.
 */
int iwarp_term_build(u8 *buf, size_t size, enum iwarp_fault fault,
		     const struct iwarp_bad_segment *offender);

/**
 * struct iwarp_term - a received Terminate, decoded
 * @layer: enum iwarp_layer, as received
 * @etype: error type, as received
 * @code: error code, as received
 * @fault: what they mean; IWARP_UNKNOWN if nothing we know
 * @seg_len: ULPDU_Length of the offending segment; 0 if not told (M)
 * @ddp: its DDP header, in the parsed buffer; NULL if not told whole (D)
 * @ddp_len: DDP_TAGGED_LEN or DDP_UNTAGGED_LEN, 0 without @ddp
 * @untagged: @ddp is there and is an untagged one: @qn and @msn are its
 * @qn: queue of the offending message
 * @msn: its message sequence number
 * @stag: of a tagged one: sink of the offending segment
 * @to: likewise: offset in it
 * @read_req: RDMAP_READ_REQ_LEN bytes of it, likewise; NULL if not told whole (R)
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
 * An echo that is cut short is left out rather than held against the message: why the
 * stream ended matters more.
 *
 * Return: IWARP_OK; IWARP_ULPDU_SHORT if not even the control word is there.
 */
enum iwarp_fault iwarp_term_parse(const u8 *buf, size_t len, struct iwarp_term *term);

#endif /* IWARP_TERM_H */
