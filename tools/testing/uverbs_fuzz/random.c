// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: random numbers. The same seed gives the same numbers.
 */
#include "uverbs_fuzz.h"

uint64_t mix(uint64_t seed, uint64_t number)
{
	uint64_t state = seed;

	state = splitmix64(&state) + (number - 1) * SPLITMIX64_STEP;
	return splitmix64(&state);
}

void rng_play(struct rng *rng, const struct tape *tape)
{
	*rng = (struct rng) { .state = tape->seed, .tape = tape };
}

uint64_t random_u64(struct rng *rng)
{
	const struct edit *edit = NULL;

	/* The first edit that applies to the number that is drawn now. */
	for (unsigned int i = 0; rng->tape && !edit && i < rng->tape->num_edits; i++)
		if (rng->tape->edits[i].at == rng->drawn)
			edit = &rng->tape->edits[i];
	rng->drawn++;
	if (edit && edit->kind == INSERT)
		return edit->value;
	if (edit && edit->kind == OMIT)
		splitmix64(&rng->state);
	if (!edit || edit->kind == OMIT)
		return splitmix64(&rng->state);
	splitmix64(&rng->state);
	return edit->value;
}

uint32_t pick(struct rng *rng, uint32_t below)
{
	return below ? random_u64(rng) % below : 0;
}

bool one_in(struct rng *rng, uint32_t n)
{
	return n && !pick(rng, n);
}

unsigned int weighted(struct rng *rng, const unsigned int *first, size_t stride, unsigned int len)
{
	const char *weights = (const char *)first;
	unsigned int all = 0, chosen, i;

	for (i = 0; i < len; i++)
		all += *(const unsigned int *)(weights + i * stride);
	chosen = pick(rng, all);
	for (i = 0; chosen >= *(const unsigned int *)(weights + i * stride); i++)
		chosen -= *(const unsigned int *)(weights + i * stride);
	return i;
}

uint64_t odd_value(struct rng *rng)
{
	uint64_t power = 1ull << pick(rng, 64);

	switch (pick(rng, 8)) {
	case 0:
		return 0;
	case 1:
		return 1;
	case 2:
		return ~0ull;
	case 3:
		return power;
	case 4:
		return power - 1;
	case 5:
		return power + 1;
	case 6:
		return pick(rng, 256);
	default:
		return random_u64(rng);
	}
}

void odd_words(struct rng *rng, void *to, size_t size)
{
	uint32_t *words = to;

	for (size_t i = 0; i < size / sizeof(*words); i++)
		words[i] = one_in(rng, 2) ? odd_value(rng) : 0;
}

uint32_t number(struct rng *rng, uint32_t low, uint32_t high)
{
	return one_in(rng, 64) ? odd_value(rng) : low + pick(rng, high - low + 1);
}
