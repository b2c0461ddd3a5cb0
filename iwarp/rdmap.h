/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* RDMAP: Read Requests, and the order that the segments of a Read Response must keep. */
#ifndef IWARP_RDMAP_H
#define IWARP_RDMAP_H

#include "ddp.h"
#include "fault.h"
#include "wire.h"

/**
 * struct rdmap_read_req - a Read Request, decoded
 * @sink_stag: STag of the requester's memory, which the data is written to
 * @sink_to: offset in that memory
 * @length: number of bytes to read
 * @source_stag: STag of the responder's memory, which the data is read from
 * @source_to: offset in that memory
 */
struct rdmap_read_req {
	u32 sink_stag;
	u32 source_stag;
	u64 sink_to;
	u64 source_to;
	u32 length;
};

/**
 * rdmap_read_req_build() - write the payload of a Read Request
 * @buf: room for RDMAP_READ_REQ_LEN bytes
 * @req: the request
 *
 * Return: bytes written, RDMAP_READ_REQ_LEN.
 */
size_t rdmap_read_req_build(u8 *buf, const struct rdmap_read_req *req);

/**
 * rdmap_read_req_parse() - decode and check the payload of a Read Request
 * @buf: payload
 * @len: length of the payload in bytes
 * @req: out: the request; set on IWARP_OK and IWARP_RDMAP_TO_WRAP
 *
 * The sink is not checked, because it is the requester's memory.
 *
 * Return: IWARP_OK; IWARP_ULPDU_SHORT if @len is less than RDMAP_READ_REQ_LEN; IWARP_RDMAP_TO_WRAP
 * if the source's TO + length passes 2^64.
 */
enum iwarp_fault rdmap_read_req_parse(const u8 *buf, size_t len, struct rdmap_read_req *req);

/**
 * struct rdmap_read_sink - the segment that must come next in response to a Read Request
 * @stag: STag of that segment: the sink STag of the request
 * @to: TO of that segment
 * @remaining: number of bytes that the rest of the response must have
 */
struct rdmap_read_sink {
	u32 stag;
	u64 to;
	u32 remaining;
};

/**
 * rdmap_read_sink_init() - expect the first segment of a response
 * @sink: state of the response
 * @req: the request that was sent
 */
void rdmap_read_sink_init(struct rdmap_read_sink *sink, const struct rdmap_read_req *req);

/**
 * rdmap_read_sink_verify() - is a segment the one that must come next?
 * @sink: state of the response to the oldest outstanding request
 * @seg: the segment of a Read Response, parsed
 *
 * STag and TO of a segment without payload are ignored (RFC 5041).
 *
 * Return: IWARP_OK; IWARP_DDP_STAG for another STag; IWARP_DDP_BOUNDS for another TO;
 * IWARP_READ_LONG if there is more data than requested, or the segment with the last byte has no L;
 * IWARP_READ_SHORT if a segment before the last byte has L.
 */
enum iwarp_fault rdmap_read_sink_verify(const struct rdmap_read_sink *sink,
					const struct ddp_segment *seg);

/**
 * rdmap_read_sink_advance() - expect the next segment, after one has been placed
 * @sink: state of the response
 * @seg: the segment that was verified and placed
 *
 * Return: true if the response is complete.
 */
bool rdmap_read_sink_advance(struct rdmap_read_sink *sink, const struct ddp_segment *seg);

#endif /* IWARP_RDMAP_H */
