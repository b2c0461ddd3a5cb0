// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests what two policies agree on when they exchange real frames, which replies the initiator
 * refuses, and the contents of rejects.
 */

#include "iwarp/mpa.h"
#include "unit.h"

static const struct mpa_policy plain = {
	.rev = 2, .crc = true, .peer_to_peer = true, .rtr = MPA_RTR_ALL, .ird = 16, .ord = 16,
};

static struct mpa_frame over_the_wire(const struct mpa_frame *frame)
{
	static u8 buf[MPA_FRAME_MAX];
	struct mpa_frame parsed = { 0 };
	int len = mpa_frame_build(buf, sizeof(buf), frame);

	CHECK(len > 0);
	CHECK_FAULT(mpa_frame_parse(buf, len, frame->kind, &parsed), IWARP_OK);
	return parsed;
}

struct outcome {
	enum iwarp_fault responder_fault;
	enum iwarp_fault initiator_fault;
	struct mpa_frame request;	/* as the initiator has built it */
	struct mpa_frame reply;		/* as the initiator receives it */
	struct mpa_agreement initiator;
	struct mpa_agreement responder;
};

static struct outcome connect(struct mpa_policy initiator, struct mpa_policy responder)
{
	struct mpa_frame frame, request;
	struct outcome o = { 0 };

	mpa_request_init(&initiator, &o.request);
	request = over_the_wire(&o.request);
	o.responder_fault = mpa_negotiate_responder(&responder, &request, &o.responder);
	if (o.responder_fault) {
		mpa_reject_init(&responder, &request, &frame);
		o.reply = over_the_wire(&frame);
		return o;
	}
	mpa_reply_init(&responder, &request, &o.responder, &frame);
	o.reply = over_the_wire(&frame);
	o.initiator_fault = mpa_negotiate_initiator(&o.request, &o.reply, &o.initiator);
	return o;
}

static void agree(const struct outcome *o)
{
	CHECK_FAULT(o->responder_fault, IWARP_OK);
	CHECK_FAULT(o->initiator_fault, IWARP_OK);
	CHECK(!o->reply.reject);
	CHECK_EQ(o->initiator.rev, o->responder.rev);
	CHECK_EQ(o->initiator.enhanced, o->responder.enhanced);
	CHECK_EQ(o->initiator.crc, o->responder.crc);
	CHECK_EQ(o->initiator.large_fpdus, o->responder.large_fpdus);
	CHECK_EQ(o->initiator.rtr, o->responder.rtr);
	CHECK_EQ(o->initiator.tx_markers, o->responder.rx_markers);
	CHECK_EQ(o->initiator.rx_markers, o->responder.tx_markers);
}

static void flag_matrix(void)
{
	for (int i = 0; i < 64; i++) {
		struct mpa_policy a = plain, b = plain;
		struct outcome o;

		unit_input("combination %#x", i);
		a.crc = i & 1;
		b.crc = i & 2;
		a.large_fpdus = i & 4;
		b.large_fpdus = i & 8;
		a.markers = i & 16;
		b.markers = i & 32;
		o = connect(a, b);
		agree(&o);
		CHECK_EQ(o.initiator.crc, a.crc || b.crc);
		CHECK_EQ(o.initiator.large_fpdus, a.large_fpdus && b.large_fpdus);
		CHECK_EQ(o.reply.large_fpdus, o.initiator.large_fpdus);
		CHECK_EQ(o.initiator.rx_markers, a.markers);
		CHECK_EQ(o.initiator.tx_markers, b.markers);
	}
}

static void revisions(void)
{
	struct mpa_policy v1 = plain, v2 = plain;
	struct outcome o;

	v1.rev = 1;
	o = connect(v2, v2);
	agree(&o);
	CHECK_EQ(o.initiator.rev, 2);
	CHECK(o.initiator.enhanced);

	o = connect(v1, v2);
	agree(&o);
	CHECK_EQ(o.initiator.rev, 1);
	CHECK(!o.initiator.enhanced);
	CHECK_EQ(o.initiator.rtr, MPA_RTR_NONE);
	CHECK_EQ(o.responder.ird, 16);
	CHECK_EQ(o.initiator.ord, 16);

	o = connect(v1, v1);
	agree(&o);

	o = connect(v2, v1);
	CHECK_FAULT(o.responder_fault, IWARP_MPA_REV);
	CHECK(o.reply.reject);
	CHECK_EQ(o.reply.rev, 1);
	CHECK(mpa_reply_asks_rev1(&o.request, &o.reply));
	o = connect(v1, v1);
	CHECK(!mpa_reply_asks_rev1(&o.request, &o.reply));
	o = connect(v2, v2);
	CHECK(!mpa_reply_asks_rev1(&o.request, &o.reply));
}

