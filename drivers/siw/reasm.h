/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reassembly, for streams with CRC or markers: finds the FPDUs of the byte stream, and returns each
 * when all of it has arrived and its CRC is right. For the stream's owner.
 */
#ifndef SIW_REASM_H
#define SIW_REASM_H

#include <linux/skbuff.h>
#include <linux/types.h>

#include "iwarp/fault.h"

struct siw_stream_cfg;

/**
 * struct siw_reasm - the FPDU that is being reassembled
 * @buf: the FPDU's first bytes, if it is spread over socket buffers or has markers
 * @room: size of @buf
 * @have: bytes in @buf; 0 between FPDUs
 * @pos: position of the FPDU in the stream, markers included; only maintained with markers
 */
struct siw_reasm {
	u8 *buf;
	u32 room;
	u32 have;
	u64 pos;
};

/**
 * struct siw_reasm_input - bytes of the stream that a socket buffer holds
 * @skb: the socket buffer; all offsets are offsets in it
 * @begin: offset of the first byte
 * @end: offset behind the last byte
 * @offset: offset of the first byte that belongs to no FPDU returned yet
 * @piece: contiguous bytes, from @piece_begin to @piece_end
 * @piece_begin: offset where @piece begins
 * @piece_end: offset where @piece ends
 * @seq: iterator over the pieces
 */
struct siw_reasm_input {
	struct sk_buff *skb;
	u32 begin;
	u32 end;
	u32 offset;
	const u8 *piece;
	u32 piece_begin;
	u32 piece_end;
	struct skb_seq_state seq;
};

/**
 * struct siw_fpdu - a complete FPDU
 * @data: its bytes, valid until the next call; NULL if they are in pieces in the socket buffer
 * @offset: where it begins in the socket buffer, if @data is NULL
 * @len: its length, without markers
 * @num_markers: markers that were removed
 * @fault: IWARP_MPA_CRC or IWARP_MPA_MARKER if it is damaged, else IWARP_OK
 */
struct siw_fpdu {
	const u8 *data;
	u32 offset;
	u32 len;
	u32 num_markers;
	enum iwarp_fault fault;
};

/* siw_reasm_end() must follow siw_reasm_begin(), after the last siw_reasm_next(). */
void siw_reasm_begin(struct siw_reasm_input *input, struct sk_buff *skb, u32 offset, u32 len);
void siw_reasm_end(struct siw_reasm_input *input);

/*
 * Finds the next FPDU. Returns true, and fills *@fpdu; false if @input has no complete FPDU left,
 * and all of it is consumed; -ENOMEM if the rest of @input cannot be kept, and has to stay in the
 * socket for now.
 */
int siw_reasm_next(struct siw_reasm *reasm, const struct siw_stream_cfg *cfg,
		   struct siw_reasm_input *input, struct siw_fpdu *fpdu);

/* Frees the buffer, and drops an incomplete FPDU. */
void siw_reasm_clear(struct siw_reasm *reasm);

#endif /* SIW_REASM_H */
