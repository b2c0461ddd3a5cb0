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
}

static void read_req_truncated(void)
{
	struct bytes in = bytes_of_hex(READ_REQ);

	for (size_t len = 0; len < in.len; len++) {
		struct bytes cut = bytes_copy(in.at, len);
		struct rdmap_read_req req;

		CHECK_FAULT(rdmap_read_req_parse(cut.at, len, &req), IWARP_ULPDU_SHORT);
	}
}

static enum iwarp_fault read_req(u64 source_to, u32 length)
{
	const struct rdmap_read_req req = { .source_to = source_to, .length = length,
					    .sink_to = ~0ull };
	struct rdmap_read_req got;
	u8 buf[RDMAP_READ_REQ_LEN];

	rdmap_read_req_build(buf, &req);
	return rdmap_read_req_parse(buf, sizeof(buf), &got);
}

static void read_req_wrap(void)
{
	CHECK_FAULT(read_req(~0ull, 0), IWARP_OK);
	CHECK_FAULT(read_req(~0ull, 1), IWARP_OK);
	CHECK_FAULT(read_req(~0ull, 2), IWARP_RDMAP_TO_WRAP);
	CHECK_FAULT(read_req(~0ull - 0xfffffffe, 0xffffffff), IWARP_OK);
	CHECK_FAULT(read_req(~0ull - 0xfffffffd, 0xffffffff), IWARP_RDMAP_TO_WRAP);
	CHECK_FAULT(read_req(0, 0xffffffff), IWARP_OK);
}

static struct ddp_segment send(u32 msn, u32 mo, u16 len, bool last)
{
	return (struct ddp_segment) {
		.opcode = RDMAP_SEND, .last = last, .hdr_len = 20, .msn = msn, .mo = mo,
		.payload_len = len,
	};
}

static void untagged_in_order(void)
{
	struct ddp_untagged_rx rx;
	struct ddp_segment seg;

	ddp_untagged_init(&rx);
	CHECK_EQ(rx.next_msn, 1);
#define NEXT(msn, mo, len, last) do {						\
	seg = send(msn, mo, len, last);						\
	CHECK_FAULT(ddp_untagged_verify(&rx, &seg), IWARP_OK);			\
	ddp_untagged_advance(&rx, &seg);					\
} while (0)
	NEXT(1, 0, 0, true);
	NEXT(2, 0, 100, false);
	NEXT(2, 100, 0, false);
	NEXT(2, 100, 50, true);
	NEXT(3, 0, 7, true);
	rx.next_msn = 0xffffffff;
	NEXT(0xffffffff, 0, 7, true);
	NEXT(0, 0, 7, true);
	NEXT(1, 0, 7, true);
#undef NEXT
}

static enum iwarp_fault verify(const struct ddp_untagged_rx *rx, struct ddp_segment seg)
{
	return ddp_untagged_verify(rx, &seg);
}

static void untagged_out_of_order(void)
{
	struct ddp_untagged_rx rx;
	struct ddp_segment seg;

	ddp_untagged_init(&rx);
	CHECK_FAULT(verify(&rx, send(0, 0, 1, true)), IWARP_DDP_MSN);
	CHECK_FAULT(verify(&rx, send(2, 0, 1, true)), IWARP_DDP_MSN);
	CHECK_FAULT(verify(&rx, send(1, 1, 1, true)), IWARP_DDP_MO);

	seg = send(1, 0, 100, false);
	ddp_untagged_advance(&rx, &seg);
	CHECK_FAULT(verify(&rx, send(1, 99, 1, true)), IWARP_DDP_MO);
	CHECK_FAULT(verify(&rx, send(1, 101, 1, true)), IWARP_DDP_MO);
	CHECK_FAULT(verify(&rx, send(1, 0, 100, false)), IWARP_DDP_MO);
	CHECK_FAULT(verify(&rx, send(2, 0, 1, true)), IWARP_DDP_MSN);
	seg = send(1, 100, 1, true);
	seg.opcode = RDMAP_SEND_SE;
	CHECK_FAULT(verify(&rx, seg), IWARP_RDMAP_OPCODE);
	seg.opcode = RDMAP_SEND;
	CHECK_FAULT(verify(&rx, seg), IWARP_OK);
	ddp_untagged_advance(&rx, &seg);
	seg = send(2, 0, 1, true);
	seg.opcode = RDMAP_SEND_SE;
	CHECK_FAULT(verify(&rx, seg), IWARP_OK);
}

/* Expects that an empty first segment begins a message, like a segment with payload. */
static void untagged_empty_first(void)
{
	struct ddp_untagged_rx rx;
	struct ddp_segment seg = send(1, 0, 0, false);

	ddp_untagged_init(&rx);
	ddp_untagged_advance(&rx, &seg);
	seg = send(1, 0, 1, true);
	seg.opcode = RDMAP_SEND_INV;
	CHECK_FAULT(verify(&rx, seg), IWARP_RDMAP_OPCODE);
}

