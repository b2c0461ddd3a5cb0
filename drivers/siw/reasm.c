// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Reassembly of FPDUs: no header is parsed and no byte is placed before the CRC was checked, so
 * that damage on the way can do nothing but end the stream.
 *
 * An FPDU within one socket buffer is checked there and not copied; senders that keep to the MSS
 * send only such FPDUs, and most are contiguous. An FPDU that is spread over several buffers, or
 * has markers, is copied into a buffer first, and markers are removed there.
 */
#include <linux/crc32c.h>
#include <linux/slab.h>

#include "drivers/siw/reasm.h"
#include "drivers/siw/stream.h"
#include "iwarp/fpdu.h"

/* Smallest size of the buffer in bytes: enough for FPDUs of the usual MSS. */
#define MIN_ROOM	2048

void siw_reasm_clear(struct siw_reasm *reasm)
{
	kfree(reasm->buf);
	*reasm = (struct siw_reasm) {};
}

/* Returns the bytes up to the end of the length field, a marker before that included. */
static u32 head_len(const struct siw_reasm *reasm, const struct siw_stream_cfg *cfg)
{
	bool marker = cfg->rx_markers && !mpa_marker_gap(reasm->pos);

	return (marker ? MPA_MARKER_LEN : 0) + MPA_LEN_LEN;
}

/* Returns the FPDU's length in the stream, markers included, by the length field in @head. */
static u32 fpdu_stream_len(const struct siw_reasm *reasm, const struct siw_stream_cfg *cfg,
			   const u8 *head)
{
	u32 len = mpa_fpdu_size(get_unaligned_be16(head + head_len(reasm, cfg) - MPA_LEN_LEN));

	return cfg->rx_markers ? mpa_stream_len(reasm->pos, len) : len;
}

static bool crc_is_right(const u8 *fpdu, u32 len)
{
	u32 covered = len - MPA_CRC_LEN;

	return ~crc32c(~0, fpdu, covered) == mpa_crc_get(fpdu + covered);
}

void siw_reasm_begin(struct siw_reasm_input *input, struct sk_buff *skb, u32 offset, u32 len)
{
	input->skb = skb;
	input->begin = offset;
	input->offset = offset;
	input->end = offset + len;
	input->piece_end = offset;
	skb_prepare_seq_read(skb, offset, offset + len, &input->seq);
}

void siw_reasm_end(struct siw_reasm_input *input)
{
	skb_abort_seq_read(&input->seq);
}

/* Returns contiguous bytes that begin at input->offset, and their number in *@len. */
static const u8 *find_piece(struct siw_reasm_input *input, u32 *len)
{
	u32 n;

	if (input->offset >= input->piece_end) {
		n = skb_seq_read(input->offset - input->begin, &input->piece, &input->seq);
		input->piece_begin = input->offset;
		/* The piece may extend beyond the end of @input. */
		input->piece_end = min(input->offset + n, input->end);
	}
	*len = input->piece_end - input->offset;
	return input->piece + (input->offset - input->piece_begin);
}

/* Finds the next FPDU if its bytes are contiguous. Returns false if they are not. */
static bool find_linear(const struct siw_reasm *reasm, const struct siw_stream_cfg *cfg,
			struct siw_reasm_input *input, struct siw_fpdu *fpdu)
{
	u32 len;
	const u8 *data = find_piece(input, &len);

	if (len < MPA_LEN_LEN)
		return false;
	fpdu->len = fpdu_stream_len(reasm, cfg, data);
	if (fpdu->len > len)
		return false;
	fpdu->data = data;
	if (!crc_is_right(data, fpdu->len))
		fpdu->fault = IWARP_MPA_CRC;
	input->offset += fpdu->len;
	return true;
}

