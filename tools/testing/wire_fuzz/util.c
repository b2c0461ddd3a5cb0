// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Helpers of all files: sockets. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>

#include "wire_fuzz.h"
#include "iwarp/fault.h"
#include "tools/testing/lib/listen.h"

struct endpoint endpoint_parse(const char *addr, uint16_t port)
{
	struct endpoint e = {};
	struct sockaddr_in *in = (void *)&e.addr;
	struct sockaddr_in6 *in6 = (void *)&e.addr;

	if (inet_pton(AF_INET, addr, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		e.len = sizeof(*in);
	} else if (inet_pton(AF_INET6, addr, &in6->sin6_addr) == 1) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(port);
		e.len = sizeof(*in6);
	} else {
		die("%s is not an address", addr);
	}
	return e;
}

int endpoint_listen(const struct endpoint *endpoint, int flags)
{
	int fd = listen_on((const struct sockaddr *)&endpoint->addr, endpoint->len, flags, 1024);

	puts("listening");
	fflush(stdout);
	return fd;
}

void print_terminated(const uint64_t *terminated)
{
	printf("terminated by:");
	for (int i = 0; i < IWARP_FAULT_COUNT; i++)
		if (terminated[i])
			printf(" %s %llu", iwarp_fault_name(i), (unsigned long long)terminated[i]);
	puts("");
}
