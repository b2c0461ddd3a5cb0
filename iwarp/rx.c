// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Splits a byte stream, which arrives in pieces of any size, into FPDUs. */

#include "rx.h"
#include "fpdu.h"

void iwarp_rx_init(struct iwarp_rx *rx)
{
	memset(rx, 0, sizeof(*rx));
}

static size_t head_want(const struct iwarp_rx *rx)
{
	size_t whole = rx->have < DDP_CTRL_END ? DDP_CTRL_END : ddp_header_len(rx->head);

	return whole - rx->have;
}

size_t iwarp_rx_want(const struct iwarp_rx *rx)
{
	switch (rx->state) {
	case IWARP_RX_HEADER:
		return head_want(rx);
	case IWARP_RX_PAYLOAD:
		return rx->left;
	case IWARP_RX_TRAILER:
		return rx->pad + MPA_CRC_LEN - rx->have;
	default:
		return 0;
	}
}

/*
 * Appends at most @want bytes of @data to the rx->have bytes at @to, and adds their number to
 * rx->have. Returns their number.
 */
static size_t append(struct iwarp_rx *rx, u8 *to, size_t want, const u8 *data, size_t len)
{
	size_t n = min_t(size_t, want, len);

	if (n)
		memcpy(to + rx->have, data, n);
	rx->have += n;
	return n;
}

static enum iwarp_fault fail(struct iwarp_rx *rx, enum iwarp_fault fault)
{
	rx->state = IWARP_RX_FAULT;
	rx->fault = fault;
	return fault;
}

static enum iwarp_fault finish_head(struct iwarp_rx *rx)
{
	enum iwarp_fault fault = ddp_segment_parse(rx->head, rx->have, &rx->seg);

	if (fault)
		return fail(rx, fault);
	rx->left = rx->seg.payload_len;
	rx->pad = mpa_pad(ddp_ulpdu_len(&rx->seg));
	rx->state = rx->left ? IWARP_RX_PAYLOAD : IWARP_RX_TRAILER;
	rx->have = 0;
	return IWARP_OK;
}

/*
 * The length of the head depends on the control bytes. Therefore the head is collected in two
 * steps: up to the end of the control bytes, then the rest. If ULPDU_Length is less than the
 * header, the fault is returned after the first step: the bytes that follow are not a header.
 */
enum iwarp_fault iwarp_rx_header(struct iwarp_rx *rx, const u8 *data, size_t len,
				 size_t *consumed)
{
	enum iwarp_fault fault;
	size_t n;

	*consumed = 0;
	if (rx->state != IWARP_RX_HEADER)
		return rx->fault;
	/* Take a head that is in one piece, the common case, by a cheap copy of fixed size. */
	if (!rx->have && len >= DDP_HEAD_MAX) {
		fault = ddp_length_check(data);
		memcpy(rx->head, data, DDP_HEAD_MAX);
		rx->have = fault ? DDP_CTRL_END : ddp_header_len(data);
		*consumed = rx->have;
		return fault ? fail(rx, fault) : finish_head(rx);
	}

	if (rx->have < DDP_CTRL_END) {
		n = append(rx, rx->head, DDP_CTRL_END - rx->have, data, len);
		*consumed = n;
		if (rx->have < DDP_CTRL_END)
			return IWARP_OK;
		fault = ddp_length_check(rx->head);
		if (fault)
			return fail(rx, fault);
		data += n;
		len -= n;
	}
	*consumed += append(rx, rx->head, head_want(rx), data, len);
	return head_want(rx) ? IWARP_OK : finish_head(rx);
}

void iwarp_rx_payload(struct iwarp_rx *rx, size_t len)
{
	if (rx->state != IWARP_RX_PAYLOAD)
		return;
	rx->left -= min_t(size_t, len, rx->left);
	if (!rx->left)
		rx->state = IWARP_RX_TRAILER;
}

bool iwarp_rx_trailer(struct iwarp_rx *rx, const u8 *data, size_t len, size_t *consumed,
		      u32 *crc)
{
	*consumed = 0;
	if (rx->state != IWARP_RX_TRAILER)
		return false;
	*consumed = append(rx, rx->trailer, iwarp_rx_want(rx), data, len);
	if (iwarp_rx_want(rx))
		return false;
	*crc = mpa_crc_get(rx->trailer + rx->pad);
	rx->state = IWARP_RX_HEADER;
	rx->have = 0;
	return true;
}

void iwarp_rx_bad_segment(const struct iwarp_rx *rx, struct iwarp_bad_segment *bad_segment)
{
	bool in_head = rx->state == IWARP_RX_FAULT || (rx->state == IWARP_RX_HEADER && rx->have);

	*bad_segment = (struct iwarp_bad_segment) {
		.fpdu = rx->head,
		.fpdu_len = in_head ? rx->have : rx->seg.hdr_len,
	};
}
