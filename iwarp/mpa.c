// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The MPA handshake: request and reply frames, and what the two sides agree on. */

#include "mpa.h"

static const char *const keys[] = {
	[MPA_REQUEST] = MPA_KEY_REQUEST,
	[MPA_REPLY] = MPA_KEY_REPLY,
};

static const u8 large_flags[] = {
	[MPA_REQUEST] = MPA_FLAG_LARGE_WANTED,
	[MPA_REPLY] = MPA_FLAG_LARGE_AGREED,
};

static int check_frame(const struct mpa_frame *frame)
{
	if (frame->rev != MPA_REV_BASIC && frame->rev != MPA_REV_ENHANCED)
		return -EINVAL;
	if (frame->enhanced && frame->rev != MPA_REV_ENHANCED)
		return -EINVAL;
	if (frame->enhanced && (frame->ird > MPA_DEPTH_MASK || frame->ord > MPA_DEPTH_MASK))
		return -EINVAL;
	if (frame->enhanced && frame->rtr & ~MPA_RTR_ALL)
		return -EINVAL;
	if (frame->reject && frame->kind == MPA_REQUEST)
		return -EINVAL;
	if (frame->pd_len && !frame->pd)
		return -EINVAL;
	if (frame->pd_len > (frame->enhanced ? MPA_PD_MAX_ENHANCED : MPA_PD_MAX))
		return -EMSGSIZE;
	return 0;
}

int mpa_frame_build(u8 *buf, size_t size, const struct mpa_frame *frame)
{
	size_t words = frame->enhanced ? MPA_ENHANCED_LEN : 0;
	struct mpa_wire_enhanced enhanced;
	struct mpa_wire_hdr hdr;
	int err;

	err = check_frame(frame);
	if (err)
		return err;
	if (size < MPA_HDR_LEN + words + frame->pd_len)
		return -ENOSPC;

	memcpy(hdr.key, keys[frame->kind], MPA_KEY_LEN);
	hdr.flags = (frame->markers ? MPA_FLAG_MARKERS : 0) | (frame->crc ? MPA_FLAG_CRC : 0) |
		    (frame->large_fpdus ? large_flags[frame->kind] : 0) |
		    (frame->reject ? MPA_FLAG_REJECT : 0) |
		    (frame->enhanced ? MPA_FLAG_ENHANCED : 0);
	hdr.rev = frame->rev;
	hdr.pd_len = cpu_to_be16(words + frame->pd_len);
	memcpy(buf, &hdr, MPA_HDR_LEN);

	if (frame->enhanced) {
		enhanced.ird = cpu_to_be16(frame->ird |
			(frame->peer_to_peer ? MPA_IRD_PEER_TO_PEER : 0) |
			(frame->rtr & MPA_RTR_SEND ? MPA_IRD_RTR_SEND : 0));
		enhanced.ord = cpu_to_be16(frame->ord |
			(frame->rtr & MPA_RTR_WRITE ? MPA_ORD_RTR_WRITE : 0) |
			(frame->rtr & MPA_RTR_READ ? MPA_ORD_RTR_READ : 0));
		memcpy(buf + MPA_HDR_LEN, &enhanced, MPA_ENHANCED_LEN);
	}
	if (frame->pd_len)
		memcpy(buf + MPA_HDR_LEN + words, frame->pd, frame->pd_len);
	return MPA_HDR_LEN + words + frame->pd_len;
}

enum iwarp_fault mpa_frame_parse_header(const u8 *buf, enum mpa_kind kind,
					struct mpa_frame *frame, u16 *private_len)
{
	struct mpa_wire_hdr hdr;
	u16 words;

	*private_len = 0;
	memcpy(&hdr, buf, MPA_HDR_LEN);
	if (memcmp(hdr.key, keys[kind], MPA_KEY_LEN))
		return IWARP_MPA_KEY;

	*frame = (struct mpa_frame) {
		.kind = kind,
		.rev = hdr.rev,
		.markers = hdr.flags & MPA_FLAG_MARKERS,
		.crc = hdr.flags & MPA_FLAG_CRC,
		.large_fpdus = hdr.flags & large_flags[kind],
		/*
		 * The reject bit of a request, and the enhanced bit before revision 2, are reserved
		 * and ignored.
		 */
		.reject = kind == MPA_REPLY && hdr.flags & MPA_FLAG_REJECT,
		.enhanced = hdr.rev >= MPA_REV_ENHANCED && hdr.flags & MPA_FLAG_ENHANCED,
		.ird = MPA_DEPTH_ULP,
		.ord = MPA_DEPTH_ULP,
	};
	if (hdr.rev != MPA_REV_BASIC && hdr.rev != MPA_REV_ENHANCED)
		return IWARP_MPA_REV;

