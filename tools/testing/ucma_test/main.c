// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ucma_test ADDRESS QPN...: KTAP of all tests, on the siw device that has this address, with QPs there
 * that have not been connected yet, 40 or more. A connection uses one up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ucma_test.h"

const char *device_address;

static char **qpns;
static int count, failed;

/* 0 when there are no more. */
uint32_t next_qpn(void)
{
	return *qpns ? strtoul(*qpns++, NULL, 0) : 0;
}

void run(const char *name, bool (*test)(void))
{
	bool ok = test();

	/* What a failed one has left open. */
	close_range(3, ~0u, 0);
	count++;
	failed += !ok;
	printf("%sok %d %s\n", ok ? "" : "not ", count, name);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: ucma_test ADDRESS QPN...\n");
		return 2;
	}
	device_address = argv[1];
	qpns = argv + 2;
	printf("KTAP version 1\n");
	commands();
	connections();
	early();
	moves();
	hostile();
	printf("1..%d\n", count);
	return failed ? 1 : 0;
}
