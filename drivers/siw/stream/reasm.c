// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Reassembly of FPDUs: no header is parsed and no byte is placed before the CRC was checked, so
 * that damage on the way can do nothing but end the stream. find_linear(), find_nonlinear() and
 * reasm_finish() check the CRC.
 *
 * An FPDU within one socket buffer is checked there and not copied; senders that keep to the MSS
 * send only such FPDUs, and most are contiguous. The bytes of an FPDU that is spread over several
 * buffers, or has markers, are kept in single pages, without the markers. A page is allocated when
 * its first byte arrives, so that a peer cannot make us allocate memory merely by announcing a long
 * FPDU. The bytes are copied. References to the fragments of socket buffers would be unsafe: they
 * could keep many pages for a few bytes, and the limit of the socket's receive buffer would no
 * longer count these pages.
 */
#include <linux/crc32.h>
#include <linux/gfp.h>
#include <linux/jiffies.h>

#include "drivers/siw/stream/reasm.h"
#include "drivers/siw/stream/stream.h"
#include "iwarp/fpdu.h"

static_assert(!(SIW_REASM_HEAD % MPA_CRC_LEN));

static void free_pages_above(struct siw_reasm *reasm, u32 num)
{
	while (reasm->num_pages > num)
		free_page((unsigned long)reasm->pages[--reasm->num_pages]);
}

void siw_reasm_trim(struct siw_reasm *reasm)
{
	u32 len = reasm->kept > SIW_REASM_HEAD ? reasm->kept - SIW_REASM_HEAD : 0;

	free_pages_above(reasm, DIV_ROUND_UP(len, PAGE_SIZE));
}

void siw_reasm_clear(struct siw_reasm *reasm)
{
	free_pages_above(reasm, 0);
	*reasm = (struct siw_reasm) {};
}

