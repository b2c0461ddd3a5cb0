/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Computes the results of atomic operations on 64-bit words. The code takes no locks and
 * allocates no memory, so it is also compiled in user space.
 */
#ifndef SOFT_ATOMIC_H
#define SOFT_ATOMIC_H

#include "compat/port.h"

/**
 * struct soft_atomic - an atomic operation
 * @swaps: the operation swaps; otherwise it adds
 * @data: value to add or to swap in
 * @data_mask: of an addition, the highest bit of each field; a carry out of that bit is dropped.
 *	Otherwise the bits to swap in
 * @compare: of a swap: value that the word must have
 * @compare_mask: of a swap: the bits to compare
 */
struct soft_atomic {
	bool swaps;
	u64 data;
	u64 data_mask;
	u64 compare;
	u64 compare_mask;
};

/**
 * soft_atomic_result() - the result of an atomic operation
 * @op: the operation
 * @old: value of the word before the operation
 *
 * Return: the new value; @old if a comparison fails.
 */
u64 soft_atomic_result(const struct soft_atomic *op, u64 old);

#endif /* SOFT_ATOMIC_H */
