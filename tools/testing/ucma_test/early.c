// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ucma_test: peers that retry to connect to a port before anybody listens there. Expects that each
 * connection that TCP accepts reaches the listener, even if the listener has only just been
 * created.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "ucma_test.h"

#define ROUNDS		200
#define PEERS		4
#define PATIENCE	10 /* seconds */
#define FRAME_LEN	20
#define KEY_LEN		16
#define REJECTED	0x20

/* An MPA request of revision 1 without private data. */
static const uint8_t request[FRAME_LEN] = "MPA ID Req Frame\0\1\0";

/* Returns a connected socket, or a negative errno. */
static int connect_socket(const struct sockaddr_in6 *to)
{
	struct timeval patience = { .tv_sec = PATIENCE };
	int fd = socket(to->sin6_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(fd, (const void *)to, sizeof(*to))) {
		int err = errno;

		close(fd);
		return -err;
	}
	return fd;
}

/*
 * Returns 0 if the server rejects the request, -EISCONN if the server accepts it, or another
 * negative errno.
 */
static int send_request(int fd)
{
	uint8_t reply[FRAME_LEN];

	if (send(fd, request, sizeof(request), MSG_NOSIGNAL) != sizeof(request))
		return -errno;
	if (recv(fd, reply, sizeof(reply), MSG_WAITALL) != sizeof(reply))
		return errno ? -errno : -ECONNRESET;
	if (memcmp(reply, "MPA ID Rep Frame", KEY_LEN))
		return -EPROTO;
	return reply[KEY_LEN] & REJECTED ? 0 : -EISCONN;
}

static time_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

/*
 * Retries to connect until somebody listens, and sends a request. Returns 0 if the request is
 * rejected, as the test expects, or a negative errno, such as -ECONNRESET.
 */
static void *peer(void *arg)
{
	const struct sockaddr_in6 to = address(device_address, PORT);
	time_t end = now() + PATIENCE;
	intptr_t ret;

	(void)arg;
	do
		ret = connect_socket(&to);
	while (ret == -ECONNREFUSED && now() < end);
	if (ret >= 0) {
		int fd = ret;

		errno = 0;
		ret = send_request(fd);
		close(fd);
	}
	return (void *)ret;
}

static bool refuse_one(struct pair *pair)
{
	if (!take_request(pair))
		return false;
	TRY(reject(pair->fd, pair->server, NULL, 0));
	TRY(destroy(pair->fd, pair->server));
	return true;
}

static bool serve(void)
{
	struct pair pair;
	int i;

	if (!begin_listening(&pair))
		return false;
	for (i = 0; i < PEERS; i++)
		if (!refuse_one(&pair))
			return false;
	TRY(destroy(pair.fd, pair.listener));
	close(pair.fd);
	return true;
}

static bool one_round(void)
{
	pthread_t threads[PEERS];
	void *results[PEERS];
	bool served = false;
	int i, begun, ret = 0;

	for (begun = 0; begun < PEERS && !ret; begun += !ret)
		ret = -pthread_create(&threads[begun], NULL, peer, NULL);
	if (!ret)
		served = serve();
	for (i = 0; i < begun; i++)
		pthread_join(threads[i], &results[i]);
	TRY(ret);
	for (i = 0; i < PEERS; i++)
		EXPECT(0, (intptr_t)results[i]);
	return served;
}

static bool early_peers(void)
{
	int i;

	for (i = 0; i < ROUNDS; i++)
		if (!one_round()) {
			printf("# in round %d\n", i + 1);
			return false;
		}
	return true;
}

void early(void)
{
	run("peers that connect as soon as somebody listens", early_peers);
}