u8 *siw_reasm_at(struct siw_reasm *reasm, u32 offset, u32 *len)
{
	u32 index;

	if (offset < SIW_REASM_HEAD) {
		*len = min_t(u32, *len, SIW_REASM_HEAD - offset);
		return reasm->head + offset;
	}
	offset -= SIW_REASM_HEAD;
	index = offset / PAGE_SIZE;
	offset %= PAGE_SIZE;
	if (index == reasm->num_pages) {
		reasm->pages[index] = (u8 *)__get_free_page(GFP_ATOMIC | __GFP_NOWARN);
		if (!reasm->pages[index]) {
			reasm->short_since = reasm->short_since ?: jiffies ?: 1;
			return NULL;
		}
		reasm->short_since = 0;
		reasm->num_pages++;
	}
	*len = min_t(u32, *len, PAGE_SIZE - offset);
	return reasm->pages[index] + offset;
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

/*
 * Returns contiguous bytes that begin at input->offset, and their number in *@len. Returns NULL if
 * they cannot be read.
 */
static const u8 *find_piece(struct siw_reasm_input *input, u32 *len)
{
	u32 n;

	if (input->offset >= input->piece_end) {
		n = skb_seq_read(input->offset - input->begin, &input->piece, &input->seq);
		if (unlikely(!n))
			return NULL;
		input->piece_begin = input->offset;
		/* The piece may extend beyond the end of @input. */
		input->piece_end = min(input->offset + n, input->end);
	}
	*len = input->piece_end - input->offset;
	return input->piece + (input->offset - input->piece_begin);
}

/* Finds the next FPDU if all its bytes are there and contiguous. Returns false if they are not. */
static bool find_linear(struct siw_reasm_input *input, struct siw_fpdu *fpdu)
{
	u32 len;
	const u8 *data = find_piece(input, &len);

	if (!data || len < MPA_LEN_LEN)
		return false;
	fpdu->len = mpa_fpdu_size(get_unaligned_be16(data));
	if (fpdu->len > len)
		return false;
	fpdu->data = data;
	if (!crc_is_right(data, fpdu->len))
		fpdu->fault = IWARP_MPA_CRC;
	input->offset += fpdu->len;
	return true;
}

/* Stores the CRC of @len bytes of @skb in *@crc. Returns -EFAULT if they cannot be read, else 0. */
static int crc_of(struct sk_buff *skb, u32 offset, u32 len, u32 *crc)
{
	struct skb_seq_state seq;
	const u8 *data;
	u32 done = 0;
	u32 n;

	*crc = ~0;
	skb_prepare_seq_read(skb, offset, offset + len, &seq);
	while ((n = skb_seq_read(done, &data, &seq))) {
		n = min(n, len - done);
		*crc = crc32c(*crc, data, n);
		done += n;
	}
	/*
	 * End the read here if skb_seq_read() has failed early. After the last byte, skb_seq_read()
	 * has ended the read itself.
	 */
	skb_abort_seq_read(&seq);
	*crc = ~*crc;
	return done == len ? 0 : -EFAULT;
}

/*
 * Finds the next FPDU if all its bytes are in @input, contiguous or not. Returns true if the FPDU
 * was found, false if bytes of it are missing, and -EFAULT if the bytes cannot be read.
 */
static int find_nonlinear(struct siw_reasm_input *input, struct siw_fpdu *fpdu)
{
	u32 left = input->end - input->offset;
	u8 head[MPA_LEN_LEN];
	u8 crc[MPA_CRC_LEN];
	u32 covered, sum;

	if (left < sizeof(head))
		return false;
	if (skb_copy_bits(input->skb, input->offset, head, sizeof(head)))
		return -EFAULT;
	fpdu->len = mpa_fpdu_size(get_unaligned_be16(head));
	if (fpdu->len > left)
		return false;
	fpdu->offset = input->offset;
	covered = fpdu->len - sizeof(crc);
	if (skb_copy_bits(input->skb, fpdu->offset + covered, crc, sizeof(crc)) ||
	    crc_of(input->skb, fpdu->offset, covered, &sum))
		return -EFAULT;
	if (sum != mpa_crc_get(crc))
		fpdu->fault = IWARP_MPA_CRC;
	input->offset += fpdu->len;
	return true;
}

/*
 * Takes bytes from @data, *@len of them at most: either bytes of the FPDU, which are kept, or bytes
 * of a marker, which is checked when it is complete. Stores in *@len how many bytes were taken.
 * Returns 0, or -ENOMEM if memory is short.
 */
static int reasm_keep(struct siw_reasm *reasm, const struct siw_stream_cfg *cfg, const u8 *data,
		      u32 *len)
{
	u32 gap = mpa_marker_gap(reasm->pos + reasm->have);
	/*
	 * Distance of the next byte from the beginning of the last marker. If the distance is less
	 * than MPA_MARKER_LEN, the next byte belongs to that marker.
	 */
	u32 in_marker = -gap & (MPA_MARKER_PERIOD - 1);
	bool marker = cfg->rx_markers && in_marker < MPA_MARKER_LEN;
	u32 n = *len;
	u32 covered;
	u32 at;
	u8 *to;

	if (marker) {
		n = min_t(u32, n, MPA_MARKER_LEN - in_marker);
		to = reasm->marker + in_marker;
	} else {
		n = min(n, reasm->want ? reasm->want - reasm->have : MPA_LEN_LEN - reasm->kept);
		if (cfg->rx_markers)
			n = min(n, gap);
		to = siw_reasm_at(reasm, reasm->kept, &n);
	}
	*len = n;
	if (!to)
		return -ENOMEM;
	memcpy(to, data, n);
	if (cfg->crc) {
		/*
		 * The CRC covers all bytes before its own field. While the length is unknown, all
		 * bytes at @data belong to the length field, or to a marker before it.
		 */
		covered = n;
		if (reasm->want)
			covered = clamp_t(int, reasm->want - MPA_CRC_LEN - reasm->have, 0, n);
		reasm->crc = crc32c(reasm->have ? reasm->crc : ~0U, data, covered);
	}
	reasm->have += n;
	if (!marker) {
		reasm->kept += n;
	} else if (in_marker + n == MPA_MARKER_LEN) {
		/*
		 * A marker's pointer is the distance of the marker from the length field. If the
		 * FPDU begins with a marker, that marker is before the length field, and so is not
		 * part of the distance.
		 */
		at = reasm->have - MPA_MARKER_LEN;
		at -= min_t(u32, at, mpa_marker_gap(reasm->pos) ? 0 : MPA_MARKER_LEN);
		reasm->num_markers++;
		reasm->marker_fault = reasm->marker_fault ?: mpa_marker_check(reasm->marker, at);
	}
	if (!reasm->want && reasm->kept == MPA_LEN_LEN) {
		reasm->want = mpa_fpdu_size(get_unaligned_be16(reasm->head));
		if (cfg->rx_markers)
			reasm->want = mpa_stream_len(reasm->pos, reasm->want);
	}
	return 0;
}

/* Returns the FPDU, all bytes of which have been kept, and prepares for the next FPDU. */
static void reasm_finish(struct siw_reasm *reasm, const struct siw_stream_cfg *cfg,
			 struct siw_fpdu *fpdu)
{
	u32 crc_len = MPA_CRC_LEN;
	const u8 *crc = siw_reasm_at(reasm, reasm->kept - MPA_CRC_LEN, &crc_len);

	fpdu->kept = true;
	fpdu->len = reasm->kept;
	if (cfg->crc && ~reasm->crc != mpa_crc_get(crc))
		fpdu->fault = IWARP_MPA_CRC;
	else if (reasm->marker_fault)
		fpdu->fault = reasm->marker_fault;
	else
		fpdu->num_markers = reasm->num_markers;
	reasm->pos += reasm->want;
	reasm->have = 0;
	reasm->want = 0;
	reasm->kept = 0;
	reasm->num_markers = 0;
	reasm->marker_fault = IWARP_OK;
}

int siw_reasm_next(struct siw_reasm *reasm, const struct siw_stream_cfg *cfg,
		   struct siw_reasm_input *input, struct siw_fpdu *fpdu)
{
	const u8 *data;
	u32 len;
	int ret;

	*fpdu = (struct siw_fpdu) {};
	while (input->offset < input->end) {
		if (!reasm->have && !cfg->rx_markers) {
			if (find_linear(input, fpdu))
				return true;
			ret = find_nonlinear(input, fpdu);
			if (ret)
				return ret;
		}
		data = find_piece(input, &len);
		if (!data)
			return -EFAULT;
		ret = reasm_keep(reasm, cfg, data, &len);
		if (ret)
			return ret;
		input->offset += len;
		if (reasm->have == reasm->want) {
			reasm_finish(reasm, cfg, fpdu);
			return true;
		}
	}
	return false;
}
