// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Both sides of rsocket connections, which wait for every event in rpoll():
 *
 *	rspoll serve ADDRESS PORT
 *	rspoll ADDRESS PORT
 *
 * A connection has two parts. In the first part, both sides send at once, more than the buffers
 * hold. In the second part, one side sends its last bytes and closes the connection. The other side
 * reads nothing before rpoll() reports POLLHUP, and must still get every byte. The server closes
 * the first connection, the client the second. The exit status is 0 if every byte was right and no
 * byte came behind the last.
 */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/rsocket.h>

#include "tools/testing/lib/steps.h"

/* Bytes of the first part: several times the 128 KiB that one side buffers. */
#define EXCHANGE_LEN	700001
/*
 * Number of last bytes: less than half of the 128 KiB that one side buffers, because a peer that
 * does not read may not have granted more.
 */
#define LAST_LEN	50021
#define CHUNK		10007

enum side { CLIENT, SERVER };

/*
 * The data of one direction: @done of @end bytes are transferred. @end grows for the second part.
 */
struct flow {
	enum side from;
	size_t done;
	size_t end;
};

/*
 * Returns the byte at flow->done. The byte differs between the sides, and the sequence repeats only
 * after more bytes than a connection carries.
 */
static uint8_t byte_at(const struct flow *flow)
{
	return (uint32_t)(2 * flow->done + flow->from) * 2654435761u >> 24;
}

/* Waits for one of @events. Returns the events that have come, or a negative errno. */
static int wait_events(int fd, short events)
{
	struct pollfd pollfd = { .fd = fd, .events = events };
	int ret = sys(rpoll(&pollfd, 1, -1));

	return ret < 0 ? ret : pollfd.revents;
}

/*
 * Sends as many bytes as there is room for. -EAGAIN is no failure, because rpoll() may report room
 * when there is less room than rsend() needs.
 */
static bool send_some(int fd, struct flow *flow)
{
	struct flow next = *flow;
	uint8_t bytes[CHUNK];
	size_t len = 0;
	int ret;

	for (; len < CHUNK && next.done < flow->end; next.done++)
		bytes[len++] = byte_at(&next);
	ret = sys(rsend(fd, bytes, len, 0));
	if (ret == -EAGAIN)
		return true;
	TRY(ret);
	flow->done += ret;
	return true;
}

/*
 * Receives and verifies bytes. Returns their number, 0 at the end of the stream, or a negative
 * errno.
 */
static int receive_some(int fd, struct flow *flow)
{
	uint8_t bytes[CHUNK];
	size_t len = flow->end - flow->done;
	int i, ret = sys(rrecv(fd, bytes, len < CHUNK ? len : CHUNK, 0));

	for (i = 0; i < ret; i++, flow->done++) {
		if (bytes[i] != byte_at(flow)) {
			printf("# byte %zu is wrong\n", flow->done);
			return -EILSEQ;
		}
	}
	return ret;
}

/*
 * Sends and receives at once until both directions are done. POLLHUP alone is no fault here,
 * because the other side may have sent its last bytes and closed before everything sent earlier was
 * read.
 */
static bool exchange(int fd, struct flow *out, struct flow *in)
{
	int seen, received;
	short wanted;

	while (out->done < out->end || in->done < in->end) {
		wanted = (out->done < out->end ? POLLOUT : 0) | (in->done < in->end ? POLLIN : 0);
		seen = wait_events(fd, wanted);
		TRY(seen);
		EXPECT(0, !(seen & wanted));
		if (seen & POLLOUT & wanted && !send_some(fd, out))
			return false;
		if (!(seen & POLLIN & wanted))
			continue;
		received = receive_some(fd, in);
		if (received == -EAGAIN)
			continue;
		TRY(received);
		EXPECT(0, !received);
	}
	return true;
}

static bool send_last(int fd, struct flow *out)
{
	out->end += LAST_LEN;
	while (out->done < out->end) {
		EXPECT(POLLOUT, wait_events(fd, POLLOUT));
		if (!send_some(fd, out))
			return false;
	}
	TRY(sys(rshutdown(fd, SHUT_RDWR)));
	return true;
}

static bool receive_last(int fd, struct flow *in)
{
	size_t total = in->end + LAST_LEN;
	int received;

	EXPECT(POLLHUP, wait_events(fd, 0));
	/* Asks for one byte more, which must not come. */
	in->end = total + 1;
	do {
		EXPECT(POLLIN | POLLHUP, wait_events(fd, POLLIN));
		received = receive_some(fd, in);
		TRY(received);
	} while (received);
	EXPECT(total, in->done);
	return true;
}

static bool run_connection(int fd, enum side me, enum side last)
{
	struct flow out = { .from = me, .end = EXCHANGE_LEN };
	struct flow in = { .from = me == CLIENT ? SERVER : CLIENT, .end = EXCHANGE_LEN };

	TRY(sys(rfcntl(fd, F_SETFL, O_NONBLOCK)));
	return exchange(fd, &out, &in) &&
	       (me == last ? send_last(fd, &out) : receive_last(fd, &in));
}

static bool serve_one(int listener, enum side last)
{
	bool good;
	int fd;

	EXPECT(POLLIN, wait_events(listener, POLLIN));
	fd = sys(raccept(listener, NULL, NULL));
	TRY(fd);
	good = run_connection(fd, SERVER, last);
	TRY(sys(rclose(fd)));
	return good;
}

static bool serve(const struct addrinfo *at)
{
	int one = 1, listener = sys(rsocket(at->ai_family, SOCK_STREAM, 0));

	TRY(listener);
	TRY(sys(rsetsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one))));
	TRY(sys(rfcntl(listener, F_SETFL, O_NONBLOCK)));
	TRY(sys(rbind(listener, at->ai_addr, at->ai_addrlen)));
	TRY(sys(rlisten(listener, 2)));
	if (!serve_one(listener, SERVER) || !serve_one(listener, CLIENT))
		return false;
	TRY(sys(rclose(listener)));
	return true;
}

static bool connect_to(const struct addrinfo *to, enum side last)
{
	int ret, error = 0, fd = sys(rsocket(to->ai_family, SOCK_STREAM, 0));
	socklen_t len = sizeof(error);
	bool good;

	TRY(fd);
	TRY(sys(rfcntl(fd, F_SETFL, O_NONBLOCK)));
	ret = sys(rconnect(fd, to->ai_addr, to->ai_addrlen));
	if (ret == -EINPROGRESS) {
		EXPECT(POLLOUT, wait_events(fd, POLLOUT));
		TRY(sys(rgetsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len)));
		ret = -error;
	}
	TRY(ret);
	good = run_connection(fd, CLIENT, last);
	TRY(sys(rclose(fd)));
	return good;
}

int main(int argc, char **argv)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM }, *addr;
	bool serves = argc > 1 && !strcmp(argv[1], "serve"), good;

	if (argc != 3 + serves || getaddrinfo(argv[1 + serves], argv[2 + serves], &hints, &addr)) {
		fprintf(stderr, "usage: rspoll [serve] ADDRESS PORT\n");
		return 2;
	}
	good = serves ? serve(addr) : connect_to(addr, SERVER) && connect_to(addr, CLIENT);
	freeaddrinfo(addr);
	if (good)
		puts(serves ? "served" : "visited");
	return !good;
}
