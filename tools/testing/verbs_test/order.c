// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: the order in which a listener gets requests. The clients are plain TCP sockets,
 * because these can send their requests in another order than that in which they connected.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "verbs_test.h"

#define MPA_KEY		"MPA ID Req Frame"
#define MPA_CRC		0x40
#define MPA_REV		1
/*
 * The kernel holds a request back for up to 50 ms, until requests of earlier connections have come.
 * A slow machine may exceed this time once, so the test makes up to TRIES attempts.
 */
#define DELAY_US	10000
#define TRIES		20

struct request {
	char key[16];
	uint8_t flags;
	uint8_t revision;
	uint16_t len;
	uint32_t number;
};

static int connect_tcp(const struct sockaddr *addr)
{
	socklen_t len = addr->sa_family == AF_INET ? sizeof(struct sockaddr_in) :
						     sizeof(struct sockaddr_in6);
	int fd = socket(addr->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, addr, len))
		return -errno;
	return fd;
}

static int send_request(int fd, uint32_t number)
{
	struct request request = {
		.flags = MPA_CRC,
		.revision = MPA_REV,
		.len = htons(sizeof(request.number)),
		.number = number,
	};

	memcpy(request.key, MPA_KEY, sizeof(request.key));
	return write(fd, &request, sizeof(request)) == sizeof(request) ? 0 : -errno;
}

/* Takes the next request, and rejects it. */
static bool next_request(struct conn_pair *pair, uint32_t *number)
{
	struct cm_event event;

	if (!expect_cm_event(pair->channel, RDMA_CM_EVENT_CONNECT_REQUEST, &event))
		return false;
	EXPECT(1, event.len >= (int)sizeof(*number));
	memcpy(number, event.data, sizeof(*number));
	TRY(sys(rdma_reject(event.id, NULL, 0)));
	TRY(sys(rdma_destroy_id(event.id)));
	return true;
}

/*
 * Opens two connections; the second one sends its request first. Stores the numbers of the two
 * requests in the order in which the listener gets them.
 */
static bool overtake(struct conn_pair *pair, uint32_t order[2])
{
	const struct sockaddr *addr = rdma_get_local_addr(pair->listener);
	int first, second;

	TRY(first = connect_tcp(addr));
	TRY(second = connect_tcp(addr));
	TRY(send_request(second, 2));
	usleep(DELAY_US);
	TRY(send_request(first, 1));
	if (!next_request(pair, &order[0]) || !next_request(pair, &order[1]))
		return false;
	close(first);
	close(second);
	EXPECT(3, order[0] + order[1]);
	return true;
}

static bool in_order(void)
{
	uint32_t order[2] = {};
	struct conn_pair pair;

	if (!pair_listen(&pair))
		return false;
	for (int i = 0; i < TRIES && order[0] != 1; i++)
		if (!overtake(&pair, order))
			return false;
	EXPECT(1, order[0]);
	TRY(sys(rdma_destroy_id(pair.listener)));
	return true;
}

/*
 * Expects that a connection without a request delays the requests of others only for a short time.
 */
static bool silent_connection(void)
{
	uint32_t order = 0;
	struct conn_pair pair;
	int silent, fd;

	if (!pair_listen(&pair))
		return false;
	TRY(silent = connect_tcp(rdma_get_local_addr(pair.listener)));
	TRY(fd = connect_tcp(rdma_get_local_addr(pair.listener)));
	TRY(send_request(fd, 7));
	if (!next_request(&pair, &order))
		return false;
	EXPECT(7, order);
	close(fd);
	close(silent);
	TRY(sys(rdma_destroy_id(pair.listener)));
	return true;
}

const struct test order_tests[] = {
	{ "requests come in the order of connections", in_order },
	{ "a silent connection delays no other", silent_connection },
	{}
};