	words = frame->enhanced ? MPA_ENHANCED_LEN : 0;
	if (be16_to_cpu(hdr.pd_len) > MPA_PD_MAX || be16_to_cpu(hdr.pd_len) < words)
		return IWARP_MPA_PD_LEN;
	*private_len = be16_to_cpu(hdr.pd_len);
	frame->pd_len = *private_len - words;
	return IWARP_OK;
}

enum iwarp_fault mpa_frame_parse_private(const u8 *buf, size_t len, struct mpa_frame *frame)
{
	size_t words = frame->enhanced ? MPA_ENHANCED_LEN : 0;
	struct mpa_wire_enhanced enhanced;
	u16 ird, ord;

	if (len < words + frame->pd_len)
		return IWARP_TRUNCATED;
	if (frame->enhanced) {
		memcpy(&enhanced, buf, MPA_ENHANCED_LEN);
		ird = be16_to_cpu(enhanced.ird);
		ord = be16_to_cpu(enhanced.ord);
		frame->peer_to_peer = ird & MPA_IRD_PEER_TO_PEER;
		frame->rtr = (ird & MPA_IRD_RTR_SEND ? MPA_RTR_SEND : 0) |
			     (ord & MPA_ORD_RTR_WRITE ? MPA_RTR_WRITE : 0) |
			     (ord & MPA_ORD_RTR_READ ? MPA_RTR_READ : 0);
		frame->ird = ird & MPA_DEPTH_MASK;
		frame->ord = ord & MPA_DEPTH_MASK;
	}
	frame->pd = frame->pd_len ? buf + words : NULL;
	return IWARP_OK;
}

enum iwarp_fault mpa_frame_parse(const u8 *buf, size_t len, enum mpa_kind kind,
				 struct mpa_frame *frame)
{
	enum iwarp_fault fault;
	u16 private_len;

	if (len < MPA_HDR_LEN)
		return IWARP_TRUNCATED;
	fault = mpa_frame_parse_header(buf, kind, frame, &private_len);
	if (fault)
		return fault;
	return mpa_frame_parse_private(buf + MPA_HDR_LEN, len - MPA_HDR_LEN, frame);
}

void mpa_rx_init(struct mpa_rx *rx, enum mpa_kind kind)
{
	rx->kind = kind;
	rx->have = 0;
}

size_t mpa_rx_want(const struct mpa_rx *rx)
{
	struct mpa_frame frame;
	u16 private_len;

	if (rx->have < MPA_HDR_LEN)
		return MPA_HDR_LEN - rx->have;
	if (mpa_frame_parse_header(rx->buf, rx->kind, &frame, &private_len))
		return 0;
	return MPA_HDR_LEN + private_len - rx->have;
}

u8 *mpa_rx_space(struct mpa_rx *rx)
{
	return rx->buf + rx->have;
}

void mpa_rx_add(struct mpa_rx *rx, size_t len)
{
	rx->have += min_t(size_t, len, mpa_rx_want(rx));
}

size_t mpa_rx_push(struct mpa_rx *rx, const u8 *data, size_t len)
{
	size_t taken = 0;
	size_t n;

	/* The loop runs at most twice: for the header, and for the private data. */
	while (taken < len) {
		n = min_t(size_t, mpa_rx_want(rx), len - taken);
		if (!n)
			break;
		memcpy(mpa_rx_space(rx), data + taken, n);
		mpa_rx_add(rx, n);
		taken += n;
	}
	return taken;
}

enum iwarp_fault mpa_rx_parse(const struct mpa_rx *rx, struct mpa_frame *frame)
{
	return mpa_frame_parse(rx->buf, rx->have, rx->kind, frame);
}

void mpa_request_init(const struct mpa_policy *policy, struct mpa_frame *frame)
{
	bool enhanced = policy->rev >= MPA_REV_ENHANCED;
	bool peer_to_peer = enhanced && policy->peer_to_peer;

	*frame = (struct mpa_frame) {
		.kind = MPA_REQUEST,
		.rev = policy->rev,
		.markers = policy->markers,
		.crc = policy->crc,
		.large_fpdus = policy->large_fpdus,
		.enhanced = enhanced,
		.peer_to_peer = peer_to_peer,
		.rtr = peer_to_peer ? policy->rtr : MPA_RTR_NONE,
		/* Revision 1 does not send the depths, but they still limit what is agreed on. */
		.ird = policy->ird,
		.ord = policy->ord,
	};
}

/*
 * Each agreed depth is the smaller one of our offer and the peer's offer. MPA_DEPTH_ULP is the
 * largest value of a depth, so a side that offers MPA_DEPTH_ULP sets no limit.
 */

/*
 * Chooses the cheapest of the kinds of RTR message in @common. A Write costs least, because a Write
 * needs neither an MSN nor a response; a Read costs most, and needs a @read_depth above 0.
 */
