// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* RDMAP: Read Requests, and the order that the segments of a Read Response must keep. */

#include "rdmap.h"

size_t rdmap_read_req_build(u8 *buf, const struct rdmap_read_req *req)
{
	const struct rdmap_wire_read_req wire = {
		.sink_stag = cpu_to_be32(req->sink_stag),
		.sink_to = cpu_to_be64(req->sink_to),
		.length = cpu_to_be32(req->length),
		.source_stag = cpu_to_be32(req->source_stag),
		.source_to = cpu_to_be64(req->source_to),
	};

	memcpy(buf, &wire, sizeof(wire));
	return sizeof(wire);
}

enum iwarp_fault rdmap_read_req_parse(const u8 *buf, size_t len, struct rdmap_read_req *req)
{
	struct rdmap_wire_read_req wire;

	if (len < sizeof(wire))
		return IWARP_ULPDU_SHORT;
	memcpy(&wire, buf, sizeof(wire));
	*req = (struct rdmap_read_req) {
		.sink_stag = be32_to_cpu(wire.sink_stag),
		.sink_to = be64_to_cpu(wire.sink_to),
		.length = be32_to_cpu(wire.length),
		.source_stag = be32_to_cpu(wire.source_stag),
		.source_to = be64_to_cpu(wire.source_to),
	};
	if (req->length && req->source_to + (req->length - 1) < req->source_to)
		return IWARP_RDMAP_TO_WRAP;
	return IWARP_OK;
}

void rdmap_read_sink_init(struct rdmap_read_sink *sink, const struct rdmap_read_req *req)
{
	*sink = (struct rdmap_read_sink) {
		.stag = req->sink_stag,
		.to = req->sink_to,
		.remaining = req->length,
	};
}

enum iwarp_fault rdmap_read_sink_verify(const struct rdmap_read_sink *sink,
					const struct ddp_segment *seg)
{
	if (seg->payload_len) {
		if (seg->stag != sink->stag)
			return IWARP_DDP_STAG;
		if (seg->to != sink->to)
			return IWARP_DDP_BOUNDS;
	}
	if (seg->payload_len > sink->remaining)
		return IWARP_READ_LONG;
	if (seg->payload_len == sink->remaining)
		return seg->last ? IWARP_OK : IWARP_READ_LONG;
	return seg->last ? IWARP_READ_SHORT : IWARP_OK;
}

bool rdmap_read_sink_advance(struct rdmap_read_sink *sink, const struct ddp_segment *seg)
{
	sink->to += seg->payload_len;
	sink->remaining -= seg->payload_len;
	return seg->last;
}
