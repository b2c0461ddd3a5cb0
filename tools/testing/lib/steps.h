/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Macros for the steps of a test in user space. A step that fails is printed, and the function that
 * contains the step returns false. Such a function returns true at its end.
 */
#ifndef _KRDMA_TESTING_LIB_STEPS_H_
#define _KRDMA_TESTING_LIB_STEPS_H_

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Returns what a system call returned, or a negative errno if it failed. */
static inline int sys(int ret)
{
	return ret < 0 ? -errno : ret;
}

static inline bool tried(int ret, const char *step, const char *file, int line)
{
	if (ret >= 0)
		return true;
	printf("# %s:%d: %s: %s\n", file, line, step, strerror(-ret));
	return false;
}

static inline bool expected(long want, long seen, const char *step, const char *file, int line)
{
	if (seen == want)
		return true;
	printf("# %s:%d: %s: %ld, not %ld\n", file, line, step, seen, want);
	return false;
}

/* Runs a step that returns a negative errno if it fails. */
#define TRY(step)							\
	do {								\
		if (!tried((step), #step, __FILE__, __LINE__))		\
			return false;					\
	} while (0)
/* Runs a step that must return @want. */
#define EXPECT(want, step)						\
	do {								\
		if (!expected((want), (step), #step, __FILE__, __LINE__)) \
			return false;					\
	} while (0)

#endif /* _KRDMA_TESTING_LIB_STEPS_H_ */
