// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests siw's reassembly (drivers/siw/stream/reasm.c) with socket buffers in pieces, of which one
 * may be memory that the CPU cannot read.
 */

#include <string.h>

#include "kernel_skb.h"
#include "drivers/siw/stream/reasm.h"
#include "drivers/siw/stream/stream.h"
#include "iwarp/fpdu.h"
#include "unit.h"

#define ULPDU_LEN	98
#define FPDU_LEN	104	/* with length field and CRC, and without pad */

void skb_prepare_seq_read(struct sk_buff *skb, unsigned int from, unsigned int to,
			  struct skb_seq_state *seq)
{
	*seq = (struct skb_seq_state) { .skb = skb, .from = from, .to = to };
}

/* Stores in *@piece which piece has the byte @offset. Returns the bytes of the piece before it. */
static u32 piece_of(const struct sk_buff *skb, u32 offset, unsigned int *piece)
{
	for (*piece = 0; *piece < skb->num && offset >= skb->piece[*piece].len; ++*piece)
		offset -= skb->piece[*piece].len;
	return offset;
}

/* As the kernel's, returns 0 for memory that cannot be read, as for the end. */
unsigned int skb_seq_read(unsigned int consumed, const u8 **data, struct skb_seq_state *seq)
{
	unsigned int i;
	u32 off = piece_of(seq->skb, seq->from + consumed, &i);

	if (seq->from + consumed >= seq->to || i == seq->skb->num || seq->skb->piece[i].unreadable)
		return 0;
	*data = seq->skb->piece[i].at + off;
	return seq->skb->piece[i].len - off;
}

void skb_abort_seq_read(struct skb_seq_state *seq)
{
	seq->skb = NULL;
}

int skb_copy_bits(const struct sk_buff *skb, int offset, void *to, int len)
{
	unsigned int i;
	u32 off;

	for (; len; len--, offset++) {
		off = piece_of(skb, offset, &i);
		if (i == skb->num || skb->piece[i].unreadable)
			return -EFAULT;
		memcpy(to, skb->piece[i].at + off, 1);
		to = (u8 *)to + 1;
	}
	return 0;
}

static struct bytes make_fpdus(unsigned int num)
{
	u8 stream[8 * FPDU_LEN];

	for (unsigned int i = 0; i < num; i++) {
		u8 *fpdu = stream + i * FPDU_LEN;

		for (u32 at = 0; at < FPDU_LEN; at++)
			fpdu[at] = (u8)(i + at);
		put_unaligned_be16(ULPDU_LEN, fpdu);
		mpa_crc_put(fpdu + FPDU_LEN - MPA_CRC_LEN,
			    ~crc32c(~0u, fpdu, FPDU_LEN - MPA_CRC_LEN));
	}
	return bytes_copy(stream, num * FPDU_LEN);
}

/* Cuts @bytes into pieces of @size bytes. The piece with the index @unreadable is unreadable. */
static struct sk_buff make_skb(struct bytes bytes, u32 size, unsigned int unreadable)
{
	struct sk_buff skb = {};

	for (u32 at = 0; at < bytes.len; at += size, skb.num++) {
		u32 len = min_t(u32, size, bytes.len - at);

		skb.piece[skb.num].at = bytes_copy(bytes.at + at, len).at;
		skb.piece[skb.num].len = len;
		skb.piece[skb.num].unreadable = skb.num == unreadable;
	}
	return skb;
}

/* Feeds @skb, and returns the last result of siw_reasm_next(), and in *@found how many FPDUs. */
static int feed(struct siw_reasm *reasm, const struct siw_stream_cfg *cfg, struct sk_buff *skb,
		u32 len, unsigned int *found)
{
	struct siw_reasm_input input;
	struct siw_fpdu fpdu;
	int ret;

	siw_reasm_begin(&input, skb, 0, len);
	for (;;) {
		ret = siw_reasm_next(reasm, cfg, &input, &fpdu);
		if (ret <= 0)
			break;
		CHECK_EQ(fpdu.len, FPDU_LEN);
		CHECK_FAULT(fpdu.fault, IWARP_OK);
		++*found;
	}
	siw_reasm_end(&input);
	return ret;
}

static void any_pieces(void)
{
	const struct siw_stream_cfg cfg = { .crc = true };
	struct bytes fpdus = make_fpdus(3);

	for (u32 size = DIV_ROUND_UP(fpdus.len, SKB_PIECES_MAX); size <= fpdus.len; size++) {
		struct siw_reasm reasm = {};
		struct sk_buff skb = make_skb(fpdus, size, SKB_PIECES_MAX);
		unsigned int found = 0;

		unit_input("pieces of %u bytes", size);
		CHECK_EQ(feed(&reasm, &cfg, &skb, fpdus.len, &found), 0);
		CHECK_EQ(found, 3);
		siw_reasm_clear(&reasm);
	}
}

/*
 * Makes each piece in turn unreadable, where an FPDU begins, in its middle, and while one is kept,
 * without markers and with them.
 */
static void unreadable_pieces(void)
{
	struct bytes fpdus = make_fpdus(4);

	for (u32 size = DIV_ROUND_UP(fpdus.len, SKB_PIECES_MAX); size <= fpdus.len; size++) {
		unsigned int num = DIV_ROUND_UP(fpdus.len, size);

		for (unsigned int i = 0; i < 2 * num; i++) {
			const struct siw_stream_cfg cfg = { .crc = true, .rx_markers = i >= num };
			struct sk_buff skb = make_skb(fpdus, size, i % num);
			struct siw_reasm reasm = {};
			unsigned int found = 0;

			unit_input("pieces of %u bytes, bad is %u%s", size, i % num,
				   cfg.rx_markers ? ", with markers" : "");
			if (!cfg.rx_markers) {
				CHECK_EQ(feed(&reasm, &cfg, &skb, fpdus.len, &found),
					 (unsigned long long)-EFAULT);
				CHECK(found <= i % num * size / FPDU_LEN);
			}
			siw_reasm_clear(&reasm);

			/* Of an FPDU that began in an earlier buffer, some bytes are kept. */
			skb.piece[0].unreadable = false;
			CHECK_EQ(feed(&reasm, &cfg, &skb, min_t(u32, size, 3), &found), 0);
			skb = make_skb(fpdus, size, 0);
			CHECK_EQ(feed(&reasm, &cfg, &skb, fpdus.len, &found),
				 (unsigned long long)-EFAULT);
			siw_reasm_clear(&reasm);
		}
	}
}

void test_reasm(void)
{
	unit_run("reasm: FPDUs in any pieces", any_pieces);
	unit_run("reasm: memory that cannot be read", unreadable_pieces);
}
