/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Random numbers of the tests' programs. The same seed gives the same numbers.
 */
#ifndef _KRDMA_TESTING_LIB_RANDOM_H_
#define _KRDMA_TESTING_LIB_RANDOM_H_

#include <stdint.h>

#define SPLITMIX64_STEP	0x9e3779b97f4a7c15ull

/*
 * Returns the next number of SplitMix64: different states, even consecutive ones, give unrelated
 * sequences.
 */
static inline uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += SPLITMIX64_STEP;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Returns a number from 0 to @limit - 1; 0 if @limit is 0. */
static inline uint32_t random_below(uint64_t *state, uint32_t limit)
{
	return limit ? splitmix64(state) % limit : 0;
}

#endif /* _KRDMA_TESTING_LIB_RANDOM_H_ */
