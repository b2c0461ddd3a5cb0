// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Chooses a recording and the changes to it at random. The seed and the number of the connection
 * determine the choice.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "iwarp/wire.h"
#include "plan.h"

/* One in CONTROLS connections is replayed unchanged. */
#define CONTROLS	12

struct field {
	const char *name;
	uint32_t offset;
	uint8_t width;
};

static const struct field mpa_fields[] = {
	{ "key", 0, 8 }, { "key", 13, 1 }, { "flags", 16, 1 }, { "revision", 17, 1 },
	{ "private data length", 18, 2 }, { "IRD", 20, 2 }, { "ORD", 22, 2 },
	{ "private data", 24, 4 }, { "private data", 28, 4 }, { "private data", 40, 4 },
};

static const struct field tagged_fields[] = {
	{ "ULPDU_Length", 0, 2 }, { "DDP control", 2, 1 }, { "RDMAP control", 3, 1 },
	{ "STag", 4, 4 }, { "STag key", 7, 1 }, { "TO", 8, 8 }, { "TO low", 12, 4 },
};

static const struct field untagged_fields[] = {
	{ "ULPDU_Length", 0, 2 }, { "DDP control", 2, 1 }, { "RDMAP control", 3, 1 },
	{ "invalidated STag", 4, 4 }, { "queue", 8, 4 }, { "MSN", 12, 4 }, { "MO", 16, 4 },
	{ "first word", 20, 4 }, { "second word", 24, 4 }, { "third word", 28, 4 },
	{ "fourth word", 32, 4 }, { "fifth word", 36, 4 }, { "sixth word", 40, 8 },
};

static const uint64_t edges[] = {
	0, 1, 2, 3, 4, 0x0d, 0x0e, 0x0f, 0x11, 0x12, 0x13, 0x2d, 0x2e, 0x2f, 0x40, 0x41, 0x42,
	0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x4a, 0x4b, 0x4f, 0x7f, 0x80, 0x81, 0xc0, 0xc1, 0xff,
	0x1ff, 0x200, 0x201, 0xfff, 0x1000, 0x3fff, 0x7fff, 0x8000, 0xfffe, 0xffff, 0x10000,
	0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x7fffffffffffffff, 0xffffffffffffffff,
	0xfffffffffffff000,
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void describe(struct plan *plan, const char *format, ...)
{
	size_t len = strlen(plan->text);
	va_list args;

	va_start(args, format);
	vsnprintf(plan->text + len, sizeof(plan->text) - len, format, args);
	va_end(args);
}

/*
 * Chooses a step at random. If that is the MPA frame, chooses once more in two of three cases,
 * because FPDUs have more fields that can be wrong.
 */
static struct step *choose(struct plan *plan)
{
	struct step *step = &plan->steps[rng_below(&plan->rng, plan->num_steps)];

	return item_is_mpa(step->item) && !rng_one_in(&plan->rng, 3) ?
	       &plan->steps[rng_below(&plan->rng, plan->num_steps)] : step;
}

static void insert(struct plan *plan, uint32_t at, const struct step *step)
{
	if (plan->num_steps == STEPS_MAX)
		return;
	memmove(&plan->steps[at + 1], &plan->steps[at],
		(plan->num_steps - at) * sizeof(plan->steps[0]));
	plan->steps[at] = *step;
	plan->num_steps++;
}

static void add_edit(struct step *step, struct edit edit)
{
	if (step->num_edits < EDITS_MAX)
		step->edits[step->num_edits++] = edit;
}

/* Mutations: each changes the plan and appends to its description. */

static void flip_bits(struct plan *plan)
{
	struct step *step = choose(plan);
	uint32_t n = 1 + rng_below(&plan->rng, 3);

	if (!step->item)
		return;
	step->fix_crc = !rng_one_in(&plan->rng, 3);
	describe(plan, ", %u bits of item %td flipped%s", n, step - plan->steps,
		 step->fix_crc ? "" : " but in the CRC");
	while (n--) {
		uint32_t offset = rng_below(&plan->rng, step->item->len);
		uint8_t bit = 1 << rng_below(&plan->rng, 8);

		/* Adding the bit flips it; a carry changes higher bits of the byte, too. */
		add_edit(step, (struct edit) { offset, 1, true, bit });
	}
}

/* Returns an edge value, or a random number of random magnitude. */
static uint64_t field_value(struct rng *rng)
{
	uint64_t value = rng_u64(rng) >> rng_below(rng, 64);

	if (rng_one_in(rng, 2))
		return edges[rng_below(rng, COUNT(edges))];
	return rng_one_in(rng, 4) ? -value : value;
}

static void change_field(struct plan *plan)
{
	struct step *step = choose(plan);
	const struct field *fields = untagged_fields;
	uint32_t n = COUNT(untagged_fields);
	struct edit edit;

	if (!step->item)
		return;
	if (item_is_mpa(step->item)) {
		fields = mpa_fields;
		n = COUNT(mpa_fields);
	} else if (step->item->data[MPA_LEN_LEN] & DDP_CTRL_TAGGED) {
		fields = tagged_fields;
		n = COUNT(tagged_fields);
	}
	fields += rng_below(&plan->rng, n);
	edit = (struct edit) { fields->offset, fields->width, rng_one_in(&plan->rng, 2),
			       field_value(&plan->rng) };
	step->fix_crc = !rng_one_in(&plan->rng, 12);
	step->resize = rng_one_in(&plan->rng, 2);
	add_edit(step, edit);
	describe(plan, ", %s of item %td %s 0x%llx%s%s", fields->name, step - plan->steps,
		 edit.add ? "+" : "=", (unsigned long long)edit.value,
		 step->resize ? ", resized" : "", step->fix_crc ? "" : ", CRC wrong");
}

static void cut_off(struct plan *plan)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < plan->num_steps; i++)
		total += plan->steps[i].item ? plan->steps[i].item->len : plan->steps[i].raw_len;
	/* One cut in four is within the first 64 bytes, which contain the handshake. */
	plan->limit = rng_below(&plan->rng, rng_one_in(&plan->rng, 4) ? 64 : total);
	describe(plan, ", cut off after %llu bytes", (unsigned long long)plan->limit);
}

