/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Arithmetic of packet sequence numbers, which have 24 bits and wrap (IBTA 9.7.1). */
#ifndef IBWIRE_PSN_H
#define IBWIRE_PSN_H

#include "wire.h"

/* Returns the PSN that is @n packets behind @psn. */
static inline u32 psn_add(u32 psn, u32 n)
{
	return (psn + n) & BTH_PSN_MASK;
}

/*
 * Returns how many packets @a is behind @b: -2^23 to 2^23 - 1. Two PSNs of one window are less than
 * 2^23 packets apart.
 */
static inline s32 psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

/* Returns whether @a comes before @b. */
static inline bool psn_before(u32 a, u32 b)
{
	return psn_diff(a, b) < 0;
}

#endif /* IBWIRE_PSN_H */
