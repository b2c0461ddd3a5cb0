// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Fuzzes MPA frames from the wire, and the negotiation between two policies. The input has 1 byte
 * of frame kind, 4 bytes that seed the segmentation, two policies of 6 bytes each, and the stream.
 */

#include "fuzz.h"
#include "iwarp/mpa.h"

static struct mpa_policy take_policy(struct input *in)
{
	uint8_t flags = take(in, 1);

	return (struct mpa_policy) {
		.rev = flags & 1 ? 2 : 1,
		.markers = flags & 2,
		.crc = flags & 4,
		.peer_to_peer = flags & 8,
		.rtr = take(in, 1) & MPA_RTR_ALL,
		.ird = take(in, 2) & MPA_DEPTH_MASK,
		.ord = take(in, 2) & MPA_DEPTH_MASK,
	};
}

/* Claims that a frame that was parsed can be built, and that the built frame parses to the same. */
static void round_trip(const struct mpa_frame *a)
{
	uint8_t buf[MPA_FRAME_MAX];
	struct mpa_frame b;
	int len = mpa_frame_build(buf, sizeof(buf), a);
	uint8_t *copy;

	CLAIM(len >= MPA_HDR_LEN && len <= MPA_FRAME_MAX);
	CLAIM(mpa_frame_build(buf, len - 1, a) == -ENOSPC);
	copy = exact(buf, len);
	CLAIM(mpa_frame_parse(copy, len, a->kind, &b) == IWARP_OK);
	CLAIM(a->kind == b.kind && a->rev == b.rev && a->markers == b.markers);
	CLAIM(a->crc == b.crc && a->reject == b.reject && a->enhanced == b.enhanced);
	CLAIM(a->peer_to_peer == b.peer_to_peer && a->rtr == b.rtr);
	CLAIM(a->ird == b.ird && a->ord == b.ord && a->pd_len == b.pd_len);
	CLAIM(!a->pd_len || !memcmp(a->pd, b.pd, a->pd_len));
	free(copy);
}

static struct mpa_frame through_bytes(const struct mpa_frame *frame)
{
	static uint8_t buf[MPA_FRAME_MAX];
	struct mpa_frame parsed = { 0 };
	int len = mpa_frame_build(buf, sizeof(buf), frame);

	CLAIM(len > 0);
	CLAIM(mpa_frame_parse(buf, len, frame->kind, &parsed) == IWARP_OK);
	return parsed;
}

/* Claims that the agreement exceeds neither our policy nor what the peer's frame offers. */
static void claim_bounds(const struct mpa_policy *policy, const struct mpa_frame *peer,
			 const struct mpa_agreement *a)
{
	CLAIM(a->ird <= policy->ird && a->ord <= policy->ord);
	if (peer->enhanced)
		CLAIM(a->ird <= peer->ord && a->ord <= peer->ird);
	CLAIM(a->rtr != MPA_RTR_READ || (peer->kind == MPA_REQUEST ? a->ird : a->ord));
	CLAIM(!a->rtr || (a->enhanced && peer->peer_to_peer && policy->peer_to_peer));
	CLAIM(a->crc == (policy->crc || peer->crc));
	CLAIM(!(a->rtr & ~policy->rtr) && !(a->rtr & (a->rtr - 1)));
	CLAIM(a->rev <= policy->rev);
}

/*
 * Claims that two ends that both run our code agree, or that the responder rejects the request,
 * whatever the policies are.
 */
static void negotiate(const struct mpa_policy *a, const struct mpa_policy *b)
{
	struct mpa_agreement initiator, responder;
	struct mpa_frame request, seen, reply;
	enum iwarp_fault fault;

	mpa_request_init(a, &request);
	seen = through_bytes(&request);
	fault = mpa_negotiate_responder(b, &seen, &responder);
	if (fault) {
		CLAIM(fault == IWARP_MPA_REV || fault == IWARP_MPA_RTR);
		mpa_reject_init(b, &seen, &reply);
		CLAIM(through_bytes(&reply).reject);
		return;
	}
	claim_bounds(b, &seen, &responder);
	mpa_reply_init(b, &seen, &responder, &reply);
	reply = through_bytes(&reply);
	CLAIM(mpa_negotiate_initiator(&request, &reply, &initiator) == IWARP_OK);
	claim_bounds(a, &reply, &initiator);
	/* A depth in the request binds both ends, unless the depth is left to the ULP. */
	if (request.enhanced && request.ord != MPA_DEPTH_ULP)
		CLAIM(initiator.ord == responder.ird);
	if (request.enhanced && request.ird != MPA_DEPTH_ULP)
		CLAIM(responder.ord <= initiator.ird);
	CLAIM(initiator.rev == responder.rev && initiator.crc == responder.crc);
	CLAIM(initiator.rtr == responder.rtr);
	CLAIM(initiator.tx_markers == responder.rx_markers);
	CLAIM(initiator.rx_markers == responder.tx_markers);
}

/* Claims that a negotiation with a peer's frame of any content keeps the bounds. */
static void negotiate_with(const struct mpa_policy *policy, const struct mpa_frame *peer)
{
	struct mpa_agreement agreement;
	struct mpa_frame ours;

	if (peer->kind == MPA_REQUEST) {
		if (!mpa_negotiate_responder(policy, peer, &agreement)) {
			claim_bounds(policy, peer, &agreement);
			mpa_reply_init(policy, peer, &agreement, &ours);
			through_bytes(&ours);
		}
		mpa_reject_init(policy, peer, &ours);
		through_bytes(&ours);
		return;
	}
	mpa_request_init(policy, &ours);
	CLAIM(!mpa_reply_asks_rev1(&ours, peer) || (ours.rev == 2 && peer->rev == 1));
	if (!mpa_negotiate_initiator(&ours, peer, &agreement)) {
		CLAIM(!peer->reject);
		claim_bounds(policy, peer, &agreement);
	}
}

static size_t collect(struct mpa_rx *rx, struct input in, uint32_t *seed)
{
	size_t pos = 0;

	while (pos < in.len && mpa_rx_want(rx)) {
		size_t n = seed ? piece(seed, in.len - pos) : in.len - pos;
		uint8_t *copy = exact(in.at + pos, n);
		size_t taken = mpa_rx_push(rx, copy, n);

		CLAIM(taken && taken <= n);
		pos += taken;
		free(copy);
	}
	return pos;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	enum mpa_kind kind = take(&in, 1) & 1 ? MPA_REPLY : MPA_REQUEST;
	uint32_t seed = take(&in, 4);
	struct mpa_policy a = take_policy(&in);
	struct mpa_policy b = take_policy(&in);
	struct mpa_frame frame, direct;
	struct mpa_rx whole, cut;
	enum iwarp_fault fault;
	uint8_t *copy;

	mpa_rx_init(&whole, kind);
	mpa_rx_init(&cut, kind);
	CLAIM(collect(&whole, in, NULL) == collect(&cut, in, &seed));
	CLAIM(whole.have == cut.have && !memcmp(whole.buf, cut.buf, whole.have));

	fault = mpa_rx_parse(&whole, &frame);
	copy = exact(in.at, in.len);
	CLAIM(mpa_frame_parse(copy, in.len, kind, &direct) == fault);
	free(copy);
	CLAIM((fault == IWARP_TRUNCATED) == !!mpa_rx_want(&whole));
	if (!fault) {
		CLAIM(frame.pd_len <= MPA_PD_MAX);
		round_trip(&frame);
		negotiate_with(&a, &frame);
	}
	negotiate(&a, &b);
	return 0;
}