static void untagged_too_long(void)
{
	struct ddp_untagged_rx rx = { .next_msn = 1, .next_mo = 0xffffff00, .open = true,
				      .opcode = RDMAP_SEND };

	CHECK_FAULT(verify(&rx, send(1, 0xffffff00, 0xff, true)), IWARP_OK);
	CHECK_FAULT(verify(&rx, send(1, 0xffffff00, 0x100, true)), IWARP_DDP_TOO_LONG);
	CHECK_FAULT(verify(&rx, send(1, 0xffffff00, 0xffed, true)), IWARP_DDP_TOO_LONG);
}

static struct ddp_segment response(u32 stag, u64 to, u16 len, bool last)
{
	return (struct ddp_segment) {
		.opcode = RDMAP_READ_RESPONSE, .tagged = true, .last = last, .hdr_len = 16,
		.stag = stag, .to = to, .payload_len = len,
	};
}

static struct rdmap_read_sink sink_of(u32 stag, u64 to, u32 length)
{
	const struct rdmap_read_req req = { .sink_stag = stag, .sink_to = to,
					    .length = length };
	struct rdmap_read_sink sink;

	rdmap_read_sink_init(&sink, &req);
	return sink;
}

static enum iwarp_fault answer(const struct rdmap_read_sink *sink, struct ddp_segment seg)
{
	return rdmap_read_sink_verify(sink, &seg);
}

static void sink_in_order(void)
{
	struct rdmap_read_sink sink = sink_of(7, 1000, 300);
	struct ddp_segment seg = response(7, 1000, 100, false);

	CHECK_FAULT(answer(&sink, seg), IWARP_OK);
	CHECK(!rdmap_read_sink_advance(&sink, &seg));
	seg = response(0, 0, 0, false);
	CHECK_FAULT(answer(&sink, seg), IWARP_OK);
	CHECK(!rdmap_read_sink_advance(&sink, &seg));
	seg = response(7, 1100, 200, true);
	CHECK_FAULT(answer(&sink, seg), IWARP_OK);
	CHECK(rdmap_read_sink_advance(&sink, &seg));
	CHECK_EQ(sink.remaining, 0);
}

static void sink_out_of_order(void)
{
	const struct rdmap_read_sink sink = sink_of(7, 1000, 300);

	CHECK_FAULT(answer(&sink, response(8, 1000, 300, true)), IWARP_DDP_STAG);
	CHECK_FAULT(answer(&sink, response(7, 999, 300, true)), IWARP_DDP_BOUNDS);
	CHECK_FAULT(answer(&sink, response(7, 1001, 299, true)), IWARP_DDP_BOUNDS);
	CHECK_FAULT(answer(&sink, response(7, 1000, 301, true)), IWARP_READ_LONG);
	CHECK_FAULT(answer(&sink, response(7, 1000, 301, false)), IWARP_READ_LONG);
	CHECK_FAULT(answer(&sink, response(7, 1000, 300, false)), IWARP_READ_LONG);
	CHECK_FAULT(answer(&sink, response(7, 1000, 299, true)), IWARP_READ_SHORT);
	CHECK_FAULT(answer(&sink, response(7, 1000, 0, true)), IWARP_READ_SHORT);
	CHECK_FAULT(answer(&sink, response(7, 1000, 299, false)), IWARP_OK);
	CHECK_FAULT(answer(&sink, response(7, 1000, 300, true)), IWARP_OK);
}

static void sink_of_nothing(void)
{
	const struct rdmap_read_sink sink = sink_of(7, 1000, 0);

	CHECK_FAULT(answer(&sink, response(7, 1000, 0, true)), IWARP_OK);
	CHECK_FAULT(answer(&sink, response(0xffffffff, ~0ull, 0, true)), IWARP_OK);
	CHECK_FAULT(answer(&sink, response(7, 1000, 0, false)), IWARP_READ_LONG);
	CHECK_FAULT(answer(&sink, response(7, 1000, 1, true)), IWARP_READ_LONG);
}

static void sink_largest(void)
{
	struct rdmap_read_sink sink = sink_of(7, ~0ull - 0xfffffffe, 0xffffffff);
	struct ddp_segment seg;

	while (sink.remaining > 0xfff0) {
		seg = response(7, sink.to, 0xfff0, false);
		CHECK_FAULT(answer(&sink, seg), IWARP_OK);
		CHECK(!rdmap_read_sink_advance(&sink, &seg));
	}
	seg = response(7, sink.to, sink.remaining, true);
	CHECK_FAULT(answer(&sink, seg), IWARP_OK);
	CHECK(rdmap_read_sink_advance(&sink, &seg));
}

void test_rdmap(void)
{
	unit_run("rdmap: Read Request as bytes", read_req_bytes);
	unit_run("rdmap: Read Request, every truncation", read_req_truncated);
	unit_run("rdmap: Read Request source wraps past 2^64 only", read_req_wrap);
	unit_run("rdmap: untagged messages in order", untagged_in_order);
	unit_run("rdmap: untagged messages out of order", untagged_out_of_order);
	unit_run("rdmap: an empty first segment opens a message", untagged_empty_first);
	unit_run("rdmap: untagged message past 2^32", untagged_too_long);
	unit_run("rdmap: Read Response in order", sink_in_order);
	unit_run("rdmap: Read Response that does not fit", sink_out_of_order);
	unit_run("rdmap: Read Response of zero bytes", sink_of_nothing);
	unit_run("rdmap: Read Response of 2^32 - 1 bytes", sink_largest);
}
