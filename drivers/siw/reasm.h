/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * MPA's side of receive, for streams with CRC or markers: finds the FPDUs of the byte stream. One
 * is returned when all of it is in and its CRC is right. Only the engine's runner calls these.
 */
#ifndef SIW_REASM_H
#define SIW_REASM_H

#include <linux/skbuff.h>
#include <linux/types.h>

#include "iwarp/fault.h"

struct siw_stream_cfg;

/**
 * struct siw_reasm - the FPDU that is being reassembled
 * @buf: what is in of one that came in pieces, or has markers
 * @room: size of @buf
 * @have: bytes in it; 0 between FPDUs
 * @pos: where the FPDU begins in the stream, markers counted; only kept with markers
 */
struct siw_reasm {
	u8 *buf;
	u32 room;
	u32 have;
	u64 pos;
};

/**
 * struct siw_reasm_input - bytes of the stream that a socket buffer holds
 * @skb: the socket buffer
 * @begin: where they begin in it
 * @end: where they end in it
 * @offset: the first one that no FPDU has taken
 * @piece: bytes that lie in one piece, from @piece_begin to @piece_end of the socket buffer
 * @piece_begin: where that piece begins
 * @piece_end: where that piece ends
 * @seq: finds the pieces
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
 * struct siw_fpdu - an FPDU that is in whole
 * @data: its bytes; valid until the next call; NULL: they lie in the socket buffer in pieces
 * @offset: where it begins in the socket buffer, without @data
 * @len: its length, without markers
 * @num_markers: markers that were taken out of it
 * @fault: what is wrong with it
 */
struct siw_fpdu {
	const u8 *data;
	u32 offset;
	u32 len;
	u32 num_markers;
	enum iwarp_fault fault;
};

/* siw_reasm_end() is called when no FPDU is wanted any more. */
void siw_reasm_begin(struct siw_reasm_input *input, struct sk_buff *skb, u32 offset, u32 len);
void siw_reasm_end(struct siw_reasm_input *input);

/*
 * The next FPDU: true, and *@fpdu is set; false, and all of @input is taken, but none is whole.
 * With IWARP_MPA_CRC or IWARP_MPA_MARKER as @fpdu->fault it is damaged, and the stream has to end.
 * -ENOMEM: what is left of @input cannot be kept, and has to stay in the socket for now.
 */
int siw_reasm_next(struct siw_reasm *reasm, const struct siw_stream_cfg *cfg,
		   struct siw_reasm_input *input, struct siw_fpdu *fpdu);

/* Gives back its memory, and forgets an FPDU that is not whole. */
void siw_reasm_clear(struct siw_reasm *reasm);

#endif /* SIW_REASM_H */
