/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Helpers of all files: fatal errors, random numbers, time, sockets. */
#ifndef WIRE_FUZZ_H
#define WIRE_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* Prints a message and exits with status 2. */
_Noreturn void die(const char *format, ...);

/* A generator of random numbers that depend on its first state only. */
struct rng {
	uint64_t state;
};

uint64_t rng_u64(struct rng *rng);
/* Returns a number from 0 to @below - 1, or 0 if @below is 0. */
uint32_t rng_below(struct rng *rng, uint32_t below);
/* Returns true with probability 1 / @n. */
bool rng_one_in(struct rng *rng, uint32_t n);

uint64_t now_ms(void);

/*
 * Prints how many connections each fault has terminated; @terminated has IWARP_FAULT_COUNT numbers.
 */
void print_terminated(const uint64_t *terminated);

/**
 * struct endpoint - an address and a port
 * @addr: address and port
 * @len: length of @addr
 */
struct endpoint {
	struct sockaddr_storage addr;
	socklen_t len;
};

struct endpoint endpoint_parse(const char *addr, uint16_t port);
int listen_on(const struct endpoint *endpoint, int flags);

/*
 * Accepts one connection at @listen_at, forwards it to @server, and writes what both sides send to
 * the file @path. Returns an exit status.
 */
int record(const struct endpoint *listen_at, const struct endpoint *server, const char *path);

#endif /* WIRE_FUZZ_H */
