// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ucma_test: requests that a process does not fetch: how many a file may have, and who pays for
 * them.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ucma_test.h"
#include "tools/testing/lib/clock.h"

#define PATIENCE_MS	10000
#define DEFAULT_MAX	"4096"
#define MAX		3
#define FLOOD		600
/* Bytes that each unfetched request takes at least: its identifier, context and event take more. */
#define REQUEST_BYTES	1024
#define ROOM		(256 << 10)

/* Writes to a file. Returns 0 or a negative errno. */
static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* Sets the limit of unfetched requests, a sysctl that only the initial namespace shows. */
static int set_max_requests(const char *max)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		int net = open("/proc/1/ns/net", O_RDONLY | O_CLOEXEC);

		if (net < 0 || setns(net, CLONE_NEWNET))
			_exit(errno);
		_exit(-put("/proc/sys/net/rdma_ucm/max_requests", max));
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return -errno;
	return -WEXITSTATUS(status);
}

static int listen_at(int fd, uint16_t port)
{
	int id = create(fd, port), ret;

	if (id < 0)
		return id;
	ret = bind_to(fd, id, device_address, port);
	if (!ret)
		ret = listen_on(fd, id, 0);
	return ret ? ret : id;
}

/* Adds a peer that sends a request. */
static int ask(struct pollfd *peer, uint16_t port)
{
	peer->events = POLLIN;
	peer->fd = peer_request(port);
	return peer->fd < 0 ? peer->fd : 0;
}

/* Returns 0 if one of the peers is rejected, -ETIMEDOUT if none is. */
static int one_rejected(struct pollfd *peers, int count)
{
	int ret = poll(peers, count, PATIENCE_MS);

	if (ret < 0)
		return -errno;
	for (int i = 0; ret && i < count; i++)
		if (peers[i].revents)
			return peer_reply(peers[i].fd);
	return -ETIMEDOUT;
}

static int fetch(int fd, int count)
{
	struct rdma_ucm_event_resp event;
	int ret = 0;

	while (!ret && count--)
		ret = await_event(fd) ?: get_event_now(fd, &event);
	return ret;
}

/*
 * Two listeners of a file share the limit. Expects that a request beyond the limit is refused, and
 * that another one is accepted after a request was fetched, after a listener has moved to another
 * file, and after a listener was destroyed.
 */
static bool limited(void)
{
	struct pollfd peers[MAX + 1], more;
	int fd, other, first, second;

	TRY(set_max_requests("3"));
	TRY(fd = channel_open());
	TRY(other = channel_open());
	TRY(first = listen_at(fd, PORT));
	TRY(second = listen_at(fd, PORT + 1));
	for (int i = 0; i <= MAX; i++)
		TRY(ask(&peers[i], PORT + i % 2));
	TRY(one_rejected(peers, MAX + 1));
	TRY(fetch(fd, 1));
	TRY(ask(&more, PORT));
	TRY(fetch(fd, MAX));

	for (int i = 0; i <= MAX; i++)
		TRY(ask(&peers[i], PORT));
	TRY(one_rejected(peers, MAX + 1));
	TRY(migrate(other, first, fd));
	TRY(ask(&more, PORT + 1));
	TRY(fetch(fd, 1));
	TRY(ask(&more, PORT));
	TRY(one_rejected(&more, 1));

	TRY(destroy(other, first));
	TRY(first = listen_at(other, PORT));
	TRY(ask(&more, PORT));
	TRY(fetch(other, 1));
	TRY(destroy(fd, second));
	return true;
}

/* A memory cgroup and the only process in it, which listens and fetches nothing. */
struct group {
	char root[32];
	char dir[64];
	pid_t pid;
	struct pollfd peers[FLOOD];
};

static struct group group;

static const char *in_group(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", group.dir, name);
	return path;
}

/*
 * Returns the number behind @key in a file of the cgroup, or the file's first word as a number if
 * @key is NULL. Returns -1 if there is no number.
 */
