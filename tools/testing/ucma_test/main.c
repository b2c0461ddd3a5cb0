// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ucma_test ADDRESS QPN...: runs all tests but that of waiting.c, and prints KTAP. ADDRESS is an
 * address of a siw device; each QPN is the number of an unconnected QP of this device. At least 40
 * numbers are needed, because each connection uses one up.
 *
 * ucma_test --waiting LOG ADDRESS, ucma_test --asking LOG ADDRESS: run the tests of waiting.c. LOG
 * is a file with the output of an iwpmfake that does not answer additions or, with --asking,
 * queries. ADDRESS is an address of a siw device of this host or, with --asking, of another one.
 */
#include <stdio.h>
#include <string.h>

#include "ucma_test.h"

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: ucma_test ADDRESS QPN...\n"
				"       ucma_test --waiting|--asking LOG ADDRESS\n");
		return 2;
	}
	if (argc == 4 && argv[1][0] == '-') {
		daemon_log = argv[2];
		device_address = argv[3];
		run_all(strcmp(argv[1], "--asking") ? waiting_tests : asking_tests);
		return tests_failed ? 1 : 0;
	}
	device_address = argv[1];
	unused_qpns = argv + 2;
	printf("KTAP version 1\n");
	run_all(commands_tests);
	run_all(connections_tests);
	run_all(early_tests);
	run_all(moves_tests);
	stalled();
	charge();
	run_all(hostile_tests);
	printf("1..%d\n", tests_run);
	return tests_failed ? 1 : 0;
}
