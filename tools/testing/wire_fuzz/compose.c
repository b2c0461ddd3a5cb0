// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Composes long correct connections to kfuzz from recorded messages. */
#include <stdlib.h>
#include <string.h>

#include "compose.h"
#include "iwarp/ddp.h"
#include "iwarp/fpdu.h"
#include "iwarp/rdmap.h"

/*
 * Number of receives of a connection that are used; the others are left for mutations that add
 * Sends.
 */
#define RECVS_USED	(KFUZZ_RECVS - 8)
/* Requests that are outstanding at the same time; less than the depth that is granted. */
#define READS_AT_ONCE	(KFUZZ_READS / 2)
#define READ_MAX	4000
#define SEGMENT_MAX	1400
#define SEGMENTS_MAX	16
#define MSN_OFFSET	12
/* Number of items; the plan has room for more. */
#define ITEMS_MAX	(STEPS_MAX / 8 * 7)

/**
 * struct composition - a connection that is being composed
 * @composer: what it is composed from
 * @to: the result
 * @side: side that is played
 * @rng: generator of random numbers
 * @items: number of items so far
 * @msn: last MSN of each queue
 * @recvs: number of receives that the peer's messages have used
 * @requests: number of Read and Atomic Requests so far
 * @invalidated: the region KFUZZ_INVALID is not valid any more
 * @after: number of answers that must have come before the next item
 */
struct composition {
	const struct composer *composer;
	struct composed *to;
	enum side side;
	struct rng *rng;
	uint32_t items;
	uint32_t msn[DDP_QN_COUNT];
	uint32_t recvs;
	uint32_t requests;
	bool invalidated;
	uint32_t after;
};

static void put32(uint8_t *p, uint32_t value)
{
	put_unaligned_be32(value, p);
}

static uint64_t get64(const uint8_t *p)
{
	return (uint64_t)get_unaligned_be32(p) << 32 | get_unaligned_be32(p + 4);
}

static bool is_request(uint8_t opcode)
{
	return opcode == RDMAP_READ_REQUEST || opcode == RDMAP_ATOMIC_REQUEST;
}

static bool is_send(uint8_t opcode)
{
	return opcode >= RDMAP_SEND && opcode <= RDMAP_SEND_SE_INV;
}

static bool takes_recv(uint8_t opcode)
{
	return is_send(opcode) || opcode == RDMAP_IMMEDIATE || opcode == RDMAP_IMMEDIATE_SE;
}

uint32_t fpdu_target(const uint8_t *fpdu, uint32_t len)
{
	struct ddp_segment seg;

	if (ddp_segment_parse(fpdu, len, &seg))
		return 0;
	if (seg.tagged)
		return offsetof(struct ddp_wire_tagged, stag);
	if (seg.opcode == RDMAP_READ_REQUEST)
		return seg.hdr_len + offsetof(struct rdmap_wire_read_req, source_stag);
	if (seg.opcode == RDMAP_ATOMIC_REQUEST)
		return seg.hdr_len + offsetof(struct rdmap_wire_atomic_req, stag);
	if (ddp_op(seg.opcode)->flags & DDP_OP_INVALIDATE)
		return offsetof(struct ddp_wire_untagged, inv_stag);
	return 0;
}

/*
 * Writes @stag at offset @target of an FPDU, and behind it @to, the address that follows every
 * STag.
 */
static void retarget(uint8_t *fpdu, uint32_t target, uint32_t stag, uint64_t to)
{
	put32(fpdu + target, stag);
	put32(fpdu + target + 4, to >> 32);
	put32(fpdu + target + 8, to);
}

/* Loading */

/* Adds the message that begins with item @at of a track. Returns the number of its items. */
static uint32_t add_message(struct composer *composer, struct track *track, uint32_t at)
{
	const struct kfuzz_region *region = &composer->regions[KFUZZ_OPEN];
	struct message message = { .items = &track->items[at] };
	struct ddp_segment seg = {};
	uint64_t first_to = 0;

	while (at + message.count < track->count && !seg.last) {
		struct item *item = &message.items[message.count];
		uint32_t target = fpdu_target(item->data, item->len);

		if (ddp_segment_parse(item->data, item->len, &seg))
			die("a recording has a malformed FPDU");
		if (target && !is_send(seg.opcode)) {
			if (!message.count)
				first_to = get64(item->data + target + 4);
			retarget(item->data, target, region->stag,
				 region->base + get64(item->data + target + 4) - first_to);
		}
		message.opcode = seg.opcode;
		message.len += seg.payload_len;
		message.count++;
	}
	if (message.opcode == RDMAP_READ_RESPONSE || message.opcode == RDMAP_ATOMIC_RESPONSE ||
	    message.opcode == RDMAP_TERMINATE || message.len > KFUZZ_RECV_LEN)
		return message.count;
	composer->messages = realloc(composer->messages, (composer->count + 1) * sizeof(message));
	if (!composer->messages)
		die("no memory");
	composer->messages[composer->count++] = message;
	return message.count;
}

