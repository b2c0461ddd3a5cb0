/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The plan of a connection: the recording to be sent, and the changes to it. */
#ifndef WIRE_FUZZ_PLAN_H
#define WIRE_FUZZ_PLAN_H

#include "wire_fuzz.h"
#include "script.h"

#define EDITS_MAX	8
#define STEPS_MAX	1024
#define RAW_MAX		200

/* A change of the big-endian number in the @width bytes at @offset of an item. */
struct edit {
	uint32_t offset;
	uint8_t width;
	bool add;	/* add @value to the number; if false, @value replaces the number */
	uint64_t value;
};

/**
 * struct step - an item to be sent
 * @item: item of a recording, or NULL if @raw is sent
 * @raw_len: number of bytes in @raw
 * @raw: random bytes
 * @after: number of items of the peer that must have come before the step is sent
 * @edits: changes that are made after the keys of this connection have been put in
 * @num_edits: number of @edits
 * @resize: remove or append bytes until the size fits ULPDU_Length
 * @fix_crc: calculate the CRC after the changes
 */
struct step {
	const struct item *item;
	uint32_t raw_len;
	uint8_t raw[RAW_MAX];
	uint32_t after;
	struct edit edits[EDITS_MAX];
	uint32_t num_edits;
	bool resize;
	bool fix_crc;
};

enum ending {
	END_WAIT,	/* FIN when the peer has sent everything */
	END_FIN,	/* FIN at once */
	END_RESET,	/* reset at once */
	END_STALL,	/* FIN after a time of silence */
	ENDINGS
};

/* How the stream is cut into calls of send(); CUT_NONE also merges items with MSG_MORE. */
enum cutting { CUT_ITEMS, CUT_NONE, CUT_SMALL, CUT_RANDOM, CUT_BYTES, CUTTINGS };

/**
 * struct plan - everything that is decided before a connection begins
 * @script: recording that is replayed
 * @side: side that we play
 * @steps: items to be sent
 * @num_steps: number of @steps
 * @limit: number of bytes after which the stream is cut off
 * @no_waiting: do not wait for the peer's items
 * @control: the recording is unchanged, and the peer must accept it
 * @single: one field or a few bits of one item are changed, and nothing else
 * @ending: how the connection ends
 * @cutting: how the stream is cut into calls of send()
 * @rng: generator for decisions that are made later
 * @text: description of the plan
 */
struct plan {
	const struct script *script;
	enum side side;
	struct step steps[STEPS_MAX];
	uint32_t num_steps;
	uint64_t limit;
	bool no_waiting;
	bool control;
	bool single;
	enum ending ending;
	enum cutting cutting;
	struct rng rng;
	char text[256];
};

/*
 * Makes the plan of connection @number. The plan depends on the arguments only. @script is the
 * recording to be replayed; if @script is NULL, a recording is chosen at random.
 */
void plan_make(struct plan *plan, const struct scripts *scripts, const struct script *script,
	       enum side side, uint64_t seed, uint64_t number);

/* Makes the plan that replays @script unchanged. Decisions that are made later depend on @seed. */
void plan_begin(struct plan *plan, const struct script *script, enum side side, uint64_t seed);

/*
 * Makes a change at random. @only states that the plan has no other change; in this case, a change
 * of bits or of a field of one item sets plan->single.
 */
void plan_mutate(struct plan *plan, const struct scripts *scripts, bool only);

/* Makes the plan send @edit's value in item @at, with a CRC that fits, as its only change. */
void plan_edit(struct plan *plan, uint32_t at, const char *what, struct edit edit);

#endif /* WIRE_FUZZ_PLAN_H */
