// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ucma_test: a process whose command waits for another process's LISTEN on the same identifier; the
 * LISTEN waits for a port mapper's daemon. Expects that the waiting process can be killed.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ucma_test.h"

#define PATIENCE	1000 /* intervals of 10 ms */

/* Waits up to 10 s until the condition is true for @arg. Returns 0 or -ETIMEDOUT. */
static int await(bool (*condition)(const void *arg), const void *arg)
{
	const struct timespec interval = { .tv_nsec = 10000000 };

	for (int i = 0; i < PATIENCE; i++) {
		if (condition(arg))
			return 0;
		nanosleep(&interval, NULL);
	}
	return -ETIMEDOUT;
}

/*
 * Returns whether the kernel has asked iwpmfake, which then prints a line that begins with "add".
 */
static bool daemon_is_asked(const void *log)
{
	FILE *file = fopen(log, "r");
	bool asked = false;
	char line[256];

	while (file && !asked && fgets(line, sizeof(line), file))
		asked = !strncmp(line, "add", 3);
	if (file)
		fclose(file);
	return asked;
}

static bool is_blocked(const void *pid)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", *(const pid_t *)pid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(file);
	return state == 'D';
}

static bool has_ended(const void *pid)
{
	return waitpid(*(const pid_t *)pid, NULL, WNOHANG) == *(const pid_t *)pid;
}

static const char *daemon_log;

static bool killable(void)
{
	struct rdma_ucm_query_addr_resp resp;
	struct rdma_ucm_query query = { .response = (uintptr_t)&resp };
	pid_t listener, waiter;
	int fd, id;

	TRY(fd = channel_open());
	TRY(id = create(fd, 1));
	TRY(bind_to(fd, id, "0.0.0.0", PORT));
	TRY(listener = fork());
	if (!listener)
		_exit(-listen_on(fd, id, 0));
	TRY(await(daemon_is_asked, daemon_log));
	query.id = id;
	TRY(waiter = fork());
	if (!waiter)
		_exit(-ASK(fd, QUERY, query, sizeof(resp)));
	TRY(await(is_blocked, &waiter));
	TRY(kill(waiter, SIGKILL));
	TRY(await(has_ended, &waiter));
	EXPECT(false, has_ended(&listener));
	return true;
}

void waiting_for(const char *log)
{
	daemon_log = log;
	run("a process that waits for another one's LISTEN can be killed", killable);
}