void composer_init(struct composer *composer, const char *dir, const struct kfuzz_region *regions)
{
	*composer = (struct composer) { .scripts = scripts_load(dir), .regions = regions };
	for (uint32_t i = 0; i < composer->scripts.count; i++) {
		for (int side = CLIENT; side <= SERVER; side++) {
			struct track *track = &composer->scripts.all[i].track[side];

			/* Item 0 is the MPA frame. */
			for (uint32_t at = 1; at < track->count;)
				at += add_message(composer, track, at);
		}
	}
}

/* Composing */

static bool has_room(const struct composition *c, uint32_t items, uint32_t bytes)
{
	return c->items + items < ITEMS_MAX && c->to->used + bytes < COMPOSED_BYTES;
}

/* Adds an item of @len bytes, a copy of @data if that is not NULL. Returns its bytes. */
static uint8_t *add_item(struct composition *c, const uint8_t *data, uint32_t len)
{
	uint8_t *to = c->to->bytes + c->to->used;

	c->to->items[c->items++] = (struct item) { .data = to, .len = len, .after = c->after };
	c->to->used += len;
	if (data)
		memcpy(to, data, len);
	return to;
}

static void account(struct composition *c, uint8_t opcode)
{
	c->recvs += takes_recv(opcode);
	if (!is_request(opcode))
		return;
	c->requests++;
	if (c->requests > READS_AT_ONCE)
		c->after = 1 + c->requests - READS_AT_ONCE;
	c->to->answers++;
}

/*
 * Chooses the region, and how far the message is moved in it. Only one Send of a connection
 * invalidates a region, and this Send waits for all answers, because earlier requests may still
 * access the region.
 */
static uint8_t choose_target(struct composition *c, const struct message *message, uint32_t *stag,
			     uint64_t *shift)
{
	bool other = !c->invalidated && rng_one_in(c->rng, 3);
	const struct kfuzz_region *regions = c->composer->regions;
	const struct kfuzz_region *region = &regions[other ? KFUZZ_INVALID : KFUZZ_OPEN];
	bool solicited = message->opcode == RDMAP_SEND_SE || message->opcode == RDMAP_SEND_SE_INV;
	uint8_t opcode = message->opcode;

	*stag = region->stag;
	*shift = region->base - regions[KFUZZ_OPEN].base +
		 8 * rng_below(c->rng, (region->len - 2 * KFUZZ_RECV_LEN) / 8);
	if (is_send(opcode) && other && rng_one_in(c->rng, 8)) {
		opcode = solicited ? RDMAP_SEND_SE_INV : RDMAP_SEND_INV;
		c->invalidated = true;
		c->after = c->to->answers;
	} else if (is_send(opcode)) {
		opcode = solicited ? RDMAP_SEND_SE : RDMAP_SEND;
	}
	if (opcode == RDMAP_IMMEDIATE && rng_one_in(c->rng, 2))
		opcode = RDMAP_IMMEDIATE_SE;
	return opcode;
}

static void copy_message(struct composition *c, const struct message *message)
{
	uint64_t shift;
	uint32_t stag;
	uint8_t opcode = choose_target(c, message, &stag, &shift);
	uint8_t qn = ddp_op(opcode)->qn;

	account(c, opcode);
	if (!(ddp_op(opcode)->flags & DDP_OP_TAGGED))
		c->msn[qn]++;
	for (uint32_t i = 0; i < message->count; i++) {
		uint8_t *fpdu = add_item(c, message->items[i].data, message->items[i].len);
		uint32_t target;

		fpdu[MPA_LEN_LEN + 1] = (fpdu[MPA_LEN_LEN + 1] & ~RDMAP_CTRL_OPCODE) | opcode;
		target = fpdu_target(fpdu, message->items[i].len);
		if (target && is_send(opcode))
			put32(fpdu + target, stag);
		else if (target)
			retarget(fpdu, target, stag, get64(fpdu + target + 4) + shift);
		if (!(ddp_op(opcode)->flags & DDP_OP_TAGGED))
			put32(fpdu + MSN_OFFSET, c->msn[qn]);
	}
}

/*
 * Adds the next request to those that the ULP posts, and adds the response to it. siw's Read
 * Requests name 0 as the address of the sink, so the offsets in the response begin at 0.
 */
