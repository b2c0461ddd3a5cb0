// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Atomic operations on words of 64 bits. */

#include "soft/atomic.h"

u64 soft_atomic_result(const struct soft_atomic *op, u64 old)
{
	/*
	 * An addition adds field by field, with no carry from one field into the next. The mask has
	 * the highest bit of each field. The sum is first computed without these bits, so that a
	 * carry goes into the highest bit of its field and no further. Then the highest bits of
	 * both numbers are added to the sum by exclusive or.
	 */
	if (!op->swaps)
		return ((old & ~op->data_mask) + (op->data & ~op->data_mask)) ^
		       ((old ^ op->data) & op->data_mask);
	if ((old ^ op->compare) & op->compare_mask)
		return old;
	return (old & ~op->data_mask) | (op->data & op->data_mask);
}
