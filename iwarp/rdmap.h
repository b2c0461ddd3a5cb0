/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* RDMAP: Read Requests, and the order that received segments must keep. */
#ifndef IWARP_RDMAP_H
#define IWARP_RDMAP_H

#include "ddp.h"
#include "fault.h"
#include "wire.h"

/**
 * struct rdmap_read_req - a Read Request, decoded
 * @sink_stag: where the requester wants the data
 * @sink_to: and at which offset
 * @length: bytes to read
 * @source_stag: what to read from
 * @source_to: and at which offset
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
 * @buf: room for RDMAP_READ_REQ_LEN
 * @req: the request
 *
 * Return: bytes written, RDMAP_READ_REQ_LEN.
 */
size_t rdmap_read_req_build(u8 *buf, const struct rdmap_read_req *req);

/**
 * rdmap_read_req_parse() - decode and check the payload of a Read Request
 * @buf: payload
 * @len: bytes there
 * @req: filled, also with IWARP_RDMAP_TO_WRAP
 *
 * Return: IWARP_OK; IWARP_ULPDU_SHORT if @len is less than RDMAP_READ_REQ_LEN;
 * IWARP_RDMAP_TO_WRAP if the source's TO + length passes 2^64. The sink's is not checked,
 * because it is the requester's memory.
 */
enum iwarp_fault rdmap_read_req_parse(const u8 *buf, size_t len, struct rdmap_read_req *req);

/**
 * struct ddp_untagged_rx - what must come next on one untagged queue
 * @next_msn: MSN of the message being received or awaited
 * @next_mo: offset its next segment must have
 * @open: a segment of that message has arrived already
 * @opcode: if @open, the opcode that all its segments must have
 */
struct ddp_untagged_rx {
	u32 next_msn;
	u32 next_mo;
	bool open;
	u8 opcode;
};

/**
 * ddp_untagged_init() - set a queue to the start of the stream
 * @rx: the queue
 */
void ddp_untagged_init(struct ddp_untagged_rx *rx);

/**
 * ddp_untagged_verify() - is this the segment that must come next?
 * @rx: its queue
 * @seg: parsed, untagged
 *
 * Return: IWARP_OK; IWARP_DDP_MSN; IWARP_DDP_MO; IWARP_RDMAP_OPCODE if the opcode changed
 * within the message; IWARP_DDP_TOO_LONG if the message would pass 2^32 - 1 bytes.
 */
enum iwarp_fault ddp_untagged_verify(const struct ddp_untagged_rx *rx,
				     const struct ddp_segment *seg);

/**
 * ddp_untagged_advance() - go on to the next segment, after one has been placed
 * @rx: its queue
 * @seg: the placed segment, verified
 */
void ddp_untagged_advance(struct ddp_untagged_rx *rx, const struct ddp_segment *seg);

/**
 * struct rdmap_read_sink - what must come next in answer to a Read Request
 * @stag: sink STag of the request
 * @to: offset the next segment must have
 * @remaining: bytes still to come
 */
struct rdmap_read_sink {
	u32 stag;
	u64 to;
	u32 remaining;
};

/**
 * rdmap_read_sink_init() - expect the first segment of a response
 * @sink: the state
 * @req: the request as sent
 */
void rdmap_read_sink_init(struct rdmap_read_sink *sink, const struct rdmap_read_req *req);

/**
 * rdmap_read_sink_verify() - is this the response that must come next?
 * @sink: of the oldest outstanding request
 * @seg: parsed Read Response
 *
 * STag and TO of a segment without payload are ignored (RFC 5041).
 *
 * Return: IWARP_OK; IWARP_DDP_STAG for another STag; IWARP_DDP_BOUNDS for another TO;
 * IWARP_READ_LONG for more data than asked, or no L with the last byte; IWARP_READ_SHORT
 * for L before it.
 */
enum iwarp_fault rdmap_read_sink_verify(const struct rdmap_read_sink *sink,
					const struct ddp_segment *seg);

/**
 * rdmap_read_sink_advance() - go on to the next segment, after one has been placed
 * @sink: the state
 * @seg: the placed segment, verified
 *
 * Return: true if the response is complete.
 */
bool rdmap_read_sink_advance(struct rdmap_read_sink *sink, const struct ddp_segment *seg);

#endif /* IWARP_RDMAP_H */
