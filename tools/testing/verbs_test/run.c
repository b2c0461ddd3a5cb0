// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: runs tests in processes of their own, with limits of time, and counts them.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verbs_test.h"

#define TEST_S		60
#define PATIENCE_MS	10000

const char *test_address;
const char *client_netns;
int slow_factor = 1;
unsigned int random_seed;
int tests_run, tests_failed;

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
		srandom(random_seed);
		exit(test() ? 0 : 1);
	}
	ok = ended_well(pid);
	tests_run++;
	tests_failed += !ok;
	printf("%sok %d %s\n", ok ? "" : "not ", tests_run, name);
}

void run(const char *name, bool (*test)(void))
{
	run_for(name, TEST_S, test);
}

