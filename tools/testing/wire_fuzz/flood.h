/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* A flood of peers that siw has to refuse, and what they cost in memory. */
#ifndef WIRE_FUZZ_FLOOD_H
#define WIRE_FUZZ_FLOOD_H

#include <stdint.h>

#include "wire_fuzz.h"

/**
 * struct flood_options - where to connect, and how often
 * @accepting: a listener whose ULP accepts requests; only peers without a valid request connect to
 *	it
 * @rejecting: a listener whose ULP rejects requests
 * @from: address to connect from, without a port
 * @seconds: least duration of flood(), in seconds; it makes at least two rounds
 * @burst: number of peers of each kind that leave in each way, in a round
 * @open_max: number of peers that flood() leaves open; it closes the oldest one beyond that
 * @apart: a file; flood() measures memory while it holds the lock of this file, see flock(2), so
 *	that what other programs do under a shared lock does not count. NULL if there are none
 * @kind: hold() opens peers of this kind
 * @count: number of peers that hold() opens
 */
struct flood_options {
	struct endpoint accepting, rejecting, from;
	unsigned int seconds;
	uint32_t burst;
	uint32_t open_max;
	const char *apart;
	const char *kind;
	uint32_t count;
};

/*
 * Connects as fast as it can, with each kind of peer in turn, and prints rates and memory. Returns
 * an exit status.
 */
int flood(const struct flood_options *options);

/*
 * Opens peers of one kind, which stay, and prints how much memory they take. Returns an exit
 * status.
 */
int hold(const struct flood_options *options);

#endif /* WIRE_FUZZ_FLOOD_H */
