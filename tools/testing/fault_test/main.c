// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * fault_test: lets each allocation of each operation of a process fail once.
 *
 *   fault_test GROUP DEVICE SERVER_ADDR CLIENT_NETNS SERVER_NETNS TIME_LIMIT_MS
 *
 * GROUP is objects or connections; or commands or methods, which run on the device of kt_user.ko,
 * by write() or by ioctl().
 *
 * The first allocation of an operation fails, then the second one, and so on until the operation
 * has succeeded without a failure. Each time the operation may succeed, or fail with an error that
 * lack of memory explains. Afterwards no object may be left, and the operation must succeed without
 * a failure. The report is KTAP, and lists the number of allocations that have failed.
 *
 * With KRDMA_SHARE=N in the environment, only one of N allocations fails, at random, behind the
 * first ten of an operation.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "fault_test.h"
#include "tools/testing/lib/command.h"

#define MAX_ALLOCATIONS	3000
#define ALWAYS_FAIL	10

struct ibv_context *context;
struct ibv_device *device;
const char *server_addr;
int time_limit;

static const struct group *group = &object_group;
static unsigned int results, total, share = 1;

static bool explained(int err, const struct operation *op)
{
	/* TCP and the handshake report a lack of memory by these errors. */
	static const int errors[] = {
		ENOBUFS, ENFILE, EADDRINUSE, EADDRNOTAVAIL, ECONNREFUSED, ECONNRESET,
		ECONNABORTED, ETIMEDOUT, ENOTCONN, EIO,
	};
	size_t i;

	for (i = 0; op->connects && i < sizeof(errors) / sizeof(*errors); i++)
		if (err == errors[i])
			return true;
	return err == ENOMEM || err == op->also;
}

/*
 * Runs the operation, and makes its allocation number @n fail, or none if @n is 0. Returns 1 if an
 * allocation has failed, 0 if none has, -1 if the operation has not done what it must.
 */
static int run_once(const struct operation *op, int kind, unsigned int n)
{
	bool injected = false;
	int err = 0;

	for (int i = 0; !err && i < MAX_STEPS && op->prepare[i]; i++)
		err = abs(group->do_step(op->prepare[i]));
	if (err) {
		printf("# after %u: the preparation has failed: %s\n", n, strerror(err));
		group->undo();
		return -1;
	}
	if (n)
		fail_nth(kind, n);
	err = abs(group->do_step(op->run));
	if (n)
		injected = stop_failing(kind);
	group->undo();
	if (err && !injected)
		printf("# after %u: it failed without a failure: %s\n", n, strerror(err));
	else if (err && !explained(err, op))
		printf("# %u: lack of memory does not explain: %s\n", n, strerror(err));
	else if (!nothing_left())
		printf("# %u: objects are left (%s)\n", n, strerror(err));
	else
		return injected;
	return -1;
}

/* Returns the number of the allocation that fails after the one with number @n. */
static unsigned int next_after(unsigned int n)
{
	if (n < ALWAYS_FAIL)
		return n + 1;
	return n == ALWAYS_FAIL ? n + 1 + random() % share : n + share;
}

static void sweep(const struct operation *op, int kind)
{
	unsigned int n, failed = 0;
	int ret;

	ret = run_once(op, kind, 0);
	for (n = 1; n <= MAX_ALLOCATIONS && ret >= 0; n = next_after(n)) {
		ret = run_once(op, kind, n);
		if (ret <= 0)
			break;
		failed++;
		ret = run_once(op, kind, 0);
	}
	if (ret || n > MAX_ALLOCATIONS)
		printf("not ");
	printf("ok %u %s, %s: %u allocations failed\n", ++results, op->name, kinds[kind], failed);
	fflush(stdout);
	total += failed;
}

static int open_netns(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

int main(int argc, char **argv)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	const char *env = getenv("KRDMA_SHARE");
	const struct operation *op;
	int client_netns, server_netns, kind;

	if (argc != 7) {
		fputs("Usage: see main.c\n", stderr);
		return 2;
	}
	if (!strcmp(argv[1], "connections"))
		group = &connection_group;
	commands_by_ioctl = !strcmp(argv[1], "methods");
	if (commands_by_ioctl || !strcmp(argv[1], "commands"))
		group = &command_group;
	for (int i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), argv[2]))
			device = list[i];
	context = device ? ibv_open_device(device) : NULL;
	server_addr = argv[3];
	client_netns = open_netns(argv[4]);
	server_netns = open_netns(argv[5]);
	time_limit = atoi(argv[6]);
	if (!context || client_netns < 0 || server_netns < 0) {
		perror("fault_test");
		return 2;
	}
	if (env && atoi(env) > 1)
		share = atoi(env);
	srandom(time(NULL));
	inject_open();
	if (group == &connection_group && connection_start(client_netns, server_netns)) {
		perror("connection_start");
		return 2;
	}
	for (op = group->operations; op->name; op++) {
		remember_resources();
		for (kind = 0; kinds[kind]; kind++)
			sweep(op, kind);
	}
	printf("1..%u\n# total: %u allocations failed\n", results, total);
	return 0;
}
