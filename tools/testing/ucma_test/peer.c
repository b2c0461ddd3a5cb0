// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ucma_test: peers on plain TCP, which send an MPA request to a listener, and need no QP.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "ucma_test.h"

#define PATIENCE	10 /* seconds */
#define FRAME_LEN	20
#define KEY_LEN		16
#define REJECTED	0x20

/* An MPA request of revision 1 without private data. */
static const uint8_t request[FRAME_LEN] = "MPA ID Req Frame\0\1\0";

int peer_request_to(const char *host, uint16_t port)
{
	const struct sockaddr_in6 to = address(host, port);
	struct timeval patience = { .tv_sec = PATIENCE };
	int fd = socket(to.sin6_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int err;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (!connect(fd, (const void *)&to, sizeof(to)) &&
	    send(fd, request, sizeof(request), MSG_NOSIGNAL) == sizeof(request))
		return fd;
	err = errno;
	close(fd);
	return -err;
}

int peer_request(uint16_t port)
{
	return peer_request_to(device_address, port);
}

int peer_reply(int fd)
{
	uint8_t reply[FRAME_LEN];

	errno = 0;
	if (recv(fd, reply, sizeof(reply), MSG_WAITALL) != sizeof(reply))
		return errno ? -errno : -ECONNRESET;
	if (memcmp(reply, "MPA ID Rep Frame", KEY_LEN))
		return -EPROTO;
	return reply[KEY_LEN] & REJECTED ? 0 : -EISCONN;
}