static enum mpa_rtr choose_rtr(u8 common, u16 read_depth)
{
	if (common & MPA_RTR_WRITE)
		return MPA_RTR_WRITE;
	if (common & MPA_RTR_SEND)
		return MPA_RTR_SEND;
	if (common & MPA_RTR_READ && read_depth)
		return MPA_RTR_READ;
	return MPA_RTR_NONE;
}

enum iwarp_fault mpa_negotiate_responder(const struct mpa_policy *policy,
					 const struct mpa_frame *request,
					 struct mpa_agreement *agreement)
{
	bool peer_to_peer = request->enhanced && request->peer_to_peer && policy->peer_to_peer;
	u16 ird = min_t(u16, policy->ird, request->ord);
	enum mpa_rtr rtr = MPA_RTR_NONE;

	if (request->rev > policy->rev)
		return IWARP_MPA_REV;
	if (peer_to_peer) {
		rtr = choose_rtr(policy->rtr & request->rtr, ird);
		if (rtr == MPA_RTR_NONE)
			return IWARP_MPA_RTR;
	}

	*agreement = (struct mpa_agreement) {
		.rev = request->rev,
		.enhanced = request->enhanced,
		.crc = policy->crc || request->crc,
		.large_fpdus = policy->large_fpdus && request->large_fpdus,
		.tx_markers = request->markers,
		.rx_markers = policy->markers,
		.rtr = rtr,
		.ird = ird,
		.ord = min_t(u16, policy->ord, request->ird),
	};
	return IWARP_OK;
}

/*
 * If the request leaves a depth to the ULP, the peer asks not to negotiate that depth. The reply
 * then also leaves that depth to the ULP.
 */
void mpa_reply_init(const struct mpa_policy *policy, const struct mpa_frame *request,
		    const struct mpa_agreement *agreement, struct mpa_frame *frame)
{
	*frame = (struct mpa_frame) {
		.kind = MPA_REPLY,
		.rev = agreement->rev,
		.markers = policy->markers,
		.crc = agreement->crc,
		.large_fpdus = agreement->large_fpdus,
		.enhanced = agreement->enhanced,
		.peer_to_peer = agreement->rtr != MPA_RTR_NONE,
		.rtr = agreement->rtr,
		.ird = request->ord == MPA_DEPTH_ULP ? MPA_DEPTH_ULP : agreement->ird,
		.ord = request->ird == MPA_DEPTH_ULP ? MPA_DEPTH_ULP : agreement->ord,
	};
}

void mpa_reject_init(const struct mpa_policy *policy, const struct mpa_frame *request,
		     struct mpa_frame *frame)
{
	bool spoken = request->rev >= MPA_REV_BASIC && request->rev <= policy->rev;
	bool enhanced = spoken && request->enhanced;

	*frame = (struct mpa_frame) {
		.kind = MPA_REPLY,
		.rev = spoken ? request->rev : policy->rev,
		.markers = policy->markers,
		.crc = policy->crc || request->crc,
		.reject = true,
		.enhanced = enhanced,
		.peer_to_peer = enhanced && policy->peer_to_peer && request->peer_to_peer,
		.rtr = enhanced && policy->peer_to_peer ? policy->rtr : MPA_RTR_NONE,
		.ird = enhanced ? policy->ird : MPA_DEPTH_ULP,
		.ord = enhanced ? policy->ord : MPA_DEPTH_ULP,
	};
}

enum iwarp_fault mpa_negotiate_initiator(const struct mpa_frame *request,
					 const struct mpa_frame *reply,
					 struct mpa_agreement *agreement)
{
	u16 ord = min_t(u16, request->ord, reply->ird);
	enum mpa_rtr rtr = MPA_RTR_NONE;

	if (reply->rev != request->rev)
		return IWARP_MPA_REV;
	if (reply->reject || reply->enhanced != request->enhanced)
		return IWARP_MPA_FRAME;
	if (reply->peer_to_peer && !request->peer_to_peer)
		return IWARP_MPA_FRAME;
	if (reply->ord != MPA_DEPTH_ULP && reply->ord > request->ird)
		return IWARP_MPA_IRD;
	if (reply->peer_to_peer) {
		rtr = choose_rtr(request->rtr & reply->rtr, ord);
		if (rtr == MPA_RTR_NONE)
			return IWARP_MPA_RTR;
	}

	*agreement = (struct mpa_agreement) {
		.rev = reply->rev,
		.enhanced = reply->enhanced,
		.crc = request->crc || reply->crc,
		.large_fpdus = request->large_fpdus && reply->large_fpdus,
		.tx_markers = reply->markers,
		.rx_markers = request->markers,
		.rtr = rtr,
		.ird = min_t(u16, request->ird, reply->ord),
		.ord = ord,
	};
	return IWARP_OK;
}

bool mpa_reply_asks_rev1(const struct mpa_frame *request, const struct mpa_frame *reply)
{
	return request->rev == MPA_REV_ENHANCED && reply->rev == MPA_REV_BASIC;
}