static u32 crc_of(struct sk_buff *skb, u32 offset, u32 len)
{
	struct skb_seq_state seq;
	const u8 *data;
	u32 crc = ~0;
	u32 done = 0;
	u32 n;

	skb_prepare_seq_read(skb, offset, offset + len, &seq);
	while ((n = skb_seq_read(done, &data, &seq))) {
		n = min(n, len - done);
		crc = crc32c(crc, data, n);
		done += n;
	}
	return ~crc;
}

/*
 * Finds the next FPDU if all its bytes are in @input, contiguous or not. Returns false if bytes are
 * missing.
 */
static bool find_nonlinear(const struct siw_reasm *reasm, const struct siw_stream_cfg *cfg,
			   struct siw_reasm_input *input, struct siw_fpdu *fpdu)
{
	u32 left = input->end - input->offset;
	u8 head[MPA_LEN_LEN];
	u8 crc[MPA_CRC_LEN];
	u32 covered;

	if (left < sizeof(head) || skb_copy_bits(input->skb, input->offset, head, sizeof(head)))
		return false;
	fpdu->len = fpdu_stream_len(reasm, cfg, head);
	if (fpdu->len > left)
		return false;
	fpdu->offset = input->offset;
	covered = fpdu->len - sizeof(crc);
	if (skb_copy_bits(input->skb, fpdu->offset + covered, crc, sizeof(crc)) ||
	    crc_of(input->skb, fpdu->offset, covered) != mpa_crc_get(crc))
		fpdu->fault = IWARP_MPA_CRC;
	input->offset += fpdu->len;
	return true;
}

static int reasm_make_room(struct siw_reasm *reasm, u32 need)
{
	u8 *buf;

	if (need <= reasm->room)
		return 0;
	need = roundup_pow_of_two(max_t(u32, need, MIN_ROOM));
	buf = krealloc(reasm->buf, need, GFP_ATOMIC | __GFP_NOWARN);
	if (!buf)
		return -ENOMEM;
	reasm->buf = buf;
	reasm->room = need;
	return 0;
}

/*
 * Copies bytes into the buffer: first the length field, in the next call the rest of the FPDU.
 * Returns true if the FPDU is complete, false if it is not yet, -ENOMEM if memory is short.
 */
static int reasm_collect(struct siw_reasm *reasm, const struct siw_stream_cfg *cfg,
			 struct siw_reasm_input *input, struct siw_fpdu *fpdu)
{
	bool head = reasm->have < head_len(reasm, cfg);
	u32 want = head ? head_len(reasm, cfg) : fpdu_stream_len(reasm, cfg, reasm->buf);
	u32 n = min(want - reasm->have, input->end - input->offset);
	int ret;

	ret = reasm_make_room(reasm, want);
	if (!ret)
		ret = skb_copy_bits(input->skb, input->offset, reasm->buf + reasm->have, n);
	if (ret)
		return -ENOMEM;
	reasm->have += n;
	input->offset += n;
	if (head || reasm->have < want)
		return false;

	fpdu->data = reasm->buf;
	fpdu->len = want;
	if (cfg->crc && !crc_is_right(reasm->buf, want))
		fpdu->fault = IWARP_MPA_CRC;
	else if (cfg->rx_markers)
		fpdu->fault = mpa_markers_strip(reasm->buf, reasm->pos, &fpdu->len);
	fpdu->num_markers = (want - fpdu->len) / MPA_MARKER_LEN;
	reasm->pos += want;
	reasm->have = 0;
	return true;
}

int siw_reasm_next(struct siw_reasm *reasm, const struct siw_stream_cfg *cfg,
		   struct siw_reasm_input *input, struct siw_fpdu *fpdu)
{
	int ret = false;

	*fpdu = (struct siw_fpdu) {};
	while (!ret && input->offset < input->end) {
		if (!reasm->have && !cfg->rx_markers &&
		    (find_linear(reasm, cfg, input, fpdu) ||
		     find_nonlinear(reasm, cfg, input, fpdu)))
			return true;
		ret = reasm_collect(reasm, cfg, input, fpdu);
	}
	return ret;
}
