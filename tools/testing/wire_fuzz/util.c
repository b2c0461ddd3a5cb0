// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Helpers of all files: fatal errors, random numbers, time, sockets. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "wire_fuzz.h"
#include "iwarp/fault.h"

void die(const char *format, ...)
{
	va_list args;

	fputs("wire_fuzz: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

/* SplitMix64: different seeds, even consecutive ones, give unrelated sequences. */
uint64_t rng_u64(struct rng *rng)
{
	uint64_t z = rng->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

uint32_t rng_below(struct rng *rng, uint32_t below)
{
	return below ? rng_u64(rng) % below : 0;
}

bool rng_one_in(struct rng *rng, uint32_t n)
{
	return !rng_below(rng, n);
}

uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}

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

int listen_on(const struct endpoint *endpoint, int flags)
{
	int one = 1;
	int fd = socket(endpoint->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(fd, (const struct sockaddr *)&endpoint->addr, endpoint->len) || listen(fd, 1024))
		die("cannot listen: %s", strerror(errno));
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
