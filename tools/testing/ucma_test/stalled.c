// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ucma_test: a thread fetches an event onto a page that is missing, and whose fault is answered
 * late (userfaultfd). Expects that nothing else waits for the page: the identifier can be
 * destroyed, moved to another file, and closed with that file.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tools/testing/lib/late_page.h"
#include "ucma_test.h"

#define PAGE		4096
#define PATIENCE_MS	10000

/* A thread that fetches an event of @fd onto @page. */
struct stall {
	int fd;
	int uffd;
	void *page;
	pthread_t thread;
};

static void *fetch(void *arg)
{
	struct stall *stall = arg;
	struct rdma_ucm_get_event cmd = { .response = (uintptr_t)stall->page };

	return (void *)(intptr_t)ASK(stall->fd, GET_EVENT, cmd, sizeof(struct rdma_ucm_event_resp));
}

/* Starts the thread on a file with an event, and waits until the page is missed. */
static bool begin(struct stall *stall, int fd)
{
	stall->fd = fd;
	TRY(fcntl(fd, F_SETFL, O_NONBLOCK));
	TRY(await_event(fd));
	stall->page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	TRY(stall->page == MAP_FAILED ? -errno : 0);
	TRY(stall->uffd = late_page_open(stall->page));
	TRY(-pthread_create(&stall->thread, NULL, fetch, stall));
	TRY(late_page_wanted(stall->uffd, PATIENCE_MS));
	return true;
}

/* Answers the fault. Returns the result of the command, or a negative errno. */
static int end(struct stall *stall)
{
	void *result;
	int ret = late_page_provide(stall->uffd, stall->page);

	if (ret)
		return ret;
	pthread_join(stall->thread, &result);
	close(stall->uffd);
	return (intptr_t)result;
}

/*
 * Work of a second thread, which must not wait for the page: destroys the identifier @id in the
 * file @fd or, if it is 0, closes the file.
 */
struct work {
	int fd;
	int id;
};

static void *work_meanwhile(void *arg)
{
	struct work *work = arg;

	return (void *)(intptr_t)(work->id ? destroy(work->fd, work->id) : close(work->fd));
}

/* Returns the result of the work, or -ETIMEDOUT if it waits for the page. */
static int meanwhile(int fd, int id)
{
	struct work work = { .fd = fd, .id = id };
	struct timespec until;
	pthread_t thread;
	void *result;
	int ret;

	ret = pthread_create(&thread, NULL, work_meanwhile, &work);
	if (ret)
		return -ret;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE_MS / 1000;
	ret = pthread_timedjoin_np(thread, &result, &until);
	return ret ? -ret : (intptr_t)result;
}

static bool has_event(int *fd, int *id)
{
	TRY(*fd = channel_open());
	TRY(*id = create(*fd, 1));
	TRY(resolve(*fd, *id, device_address, PORT));
	return true;
}

/* Expects that the event of a destroyed identifier is neither counted nor delivered. */
static bool destroyed(void)
{
	struct stall stall;
	int fd, id;

	if (!has_event(&fd, &id) || !begin(&stall, fd))
		return false;
	EXPECT(0, meanwhile(fd, id));
	EXPECT(-EAGAIN, end(&stall));
	return true;
}

static bool closed(void)
{
	struct stall stall;
	int fd, other, id;

	if (!has_event(&fd, &id) || !begin(&stall, fd))
		return false;
	TRY(other = channel_open());
	EXPECT(0, migrate(other, id, fd));
	EXPECT(0, meanwhile(other, 0));
	EXPECT(-EAGAIN, end(&stall));
	return true;
}

/* Expects that no other thread gets the event, on either file. */
static bool moved(void)
{
	struct rdma_ucm_event_resp event;
	struct stall stall;
	int fd, other, id;

	if (!has_event(&fd, &id) || !begin(&stall, fd))
		return false;
	EXPECT(-EAGAIN, get_event_now(fd, &event));
	TRY(other = channel_open());
	EXPECT(0, migrate(other, id, fd));
	EXPECT(-EAGAIN, get_event_now(other, &event));
	TRY(end(&stall));
	EXPECT(id, ((struct rdma_ucm_event_resp *)stall.page)->id);
	EXPECT(1, destroy(other, id));
	return true;
}

/* Expects that a request that is being fetched is rejected when its listener is destroyed. */
static bool rejected(void)
{
	struct pair pair, client;
	struct stall stall;

	if (!begin_listening(&pair))
		return false;
	TRY(client.fd = channel_open());
	if (!begin_connecting(&client, NULL, 0) || !begin(&stall, pair.fd))
		return false;
	EXPECT(0, meanwhile(pair.fd, pair.listener));
	TRY(await_event(client.fd));
	EXPECT(-EAGAIN, end(&stall));
	return true;
}

void stalled(void)
{
	if (!has_userfaultfd()) {
		skip("fetching an event onto a missing page", "no userfaultfd");
		return;
	}
	run("an identifier is destroyed while its event is fetched onto a missing page", destroyed);
	run("a file is closed while an event is fetched onto a missing page", closed);
	run("an identifier moves while its event is fetched onto a missing page", moved);
	run("a listener is destroyed while a request is fetched onto a missing page", rejected);
}
