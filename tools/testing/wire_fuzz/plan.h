/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What is going to be sent on a connection: a recording, and what is changed in it. */
#ifndef REPLAY_PLAN_H
#define REPLAY_PLAN_H

#include "wire_fuzz.h"
#include "script.h"

#define EDITS_MAX	8
#define STEPS_MAX	64
#define RAW_MAX		200

/* Changes @width bytes at @offset, as a big-endian number. */
struct edit {
	uint32_t offset;
	uint8_t width;
	bool add;	/* else set */
	uint64_t value;
};

/**
 * struct step - an item to be sent
 * @item: of a recording; NULL: @raw
 * @raw_len: bytes of no meaning
 * @raw: those
 * @after: items of the peer to wait for
 * @edits: changes, after the keys of this connection are put in
 * @num_edits: how many
 * @resize: bytes are taken away or added until ULPDU_Length is right
 * @fix_crc: the CRC is made to fit the changes
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
	END_WAIT,	/* FIN when the peer has said all it will */
	END_FIN,	/* FIN at once */
	END_RESET,	/* reset at once */
	END_STALL,	/* FIN after a while of silence */
	ENDINGS
};

/* How the stream is cut into calls of send(). */
enum cutting { CUT_ITEMS, CUT_NOT, CUT_SMALL, CUT_RANDOM, CUT_BYTES, CUTTINGS };

/**
 * struct plan - all that is decided beforehand
 * @script: recording that it is made from
 * @side: whose part is played
 * @steps: what is sent
 * @num_steps: how many
 * @limit: bytes after which the stream is cut off
 * @impatient: nothing of the peer's is waited for
 * @control: nothing is changed: the peer must be content with it
 * @single: one item is changed, and nothing else
 * @ending: how it ends
 * @cutting: how it is cut
 * @dice: for what is decided on the way
 * @what: the above in words
 */
struct plan {
	const struct script *script;
	enum side side;
	struct step steps[STEPS_MAX];
	uint32_t num_steps;
	uint64_t limit;
	bool impatient;
	bool control;
	bool single;
	enum ending ending;
	enum cutting cutting;
	struct dice dice;
	char what[256];
};

/* The plan of connection @number, the same each time. @script may be NULL: any. */
void plan_make(struct plan *plan, const struct scripts *scripts, const struct script *script,
	       enum side side, uint64_t seed, uint64_t number);

#endif /* REPLAY_PLAN_H */
