/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lists of tests. Each program has a function run() of its own, which prints the result.
 */
#ifndef _KRDMA_TESTING_LIB_TESTS_H_
#define _KRDMA_TESTING_LIB_TESTS_H_

#include <stdbool.h>

/* A list of these ends with an empty entry. */
struct test {
	const char *name;
	bool (*run)(void);
};

void run(const char *name, bool (*test)(void));

static inline void run_all(const struct test *tests)
{
	for (; tests->name; tests++)
		run(tests->name, tests->run);
}

#endif /* _KRDMA_TESTING_LIB_TESTS_H_ */
