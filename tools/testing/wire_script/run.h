/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* One run of a script: its place, variables, memory, and how it fails. */
#ifndef PEER_RUN_H
#define PEER_RUN_H

#include <setjmp.h>

#include "iwarp/port.h"

#define RUN_MAX_CONNS	10
#define RUN_MAX_VARS	512
#define RESOURCES_MAX	256

/**
 * struct bytes - a growing run of bytes, in the run's memory
 * @at: the bytes
 * @len: how many
 * @room: allocated
 */
struct bytes {
	u8 *at;
	size_t len;
	size_t room;
};

/**
 * struct options - what the command line says
 * @dev: RDMA device of the host; NULL to do without one
 * @addr: its address
 * @netns: file of the network namespace that the device is in; NULL for ours
 * @macros: folder of what `use` names
 * @wait_ms: bound of each wait
 * @only: the one segmentation to run with; -1 for those that each script names
 * @verbose: tell each line as it runs
 * @resources: objects of the device when no script has run yet
 */
struct options {
	const char *dev;
	const char *addr;
	const char *netns;
	const char *macros;
	int wait_ms;
	int only;
	bool verbose;
	char resources[RESOURCES_MAX];
};

struct block;
struct conn;
struct host;
struct ledger;

struct var {
	char name[48];
	u64 value;
};

/**
 * struct run - one run of one script
 * @options: of the command line
 * @on_fail: where run_fail() goes
 * @why: then, the reason
 * @file: script being executed
 * @line: and its line
 * @segment: bytes of a write to the wire; 0 for all in one
 * @wait_ms: bound of a wait
 * @thorough: look at the objects of the device, too, which takes its time
 * @vars: numbers known by name
 * @num_vars: how many
 * @words: "NAME=WORD ..." of variables that are no numbers
 * @conns: of the peer; NULL where not used
 * @host: session of /dev/kscript; NULL without a host
 * @ledger: what counters and kernel log may do
 * @blocks: memory, freed with the run
 */
struct run {
	const struct options *options;
	jmp_buf on_fail;
	char why[16384];
	const char *file;
	int line;
	unsigned int segment;
	int wait_ms;
	bool thorough;
	struct var vars[RUN_MAX_VARS];
	int num_vars;
	const char *words;
	struct conn *conns[RUN_MAX_CONNS];
	struct host *host;
	struct ledger *ledger;
	struct block *blocks;
};

/* Ends the run; does not return. Several lines are welcome. */
void run_fail(struct run *run, const char *format, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

void *run_alloc(struct run *run, size_t size);
char *run_text(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
void run_free(struct run *run);

void bytes_add(struct run *run, struct bytes *bytes, const void *data, size_t len);
/* Hex, sixteen a row, for failures. */
const char *bytes_dump(struct run *run, const u8 *at, size_t len);
/* Where @got differs from @want; fails naming @what. */
void bytes_expect(struct run *run, const char *what, const u8 *got, size_t got_len,
		  const u8 *want, size_t want_len);

void var_set(struct run *run, const char *name, u64 value);
const u64 *var_find(const struct run *run, const char *name);

u64 now_ms(void);

#endif /* PEER_RUN_H */
