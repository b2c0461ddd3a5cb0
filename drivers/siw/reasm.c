// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * FPDUs come in whole: no header is parsed and no byte placed before the CRC was found right, so
 * that damage on the way can do nothing but end the stream.
 *
 * One that lies in one socket buffer, as those of senders do who keep to the MSS, is checked and
 * then placed from there, and most lie in one piece of it. One that comes in several buffers is put
 * together first, and so is one with markers, which are taken out.
 */
#include <linux/crc32c.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "drivers/siw/siw_counter.h"
#include "drivers/siw/siw_engine.h"
#include "iwarp/fpdu.h"

/* Room for those of the usual MSS at once. */
#define LEAST_ROOM	2048

static struct siw_reasm *reasm_of(const struct siw_qp *qp)
{
	return &siw_engine(qp)->rx.reasm;
}

void siw_reasm_clear(struct siw_reasm *in)
{
	kfree(in->buf);
	*in = (struct siw_reasm) {};
}

/* Bytes up to the end of the length field; a marker may be ahead of it. */
static u32 head_len(const struct siw_qp *qp)
{
	bool marker = qp->stream.cfg.rx_markers && !mpa_marker_gap(reasm_of(qp)->pos);

	return (marker ? MPA_MARKER_LEN : 0) + MPA_LEN_LEN;
}

/* What the FPDU takes of the stream, which its head tells. */
static u32 stream_len(const struct siw_qp *qp, const u8 *head)
{
	u32 len = mpa_fpdu_size(get_unaligned_be16(head + head_len(qp) - MPA_LEN_LEN));

	return qp->stream.cfg.rx_markers ? mpa_stream_len(reasm_of(qp)->pos, len) : len;
}

/* In one piece */

static void take_at(struct siw_qp *qp, const u8 *fpdu, u32 len)
{
	u32 covered = len - MPA_CRC_LEN;

	if (~crc32c(~0, fpdu, covered) != mpa_crc_get(fpdu + covered))
		siw_terminate(qp, IWARP_MPA_CRC, NULL);
	else
		siw_rx_feed(qp, fpdu, len);
}

/* The FPDUs that lie whole at the beginning of @data: how many bytes. */
static u32 take_all_at(struct siw_qp *qp, const u8 *data, u32 len)
{
	u32 done = 0;
	u32 size;

	while (len - done >= MPA_LEN_LEN && !siw_engine(qp)->failed) {
		size = stream_len(qp, data + done);
		if (size > len - done)
			break;
		take_at(qp, data + done, size);
		done += size;
	}
	return done;
}

static u32 take_first_piece(struct siw_qp *qp, struct sk_buff *skb, u32 offset, u32 len)
{
	struct skb_seq_state seq;
	const u8 *data;
	u32 there, taken;

	skb_prepare_seq_read(skb, offset, offset + len, &seq);
	/* It gives all that lies in one piece, past the end, too. */
	there = skb_seq_read(0, &data, &seq);
	taken = take_all_at(qp, data, min(there, len));
	skb_abort_seq_read(&seq);
	return taken;
}

/* In one buffer */

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

/* Bytes of the FPDU at @offset if all of it is there, else 0. */
static u32 whole(const struct siw_qp *qp, struct sk_buff *skb, u32 offset, u32 len)
{
	u8 head[MPA_LEN_LEN];
	u32 size;

	if (len < sizeof(head) || skb_copy_bits(skb, offset, head, sizeof(head)))
		return 0;
	size = stream_len(qp, head);
	return size <= len ? size : 0;
}

static void take_in_place(struct siw_qp *qp, struct sk_buff *skb, u32 offset, u32 len)
{
	u8 crc[MPA_CRC_LEN];

	if (skb_copy_bits(skb, offset + len - sizeof(crc), crc, sizeof(crc)) ||
	    crc_of(skb, offset, len - sizeof(crc)) != mpa_crc_get(crc))
		siw_terminate(qp, IWARP_MPA_CRC, NULL);
	else
		siw_rx_feed_skb(qp, skb, offset, len);
}

/* In pieces */

static int reasm_make_room(struct siw_reasm *in, u32 need)
{
	u8 *buf;

	if (need <= in->room)
		return 0;
	need = roundup_pow_of_two(max_t(u32, need, LEAST_ROOM));
	buf = krealloc(in->buf, need, GFP_ATOMIC | __GFP_NOWARN);
	if (!buf)
		return -ENOMEM;
	in->buf = buf;
	in->room = need;
	return 0;
}

static void take_collected(struct siw_qp *qp)
{
	struct siw_reasm *in = reasm_of(qp);
	const struct siw_stream_cfg *cfg = &qp->stream.cfg;
	enum iwarp_fault fault = IWARP_OK;
	u32 len = in->have;
	u32 covered = len - MPA_CRC_LEN;

	if (cfg->crc && ~crc32c(~0, in->buf, covered) != mpa_crc_get(in->buf + covered))
		fault = IWARP_MPA_CRC;
	else if (cfg->rx_markers)
		fault = mpa_markers_strip(in->buf, in->pos, &len);
	siw_qp_count_add(qp, SIW_RX_MARKERS, (in->have - len) / MPA_MARKER_LEN);
	in->have = 0;
	if (fault)
		siw_terminate(qp, fault, NULL);
	else
		siw_rx_feed(qp, in->buf, len);
}

/* First the head, then what it says there is. Returns the bytes taken, or -ENOMEM. */
static int reasm_collect(struct siw_qp *qp, struct sk_buff *skb, u32 offset, u32 len)
{
	struct siw_reasm *in = reasm_of(qp);
	bool head = in->have < head_len(qp);
	u32 want = head ? head_len(qp) : stream_len(qp, in->buf);
	u32 n = min(want - in->have, len);
	int ret;

	ret = reasm_make_room(in, want);
	if (!ret)
		ret = skb_copy_bits(skb, offset, in->buf + in->have, n);
	if (ret)
		return ret;
	in->have += n;
	if (!head && in->have == want) {
		take_collected(qp);
		in->pos += want;
	}
	return n;
}

static int reasm_take_fpdu(struct siw_qp *qp, struct sk_buff *skb, u32 offset, u32 len)
{
	u32 size;

	if (reasm_of(qp)->have || qp->stream.cfg.rx_markers)
		return reasm_collect(qp, skb, offset, len);
	size = take_first_piece(qp, skb, offset, len);
	if (size)
		return size;
	size = whole(qp, skb, offset, len);
	if (!size)
		return reasm_collect(qp, skb, offset, len);
	take_in_place(qp, skb, offset, size);
	return size;
}

u32 siw_reasm_input(struct siw_qp *qp, struct sk_buff *skb, u32 offset, u32 len)
{
	u32 done = 0;
	int n;

	while (done < len && !siw_engine(qp)->failed) {
		n = reasm_take_fpdu(qp, skb, offset + done, len - done);
		if (n < 0)
			return done;
		done += n;
	}
	return len;
}
