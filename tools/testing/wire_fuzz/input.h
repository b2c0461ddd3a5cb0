/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Inputs of the loop: a few numbers that determine a connection and the changes to it. */
#ifndef WIRE_FUZZ_INPUT_H
#define WIRE_FUZZ_INPUT_H

#include "compose.h"
#include "plan.h"

#define SEEDS_MAX	12
/* Size that a rendered connection has at most: its bytes, parts, requests and description. */
#define RENDERED_MAX	(2 * COMPOSED_BYTES + 8 * ITEM_MAX)

/**
 * struct input - a connection
 * @seeds: the first determines the composed connection and the changes to it; each other one
 *	determines a further change
 * @count: number of @seeds
 */
struct input {
	uint64_t seeds[SEEDS_MAX];
	uint32_t count;
};

/**
 * struct expectation - what a rendered connection must lead to
 * @side: side that is played
 * @control: the connection is correct, and must work
 * @forbidden: siw must answer with a Terminate or a reset
 * @fpdus: number of FPDUs that are sent
 * @answers: number of answers that must come if the connection is correct
 * @text: description
 */
struct expectation {
	enum side side;
	bool control;
	bool forbidden;
	uint32_t fpdus;
	uint32_t answers;
	char text[256];
};

/*
 * Renders the input to @to, which has room for RENDERED_MAX bytes, as a struct kfuzz_conn with what
 * follows it. @wait_ms is the longest wait for an answer on a changed connection, @limit_ms on a
 * correct one. Returns the number of bytes.
 */
uint32_t input_render(const struct input *input, const struct composer *composer, uint32_t wait_ms,
		      uint32_t limit_ms, uint8_t *to, struct expectation *expect);

/*
 * Reads an input from text: numbers that are separated by commas. Returns false if the text is no
 * input.
 */
bool input_parse(const char *text, struct input *input);
/* Writes an input as text. */
void input_print(const struct input *input, FILE *file);

#endif /* WIRE_FUZZ_INPUT_H */
