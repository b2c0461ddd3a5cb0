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

/*
 * Appends an FPDU to the stream, with a header as the opcode has it, @len bytes of payload, the pad
 * and the CRC.
 */
static void add_fpdu(u8 opcode, bool last, u32 msn, u16 len)
{
	u8 *fpdu = stream + stream_len;
	size_t n, ulpdu_len;

	if (ddp_op(opcode)->flags & DDP_OP_TAGGED)
		n = ddp_build_tagged(fpdu, opcode, last, 0x12345600 + len, 0x1000 + len, len);
	else
		n = ddp_build_untagged(fpdu, opcode, last, msn, 0, 0xaabbccdd, len);
	for (u16 i = 0; i < len; i++)
		fpdu[n++] = i * 7 + len;
	ulpdu_len = n - MPA_LEN_LEN;
	memset(fpdu + n, 0, mpa_pad(ulpdu_len));
	n += mpa_trailer_build(fpdu + n, ulpdu_len,
			       crc32c(~0u, fpdu, n + mpa_pad(ulpdu_len)) ^ ~0u);
	CHECK_EQ(n, mpa_fpdu_size(ulpdu_len));
	stream_len += n;
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
	u32 want = crc32c(~0u, r->rx.head, r->rx.seg.hdr_len);

	want = crc32c(want, r->payload, r->payload_len);
	want = crc32c(want, r->rx.trailer, r->rx.pad) ^ ~0u;
	CHECK_EQ(r->payload_len, r->rx.seg.payload_len);
	r->crc_ok &= crc == want;
	note(&r->seen, r->payload, r->payload_len);
	note(&r->seen, &crc, sizeof(crc));
	r->payload_len = 0;
	r->fpdus++;
}

/* Runs the receiver for one step. Returns the number of bytes consumed. */
static size_t step(struct receiver *r, const u8 *data, size_t len)
{
	const struct ddp_segment *s = &r->rx.seg;
	size_t want = iwarp_rx_want(&r->rx);
	size_t n = 0;
	u32 crc = 0;

	switch (r->rx.state) {
	case IWARP_RX_HEADER:
		if (iwarp_rx_header(&r->rx, data, len, &n))
			break;
		if (r->rx.state != IWARP_RX_HEADER) {
			const u64 words[] = {
				s->opcode, s->tagged, s->last, s->hdr_len, s->payload_len,
				s->stag, s->to, s->qn, s->msn, s->mo, s->inv_stag,
			};

			note(&r->seen, words, sizeof(words));
		}
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
 * Feeds the stream in pieces, each from a buffer of its own: one of @first bytes, and others of
 * @then bytes.
 */
static struct receiver *receive(size_t first, size_t then)
{
	static struct receiver r;
	size_t pos = 0, end = 0;

	memset(&r, 0, sizeof(r));
	iwarp_rx_init(&r.rx);
	r.crc_ok = true;
	while (pos < stream_len && r.rx.state != IWARP_RX_FAULT) {
		size_t begin = pos, len = min_t(size_t, end ? then : first, stream_len - pos);
		u8 *piece = malloc(len);

		end = begin + len;
		memcpy(piece, stream + begin, len);
		while (pos < end && r.rx.state != IWARP_RX_FAULT)
			pos += step(&r, piece + pos - begin, end - pos);
		free(piece);
	}
	note(&r.seen, &pos, sizeof(pos));
	note(&r.seen, &r.rx.fault, sizeof(r.rx.fault));
	return &r;
}

/* Expects the same of the stream @name in pieces of each length, and cut in two at each place. */
static void check_every_cut(const char *name)
{
	static struct digest whole;

	whole = receive(stream_len, stream_len)->seen;
	for (size_t chunk = 1; chunk <= 64; chunk++) {
		struct receiver *r = receive(chunk, chunk);

		unit_input("%s, in pieces of %zu", name, chunk);
		CHECK_EQ(r->seen.len, whole.len);
		CHECK(!memcmp(r->seen.at, whole.at, whole.len));
	}
	for (size_t cut = 1; cut < stream_len; cut++) {
		struct receiver *r = receive(cut, stream_len);

		unit_input("%s, cut at %zu", name, cut);
		CHECK_EQ(r->seen.len, whole.len);
		CHECK(!memcmp(r->seen.at, whole.at, whole.len));
	}
	unit_input("%s", name);
}

/* Receives a stream with every opcode and every pad, with and without payload. */
static void whole_stream(void)
{
	struct receiver *r;

	stream_len = 0;
	for (u16 len = 0; len < 6; len++) {
		add_fpdu(RDMAP_WRITE, len & 1, 0, len);
		add_fpdu(RDMAP_SEND, len & 1, len, len);
	}
	add_fpdu(RDMAP_READ_REQUEST, true, 1, 28);
	add_fpdu(RDMAP_READ_RESPONSE, true, 0, 100);
	add_fpdu(RDMAP_SEND_INV, true, 7, 31);
	add_fpdu(RDMAP_SEND_SE, true, 8, 33);
	add_fpdu(RDMAP_SEND_SE_INV, true, 9, 0);
	add_fpdu(RDMAP_TERMINATE, true, 1, 4);
	add_fpdu(RDMAP_IMMEDIATE, true, 10, 8);
	add_fpdu(RDMAP_IMMEDIATE_SE, true, 11, 8);
	add_fpdu(RDMAP_ATOMIC_REQUEST, true, 2, 52);
	add_fpdu(RDMAP_ATOMIC_RESPONSE, true, 1, 12);

	r = receive(stream_len, stream_len);
	CHECK_EQ(r->fpdus, 22);
	CHECK(r->crc_ok);
	CHECK_FAULT(r->rx.fault, IWARP_OK);
	CHECK_EQ(r->rx.state, IWARP_RX_HEADER);
	CHECK_EQ(iwarp_rx_want(&r->rx), 4);
	check_every_cut("all opcodes");
}

static void crc_detects_every_bit(void)
{
	stream_len = 0;
	add_fpdu(RDMAP_WRITE, true, 0, 5);
	for (size_t bit = 32; bit < stream_len * 8; bit++) {
		unit_input("bit %zu", bit);
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
		add_fpdu(RDMAP_SEND, true, 1, 3);
		start = stream_len;
		memcpy(stream + start, in.at, in.len);
		stream_len += in.len;
		add_fpdu(RDMAP_SEND, true, 2, 3);

		check_every_cut(faulty[i].hex);
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
	add_fpdu(RDMAP_SEND, true, 1, 3);
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
	add_fpdu(RDMAP_SEND, true, 1, 3);
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
	unit_run("rx: a stream of all opcodes, pads and lengths, in any segmentation",
		 whole_stream);
	unit_run("rx: the CRC finds every flipped bit", crc_detects_every_bit);
	unit_run("rx: every fault, in any segmentation", faults_stop_the_stream);
	unit_run("rx: the bad segment in every state", bad_segment_by_state);
	unit_run("rx: calls in the wrong state", calls_out_of_turn);
	unit_run("rx: largest FPDU", largest);
}
