/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * uverbs_fuzz: programs of the guided mode. A program is all random choices of a process with one
 * thread: a tape for the opening of files, and a tape for each step. Because each step has its own
 * tape, a change of one step does not change what the following steps are.
 */
#ifndef UVERBS_FUZZ_PROGRAM_H
#define UVERBS_FUZZ_PROGRAM_H

#include <stdio.h>

#include "uverbs_fuzz.h"

#define MAX_TAPES	64
/* No program has a longer text, in bytes. */
#define PROGRAM_TEXT	(MAX_TAPES * (17 + MAX_EDITS * 24))

/**
 * struct program - a program
 * @num: the number of its tapes, at least 1
 * @us: the time in us that it took when it was played last
 * @tapes: its tapes; the first one is that of opening
 */
struct program {
	unsigned int num;
	unsigned int us;
	struct tape tapes[MAX_TAPES];
};

void program_make(struct rng *rng, struct program *program);
/* Changes the program at one or a few places. @other is another program to take steps from. */
void program_mutate(struct rng *rng, struct program *program, const struct program *other);
/* Writes the program as text, without a newline. */
void program_print(const struct program *program, FILE *file);
/*
 * Reads a program from a line of text, which may begin with "NAME: ". Returns false if the line has
 * no program.
 */
bool program_parse(const char *line, struct program *program);

#endif /* UVERBS_FUZZ_PROGRAM_H */
