// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests the bytes of Read Requests, the order of messages, and Read Responses at their limits. */

#include <string.h>

#include "iwarp/rdmap.h"
#include "unit.h"

#define READ_REQ "11223344 0102030405060708 00010000 55667788 1112131415161718"

static void read_req_bytes(void)
{
	const struct rdmap_read_req req = {
		.sink_stag = 0x11223344, .sink_to = 0x0102030405060708, .length = 0x10000,
		.source_stag = 0x55667788, .source_to = 0x1112131415161718,
	};
	struct bytes in = bytes_of_hex(READ_REQ);
	struct bytes out = bytes_copy(in.at, in.len);
	struct rdmap_read_req got;

	memset(out.at, 0xee, out.len);
	CHECK_EQ(rdmap_read_req_build(out.at, &req), 28);
	CHECK_BYTES(out.at, out.len, READ_REQ);
	CHECK_FAULT(rdmap_read_req_parse(in.at, in.len, &got), IWARP_OK);
	CHECK_EQ(got.sink_stag, req.sink_stag);
	CHECK_EQ(got.sink_to, req.sink_to);
	CHECK_EQ(got.length, req.length);
	CHECK_EQ(got.source_stag, req.source_stag);
	CHECK_EQ(got.source_to, req.source_to);
	for (size_t len = 0; len < in.len; len++) {
		struct bytes cut = bytes_copy(in.at, len);

		CHECK_FAULT(rdmap_read_req_parse(cut.at, len, &got), IWARP_ULPDU_SHORT);
	}
}

static void read_req_wrap(void)
{
	static const struct {
		u64 source_to;
		u32 length;
		enum iwarp_fault fault;
	} cases[] = {
		{ ~0ull, 0, IWARP_OK },
		{ ~0ull, 1, IWARP_OK },
		{ ~0ull, 2, IWARP_RDMAP_TO_WRAP },
		{ ~0ull - 0xfffffffe, 0xffffffff, IWARP_OK },
		{ ~0ull - 0xfffffffd, 0xffffffff, IWARP_RDMAP_TO_WRAP },
		{ 0, 0xffffffff, IWARP_OK },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct rdmap_read_req req = {
			.source_to = cases[i].source_to, .length = cases[i].length,
			.sink_to = ~0ull,
		};
		struct rdmap_read_req got;
		u8 buf[RDMAP_READ_REQ_LEN];

		unit_input("row %zu", i);
		rdmap_read_req_build(buf, &req);
		CHECK_FAULT(rdmap_read_req_parse(buf, sizeof(buf), &got), cases[i].fault);
	}
}

static const struct ddp_untagged_rx last_msn = { .next_msn = 0xffffffff };
static const struct ddp_untagged_rx almost_too_long = {
	.next_msn = 1, .next_mo = 0xffffff00, .open = true, .opcode = RDMAP_SEND,
};

#define SEND_OF(opcode_, msn_, mo_, len, last_)						\
	{ .opcode = opcode_, .last = last_, .hdr_len = 20, .msn = msn_, .mo = mo_,	\
	  .payload_len = len }
#define SEND(msn, mo, len, last)	SEND_OF(RDMAP_SEND, msn, mo, len, last)

/*
 * Lists sequences of segments. A row with a name begins one, in the state @from or as a new stream.
 * Only the receipt of a segment without a fault changes the state.
 */
static const struct {
	const char *name;
	const struct ddp_untagged_rx *from;
	struct ddp_segment seg;
	enum iwarp_fault fault;
} untagged[] = {
	{ "in order", NULL, SEND(1, 0, 0, true), IWARP_OK },
	{ NULL, NULL, SEND(2, 0, 100, false), IWARP_OK },
	{ NULL, NULL, SEND(2, 100, 0, false), IWARP_OK },
	{ NULL, NULL, SEND(2, 100, 50, true), IWARP_OK },
	{ NULL, NULL, SEND(3, 0, 7, true), IWARP_OK },
	{ "past the last MSN", &last_msn, SEND(0xffffffff, 0, 7, true), IWARP_OK },
	{ NULL, NULL, SEND(0, 0, 7, true), IWARP_OK },
	{ NULL, NULL, SEND(1, 0, 7, true), IWARP_OK },
	{ "out of order", NULL, SEND(0, 0, 1, true), IWARP_DDP_MSN },
	{ NULL, NULL, SEND(2, 0, 1, true), IWARP_DDP_MSN },
	{ NULL, NULL, SEND(1, 1, 1, true), IWARP_DDP_MO },
	{ NULL, NULL, SEND(1, 0, 100, false), IWARP_OK },
	{ NULL, NULL, SEND(1, 99, 1, true), IWARP_DDP_MO },
	{ NULL, NULL, SEND(1, 101, 1, true), IWARP_DDP_MO },
	{ NULL, NULL, SEND(1, 0, 100, false), IWARP_DDP_MO },
	{ NULL, NULL, SEND(2, 0, 1, true), IWARP_DDP_MSN },
	{ NULL, NULL, SEND_OF(RDMAP_SEND_SE, 1, 100, 1, true), IWARP_RDMAP_OPCODE },
	{ NULL, NULL, SEND(1, 100, 1, true), IWARP_OK },
	{ NULL, NULL, SEND_OF(RDMAP_SEND_SE, 2, 0, 1, true), IWARP_OK },
	{ "an empty first segment opens a message", NULL, SEND(1, 0, 0, false), IWARP_OK },
	{ NULL, NULL, SEND_OF(RDMAP_SEND_INV, 1, 0, 1, true), IWARP_RDMAP_OPCODE },
	{ "past 2^32", &almost_too_long, SEND(1, 0xffffff00, 0x100, true), IWARP_DDP_TOO_LONG },
	{ NULL, NULL, SEND(1, 0xffffff00, 0xffed, true), IWARP_DDP_TOO_LONG },
	{ NULL, NULL, SEND(1, 0xffffff00, 0xff, true), IWARP_OK },
};

