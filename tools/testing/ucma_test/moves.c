// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ucma_test: identifiers that move between files while their events are fetched and files are
 * closed; and address changes, whose events come without a command and may stay unfetched.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ucma_test.h"

#define UNREACHABLE	"192.0.2.1"
#define RUN_US		1000000
#define MAX_UNFETCHED	64
/* Twice as many, because two changes may cause one event. */
#define CHANGES		(2 * MAX_UNFETCHED)
/*
 * Events of one identifier that may still be on their way when another one has got its own: its
 * work item may be running, and be queued once more.
 */
#define MAX_LATE	2
#define ADDR_CHANGE	14

/* The file that the identifier starts from and comes back to. */
static int base_fd;
static uint32_t moving;
static atomic_bool stop;
static atomic_int fetched;

/*
 * Moves the identifier from base_fd to a new file and back, and closes the new file. -EINVAL is no
 * error, because it means that another thread has moved the identifier to its own file.
 */
static void *migrate_repeatedly(void *arg)
{
	intptr_t ret = 0;

	(void)arg;
	while (!stop && ret >= 0) {
		int fd = channel_open();

		ret = fd < 0 ? fd : migrate(fd, moving, base_fd);
		if (ret >= 0)
			ret = migrate(base_fd, moving, fd);
		else if (ret == -EINVAL)
			ret = 0;
		if (fd >= 0)
			close(fd);
	}
	return (void *)ret;
}

/*
 * Fetches events. Every second command has an invalid response pointer, so that the kernel must put
 * the event back.
 */
static void *fetch_events(void *arg)
{
	struct rdma_ucm_event_resp event;
	struct rdma_ucm_get_event good = { .response = (uintptr_t)&event };
	struct rdma_ucm_get_event bad = { .response = 8 };
	intptr_t ret = 0;

	(void)arg;
	while (!ret) {
		bool ended = stop;

		ASK(base_fd, GET_EVENT, bad, sizeof(event));
		ret = ASK(base_fd, GET_EVENT, good, sizeof(event));
		if (!ret)
			fetched++;
		else if (ret == -EAGAIN && !ended)
			ret = 0;
	}
	return (void *)(ret == -EAGAIN ? 0 : ret);
}

/*
 * Resolves an address again and again. A command fails if the identifier is in another file;
 * otherwise an event follows.
 */
static void *resolve_repeatedly(void *arg)
{
	(void)arg;
	while (!stop)
		resolve(base_fd, moving, UNREACHABLE, PORT);
	return NULL;
}

static bool moved_and_fetched(void)
{
	static void *(*const works[])(void *arg) = {
		migrate_repeatedly, migrate_repeatedly, migrate_repeatedly, migrate_repeatedly,
		fetch_events, fetch_events, resolve_repeatedly,
	};
	enum { WORKS = sizeof(works) / sizeof(*works) };
	pthread_t threads[WORKS];
	void *results[WORKS];
	int i, ret;

	stop = false;
	fetched = 0;
	TRY(base_fd = channel_open());
	fcntl(base_fd, F_SETFL, O_NONBLOCK);
	TRY(ret = create(base_fd, 1));
	moving = ret;
	for (i = 0; i < WORKS; i++)
		TRY(-pthread_create(&threads[i], NULL, works[i], NULL));
	usleep(RUN_US);
	stop = true;
	for (i = 0; i < WORKS; i++)
		pthread_join(threads[i], &results[i]);
	for (i = 0; i < WORKS; i++)
		TRY((intptr_t)results[i]);
	EXPECT(true, fetched > 0);
	/*
	 * destroy() returns how many events were fetched. Expects that fetch_events() has got each
	 * of them once.
	 */
	TRY(ret = destroy(base_fd, moving));
	EXPECT(fetched, ret);
	return true;
}

static bool wrong_file(void)
{
	int a, b, c, id;

	TRY(a = channel_open());
	TRY(b = channel_open());
	TRY(c = channel_open());
	TRY(id = create(a, 1));
	EXPECT(-EINVAL, migrate(c, id, b));
	EXPECT(-EINVAL, migrate(a, id, b));
	EXPECT(0, migrate(b, id, a));
	EXPECT(-EINVAL, migrate(c, id, a));
	EXPECT(0, migrate(c, id, b));
	EXPECT(0, destroy(c, id));
	EXPECT(-ENOENT, migrate(a, id, c));
	return true;
}

/* Finds the interface that has device_address, and its link address, by way of the socket @fd. */
static bool find_interface(int fd, struct ifreq *ifr)
{
	struct sockaddr_in6 want = address(device_address, 0);
	const struct sockaddr_in *in = (const void *)&want;
	struct ifaddrs *all, *one;

	TRY(getifaddrs(&all) ? -errno : 0);
	for (one = all; one; one = one->ifa_next)
		if (one->ifa_addr && one->ifa_addr->sa_family == AF_INET &&
		    ((struct sockaddr_in *)one->ifa_addr)->sin_addr.s_addr == in->sin_addr.s_addr)
			snprintf(ifr->ifr_name, sizeof(ifr->ifr_name), "%s", one->ifa_name);
	freeifaddrs(all);
	TRY(sys(ioctl(fd, SIOCGIFHWADDR, ifr)));
	return true;
}

/*
 * Changes the link address again and again, by way of the socket @fd, each time only after @witness
 * has got the event of the previous change, because changes that follow each other fast cause only
 * one event.
 */
static bool change_often(int fd, const struct ifreq *old, int witness)
{
	struct rdma_ucm_event_resp event;
	struct ifreq ifr = *old;

	for (int i = 0; i < CHANGES; i++) {
		ifr.ifr_hwaddr.sa_data[5] = old->ifr_hwaddr.sa_data[5] + i + 1;
		TRY(sys(ioctl(fd, SIOCSIFHWADDR, &ifr)));
		TRY(expect_event(witness, ADDR_CHANGE, 0, &event));
	}
	return true;
}

/*
 * Expects that an identifier keeps up to MAX_UNFETCHED unfetched events, and that events of further
 * address changes are dropped.
 */
static bool unfetched_addr_changes(void)
{
	struct rdma_ucm_event_resp event;
	struct ifreq old = {};
	int fd, id, count, witness, witness_id, socket_fd;

	TRY(socket_fd = sys(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)));
	if (!find_interface(socket_fd, &old))
		return false;
	TRY(fd = channel_open());
	TRY(id = create(fd, 1));
	TRY(bind_to(fd, id, device_address, PORT));
	TRY(witness = channel_open());
	TRY(witness_id = create(witness, 2));
	TRY(bind_to(witness, witness_id, device_address, PORT + 1));
	if (!change_often(socket_fd, &old, witness))
		return false;
	for (count = 0; !get_event_now(fd, &event); count++)
		;
	/* A late event is kept if another one was fetched before. */
	if (count <= MAX_UNFETCHED || count > MAX_UNFETCHED + MAX_LATE)
		EXPECT(MAX_UNFETCHED, count);
	TRY(sys(ioctl(socket_fd, SIOCSIFHWADDR, &old)));
	TRY(expect_event(fd, ADDR_CHANGE, 0, &event));
	EXPECT(count + 1, destroy(fd, id));
	return true;
}

const struct test moves_tests[] = {
	{ "identifiers move while their events are fetched", moved_and_fetched },
	{ "an identifier moves from a file that does not have it", wrong_file },
	{ "address changes that are not fetched", unfetched_addr_changes },
	{}
};
