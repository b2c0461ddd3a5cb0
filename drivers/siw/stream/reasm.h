/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reassembly, for streams with CRC or markers: finds the FPDUs of the byte stream, and returns each
 * when all of it has arrived and its CRC was checked. Called by the stream's owner.
 */
#ifndef SIW_REASM_H
#define SIW_REASM_H

#include <linux/mm.h>
#include <linux/skbuff.h>
#include <linux/types.h>

#include "iwarp/fault.h"
#include "iwarp/wire.h"

struct siw_stream_cfg;

/*
 * Number of bytes at the start of an FPDU that are kept in siw_reasm.head, without a page. A
 * multiple of 4, like the offset of the CRC, so that the CRC field is not split.
 */
#define SIW_REASM_HEAD		64
/* Pages that the rest of the largest FPDU needs. */
#define SIW_REASM_PAGES		DIV_ROUND_UP(MPA_LEN_LEN + U16_MAX + MPA_TRAILER_MAX, PAGE_SIZE)

/**
 * struct siw_reasm - the FPDU that is being reassembled
 * @have: bytes of the FPDU that were taken from the stream, markers included; 0 between FPDUs
 * @want: bytes that the whole FPDU has in the stream, markers included; 0 until the length field is
 *	complete
 * @kept: bytes of the FPDU that are in @head and @pages; markers are not kept there
 * @num_pages: pages in @pages
 * @crc: state of the CRC over the bytes that were taken, markers included
 * @num_markers: markers that were removed
 * @marker_fault: fault of the first wrong marker
 * @marker: bytes of the marker that is arriving
 * @pos: position of the FPDU in the stream in bytes, markers included; used only with markers
 * @short_since: time in jiffies since which no page can be allocated; 0 if memory is not short
 * @pages: pages with the bytes behind @head; allocated when their bytes arrive
 * @head: first bytes of the FPDU
 */
struct siw_reasm {
	u32 have;
	u32 want;
	u32 kept;
	u32 num_pages;
	u32 crc;
	u32 num_markers;
	enum iwarp_fault marker_fault;
	u8 marker[MPA_MARKER_LEN];
	u64 pos;
	unsigned long short_since;
	u8 *pages[SIW_REASM_PAGES];
	u8 head[SIW_REASM_HEAD];
};

/**
 * struct siw_reasm_input - bytes of the stream that a socket buffer holds
 * @skb: the socket buffer; all offsets are offsets in it
 * @begin: offset of the first byte
 * @end: offset behind the last byte
 * @offset: offset of the first byte that was neither returned nor kept in struct siw_reasm
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
 * @data: bytes of the FPDU, valid until the next siw_reasm_next(); NULL if they are not contiguous
 * @kept: only used if @data is NULL. If true, the bytes are in struct siw_reasm, and are read piece
 *	by piece with siw_reasm_at() before the next siw_reasm_next(). If false, they are in the
 *	socket buffer
 * @offset: where the FPDU begins in the socket buffer; not used if @kept is true
 * @len: length of the FPDU in bytes, without markers
 * @num_markers: number of markers that were removed
 * @fault: IWARP_MPA_CRC or IWARP_MPA_MARKER if the FPDU is damaged, else IWARP_OK
 */
struct siw_fpdu {
	const u8 *data;
	bool kept;
	u32 offset;
	u32 len;
	u32 num_markers;
	enum iwarp_fault fault;
};

/*
 * A caller begins with siw_reasm_begin(), calls siw_reasm_next() any number of times, and ends with
 * siw_reasm_end().
 */
void siw_reasm_begin(struct siw_reasm_input *input, struct sk_buff *skb, u32 offset, u32 len);
void siw_reasm_end(struct siw_reasm_input *input);

/*
 * Finds the next FPDU. Returns true if there is one, and stores it in *@fpdu. Returns false if
 * @input has no complete FPDU left; the rest of @input is then kept in @reasm. Returns -ENOMEM if
 * memory is short; the rest of @input then has to stay in the socket for now. Returns -EFAULT if
 * the CPU cannot read the socket buffer, for example because the buffer holds memory of a device.
 */
int siw_reasm_next(struct siw_reasm *reasm, const struct siw_stream_cfg *cfg,
		   struct siw_reasm_input *input, struct siw_fpdu *fpdu);

/*
 * Returns the memory of byte @offset of a kept FPDU. *@len is the number of bytes wanted, and is
 * lowered to the number of bytes that are contiguous from there. If @offset is siw_reasm.kept, the
 * call may have to allocate a page for the byte, and returns NULL if memory is short.
 */
u8 *siw_reasm_at(struct siw_reasm *reasm, u32 offset, u32 *len);

/* Frees the pages that hold no byte of an incomplete FPDU. Called at the end of each pass. */
void siw_reasm_trim(struct siw_reasm *reasm);
/* Drops an incomplete FPDU, and frees all pages. */
void siw_reasm_clear(struct siw_reasm *reasm);

#endif /* SIW_REASM_H */