/*
 * A request of revision 2 without flag S has no depths and no RTR. Expects that the reply is of
 * revision 2 as well, and has neither depths nor RTR.
 */
static void revision_2_plain(void)
{
	const struct mpa_frame request = {
		.kind = MPA_REQUEST, .rev = 2, .ird = MPA_DEPTH_ULP, .ord = MPA_DEPTH_ULP,
	};
	struct mpa_agreement ours, theirs;
	struct mpa_frame reply;

	CHECK_FAULT(mpa_negotiate_responder(&plain, &request, &ours), IWARP_OK);
	CHECK(!ours.enhanced);
	CHECK_EQ(ours.rtr, MPA_RTR_NONE);
	mpa_reply_init(&plain, &request, &ours, &reply);
	reply = over_the_wire(&reply);
	CHECK_EQ(reply.rev, 2);
	CHECK(!reply.enhanced);
	CHECK_FAULT(mpa_negotiate_initiator(&request, &reply, &theirs), IWARP_OK);
}

/*
 * Expects that the depths of each side bound those of the other. MPA_DEPTH_ULP ("left to the ULP")
 * is greater than all other depths.
 */
static void depth_matrix(void)
{
	static const u16 depths[] = { 0, 1, 2, 16, 128, 0x3ffe, 0x3fff };

	for (size_t i = 0; i < 7 * 7 * 7 * 7; i++) {
		struct mpa_policy a = plain, b = plain;
		struct outcome o;

		a.ird = depths[i % 7];
		a.ord = depths[i / 7 % 7];
		b.ird = depths[i / 49 % 7];
		b.ord = depths[i / 343];
		unit_input("IRD and ORD %#x %#x, %#x %#x", a.ird, a.ord, b.ird, b.ord);
		o = connect(a, b);
		agree(&o);
		CHECK_EQ(o.responder.ird, b.ird < a.ord ? b.ird : a.ord);
		CHECK_EQ(o.responder.ord, b.ord < a.ird ? b.ord : a.ird);
		CHECK(o.initiator.ord <= a.ord);
		CHECK(o.initiator.ird <= a.ird);
		if (a.ord != MPA_DEPTH_ULP)
			CHECK_EQ(o.initiator.ord, o.responder.ird);
		else
			CHECK_EQ(o.reply.ird, MPA_DEPTH_ULP);
		if (a.ird != MPA_DEPTH_ULP)
			CHECK_EQ(o.initiator.ird, o.responder.ord);
		else
			CHECK_EQ(o.reply.ord, MPA_DEPTH_ULP);
	}
}

static enum mpa_rtr rtr_expected(u8 common, u16 depth)
{
	if (!depth)
		common &= ~MPA_RTR_READ;
	return common & MPA_RTR_WRITE ? MPA_RTR_WRITE : common & MPA_RTR_SEND ? MPA_RTR_SEND :
	       common & MPA_RTR_READ ? MPA_RTR_READ : MPA_RTR_NONE;
}

static void rtr_matrix(void)
{
	for (unsigned int i = 0; i < 8 * 8 * 2 * 2 * 2; i++) {
		struct mpa_policy a = plain, b = plain;
		enum mpa_rtr want = MPA_RTR_NONE;
		bool fails = false;
		struct outcome o;

		a.rtr = i & 7;
		b.rtr = i >> 3 & 7;
		a.ord = i >> 6 & 1;
		a.peer_to_peer = i >> 7 & 1;
		b.peer_to_peer = i >> 8;
		unit_input("RTR %#x and %#x, ORD %u, peer to peer %d and %d", a.rtr, b.rtr, a.ord,
			   a.peer_to_peer, b.peer_to_peer);
		o = connect(a, b);
		if (a.peer_to_peer && b.peer_to_peer) {
			want = rtr_expected(a.rtr & b.rtr, a.ord);
			fails = !want;
		}
		if (fails) {
			CHECK_FAULT(o.responder_fault, IWARP_MPA_RTR);
			CHECK(o.reply.reject && o.reply.enhanced);
			CHECK_EQ(o.reply.rtr, b.rtr);
			continue;
		}
		agree(&o);
		CHECK_EQ(o.initiator.rtr, want);
		CHECK_EQ(o.reply.rtr, want);
		CHECK_EQ(o.reply.peer_to_peer, want != MPA_RTR_NONE);
	}
}