static void splice_in(struct plan *plan, const struct scripts *scripts)
{
	const struct script *other = &scripts->all[rng_below(&plan->rng, scripts->count)];
	enum side side = rng_one_in(&plan->rng, 3) ? !plan->side : plan->side;
	uint32_t from = rng_below(&plan->rng, other->track[side].count);
	uint32_t at = rng_below(&plan->rng, plan->num_steps + 1);
	struct step step = { .item = &other->track[side].items[from] };

	insert(plan, at, &step);
	describe(plan, ", item %u of %s's %s in front of item %u", from, other->name,
		 side == CLIENT ? "client" : "server", at);
}

static void duplicate(struct plan *plan)
{
	uint32_t from = rng_below(&plan->rng, plan->num_steps);
	uint32_t at = rng_below(&plan->rng, plan->num_steps + 1);
	struct step step = plan->steps[from];

	insert(plan, at, &step);
	describe(plan, ", item %u again in front of item %u", from, at);
}

static void leave_out(struct plan *plan)
{
	uint32_t at = rng_below(&plan->rng, plan->num_steps);

	if (plan->num_steps < 2)
		return;
	plan->num_steps--;
	memmove(&plan->steps[at], &plan->steps[at + 1],
		(plan->num_steps - at) * sizeof(plan->steps[0]));
	describe(plan, ", without item %u", at);
}

static void swap_items(struct plan *plan)
{
	uint32_t a = rng_below(&plan->rng, plan->num_steps);
	uint32_t b = rng_below(&plan->rng, plan->num_steps);
	struct step step = plan->steps[a];

	plan->steps[a] = plan->steps[b];
	plan->steps[b] = step;
	describe(plan, ", items %u and %u exchanged", a, b);
}

static void add_garbage(struct plan *plan)
{
	uint32_t at = rng_below(&plan->rng, plan->num_steps + 1);
	struct step step = { .raw_len = 1 + rng_below(&plan->rng, RAW_MAX - 1) };

	for (uint32_t i = 0; i < step.raw_len; i++)
		step.raw[i] = rng_one_in(&plan->rng, 4) ?
			      edges[rng_below(&plan->rng, COUNT(edges))] : rng_u64(&plan->rng);
	insert(plan, at, &step);
	describe(plan, ", %u bytes of garbage in front of item %u", step.raw_len, at);
}

static void send_at_once(struct plan *plan)
{
	plan->no_waiting = true;
	describe(plan, ", without waiting");
}

void plan_mutate(struct plan *plan, const struct scripts *scripts, bool only)
{
	static void (*const mutations[])(struct plan *plan) = {
		flip_bits, flip_bits, change_field, change_field, change_field, change_field,
		change_field, cut_off, duplicate, leave_out, swap_items, add_garbage, send_at_once,
	};
	uint32_t n = rng_below(&plan->rng, COUNT(mutations) + 1);

	plan->single = only && n < COUNT(mutations) &&
		       (mutations[n] == flip_bits || mutations[n] == change_field);
	if (n == COUNT(mutations))
		splice_in(plan, scripts);
	else
		mutations[n](plan);
}

void plan_begin(struct plan *plan, const struct script *script, enum side side, uint64_t seed)
{
	const struct track *track = &script->track[side];

	memset(plan, 0, sizeof(*plan));
	plan->rng.state = seed;
	plan->script = script;
	plan->side = side;
	plan->limit = UINT64_MAX;
	describe(plan, "%s", script->name);
	for (uint32_t i = 0; i < track->count && i < STEPS_MAX; i++)
		plan->steps[plan->num_steps++] = (struct step) {
			.item = &track->items[i],
			.after = track->items[i].after,
			.fix_crc = true,
		};
}

void plan_edit(struct plan *plan, uint32_t at, const char *what, struct edit edit)
{
	plan->single = true;
	plan->steps[at].fix_crc = true;
	add_edit(&plan->steps[at], edit);
	describe(plan, ", %s of item %u = 0x%llx", what, at, (unsigned long long)edit.value);
}

void plan_make(struct plan *plan, const struct scripts *scripts, const struct script *script,
	       enum side side, uint64_t seed, uint64_t number)
{
	static const char *const endings[ENDINGS] = { "", ", FIN", ", reset", ", silence" };
	static const char *const cuttings[CUTTINGS] = {
		"", ", not cut", ", cut small", ", cut anywhere", ", cut to bytes" };
	struct rng rng = { seed * 0x100000001b3 + number };
	const struct script *chosen;
	uint32_t n;

	rng_u64(&rng);
	chosen = &scripts->all[rng_below(&rng, scripts->count)];
	plan_begin(plan, script ? script : chosen, side, rng.state);
	plan->cutting = rng_below(&plan->rng, CUTTINGS);
	plan->control = rng_one_in(&plan->rng, CONTROLS);
	if (!plan->control) {
		plan->ending = END_WAIT;
		if (rng_one_in(&plan->rng, 3))
			plan->ending = rng_below(&plan->rng, ENDINGS);
		n = 1 + (rng_one_in(&plan->rng, 3) ? rng_below(&plan->rng, 3) : 0);
		for (uint32_t i = 0; i < n; i++)
			plan_mutate(plan, scripts, n == 1);
	}
	describe(plan, "%s%s", endings[plan->ending], cuttings[plan->cutting]);
}
