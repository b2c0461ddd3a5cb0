// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests Atomic operations and Immediate Data: message bytes, values at their limits.
 */

#include <string.h>

#include "iwarp/atomic.h"
#include "unit.h"

#define REQUEST "00000002 11223344 55667788 0102030405060708"				\
		"1112131415161718 2122232425262728 3132333435363738 4142434445464748"
#define RESPONSE "a1b2c3d4 0102030405060708"

static const struct rdmap_atomic_req request = {
	.op = RDMAP_ATOMIC_CMP_SWAP, .id = 0x11223344, .stag = 0x55667788,
	.to = 0x0102030405060708,
	.data = 0x1112131415161718, .data_mask = 0x2122232425262728,
	.compare = 0x3132333435363738, .compare_mask = 0x4142434445464748,
};

static void atomic_requests(void)
{
	struct bytes in = bytes_of_hex(REQUEST);
	struct bytes out = bytes_copy(in.at, in.len);
	struct rdmap_atomic_req got;

	memset(out.at, 0xee, out.len);
	CHECK_EQ(rdmap_atomic_req_build(out.at, &request), 52);
	CHECK_BYTES(out.at, out.len, REQUEST);
	CHECK_FAULT(rdmap_atomic_req_parse(in.at, in.len, &got), IWARP_OK);
	CHECK_EQ(got.op, request.op);
	CHECK_EQ(got.id, request.id);
	CHECK_EQ(got.stag, request.stag);
	CHECK_EQ(got.to, request.to);
	CHECK_EQ(got.data, request.data);
	CHECK_EQ(got.data_mask, request.data_mask);
	CHECK_EQ(got.compare, request.compare);
	CHECK_EQ(got.compare_mask, request.compare_mask);
	for (size_t len = 0; len < in.len; len++) {
		struct bytes cut = bytes_copy(in.at, len);

		CHECK_FAULT(rdmap_atomic_req_parse(cut.at, len, &got), IWARP_ULPDU_SHORT);
	}
}

static void atomic_responses(void)
{
	const struct rdmap_atomic_resp resp = { .id = 0xa1b2c3d4, .old = 0x0102030405060708 };
	struct bytes in = bytes_of_hex(RESPONSE);
	struct bytes out = bytes_copy(in.at, in.len);
	struct rdmap_atomic_resp got;

	memset(out.at, 0xee, out.len);
	CHECK_EQ(rdmap_atomic_resp_build(out.at, &resp), 12);
	CHECK_BYTES(out.at, out.len, RESPONSE);
	CHECK_FAULT(rdmap_atomic_resp_parse(in.at, in.len, &got), IWARP_OK);
	CHECK_EQ(got.id, resp.id);
	CHECK_EQ(got.old, resp.old);
	for (size_t len = 0; len < in.len; len++) {
		struct bytes cut = bytes_copy(in.at, len);

		CHECK_FAULT(rdmap_atomic_resp_parse(cut.at, len, &got), IWARP_ULPDU_SHORT);
	}
}

/*
 * Tries all 16 operation codes with all 8 alignments, and expects that reserved bits are ignored.
 */
static void operations(void)
{
	for (unsigned int i = 0; i < 16 * 8; i++) {
		struct rdmap_atomic_req req = { .op = i / 8, .to = 0x1000 + i % 8 };
		struct rdmap_atomic_req got;
		u8 buf[RDMAP_ATOMIC_REQ_LEN];
		enum iwarp_fault want = req.op > 2 ? IWARP_ATOMIC_OP :
					i % 8 ? IWARP_ATOMIC_ALIGN : IWARP_OK;

		unit_input("operation %u, TO %#llx", i / 8, (unsigned long long)req.to);
		rdmap_atomic_req_build(buf, &req);
		CHECK_FAULT(rdmap_atomic_req_parse(buf, sizeof(buf), &got), want);
		memset(buf, 0xff, 3);
		buf[3] |= 0xf0;
		CHECK_FAULT(rdmap_atomic_req_parse(buf, sizeof(buf), &got), want);
		CHECK_EQ(got.op, req.op);
	}
}

static void immediate(void)
{
	struct bytes in = bytes_of_hex("01020304 a1b2c3d4");
	u8 buf[RDMAP_IMMEDIATE_LEN];
	__be32 data = cpu_to_be32(0xa1b2c3d4);

	memset(buf, 0xee, sizeof(buf));
	CHECK_EQ(rdmap_immediate_build(buf, data), 8);
	CHECK_BYTES(buf, sizeof(buf), "00000000 a1b2c3d4");
	CHECK_EQ(rdmap_immediate_parse(in.at), data);
}

void test_atomic(void)
{
	unit_run("atomic: request as bytes, every truncation", atomic_requests);
	unit_run("atomic: response as bytes, every truncation", atomic_responses);
	unit_run("atomic: operations and alignments", operations);
	unit_run("immediate: the consumer's four bytes in a message of eight", immediate);
}