static void untagged_sequences(void)
{
	const char *name = NULL;
	struct ddp_untagged_rx rx;

	for (size_t i = 0; i < ARRAY_SIZE(untagged); i++) {
		const struct ddp_segment *seg = &untagged[i].seg;

		if (untagged[i].name) {
			name = untagged[i].name;
			ddp_untagged_init(&rx);
			CHECK_EQ(rx.next_msn, 1);
			if (untagged[i].from)
				rx = *untagged[i].from;
		}
		unit_input("%s, row %zu: MSN %#x, MO %#x", name, i, seg->msn, seg->mo);
		CHECK_FAULT(ddp_untagged_verify(&rx, seg), untagged[i].fault);
		if (!untagged[i].fault)
			ddp_untagged_advance(&rx, seg);
	}
}

#define RESPONSE(stag_, to_, len, last_)					\
	{ .opcode = RDMAP_READ_RESPONSE, .tagged = true, .last = last_, .hdr_len = 16,	\
	  .stag = stag_, .to = to_, .payload_len = len }

/*
 * Lists Read Responses for a sink of STag 7 at TO 1000. A row with a name begins a new sink of
 * @length bytes. Only the receipt of a segment without a fault changes the sink.
 */
static const struct {
	const char *name;
	u32 length;
	struct ddp_segment seg;
	enum iwarp_fault fault;
} responses[] = {
	{ "in order", 300, RESPONSE(7, 1000, 100, false), IWARP_OK },
	{ NULL, 0, RESPONSE(0, 0, 0, false), IWARP_OK },
	{ NULL, 0, RESPONSE(7, 1100, 200, true), IWARP_OK },
	{ "does not fit", 300, RESPONSE(8, 1000, 300, true), IWARP_DDP_STAG },
	{ NULL, 0, RESPONSE(7, 999, 300, true), IWARP_DDP_BOUNDS },
	{ NULL, 0, RESPONSE(7, 1001, 299, true), IWARP_DDP_BOUNDS },
	{ NULL, 0, RESPONSE(7, 1000, 301, true), IWARP_READ_LONG },
	{ NULL, 0, RESPONSE(7, 1000, 301, false), IWARP_READ_LONG },
	{ NULL, 0, RESPONSE(7, 1000, 300, false), IWARP_READ_LONG },
	{ NULL, 0, RESPONSE(7, 1000, 299, true), IWARP_READ_SHORT },
	{ NULL, 0, RESPONSE(7, 1000, 0, true), IWARP_READ_SHORT },
	{ NULL, 0, RESPONSE(7, 1000, 299, false), IWARP_OK },
	{ "as a whole", 300, RESPONSE(7, 1000, 300, true), IWARP_OK },
	{ "of zero bytes", 0, RESPONSE(7, 1000, 0, false), IWARP_READ_LONG },
	{ NULL, 0, RESPONSE(7, 1000, 1, true), IWARP_READ_LONG },
	{ NULL, 0, RESPONSE(7, 1000, 0, true), IWARP_OK },
	{ "of zero bytes, elsewhere", 0, RESPONSE(0xffffffff, ~0ull, 0, true), IWARP_OK },
};

static void sink_sequences(void)
{
	struct rdmap_read_req req = { .sink_stag = 7, .sink_to = 1000 };
	const char *name = NULL;
	struct rdmap_read_sink sink;

	for (size_t i = 0; i < ARRAY_SIZE(responses); i++) {
		const struct ddp_segment *seg = &responses[i].seg;

		if (responses[i].name) {
			name = responses[i].name;
			req.length = responses[i].length;
			rdmap_read_sink_init(&sink, &req);
		}
		unit_input("%s, row %zu: STag %#x, TO %llu", name, i, seg->stag,
			   (unsigned long long)seg->to);
		CHECK_FAULT(rdmap_read_sink_verify(&sink, seg), responses[i].fault);
		if (responses[i].fault)
			continue;
		CHECK_EQ(rdmap_read_sink_advance(&sink, seg), seg->last);
		if (seg->last)
			CHECK_EQ(sink.remaining, 0);
	}
}

static void sink_largest(void)
{
	const struct rdmap_read_req req = {
		.sink_stag = 7, .sink_to = ~0ull - 0xfffffffe, .length = 0xffffffff,
	};
	struct ddp_segment seg = RESPONSE(7, req.sink_to, 0xfff0, false);
	struct rdmap_read_sink sink;

	rdmap_read_sink_init(&sink, &req);
	while (!seg.last) {
		seg.to = sink.to;
		if (sink.remaining <= 0xfff0) {
			seg.payload_len = sink.remaining;
			seg.last = true;
		}
		CHECK_FAULT(rdmap_read_sink_verify(&sink, &seg), IWARP_OK);
		CHECK_EQ(rdmap_read_sink_advance(&sink, &seg), seg.last);
	}
}

void test_rdmap(void)
{
	unit_run("rdmap: Read Request as bytes, every truncation", read_req_bytes);
	unit_run("rdmap: Read Request source wraps past 2^64 only", read_req_wrap);
	unit_run("rdmap: untagged messages in order, out of order and too long",
		 untagged_sequences);
	unit_run("rdmap: Read Response in order, and one that does not fit", sink_sequences);
	unit_run("rdmap: Read Response of 2^32 - 1 bytes", sink_largest);
}
