// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Fuzzes the FPDU receiver: a stream of any content must give the same result wherever it is cut.
 * The input has 4 bytes that seed the segmentation, and the stream.
 */

#include "fuzz.h"
#include "iwarp/atomic.h"
#include "iwarp/fpdu.h"
#include "iwarp/rdmap.h"
#include "iwarp/rx.h"

/* Adds @what to the hash of everything that the receiver has returned. */
static void add_to_digest(uint64_t *digest, const void *what, size_t len)
{
	const uint8_t *p = what;

	while (len--)
		*digest = (*digest ^ *p++) * 0x100000001b3;
}

struct receiver {
	struct iwarp_rx rx;
	struct ddp_untagged_rx queue[DDP_QN_COUNT];
	struct rdmap_read_sink sink;
	uint64_t digest;
	size_t taken;
	size_t payload;
	uint8_t control[RDMAP_CONTROL_MAX];	/* begin of the payload of the FPDU */
};

/* Claims that the parsed header, built again, is the received one except for reserved bits. */
static void claim_rebuilt(const struct iwarp_rx *rx)
{
	const struct ddp_segment *s = &rx->seg;
	uint8_t head[DDP_HEAD_MAX];
	struct ddp_segment again;
	size_t len;

	if (s->tagged)
		len = ddp_build_tagged(head, s->opcode, s->last, s->stag, s->to,
				       s->payload_len);
	else
		len = ddp_build_untagged(head, s->opcode, s->last, s->msn, s->mo, s->inv_stag,
					 s->payload_len);
	CLAIM(len == s->hdr_len && len == ddp_header_len(rx->head));
	CLAIM(!((head[2] ^ rx->head[2]) & ~0x3c) && !((head[3] ^ rx->head[3]) & ~0x30));
	CLAIM(!memcmp(head, rx->head, MPA_LEN_LEN));
	CLAIM(!memcmp(head + 8, rx->head + 8, len - 8));
	CLAIM(ddp_segment_parse(head, len, &again) == IWARP_OK);
	CLAIM(ddp_ulpdu_len(&again) == ddp_ulpdu_len(s));
}

static void follow_order(struct receiver *r)
{
	const struct ddp_segment *s = &r->rx.seg;
	enum iwarp_fault fault;
	uint32_t before;

	if (!s->tagged) {
		CLAIM(s->qn < DDP_QN_COUNT);
		fault = ddp_untagged_verify(&r->queue[s->qn], s);
		if (!fault)
			ddp_untagged_advance(&r->queue[s->qn], s);
	} else {
		before = r->sink.remaining;
		fault = rdmap_read_sink_verify(&r->sink, s);
		if (!fault && rdmap_read_sink_advance(&r->sink, s))
			CLAIM(!r->sink.remaining);
		CLAIM(r->sink.remaining <= before);
	}
	add_to_digest(&r->digest, &fault, sizeof(fault));
}

static void head_done(struct receiver *r)
{
	const struct ddp_segment *s = &r->rx.seg;
	const uint64_t words[] = { s->opcode, s->tagged, s->last, s->hdr_len, s->payload_len,
				   s->stag, s->to, s->qn, s->msn, s->mo, s->inv_stag };

	CLAIM(ddp_op(s->opcode));
	CLAIM(s->tagged == !!(ddp_op(s->opcode)->flags & DDP_OP_TAGGED));
	CLAIM(s->tagged || s->qn == ddp_op(s->opcode)->qn);
	CLAIM(ddp_ulpdu_len(s) == get_unaligned_be16(r->rx.head));
	CLAIM(!s->payload_len || s->to + (s->payload_len - 1) >= s->to);
	CLAIM(mpa_fpdu_size(ddp_ulpdu_len(s)) ==
	      (size_t)s->hdr_len + s->payload_len + r->rx.pad + MPA_CRC_LEN);
	add_to_digest(&r->digest, words, sizeof(words));
	claim_rebuilt(&r->rx);
	follow_order(r);
	r->payload = 0;
}

static void claim_atomic(const uint8_t *payload, size_t len)
{
	uint8_t again[RDMAP_ATOMIC_REQ_LEN];
	struct rdmap_atomic_req req, same;
	enum iwarp_fault fault = rdmap_atomic_req_parse(payload, len, &req);

	CLAIM(fault != IWARP_ULPDU_SHORT && len == RDMAP_ATOMIC_REQ_LEN);
	if (fault)
		return;
	CLAIM(rdmap_atomic_req_build(again, &req) == len);
	CLAIM(rdmap_atomic_req_parse(again, len, &same) == IWARP_OK);
	/* Both are equal, except for the reserved bits of the first word. */
	CLAIM(same.op == req.op && !memcmp(again + 4, payload + 4, len - 4));
}