static long number(const char *name, const char *key)
{
	FILE *file = fopen(in_group(name), "r");
	char word[64];
	long value = -1;

	if (!file)
		return -1;
	if (!key)
		fscanf(file, "%ld", &value);
	else
		while (fscanf(file, "%63s", word) == 1)
			if (!strcmp(word, key) && fscanf(file, "%ld", &value) == 1)
				break;
	fclose(file);
	return value;
}

/* `ip netns exec` hides the mounts below /sys, therefore the cgroups are mounted a second time. */
static int make_group(void)
{
	char control[64];
	int ret;

	strcpy(group.root, "/tmp/ucma_test.XXXXXX");
	if (!mkdtemp(group.root) || mount("cgroup2", group.root, "cgroup2", 0, NULL))
		return -errno;
	snprintf(group.dir, sizeof(group.dir), "%s/ucma_test", group.root);
	snprintf(control, sizeof(control), "%s/cgroup.subtree_control", group.root);
	ret = put(control, "+memory");
	if (!ret && mkdir(group.dir, 0700))
		ret = -errno;
	return ret;
}

/* Starts the process, and waits until it listens. */
static bool begin_group(void)
{
	int ready[2];
	char ok;

	TRY(pipe(ready));
	TRY(group.pid = fork());
	if (!group.pid) {
		int fd;

		if (put(in_group("cgroup.procs"), "0"))
			_exit(1);
		fd = channel_open();
		if (fd < 0 || listen_at(fd, PORT) < 0 || write(ready[1], "", 1) != 1)
			_exit(2);
		for (;;)
			pause();
	}
	close(ready[1]);
	EXPECT(1, read(ready[0], &ok, 1));
	close(ready[0]);
	return true;
}

static bool flood(void)
{
	const struct rlimit files = { .rlim_cur = FLOOD + 100, .rlim_max = FLOOD + 100 };

	TRY(setrlimit(RLIMIT_NOFILE, &files) ? -errno : 0);
	for (int i = 0; i < FLOOD; i++)
		TRY(ask(&group.peers[i], PORT));
	return true;
}

static bool memory_reaches(long bytes)
{
	const struct timespec interval = { .tv_nsec = 10000000 };
	long long end = now_ms() + PATIENCE_MS;

	while (number("memory.current", NULL) < bytes && now_ms() < end)
		nanosleep(&interval, NULL);
	EXPECT(1, number("memory.current", NULL) >= bytes);
	return true;
}

static bool charged(void)
{
	long before;
	bool ok;

	if (!begin_group())
		return false;
	before = number("memory.current", NULL);
	ok = flood() && memory_reaches(before + FLOOD * REQUEST_BYTES);
	kill(group.pid, SIGKILL);
	waitpid(group.pid, NULL, 0);
	return ok;
}

static bool one_refused(void)
{
	char max[32];

	snprintf(max, sizeof(max), "%ld", number("memory.current", NULL) + ROOM);
	TRY(put(in_group("memory.max"), max));
	if (!flood())
		return false;
	TRY(one_rejected(group.peers, FLOOD));
	EXPECT(0, number("memory.events", "oom_kill"));
	EXPECT(0, waitpid(group.pid, NULL, WNOHANG));
	return true;
}

static bool refused(void)
{
	bool ok;

	if (!begin_group())
		return false;
	ok = one_refused();
	kill(group.pid, SIGKILL);
	waitpid(group.pid, NULL, 0);
	return ok;
}

void charge(void)
{
	run("a file has as many unfetched requests as it may", limited);
	if (set_max_requests(DEFAULT_MAX)) {
		printf("# the limit cannot be set back\n");
		tests_failed++;
	}
	if (make_group()) {
		skip("the memory of requests", "no cgroups with the controller memory");
	} else {
		run("the listening process pays for unfetched requests", charged);
		run("requests are refused when the memory of the cgroup is used up", refused);
	}
	rmdir(group.dir);
	umount(group.root);
	rmdir(group.root);
}
