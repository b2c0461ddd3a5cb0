// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests the FPDU receiver: expects the same segments, bytes and faults wherever the stream is cut.
 */

#include <stdlib.h>
#include <string.h>

#include "crc32c.h"
#include "iwarp/fpdu.h"
#include "iwarp/rx.h"
#include "unit.h"

#define STREAM_MAX	4096

static u8 stream[STREAM_MAX];
static size_t stream_len;

/* The results of the receiver for a stream, in a fixed binary form that can be compared. */
struct digest {
	size_t len;
	u8 at[2 * STREAM_MAX];
};

static void note(struct digest *d, const void *what, size_t len)
{
	CHECK(d->len + len <= sizeof(d->at));
	if (d->len + len > sizeof(d->at))
		return;
	memcpy(d->at + d->len, what, len);
	d->len += len;
}

static void note_segment(struct digest *d, const struct ddp_segment *s)
{
	const u64 words[] = { s->opcode, s->tagged, s->last, s->hdr_len, s->payload_len,
			      s->stag, s->to, s->qn, s->msn, s->mo, s->inv_stag };

	note(d, words, sizeof(words));
}

static void close_fpdu(size_t start, u32 ulpdu_len)
{
	u8 *end = stream + stream_len;

	memset(end, 0, mpa_pad(ulpdu_len));
	stream_len += mpa_trailer_build(end, ulpdu_len,
					crc32c(~0u, stream + start, stream_len - start +
					       mpa_pad(ulpdu_len)) ^ ~0u);
	CHECK_EQ(stream_len - start, mpa_fpdu_size(ulpdu_len));
}

static void add_payload(u16 len)
{
	for (u16 i = 0; i < len; i++)
		stream[stream_len++] = i * 7 + len;
}

static void add_tagged(u8 opcode, bool last, u16 len)
{
	size_t start = stream_len;

	stream_len += ddp_build_tagged(stream + start, opcode, last, 0x12345600 + len,
				       0x1000 + len, len);
	add_payload(len);
	close_fpdu(start, DDP_TAGGED_LEN + len);
}

static void add_untagged(u8 opcode, bool last, u32 msn, u16 len)
{
	size_t start = stream_len;

	stream_len += ddp_build_untagged(stream + start, opcode, last, msn, 0, 0xaabbccdd, len);
	add_payload(len);
	close_fpdu(start, DDP_UNTAGGED_LEN + len);
}

/* Builds a stream with every opcode and every pad, with and without payload. */
static void make_stream(void)
{
	stream_len = 0;
	for (u16 len = 0; len < 6; len++) {
		add_tagged(RDMAP_WRITE, len & 1, len);
		add_untagged(RDMAP_SEND, len & 1, len, len);
	}
	add_untagged(RDMAP_READ_REQUEST, true, 1, 28);
	add_tagged(RDMAP_READ_RESPONSE, true, 100);
	add_untagged(RDMAP_SEND_INV, true, 7, 31);
	add_untagged(RDMAP_SEND_SE, true, 8, 33);
	add_untagged(RDMAP_SEND_SE_INV, true, 9, 0);
	add_untagged(RDMAP_TERMINATE, true, 1, 4);
	add_untagged(RDMAP_IMMEDIATE, true, 10, 8);
	add_untagged(RDMAP_IMMEDIATE_SE, true, 11, 8);
	add_untagged(RDMAP_ATOMIC_REQUEST, true, 2, 52);
	add_untagged(RDMAP_ATOMIC_RESPONSE, true, 1, 12);
}

static u32 fpdu_crc(const struct iwarp_rx *rx, const u8 *payload, size_t len)
{
	u32 crc = crc32c(~0u, rx->head, rx->seg.hdr_len);

	crc = crc32c(crc, payload, len);
	return crc32c(crc, rx->trailer, rx->pad) ^ ~0u;
}

struct receiver {
	struct iwarp_rx rx;
	struct digest seen;
	u8 payload[STREAM_MAX];
	size_t payload_len;
	unsigned int fpdus;
	bool crc_ok;
};

static void trailer_whole(struct receiver *r, u32 crc)
{
	CHECK_EQ(r->payload_len, r->rx.seg.payload_len);
	r->crc_ok &= crc == fpdu_crc(&r->rx, r->payload, r->payload_len);
	note(&r->seen, r->payload, r->payload_len);
	note(&r->seen, &crc, sizeof(crc));
	r->payload_len = 0;
	r->fpdus++;
}

/* Runs the receiver for one step. Returns the number of bytes consumed. */
static size_t step(struct receiver *r, const u8 *data, size_t len)
{
	size_t want = iwarp_rx_want(&r->rx);
	size_t n = 0;
	u32 crc = 0;

	switch (r->rx.state) {
	case IWARP_RX_HEADER:
		if (iwarp_rx_header(&r->rx, data, len, &n))
			break;
		if (r->rx.state != IWARP_RX_HEADER)
			note_segment(&r->seen, &r->rx.seg);
		break;
	case IWARP_RX_PAYLOAD:
		CHECK(r->rx.left);
		n = min_t(size_t, len, r->rx.left);
		memcpy(r->payload + r->payload_len, data, n);
		r->payload_len += n;
		iwarp_rx_payload(&r->rx, n);
		break;
	case IWARP_RX_TRAILER:
		if (iwarp_rx_trailer(&r->rx, data, len, &n, &crc))
			trailer_whole(r, crc);
		CHECK(n <= want);
		break;
	}
	return n;
}

