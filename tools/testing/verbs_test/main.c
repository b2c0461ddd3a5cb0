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
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "verbs_test.h"

#define TEST_S		60
#define PATIENCE_MS	10000
#define THREADS		8
#define CONNECTIONS	200
#define KILLS		30

const char *test_address;
const char *client_netns;
int slow_factor = 1;

static int count, failed, number;
static unsigned int seed;

bool has_userfaultfd(void)
{
	int fd = syscall(__NR_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

int patience_ms(void)
{
	return PATIENCE_MS * slow_factor;
}

unsigned int below(unsigned int limit)
{
	return random() % limit;
}

static bool ended_well(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return false;
	if (WIFSIGNALED(status))
		printf("# ended by signal %d%s\n", WTERMSIG(status),
		       WTERMSIG(status) == SIGALRM ? ": time limit exceeded" : "");
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

void run_for(const char *name, int seconds, bool (*test)(void))
{
	pid_t pid = fork();
	bool ok;

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		alarm(seconds * slow_factor);
		srandom(seed);
		exit(test() ? 0 : 1);
	}
	ok = ended_well(pid);
	count++;
	failed += !ok;
	printf("%sok %d %s\n", ok ? "" : "not ", count, name);
}

void run(const char *name, bool (*test)(void))
{
	run_for(name, TEST_S, test);
}

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
	seed = seed_text ? strtoul(seed_text, NULL, 0) : (unsigned int)time(NULL);
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
	printf("KTAP version 1\n# SEED=%u\n", seed);
	groups[i].run();
	printf("1..%d\n", count);
	return failed ? 1 : 0;
}