static void add_response(struct composition *c)
{
	const struct kfuzz_region *region = &c->composer->regions[KFUZZ_OPEN];
	struct kfuzz_op op = { .offset = 8 * rng_below(c->rng, (region->len - READ_MAX) / 8) };
	uint32_t done = 0, segments = 0, id = ++c->requests;
	uint8_t *fpdu;

	c->after = c->to->answers + 1;
	c->to->answers++;
	if (!rng_one_in(c->rng, 4))
		op.len = 1 + (rng_u64(c->rng) % READ_MAX >> rng_below(c->rng, 8));
	c->to->sinks[c->to->num_ops] = SINK_STAG + id - 1;
	c->to->ops[c->to->num_ops++] = op;
	if (!op.len) {
		fpdu = add_item(c, NULL, mpa_fpdu_size(DDP_UNTAGGED_LEN + RDMAP_ATOMIC_RESP_LEN));
		memset(fpdu, 0, mpa_fpdu_size(DDP_UNTAGGED_LEN + RDMAP_ATOMIC_RESP_LEN));
		put_unaligned_be16(DDP_UNTAGGED_LEN + RDMAP_ATOMIC_RESP_LEN, fpdu);
		fpdu[2] = DDP_CTRL_LAST | DDP_VERSION;
		fpdu[3] = RDMAP_VERSION << 6 | RDMAP_ATOMIC_RESPONSE;
		put32(fpdu + 8, DDP_QN_ATOMIC_RESPONSE);
		put32(fpdu + MSN_OFFSET, ++c->msn[DDP_QN_ATOMIC_RESPONSE]);
		put32(fpdu + DDP_UNTAGGED_HEAD, id);
		return;
	}
	while (done < op.len) {
		uint32_t n = 1 + rng_below(c->rng, SEGMENT_MAX);

		n = n < op.len - done && ++segments < SEGMENTS_MAX ? n : op.len - done;
		fpdu = add_item(c, NULL, mpa_fpdu_size(DDP_TAGGED_LEN + n));
		memset(fpdu, id, mpa_fpdu_size(DDP_TAGGED_LEN + n));
		put_unaligned_be16(DDP_TAGGED_LEN + n, fpdu);
		fpdu[2] = DDP_CTRL_TAGGED | (done + n == op.len ? DDP_CTRL_LAST : 0) | DDP_VERSION;
		fpdu[3] = RDMAP_VERSION << 6 | RDMAP_READ_RESPONSE;
		retarget(fpdu, offsetof(struct ddp_wire_tagged, stag), SINK_STAG + id - 1, done);
		done += n;
	}
}

/*
 * Adds the first FPDU of the recording, if that is a ready-to-receive message or the response to
 * one. A server adds only a Read Response. This response has to wait for the client's Read Request,
 * which counts as an answer.
 */
static void add_rtr(struct composition *c, const struct track *track)
{
	const struct item *item = &track->items[1];
	struct ddp_segment seg;
	struct rdmap_read_req req = {};
	uint8_t *fpdu;

	if (ddp_segment_parse(item->data, item->len, &seg))
		return;
	if (seg.opcode == RDMAP_READ_REQUEST)
		rdmap_read_req_parse(item->data + seg.hdr_len, seg.payload_len, &req);
	if (seg.opcode == RDMAP_READ_REQUEST ? req.length : seg.payload_len)
		return;
	if (c->side == SERVER) {
		if (seg.opcode != RDMAP_READ_RESPONSE)
			return;
		c->after = c->to->answers + 1;
		c->to->answers++;
		c->requests++;
	}
	fpdu = add_item(c, item->data, item->len);
	account(c, seg.opcode);
	if (!seg.tagged)
		put32(fpdu + MSN_OFFSET, ++c->msn[seg.qn]);
}

void compose(const struct composer *composer, enum side side, struct rng *rng, struct composed *to)
{
	const struct scripts *scripts = &composer->scripts;
	const struct script *from = &scripts->all[rng_below(rng, scripts->count)];
	const struct track *track = &from->track[side];
	struct composition c = { .composer = composer, .to = to, .side = side, .rng = rng };
	uint32_t messages = 1 + (rng_below(rng, ITEMS_MAX) >> 2 * rng_below(rng, 4));
	const struct message *message;

	to->script = (struct script) {};
	to->used = 0;
	to->num_ops = 0;
	c.after = side == SERVER;
	to->answers = 1;
	add_item(&c, track->items[0].data, track->items[0].len);
	c.after = 1;
	add_rtr(&c, track);
	while (messages--) {
		if (side == SERVER && to->num_ops < KFUZZ_OPS_MAX && rng_one_in(rng, 3) &&
		    has_room(&c, SEGMENTS_MAX, 2 * READ_MAX)) {
			add_response(&c);
		} else {
			message = &composer->messages[rng_below(rng, composer->count)];
			if (!(takes_recv(message->opcode) && c.recvs == RECVS_USED) &&
			    !(is_request(message->opcode) && side == SERVER) &&
			    has_room(&c, message->count, message->len + 64 * message->count))
				copy_message(&c, message);
		}
		/* Sometimes all answers must have come before the next item. */
		if (side == CLIENT && rng_one_in(rng, 16))
			c.after = to->answers;
	}
	snprintf(to->script.name, sizeof(to->script.name), "%s, %u items, %.8s",
		 side == CLIENT ? "client" : "server", c.items, from->name);
	to->script.track[side] = (struct track) { .items = to->items, .count = c.items };
}
