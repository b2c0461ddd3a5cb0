/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The loop that plays composed connections through kfuzz, guided by coverage. */
#ifndef WIRE_FUZZ_LOOP_H
#define WIRE_FUZZ_LOOP_H

#include <stdint.h>

#include "wire_fuzz.h"

/**
 * struct loop_options - what to play
 * @dev: siw device
 * @endpoint: its address, and the first of four ports
 * @dir: folder of the recordings
 * @corpus: file with kept inputs, or NULL; more inputs are added to the file
 * @replay: play the inputs in @corpus first
 * @journal: file to which the inputs of each batch are written before it is played; or NULL
 * @input: the only input to be played, once; or NULL
 * @seed: seed of the inputs
 * @fpdus: number of FPDUs after whose receipt by siw the loop ends; 0: no limit
 * @seconds: time in seconds after which the loop ends; 0: no limit
 * @slow: factor for time limits
 */
struct loop_options {
	const char *dev;
	struct endpoint endpoint;
	const char *dir, *corpus, *journal, *input;
	bool replay;
	uint64_t seed, fpdus;
	unsigned int seconds, slow;
};

/* Returns an exit status: 1 if siw misbehaved. */
int loop(const struct loop_options *options);

#endif /* WIRE_FUZZ_LOOP_H */
