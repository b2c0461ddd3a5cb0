/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Listening TCP sockets of the tests' programs.
 */
#ifndef _KRDMA_TESTING_LIB_LISTEN_H_
#define _KRDMA_TESTING_LIB_LISTEN_H_

#include <sys/socket.h>

#include "tools/testing/lib/die.h"

/* Returns a socket that listens on @addr. @flags: SOCK_NONBLOCK or 0. */
static inline int listen_on(const struct sockaddr *addr, socklen_t len, int flags, int backlog)
{
	int fd = socket(addr->sa_family, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
	int one = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(fd, addr, len) || listen(fd, backlog))
		die("cannot listen: %m");
	return fd;
}

#endif /* _KRDMA_TESTING_LIB_LISTEN_H_ */
