// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Makes a connection from the numbers of an input, and renders it for kfuzz. */
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "iwarp/ddp.h"
#include "keys.h"

/* In one of MISDIRECTED connections, the only change is an STag that gives no access. */
#define MISDIRECTED	10
/* Largest number of pieces into which a stream is cut; what is left then is sent whole. */
#define PIECES_MAX	48

/**
 * struct rendering - a connection that is being rendered
 * @conn: head of the result
 * @parts: its parts
 * @bytes: its bytes
 * @patches: segments of Read Responses
 * @pieces: number of pieces that were cut off
 * @left: number of bytes until the stream is cut off
 */
struct rendering {
	struct kfuzz_conn conn;
	struct kfuzz_part parts[STEPS_MAX + PIECES_MAX];
	struct kfuzz_patch patches[STEPS_MAX];
	uint8_t bytes[RENDERED_MAX];
	uint32_t pieces;
	uint64_t left;
};

/* Changes an STag of one item, chosen at random, to one that gives no access. */
static void misdirect(struct plan *plan, const struct kfuzz_region *regions)
{
	uint32_t at = rng_below(&plan->rng, plan->num_steps);
	const struct kfuzz_region *region;
	uint32_t target = 0;

	for (uint32_t i = 0; i < plan->num_steps && !target; i++) {
		at = (at + 1) % plan->num_steps;
		if (!item_is_mpa(plan->steps[at].item))
			target = fpdu_target(plan->steps[at].item->data, plan->steps[at].item->len);
	}
	if (!target)
		return;
	region = &regions[KFUZZ_PRIVATE + rng_below(&plan->rng, KFUZZ_REGIONS - KFUZZ_PRIVATE)];
	plan_edit(plan, at, "STag without access",
		  (struct edit) { .offset = target, .width = 4, .value = region->stag });
}

static void make_plan(const struct input *input, const struct composer *composer,
		      struct composed *composed, struct plan *plan)
{
	struct rng rng = { input->seeds[0] };
	enum side side = rng_one_in(&rng, 3) ? SERVER : CLIENT;

	compose(composer, side, &rng, composed);
	if (rng_one_in(&rng, MISDIRECTED)) {
		plan_begin(plan, &composed->script, side, rng_u64(&rng));
		misdirect(plan, composer->regions);
	} else {
		plan_make(plan, &composer->scripts, &composed->script, side, rng_u64(&rng), 0);
	}
	for (uint32_t i = 1; i < input->count; i++) {
		plan->rng.state = input->seeds[i];
		plan_mutate(plan, &composer->scripts, false);
		plan->control = false;
		plan->single = false;
		plan->ending = rng_below(&plan->rng, ENDINGS);
		plan->cutting = rng_below(&plan->rng, CUTTINGS);
	}
	/* Small pieces take most of the time, and are needed on few connections only. */
	if (!rng_one_in(&plan->rng, 3))
		plan->cutting = CUT_NONE;
}

/* Adds the bytes of an item to the parts, as the plan cuts them. */
static void cut(struct rendering *r, struct plan *plan, uint32_t await, uint32_t len)
{
	static const uint32_t largest[CUTTINGS] = {
		[CUT_SMALL] = 7, [CUT_RANDOM] = 97, [CUT_BYTES] = 1 };
	struct kfuzz_part *last = r->conn.parts ? &r->parts[r->conn.parts - 1] : NULL;

	len = len < r->left ? len : r->left;
	r->left -= len;
	r->conn.bytes += len;
	while (len) {
		uint32_t n = len;

		if (largest[plan->cutting] && r->pieces < PIECES_MAX) {
			n = 1 + rng_below(&plan->rng, largest[plan->cutting]);
			n = n < len ? n : len;
			r->pieces++;
		} else if (plan->cutting != CUT_ITEMS && last && last->await == await) {
			last->len += len;
			return;
		}
		last = &r->parts[r->conn.parts++];
		*last = (struct kfuzz_part) { n, await };
		len -= n;
	}
}

/*
 * The keys that the ULP grants are the same in the recordings and on the connection. The sinks of
 * its reads are keys, too.
 */
static struct keys granted_keys(const struct kfuzz_region *regions, const struct composed *composed)
{
	struct keys keys = { .count = KFUZZ_INVALID + 1 };

	for (uint32_t i = 0; i < keys.count; i++)
		keys.all[i] = (struct key) {
			regions[i].stag, regions[i].stag, regions[i].base, regions[i].base,
			regions[i].len,
		};
	for (uint32_t i = 0; i < composed->num_ops; i++) {
		uint32_t stag = composed->sinks[i];

		keys.all[keys.count++] = (struct key) { stag, stag, 0, 0, composed->ops[i].len };
	}
	return keys;
}

