// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test GROUP ADDRESS [NETNS [NUMBER]]: runs a group of tests and prints KTAP. Servers listen
 * at ADDRESS, which a siw device has in the namespace that verbs_test was started in. Clients
 * connect from the namespace NETNS, or from the servers' namespace if NETNS is "-" or missing.
 * NUMBER is the number of threads, connections or processes.
 *
 * In the environment, KRDMA_SLOW=N multiplies all time limits by N, and SEED=N repeats the random
 * choices of a run.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "verbs_test.h"

#define THREADS		8
#define CONNECTIONS	200
#define KILLS		30

/*
 * A group of tests: a list of them, or a function. A function for NUMBER things runs with @usual of
 * them if the caller says nothing.
 */
static const struct {
	const char *name;
	const struct test *tests;
	void (*run)(void);
	void (*run_number)(int number);
	int usual;
} groups[] = {
	{ "reject", reject_tests },
	{ "order", order_tests },
	{ "access", .run = test_access },
	{ "reuse", .run = test_reuse },
	{ "fork", .run = test_fork },
	{ "kill", kill_tests },
	{ "kill_stress", .run_number = test_kill_stress, .usual = KILLS },
	{ "scale", .run_number = test_scale, .usual = CONNECTIONS },
	{ "threads", .run_number = test_threads, .usual = THREADS },
	{ "limits", limits_tests },
	{ "footprint", .run_number = test_footprint, .usual = CONNECTIONS },
	{ "events", events_tests },
	{ "removal", removal_tests },
	{ "unread", unread_tests },
	{ "ports", ports_tests },
	{ "stall", .run = test_stall },
	{ "stall_netns", stall_netns_tests },
	{ "raw", raw_tests },
	{ "rereg", .run = test_rereg },
	{ "mw", .run = test_mw },
	{ "commands", .run = test_commands },
	{ "refusals", .run = test_refusals },
};

static int usage(void)
{
	fprintf(stderr, "usage: verbs_test GROUP ADDRESS [NETNS [NUMBER]]; GROUP is one of");
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		fprintf(stderr, " %s", groups[i].name);
	fprintf(stderr, "\n");
	return 2;
}

int main(int argc, char **argv)
{
	const char *slow = getenv("KRDMA_SLOW"), *seed = getenv("SEED");
	int number = argc > 4 ? atoi(argv[4]) : 0;
	size_t i = 0;

	if (argc < 3 || argc > 5)
		return usage();
	while (i < ARRAY_SIZE(groups) && strcmp(argv[1], groups[i].name))
		i++;
	if (i == ARRAY_SIZE(groups))
		return usage();
	test_address = argv[2];
	client_netns = argc > 3 && strcmp(argv[3], "-") ? argv[3] : NULL;
	if (slow && atoi(slow) > 0)
		slow_factor = atoi(slow);
	random_seed = seed ? strtoul(seed, NULL, 0) : (unsigned int)time(NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n# SEED=%u\n", random_seed);
	if (groups[i].tests)
		run_all(groups[i].tests);
	else if (groups[i].run)
		groups[i].run();
	else
		groups[i].run_number(number > 0 ? number : groups[i].usual);
	printf("1..%d\n", tests_run);
	return tests_failed ? 1 : 0;
}