static void initiator_refuses(void)
{
	struct mpa_frame request, good, reply;
	struct mpa_agreement agreement;

	mpa_request_init(&plain, &request);
	good = request;
	good.kind = MPA_REPLY;
#define REPLY(fault, change) do {							\
	reply = good;									\
	change;										\
	CHECK_FAULT(mpa_negotiate_initiator(&request, &reply, &agreement), fault);	\
} while (0)
	REPLY(IWARP_OK, (void)0);
	REPLY(IWARP_MPA_REV, reply.rev = 1);
	REPLY(IWARP_MPA_FRAME, reply.reject = true);
	REPLY(IWARP_MPA_FRAME, reply.enhanced = false);
	REPLY(IWARP_OK, reply.ord = 16);
	REPLY(IWARP_MPA_IRD, reply.ord = 17);
	REPLY(IWARP_MPA_IRD, reply.ord = 0x3ffe);
	REPLY(IWARP_OK, reply.ord = 0x3fff);
	REPLY(IWARP_MPA_RTR, reply.rtr = MPA_RTR_NONE);
	REPLY(IWARP_OK, reply.rtr = MPA_RTR_READ);
	CHECK_EQ(agreement.rtr, MPA_RTR_READ);
	REPLY(IWARP_MPA_RTR, reply.rtr = MPA_RTR_READ; reply.ird = 0);
	REPLY(IWARP_OK, reply.peer_to_peer = false; reply.rtr = 0);
	CHECK_EQ(agreement.rtr, MPA_RTR_NONE);

	request.rtr = MPA_RTR_SEND;
	REPLY(IWARP_MPA_RTR, reply.rtr = MPA_RTR_WRITE | MPA_RTR_READ);
	REPLY(IWARP_OK, reply.rtr = MPA_RTR_ALL);
	CHECK_EQ(agreement.rtr, MPA_RTR_SEND);
	request.peer_to_peer = false;
	REPLY(IWARP_MPA_FRAME, reply.peer_to_peer = true);
#undef REPLY
}

static void rejects(void)
{
	struct mpa_policy v1 = plain, uneven = plain;
	struct mpa_frame request, reply;

	uneven.ord = 15;
	mpa_request_init(&plain, &request);
	mpa_reject_init(&uneven, &request, &reply);
	reply.pd = (const u8 *)"no";
	reply.pd_len = 2;
	reply = over_the_wire(&reply);
	CHECK(reply.reject && reply.enhanced && reply.crc);
	CHECK_EQ(reply.rev, 2);
	CHECK_EQ(reply.ird, 16);
	CHECK_EQ(reply.ord, 15);
	CHECK_BYTES(reply.pd, reply.pd_len, "6e6f");

	v1.rev = 1;
	mpa_request_init(&v1, &request);
	mpa_reject_init(&plain, &request, &reply);
	reply = over_the_wire(&reply);
	CHECK_EQ(reply.rev, 1);
	CHECK(!reply.enhanced);

	request.rev = 7;
	mpa_reject_init(&plain, &request, &reply);
	CHECK_EQ(over_the_wire(&reply).rev, 2);
	request.rev = 0;
	mpa_reject_init(&v1, &request, &reply);
	CHECK_EQ(over_the_wire(&reply).rev, 1);
}

void test_negotiate(void)
{
	unit_run("negotiate: CRC if either side asks, large FPDUs if both do, markers each way",
		 flag_matrix);
	unit_run("negotiate: revisions and fallback", revisions);
	unit_run("negotiate: revision 2 that is not enhanced", revision_2_plain);
	unit_run("negotiate: IRD and ORD bound each other", depth_matrix);
	unit_run("negotiate: RTR kinds", rtr_matrix);
	unit_run("negotiate: replies the initiator refuses", initiator_refuses);
	unit_run("negotiate: rejects have private data and the right revision", rejects);
}
