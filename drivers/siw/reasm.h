/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reassembly, for streams with CRC or markers: finds the FPDUs of the byte stream, and returns each
 * when all of it has arrived and its CRC was checked. Called by the stream's owner.
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
 * @pos: position of the FPDU in the stream in bytes, markers included; used only with markers
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
 * @offset: offset of the first byte that was neither returned nor copied to siw_reasm.buf
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
 * @data: bytes of the FPDU, valid until the next siw_reasm_next(); NULL if the bytes are in the
 *	socket buffer and are not contiguous there
 * @offset: where the FPDU begins in the socket buffer, if @data is NULL
 * @len: length of the FPDU in bytes, without markers
 * @num_markers: number of markers that were removed
 * @fault: IWARP_MPA_CRC or IWARP_MPA_MARKER if the FPDU is damaged, else IWARP_OK
 */
struct siw_fpdu {
	const u8 *data;
	u32 offset;
	u32 len;
	u32 num_markers;
	enum iwarp_fault fault;
};

/* The caller calls siw_reasm_begin(), siw_reasm_next() as often as it likes, siw_reasm_end(). */
void siw_reasm_begin(struct siw_reasm_input *input, struct sk_buff *skb, u32 offset, u32 len);
void siw_reasm_end(struct siw_reasm_input *input);

/*
 * Finds the next FPDU. Returns true if there is one, and stores it in *@fpdu. Returns false if
 * @input has no complete FPDU left; the rest of @input is then kept in siw_reasm.buf. Returns
 * -ENOMEM if memory is short; the rest of @input then has to stay in the socket for now.
 */
int siw_reasm_next(struct siw_reasm *reasm, const struct siw_stream_cfg *cfg,
		   struct siw_reasm_input *input, struct siw_fpdu *fpdu);

/* Frees the buffer, and drops an incomplete FPDU. */
void siw_reasm_clear(struct siw_reasm *reasm);

#endif /* SIW_REASM_H */
