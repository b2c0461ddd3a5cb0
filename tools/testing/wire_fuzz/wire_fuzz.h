/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Helpers of all files: random numbers, sockets. */
#ifndef WIRE_FUZZ_H
#define WIRE_FUZZ_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "tools/testing/lib/clock.h"
#include "tools/testing/lib/die.h"
#include "tools/testing/lib/random.h"

/* A generator of random numbers that depend on its first state only. */
struct rng {
	uint64_t state;
};

static inline uint64_t rng_u64(struct rng *rng)
{
	return splitmix64(&rng->state);
}

/* Returns a number from 0 to @below - 1, or 0 if @below is 0. */
static inline uint32_t rng_below(struct rng *rng, uint32_t below)
{
	return random_below(&rng->state, below);
}

/* Returns true with probability 1 / @n. */
static inline bool rng_one_in(struct rng *rng, uint32_t n)
{
	return !rng_below(rng, n);
}

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
int endpoint_listen(const struct endpoint *endpoint, int flags);

/*
 * Accepts one connection at @listen_at, forwards it to @server, and writes what both sides send to
 * the file @path. Returns an exit status.
 */
int record(const struct endpoint *listen_at, const struct endpoint *server, const char *path);

#endif /* WIRE_FUZZ_H */
