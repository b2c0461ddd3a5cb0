/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What messages of tests consist of: bytes that differ with their place, and with a seed. */
#ifndef _KRDMA_TESTING_PATTERN_H_
#define _KRDMA_TESTING_PATTERN_H_

#include <linux/types.h>

static inline u8 kt_pattern(u32 place, u8 seed)
{
	return seed + place * 11 + (place >> 8);
}

/* Fills memory with the pattern of a seed. */
static inline void kt_fill(void *data, u32 length, u8 seed)
{
	u8 *byte = data;
	u32 i;

	for (i = 0; i < length; i++)
		byte[i] = kt_pattern(i, seed);
}

/* Returns whether memory has the pattern of a seed. */
static inline bool kt_is(const void *data, u32 length, u8 seed)
{
	const u8 *byte = data;
	u32 i;

	for (i = 0; i < length; i++)
		if (byte[i] != kt_pattern(i, seed))
			return false;
	return true;
}

#endif /* _KRDMA_TESTING_PATTERN_H_ */