/* The ULP chooses the STag of a sink later. So a segment that has such an STag gets a patch. */
static void add_patch(struct rendering *r, const struct step *step, uint32_t len)
{
	const uint8_t *fpdu = r->bytes + r->conn.bytes;
	struct ddp_segment seg;

	if (len > r->left || ddp_segment_parse(fpdu, len, &seg) || !seg.tagged ||
	    len < DDP_TAGGED_HEAD + MPA_CRC_LEN || seg.stag - SINK_STAG >= SINKS)
		return;
	r->patches[r->conn.patches++] = (struct kfuzz_patch) {
		.offset = r->conn.bytes,
		.len = len,
		.request = seg.stag - SINK_STAG,
		.fix_crc = step->fix_crc,
	};
}

/* A client does not wait for the answers to requests that the plan has not sent. */
static void render_steps(struct rendering *r, struct plan *plan, const struct keys *keys,
			 struct expectation *expect, uint32_t answers)
{
	uint32_t most = plan->side == CLIENT ? 1 : answers;
	struct ddp_segment seg;

	for (uint32_t i = 0; i < plan->num_steps && r->conn.bytes + ITEM_MAX < RENDERED_MAX; i++) {
		struct step *step = &plan->steps[i];
		uint8_t *fpdu = r->bytes + r->conn.bytes;
		uint32_t len = step_render(step, keys, fpdu);

		expect->fpdus += !item_is_mpa(step->item);
		if (plan->single && plan->ending != END_RESET &&
		    step_is_forbidden(step, plan->side, keys, fpdu, len))
			expect->forbidden = true;
		if (step->item)
			add_patch(r, step, len);
		cut(r, plan, plan->no_waiting ? 0 : step->after < most ? step->after : most, len);
		if (plan->side == CLIENT && step->item && !item_is_mpa(step->item) &&
		    !ddp_segment_parse(fpdu, len, &seg))
			most += seg.opcode == RDMAP_READ_REQUEST ||
				seg.opcode == RDMAP_ATOMIC_REQUEST;
	}
	r->conn.await = most;
}

uint32_t input_render(const struct input *input, const struct composer *composer, uint32_t wait_ms,
		      uint32_t limit_ms, uint8_t *to, struct expectation *expect)
{
	static const enum kfuzz_ending endings[ENDINGS] = {
		KFUZZ_END_WAIT, KFUZZ_END_FIN, KFUZZ_END_RESET, KFUZZ_END_WAIT };
	static struct composed composed;
	static struct rendering r;
	static struct plan plan;
	uint8_t *begin = to;
	struct keys keys;

	make_plan(input, composer, &composed, &plan);
	keys = granted_keys(composer->regions, &composed);
	*expect = (struct expectation) {
		.side = plan.side, .control = plan.control, .answers = composed.answers };
	memcpy(expect->text, plan.text, sizeof(expect->text));
	r.conn = (struct kfuzz_conn) {
		.server = plan.side == SERVER,
		.port = rng_one_in(&plan.rng, 2) ? KFUZZ_PORT_SRQ : KFUZZ_PORT_RQ,
		.ops = composed.num_ops,
		.ending = endings[plan.ending],
		.wait_ms = plan.control ? limit_ms : wait_ms,
	};
	r.pieces = 0;
	r.left = plan.limit;
	render_steps(&r, &plan, &keys, expect, composed.answers);

	to = mempcpy(to, &r.conn, sizeof(r.conn));
	to = mempcpy(to, r.parts, r.conn.parts * sizeof(r.parts[0]));
	to = mempcpy(to, composed.ops, r.conn.ops * sizeof(composed.ops[0]));
	to = mempcpy(to, r.patches, r.conn.patches * sizeof(r.patches[0]));
	to = mempcpy(to, r.bytes, r.conn.bytes);
	return (to - begin + 7) & ~7;
}

bool input_parse(const char *text, struct input *input)
{
	char *end;

	*input = (struct input) {};
	while (input->count < SEEDS_MAX) {
		input->seeds[input->count++] = strtoull(text, &end, 16);
		if (end == text)
			return false;
		if (*end != ',')
			return !*end || *end == '\n';
		text = end + 1;
	}
	return false;
}

void input_print(const struct input *input, FILE *file)
{
	for (uint32_t i = 0; i < input->count; i++)
		fprintf(file, "%s%llx", i ? "," : "", (unsigned long long)input->seeds[i]);
}