/* Parses the payload of a request, an Atomic Response or a Terminate, and checks it. */
static void follow_control(struct receiver *r)
{
	size_t len = r->payload < sizeof(r->control) ? r->payload : sizeof(r->control);
	uint8_t *copy = exact(r->control, len), again[RDMAP_CONTROL_MAX];
	struct rdmap_atomic_resp resp;
	struct rdmap_read_req req;
	struct iwarp_term term;

	switch (r->rx.seg.opcode) {
	case RDMAP_READ_REQUEST:
		rdmap_read_req_parse(copy, len, &req);
		CLAIM(rdmap_read_req_build(again, &req) == len && !memcmp(again, copy, len));
		break;
	case RDMAP_ATOMIC_REQUEST:
		claim_atomic(copy, len);
		break;
	case RDMAP_ATOMIC_RESPONSE:
		CLAIM(rdmap_atomic_resp_parse(copy, len, &resp) == IWARP_OK);
		CLAIM(rdmap_atomic_resp_build(again, &resp) == len && !memcmp(again, copy, len));
		break;
	case RDMAP_TERMINATE:
		CLAIM(iwarp_term_parse(copy, len, &term) == IWARP_OK);
		add_to_digest(&r->digest, &term.fault, sizeof(term.fault));
		break;
	default:
		break;
	}
	free(copy);
}

/* Gives the receiver what it wants of the data. Returns how many bytes it took. */
static size_t step(struct receiver *r, const uint8_t *data, size_t len)
{
	size_t want = iwarp_rx_want(&r->rx), n = 0, room;
	uint32_t crc;

	CLAIM(want);
	switch (r->rx.state) {
	case IWARP_RX_HEADER:
		if (!iwarp_rx_header(&r->rx, data, len, &n) &&
		    r->rx.state != IWARP_RX_HEADER)
			head_done(r);
		CLAIM(n <= DDP_HEAD_MAX);
		return n;
	case IWARP_RX_PAYLOAD:
		n = want < len ? want : len;
		room = sizeof(r->control) - r->payload;
		if (r->payload < sizeof(r->control))
			memcpy(r->control + r->payload, data, n < room ? n : room);
		add_to_digest(&r->digest, data, n);
		r->payload += n;
		iwarp_rx_payload(&r->rx, n);
		return n;
	case IWARP_RX_TRAILER:
		if (iwarp_rx_trailer(&r->rx, data, len, &n, &crc)) {
			CLAIM(r->payload == r->rx.seg.payload_len);
			follow_control(r);
			add_to_digest(&r->digest, &crc, sizeof(crc));
		}
		CLAIM(n <= want);
		return n;
	}
	abort();
}

static void receive(struct receiver *r, struct input in, uint32_t *seed)
{
	*r = (struct receiver) {
		.digest = 0xcbf29ce484222325,
		.sink = { .stag = 1, .to = 0x1000, .remaining = 100 },
	};
	for (int i = 0; i < DDP_QN_COUNT; i++)
		ddp_untagged_init(&r->queue[i]);
	iwarp_rx_init(&r->rx);
	while (in.len && r->rx.state != IWARP_RX_FAULT) {
		size_t n = seed ? piece(seed, in.len) : in.len;
		uint8_t *copy = exact(in.at, n);
		size_t pos = 0;

		while (pos < n && r->rx.state != IWARP_RX_FAULT) {
			size_t taken = step(r, copy + pos, n - pos);

			CLAIM(taken && taken <= n - pos);
			pos += taken;
		}
		free(copy);
		r->taken += pos;
		in.at += n;
		in.len -= n;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	uint32_t seed = take(&in, 4);
	struct iwarp_bad_segment a, b;
	struct receiver whole, cut;
	uint8_t term[TERM_PAYLOAD_MAX];
	struct iwarp_term parsed;
	int len;

	receive(&whole, in, NULL);
	receive(&cut, in, &seed);
	CLAIM(whole.digest == cut.digest && whole.taken == cut.taken);
	CLAIM(whole.rx.state == cut.rx.state && whole.rx.fault == cut.rx.fault);
	CLAIM(iwarp_rx_want(&whole.rx) == iwarp_rx_want(&cut.rx));

	iwarp_rx_bad_segment(&whole.rx, &a);
	iwarp_rx_bad_segment(&cut.rx, &b);
	CLAIM(a.fpdu_len == b.fpdu_len && !memcmp(a.fpdu, b.fpdu, a.fpdu_len));
	len = iwarp_term_build(term, sizeof(term), whole.rx.fault, &a);
	CLAIM(len >= TERM_CTRL_LEN);
	CLAIM(iwarp_term_parse(term, len, &parsed) == IWARP_OK);
	return 0;
}
