// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ucma_test: a port mapper's daemon does not answer. Expects that a process that waits for another
 * one's LISTEN can be killed; that identifiers which the daemon is asked for can be used, destroyed
 * and closed at once; and that CONNECT does not wait for the daemon.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ucma_test.h"
#include "tools/testing/lib/clock.h"

#define PATIENCE	1000 /* intervals of 10 ms */
/* Events, see enum rdma_cm_event_type of librdmacm. */
enum { ADDR_RESOLVED = 0, ROUTE_RESOLVED = 2 };

/* Longest time of what does not wait for the daemon. The kernel waits for 6 s. */
#define PROMPT_MS	3000

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

const char *daemon_log;

/* What the daemon is asked, and how many times. */
struct question {
	const char *op;
	int times;
};

/* Returns whether iwpmfake has printed that many lines, which begin with the operation. */
static bool daemon_is_asked(const void *arg)
{
	const struct question *question = arg;
	FILE *file = fopen(daemon_log, "r");
	char line[256];
	int times = 0;

	while (file && fgets(line, sizeof(line), file))
		times += !strncmp(line, question->op, strlen(question->op));
	if (file)
		fclose(file);
	return times >= question->times;
}

static int await_question(const char *op, int times)
{
	const struct question question = { op, times };

	return await(daemon_is_asked, &question);
}

/* Returns whether the time since @start is short; it may be longer on slow kernels. */
static bool is_prompt(long long start)
{
	const char *slow = getenv("KRDMA_SLOW");
	long long ms = now_ms() - start;

	printf("# took %lld ms\n", ms);
	return ms < PROMPT_MS * (slow ? atoi(slow) : 1);
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
	TRY(await_question("add", 1));
	query.id = id;
	/* A process that is killed does not release the lock, so the next one waits, too. */
	for (int i = 0; i < 2; i++) {
		TRY(waiter = fork());
		if (!waiter)
			_exit(-ASK(fd, QUERY, query, sizeof(resp)));
		TRY(await(is_blocked, &waiter));
		TRY(kill(waiter, SIGKILL));
		TRY(await(has_ended, &waiter));
	}
	EXPECT(false, has_ended(&listener));
	TRY(kill(listener, SIGKILL));
	TRY(await(has_ended, &listener));
	return true;
}

struct listener {
	int fd;
	int id;
};

static void *listen_in_thread(void *arg)
{
	const struct listener *listener = arg;

	listen_on(listener->fd, listener->id, 0);
	return NULL;
}

/*
 * Destroys an identifier while another thread waits in LISTEN: that of a wildcard first, and that
 * of device_address when the test runs again.
 */
static bool destroyed_listener(void)
{
	static int questions = 1;
	struct listener listener;
	pthread_t thread;
	long long start;

	questions++;
	TRY(listener.fd = channel_open());
	TRY(listener.id = create(listener.fd, 1));
	TRY(bind_to(listener.fd, listener.id, questions == 2 ? "0.0.0.0" : device_address, PORT));
	TRY(-pthread_create(&thread, NULL, listen_in_thread, &listener));
	TRY(await_question("add", questions));
	start = now_ms();
	TRY(destroy(listener.fd, listener.id));
	TRY(-pthread_join(thread, NULL));
	EXPECT(true, is_prompt(start));
	return true;
}

/* Begins to resolve the route of a new identifier, for which the daemon is asked. */
static int begin_asking(int fd, int questions)
{
	struct rdma_ucm_event_resp event;
	int id = create(fd, 1), ret;

	if (id < 0)
		return id;
	ret = resolve(fd, id, device_address, PORT);
	if (!ret)
		ret = expect_event(fd, ADDR_RESOLVED, 0, &event);
	if (!ret)
		ret = resolve_route(fd, id);
	if (!ret)
		ret = await_question("query", questions);
	return ret ? ret : id;
}

static bool destroyed_client(void)
{
	struct rdma_ucm_query_addr_resp resp;
	struct rdma_ucm_query query = { .response = (uintptr_t)&resp };
	struct rdma_ucm_event_resp event;
	long long start = now_ms();
	int fd, id;

	TRY(fd = channel_open());
	TRY(id = begin_asking(fd, 1));
	query.id = id;
	TRY(ASK(fd, QUERY, query, sizeof(resp)));
	EXPECT(-EINVAL, connect_to(fd, id, 1, NULL, 0));
	EXPECT(-EINVAL, disconnect(fd, id));
	EXPECT(-EAGAIN, get_event_now(fd, &event));
	TRY(destroy(fd, id));
	EXPECT(true, is_prompt(start));
	return true;
}

static bool closed_client(void)
{
	long long start = now_ms();
	int fd;

	TRY(fd = channel_open());
	TRY(begin_asking(fd, 2));
	TRY(close(fd) ? -errno : 0);
	EXPECT(true, is_prompt(start));
	return true;
}

/* The route is resolved when the daemon has not answered in time; the real ports are used. */
static bool resolved_client(void)
{
	struct rdma_ucm_event_resp event;
	long long start;
	int fd, id, i;

	TRY(fd = channel_open());
	TRY(id = begin_asking(fd, 3));
	for (i = 0; i < 3 && await_event(fd); i++)
		;
	TRY(expect_event(fd, ROUTE_RESOLVED, 0, &event));
	start = now_ms();
	EXPECT(-EINVAL, connect_to(fd, id, 0xffffff, NULL, 0));
	TRY(destroy(fd, id));
	EXPECT(true, is_prompt(start));
	return true;
}

const struct test waiting_tests[] = {
	{ "a process that waits for another one's LISTEN can be killed", killable },
	{ "a wildcard that waits in LISTEN is destroyed at once", destroyed_listener },
	{ "a listener that waits in LISTEN is destroyed at once", destroyed_listener },
	{}
};

const struct test asking_tests[] = {
	{ "an identifier that waits for the route is destroyed at once", destroyed_client },
	{ "a file with such an identifier is closed at once", closed_client },
	{ "the route is resolved without the daemon, CONNECT does not wait", resolved_client },
	{}
};
