/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The clock of the tests' programs.
 */
#ifndef _KRDMA_TESTING_LIB_CLOCK_H_
#define _KRDMA_TESTING_LIB_CLOCK_H_

#include <stdint.h>
#include <time.h>

/* Returns milliseconds since an arbitrary moment, on a clock that nobody sets. */
static inline int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

/* Does the same in microseconds. */
static inline int64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000ll + now.tv_nsec / 1000;
}

#endif /* _KRDMA_TESTING_LIB_CLOCK_H_ */