/*
 * Feeds one piece of the stream, from a buffer of its own. Returns the number of bytes that were
 * consumed before a fault or the end of the piece.
 */
static size_t feed(struct receiver *r, const u8 *data, size_t len)
{
	u8 *piece = malloc(len);
	size_t pos = 0;

	memcpy(piece, data, len);
	while (pos < len && r->rx.state != IWARP_RX_FAULT)
		pos += step(r, piece + pos, len - pos);
	free(piece);
	return pos;
}

static struct receiver *receive(size_t first, size_t then)
{
	static struct receiver r;
	size_t pos = 0, n = first;

	memset(&r, 0, sizeof(r));
	iwarp_rx_init(&r.rx);
	r.crc_ok = true;
	while (pos < stream_len && r.rx.state != IWARP_RX_FAULT) {
		n = min_t(size_t, n, stream_len - pos);
		pos += feed(&r, stream + pos, n);
		n = then;
	}
	note(&r.seen, &pos, sizeof(pos));
	note(&r.seen, &r.rx.fault, sizeof(r.rx.fault));
	return &r;
}

static void check_every_cut(void)
{
	static struct digest whole;

	whole = receive(stream_len, stream_len)->seen;
	for (size_t chunk = 1; chunk <= 64; chunk++) {
		struct receiver *r = receive(chunk, chunk);

		CHECK_EQ(r->seen.len, whole.len);
		CHECK(!memcmp(r->seen.at, whole.at, whole.len));
	}
	for (size_t cut = 1; cut < stream_len; cut++) {
		struct receiver *r = receive(cut, stream_len);

		CHECK_EQ(r->seen.len, whole.len);
		CHECK(!memcmp(r->seen.at, whole.at, whole.len));
	}
}

static void whole_stream(void)
{
	struct receiver *r;

	make_stream();
	r = receive(stream_len, stream_len);
	CHECK_EQ(r->fpdus, 22);
	CHECK(r->crc_ok);
	CHECK_FAULT(r->rx.fault, IWARP_OK);
	CHECK_EQ(r->rx.state, IWARP_RX_HEADER);
	CHECK_EQ(iwarp_rx_want(&r->rx), 4);
}

static void any_segmentation(void)
{
	make_stream();
	check_every_cut();
}

static void crc_detects_every_bit(void)
{
	stream_len = 0;
	add_tagged(RDMAP_WRITE, true, 5);
	for (size_t bit = 32; bit < stream_len * 8; bit++) {
		stream[bit / 8] ^= 1 << bit % 8;
		CHECK(!receive(stream_len, stream_len)->crc_ok);
		stream[bit / 8] ^= 1 << bit % 8;
	}
	CHECK(receive(stream_len, stream_len)->crc_ok);
}

static const struct {
	const char *hex;
	enum iwarp_fault fault;
	u8 echo;		/* number of header bytes that are kept for the Terminate */
} faulty[] = {
	{ "0011 41 43 00000000 00000000 00000001 00000000", IWARP_ULPDU_SHORT, 4 },
	{ "0000 00 00 00000000 00000000 00000001 00000000", IWARP_ULPDU_SHORT, 4 },
	{ "000d c1 40 00000001 0000000000000000 00000000", IWARP_ULPDU_SHORT, 4 },
	{ "0012 40 43 00000000 00000000 00000001 00000000", IWARP_DDP_UNTAGGED_VERSION, 20 },
	{ "000e c2 40 00000001 0000000000000000 00000000", IWARP_DDP_TAGGED_VERSION, 16 },
	{ "0012 41 43 00000000 00000004 00000001 00000000", IWARP_DDP_QN, 20 },
	{ "0012 41 83 00000000 00000000 00000001 00000000", IWARP_RDMAP_VERSION, 20 },
	{ "0012 41 4c 00000000 00000000 00000001 00000000", IWARP_RDMAP_OPCODE, 20 },
	{ "0012 41 41 00000000 00000001 00000001 00000000", IWARP_ULPDU_SHORT, 20 },
	{ "002f 41 41 00000000 00000001 00000001 00000000", IWARP_DDP_TOO_LONG, 20 },
	{ "0010 c1 40 00000001 ffffffffffffffff 00000000", IWARP_DDP_TO_WRAP, 16 },
};

