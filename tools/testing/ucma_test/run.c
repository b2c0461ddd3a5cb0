// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ucma_test: runs tests and counts them, on the device and with the QPs of the command line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ucma_test.h"

const char *device_address;
char **unused_qpns;
int tests_run, tests_failed;

/* Returns the next QP number, or 0 if none is left. */
uint32_t next_qpn(void)
{
	return *unused_qpns ? strtoul(*unused_qpns++, NULL, 0) : 0;
}

void run(const char *name, bool (*test)(void))
{
	bool ok = test();

	/* A tests_failed test may have left files open. */
	close_range(3, ~0u, 0);
	tests_run++;
	tests_failed += !ok;
	printf("%sok %d %s\n", ok ? "" : "not ", tests_run, name);
	fflush(stdout);
}

void skip(const char *name, const char *why)
{
	tests_run++;
	printf("ok %d %s # SKIP %s\n", tests_run, name, why);
}
