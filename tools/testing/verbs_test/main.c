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

static int number;

static void run_threads(void)
{
	test_threads(number > 0 ? number : THREADS);
}

static void run_scale(void)
{
	test_scale(number > 0 ? number : CONNECTIONS);
}

static void run_footprint(void)
{
	test_footprint(number > 0 ? number : CONNECTIONS);
}

static void run_kill_stress(void)
{
	test_kill_stress(number > 0 ? number : KILLS);
}

static const struct {
	const char *name;
	void (*run)(void);
} groups[] = {
	{ "reject", test_reject },
	{ "order", test_order },
	{ "access", test_access },
	{ "reuse", test_reuse },
	{ "fork", test_fork },
	{ "kill", test_kill },
	{ "kill_stress", run_kill_stress },
	{ "scale", run_scale },
	{ "threads", run_threads },
	{ "limits", test_limits },
	{ "footprint", run_footprint },
	{ "events", test_events },
	{ "removal", test_removal },
	{ "unread", test_unread },
	{ "ports", test_ports },
	{ "stall", test_stall },
	{ "stall_netns", test_stall_netns },
	{ "raw", test_raw },
	{ "rereg", test_rereg },
	{ "mw", test_mw },
	{ "commands", test_commands },
	{ "refusals", test_refusals },
};

static void read_environment(void)
{
	const char *slow = getenv("KRDMA_SLOW"), *seed_text = getenv("SEED");

	if (slow && atoi(slow) > 0)
		slow_factor = atoi(slow);
	random_seed = seed_text ? strtoul(seed_text, NULL, 0) : (unsigned int)time(NULL);
}

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
	size_t i = 0;

	if (argc < 3 || argc > 5)
		return usage();
	while (i < ARRAY_SIZE(groups) && strcmp(argv[1], groups[i].name))
		i++;
	if (i == ARRAY_SIZE(groups))
		return usage();
	test_address = argv[2];
	client_netns = argc > 3 && strcmp(argv[3], "-") ? argv[3] : NULL;
	if (argc > 4)
		number = atoi(argv[4]);
	read_environment();
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n# SEED=%u\n", random_seed);
	groups[i].run();
	printf("1..%d\n", tests_run);
	return tests_failed ? 1 : 0;
}