static void faults_stop_the_stream(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(faulty); i++) {
		struct bytes in = bytes_of_hex(faulty[i].hex);
		struct iwarp_bad_segment bad_segment;
		struct receiver *r;
		size_t start, n;

		stream_len = 0;
		add_untagged(RDMAP_SEND, true, 1, 3);
		start = stream_len;
		memcpy(stream + start, in.at, in.len);
		stream_len += in.len;
		add_untagged(RDMAP_SEND, true, 2, 3);

		check_every_cut();
		r = receive(1, 1);
		CHECK_EQ(r->fpdus, 1);
		CHECK_FAULT(r->rx.fault, faulty[i].fault);
		CHECK_EQ(iwarp_rx_want(&r->rx), 0);
		CHECK_FAULT(iwarp_rx_header(&r->rx, in.at, in.len, &n), faulty[i].fault);
		CHECK_EQ(n, 0);
		iwarp_rx_bad_segment(&r->rx, &bad_segment);
		CHECK_EQ(bad_segment.fpdu_len, faulty[i].echo);
		CHECK(!memcmp(bad_segment.fpdu, stream + start, bad_segment.fpdu_len));
	}
}

static void bad_segment_by_state(void)
{
	struct iwarp_bad_segment bad_segment;
	struct iwarp_rx rx;
	size_t n;
	u32 crc;

	stream_len = 0;
	add_untagged(RDMAP_SEND, true, 1, 3);
	iwarp_rx_init(&rx);
	iwarp_rx_bad_segment(&rx, &bad_segment);
	CHECK_EQ(bad_segment.fpdu_len, 0);
	iwarp_rx_header(&rx, stream, 10, &n);
	CHECK_EQ(n, 10);
	CHECK_EQ(iwarp_rx_want(&rx), 10);
	iwarp_rx_bad_segment(&rx, &bad_segment);
	CHECK_EQ(bad_segment.fpdu_len, 10);
	iwarp_rx_header(&rx, stream + 10, stream_len - 10, &n);
	CHECK_EQ(n, 10);
	iwarp_rx_bad_segment(&rx, &bad_segment);
	CHECK_EQ(bad_segment.fpdu_len, 20);
	iwarp_rx_payload(&rx, 3);
	CHECK_EQ(rx.state, IWARP_RX_TRAILER);
	CHECK(iwarp_rx_trailer(&rx, stream + 23, stream_len - 23, &n, &crc));
	CHECK_EQ(n, stream_len - 23);
	iwarp_rx_bad_segment(&rx, &bad_segment);
	CHECK_EQ(bad_segment.fpdu_len, 20);
	CHECK(!memcmp(bad_segment.fpdu, stream, 20));
}

/* Expects that calls which do not match the state change nothing. */
static void calls_out_of_turn(void)
{
	struct iwarp_rx rx;
	u32 crc = 5;
	size_t n;

	stream_len = 0;
	add_untagged(RDMAP_SEND, true, 1, 3);
	iwarp_rx_init(&rx);
	iwarp_rx_payload(&rx, 10);
	CHECK(!iwarp_rx_trailer(&rx, stream, stream_len, &n, &crc));
	CHECK_EQ(n, 0);
	CHECK_EQ(rx.state, IWARP_RX_HEADER);
	iwarp_rx_header(&rx, stream, 0, &n);
	CHECK_EQ(n, 0);
	iwarp_rx_header(&rx, NULL, 0, &n);
	CHECK_EQ(n, 0);
	iwarp_rx_header(&rx, stream, stream_len, &n);
	CHECK_EQ(n, 20);
	CHECK_EQ(iwarp_rx_want(&rx), 3);
	CHECK_FAULT(iwarp_rx_header(&rx, stream, stream_len, &n), IWARP_OK);
	CHECK_EQ(n, 0);
	iwarp_rx_payload(&rx, 0);
	CHECK_EQ(rx.state, IWARP_RX_PAYLOAD);
	iwarp_rx_payload(&rx, 1000);
	CHECK_EQ(rx.state, IWARP_RX_TRAILER);
	CHECK_EQ(iwarp_rx_want(&rx), 5);
	CHECK_EQ(crc, 5);
}

static void largest(void)
{
	struct bytes in = bytes_of_hex("ffff 41 43 00000000 00000000 00000001 00000000");
	struct iwarp_rx rx = { 0 };
	size_t n;

	CHECK_FAULT(iwarp_rx_header(&rx, in.at, in.len, &n), IWARP_OK);
	CHECK_EQ(rx.left, 0xffff - 18);
	CHECK_EQ(rx.pad, 3);
	iwarp_rx_payload(&rx, 0xffff - 19);
	CHECK_EQ(rx.left, 1);
	iwarp_rx_payload(&rx, 1);
	CHECK_EQ(iwarp_rx_want(&rx), 7);
}

void test_rx(void)
{
	unit_run("rx: a stream of all opcodes, pads and lengths", whole_stream);
	unit_run("rx: any segmentation, the same result", any_segmentation);
	unit_run("rx: the CRC finds every flipped bit", crc_detects_every_bit);
	unit_run("rx: every fault, in any segmentation", faults_stop_the_stream);
	unit_run("rx: the bad segment in every state", bad_segment_by_state);
	unit_run("rx: calls in the wrong state", calls_out_of_turn);
	unit_run("rx: largest FPDU", largest);
}
