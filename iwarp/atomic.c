// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* RDMAP's extensions (RFC 7306): atomic operations on 64-bit words, and Immediate Data. */

#include "atomic.h"

#define WORD_LEN 8

size_t rdmap_atomic_req_build(u8 *buf, const struct rdmap_atomic_req *req)
{
	const struct rdmap_wire_atomic_req wire = {
		.op = cpu_to_be32(req->op),
		.id = cpu_to_be32(req->id),
		.stag = cpu_to_be32(req->stag),
		.to = cpu_to_be64(req->to),
		.data = cpu_to_be64(req->data),
		.data_mask = cpu_to_be64(req->data_mask),
		.compare = cpu_to_be64(req->compare),
		.compare_mask = cpu_to_be64(req->compare_mask),
	};

	memcpy(buf, &wire, sizeof(wire));
	return sizeof(wire);
}

enum iwarp_fault rdmap_atomic_req_parse(const u8 *buf, size_t len, struct rdmap_atomic_req *req)
{
	struct rdmap_wire_atomic_req wire;

	if (len < sizeof(wire))
		return IWARP_ULPDU_SHORT;
	memcpy(&wire, buf, sizeof(wire));
	*req = (struct rdmap_atomic_req) {
		.op = FIELD_GET(RDMAP_ATOMIC_OP, be32_to_cpu(wire.op)),
		.id = be32_to_cpu(wire.id),
		.stag = be32_to_cpu(wire.stag),
		.to = be64_to_cpu(wire.to),
		.data = be64_to_cpu(wire.data),
		.data_mask = be64_to_cpu(wire.data_mask),
		.compare = be64_to_cpu(wire.compare),
		.compare_mask = be64_to_cpu(wire.compare_mask),
	};
	if (req->op > RDMAP_ATOMIC_CMP_SWAP)
		return IWARP_ATOMIC_OP;
	return req->to % WORD_LEN ? IWARP_ATOMIC_ALIGN : IWARP_OK;
}

size_t rdmap_atomic_resp_build(u8 *buf, const struct rdmap_atomic_resp *resp)
{
	const struct rdmap_wire_atomic_resp wire = {
		.id = cpu_to_be32(resp->id),
		.old = cpu_to_be64(resp->old),
	};

	memcpy(buf, &wire, sizeof(wire));
	return sizeof(wire);
}

enum iwarp_fault rdmap_atomic_resp_parse(const u8 *buf, size_t len, struct rdmap_atomic_resp *resp)
{
	struct rdmap_wire_atomic_resp wire;

	if (len < sizeof(wire))
		return IWARP_ULPDU_SHORT;
	memcpy(&wire, buf, sizeof(wire));
	*resp = (struct rdmap_atomic_resp) {
		.id = be32_to_cpu(wire.id),
		.old = be64_to_cpu(wire.old),
	};
	return IWARP_OK;
}

size_t rdmap_immediate_build(u8 *buf, __be32 data)
{
	const struct rdmap_wire_immediate wire = { .data = data };

	memcpy(buf, &wire, sizeof(wire));
	return sizeof(wire);
}

__be32 rdmap_immediate_parse(const u8 *buf)
{
	struct rdmap_wire_immediate wire;

	memcpy(&wire, buf, sizeof(wire));
	return wire.data;
}
