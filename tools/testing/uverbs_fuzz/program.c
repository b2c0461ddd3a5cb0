// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: makes, changes, prints and reads programs of the guided mode.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define NEW_MOST	40
#define INSERT_MOST	6
/* Numbers that a tape that was not played yet is expected to have. */
#define DRAWN		16

void program_make(struct rng *rng, struct program *program)
{
	program->num = 2 + pick(rng, NEW_MOST);
	for (unsigned int i = 0; i < program->num; i++)
		program->tapes[i] = (struct tape) { .seed = random_u64(rng) };
}

/* --- changes --- */

/*
 * Adds an edit. Prefers the first numbers of the tape, because these decide what a step does, and
 * the others only fill in its details. If the tape has all its edits, replaces one of them.
 */
static void edit(struct rng *rng, struct tape *tape)
{
	unsigned int drawn = tape->drawn ? tape->drawn : DRAWN;
	unsigned int place = tape->num_edits;

	if (place == MAX_EDITS)
		place = pick(rng, MAX_EDITS);
	else
		tape->num_edits++;
	tape->edits[place] = (struct edit) {
		.at = pick(rng, 1 + pick(rng, drawn < UINT16_MAX ? drawn : UINT16_MAX)),
		.kind = one_in(rng, 2) ? REPLACE : pick(rng, EDIT_KINDS),
		.value = one_in(rng, 2) ? random_u64(rng) : odd_value(rng),
	};
}

/* Returns a tape that has run new code, if a few attempts find one. */
static unsigned int hot_tape(struct rng *rng, const struct program *program)
{
	unsigned int i = pick(rng, program->num);

	for (int attempt = 0; attempt < 6 && !program->tapes[i].hot; attempt++)
		i = pick(rng, program->num);
	return i;
}

/* Makes room for @count tapes at @at; the last tapes are lost if the program becomes too long. */
static unsigned int make_room(struct program *program, unsigned int at, unsigned int count)
{
	unsigned int behind = program->num - at;

	if (count > MAX_TAPES - at)
		count = MAX_TAPES - at;
	if (behind > MAX_TAPES - at - count)
		behind = MAX_TAPES - at - count;
	memmove(&program->tapes[at + count], &program->tapes[at],
		behind * sizeof(*program->tapes));
	program->num = at + count + behind;
	return count;
}

/* Returns a place for another step: mostly the end, where the objects of all other steps exist. */
static unsigned int place_for_step(struct rng *rng, const struct program *program)
{
	return one_in(rng, 3) ? 1 + pick(rng, program->num) : program->num;
}

/* Inserts a step of this or another program, mostly with a change. */
static void insert_copy(struct rng *rng, struct program *program, const struct program *from)
{
	unsigned int at = place_for_step(rng, program);
	struct tape tape = from->tapes[hot_tape(rng, from)];

	if (!one_in(rng, 4))
		edit(rng, &tape);
	if (make_room(program, at, 1))
		program->tapes[at] = tape;
}

/* Leaves out up to four steps in a row; at least one step remains. */
static void leave_out(struct rng *rng, struct program *program)
{
	unsigned int at, count;

	if (program->num < 3)
		return;
	at = 1 + pick(rng, program->num - 2);
	count = 1 + pick(rng, 4);
	if (count > program->num - at - 1)
		count = program->num - at - 1;
	memmove(&program->tapes[at], &program->tapes[at + count],
		(program->num - at - count) * sizeof(*program->tapes));
	program->num -= count;
}

/* Inserts some steps of another program that follow each other, or ends with such steps. */
static void splice(struct rng *rng, struct program *program, const struct program *other)
{
	unsigned int from, count, at = 1 + pick(rng, program->num);

	if (other->num < 2)
		return;
	from = 1 + pick(rng, other->num - 1);
	count = 1 + pick(rng, other->num - from);
	if (one_in(rng, 2))
		program->num = at;
	count = make_room(program, at, count);
	memcpy(&program->tapes[at], &other->tapes[from], count * sizeof(*program->tapes));
}

void program_mutate(struct rng *rng, struct program *program, const struct program *other)
{
	struct tape *tape;
	unsigned int which;
	unsigned int at;
	unsigned int count;

	do {
		tape = &program->tapes[hot_tape(rng, program)];
		switch (pick(rng, 16)) {
		case 0:
		case 1:
		case 2:
		case 3:
			at = place_for_step(rng, program);
			count = make_room(program, at, 1 + pick(rng, INSERT_MOST));
			for (unsigned int i = at; i < at + count; i++)
				program->tapes[i] = (struct tape) { .seed = random_u64(rng) };
			break;
		case 4:
			insert_copy(rng, program, program);
			break;
		case 5:
		case 6:
		case 7:
			insert_copy(rng, program, other);
			break;
		case 8:
			leave_out(rng, program);
			break;
		case 9:
			splice(rng, program, other);
			break;
		case 10:
			which = pick(rng, tape->num_edits);
			if (tape->num_edits)
				tape->edits[which] = tape->edits[--tape->num_edits];
			break;
		default:
			edit(rng, tape);
			break;
		}
	} while (!one_in(rng, 5));
}

/* --- text --- */

/*
 * A tape is its seed, followed by its edits: ",AT=VALUE" replaces, ",AT+VALUE" inserts, and ",AT-0"
 * omits a number. All numbers are hexadecimal.
 */
static const char signs[EDIT_KINDS] = { [REPLACE] = '=', [INSERT] = '+', [OMIT] = '-' };

void program_print(const struct program *program, FILE *file)
{
	for (unsigned int i = 0; i < program->num; i++) {
		const struct tape *tape = &program->tapes[i];

		fprintf(file, "%s%" PRIx64, i ? " " : "", tape->seed);
		for (unsigned int k = 0; k < tape->num_edits; k++) {
			const struct edit *e = &tape->edits[k];

			fprintf(file, ",%x%c%" PRIx64, e->at, signs[e->kind],
				e->kind == OMIT ? 0 : e->value);
		}
	}
}

/* Reads an edit behind its comma. Returns what follows, or NULL. */
static const char *parse_edit(const char *text, struct edit *e)
{
	const char *sign;
	char *end;

	e->at = strtoul(text, &end, 16);
	sign = *end ? memchr(signs, *end, sizeof(signs)) : NULL;
	if (end == text || !sign)
		return NULL;
	e->kind = sign - signs;
	text = end + 1;
	e->value = strtoull(text, &end, 16);
	return end == text ? NULL : end;
}

/* Returns what follows the tape, or NULL. */
static const char *parse_tape(const char *text, struct tape *tape)
{
	char *end;

	*tape = (struct tape) { .seed = strtoull(text, &end, 16) };
	if (end == text)
		return NULL;
	text = end;
	while (text && *text == ',')
		text = tape->num_edits < MAX_EDITS ?
		       parse_edit(text + 1, &tape->edits[tape->num_edits++]) : NULL;
	return text;
}

bool program_parse(const char *line, struct program *program)
{
	const char *colon = strrchr(line, ':');

	if (colon)
		line = colon + 1;
	program->num = 0;
	while (line && line[strspn(line, "\n ")] && program->num < MAX_TAPES)
		line = parse_tape(line, &program->tapes[program->num++]);
	return line && program->num;
}
