/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What all parts of the program use: the end of it, random numbers, time, sockets. */
#ifndef WIRE_FUZZ_H
#define WIRE_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

_Noreturn void die(const char *format, ...);

/* Random numbers that depend on the seed alone. */
struct dice {
	uint64_t state;
};

uint64_t roll(struct dice *dice);
/* 0 ... @below - 1; 0 if @below is 0 */
uint32_t pick(struct dice *dice, uint32_t below);
/* True once in @n. */
bool one_in(struct dice *dice, uint32_t n);

uint64_t now_ms(void);

/**
 * struct endpoint - an address and a port
 * @addr: both
 * @len: of it
 */
struct endpoint {
	struct sockaddr_storage addr;
	socklen_t len;
};

struct endpoint endpoint_parse(const char *addr, uint16_t port);
int listen_on(const struct endpoint *endpoint, int flags);

/* record.c: between a client and a server, one connection, written to the file @path. */
int record(const struct endpoint *listen_at, const struct endpoint *server, const char *path);

#endif /* WIRE_FUZZ_H */
