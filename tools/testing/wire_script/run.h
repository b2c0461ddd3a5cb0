/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* One run of a script: the current line, variables, memory, and failure. */
#ifndef WIRE_SCRIPT_RUN_H
#define WIRE_SCRIPT_RUN_H

#include <setjmp.h>

#include "compat/port.h"
#include "tools/testing/lib/clock.h"

#define RUN_MAX_CONNS	10
#define RUN_MAX_VARS	512
#define RESOURCES_MAX	256

/**
 * struct bytes - a buffer that grows, in the run's memory
 * @at: the bytes
 * @len: number of bytes
 * @room: bytes allocated
 */
struct bytes {
	u8 *at;
	size_t len;
	size_t room;
};

/**
 * struct options - options of the command line
 * @dev: RDMA device of the host; NULL if there is no host
 * @addr: address of the host
 * @netns: file of the device's network namespace; NULL if sockets are not checked
 * @macros: folder of the files that `use` names
 * @wait_ms: longest time of each wait, in ms
 * @only: the only segment size to run with, in bytes; -1 for the sizes that each script names
 * @verbose: print each line before it runs
 * @resources: numbers of objects of the device before the first script
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
struct leak_check;

struct var {
	char name[48];
	u64 value;
};

/**
 * struct run - one run of one script
 * @options: options of the command line
 * @on_fail: context to which run_fail() jumps
 * @why: reason of the failure
 * @file: script being executed
 * @line: line of @file being executed
 * @segment: bytes of each TCP segment sent; 0 if each write is sent whole
 * @wait_ms: longest time of a wait, in ms
 * @thorough: the objects of the device are checked at the end, which takes long
 * @vars: numeric variables
 * @num_vars: number of @vars
 * @words: variables that are not numbers, as "NAME=WORD ..."
 * @conns: connections of the peer, indexed by their number; NULL for an unused number
 * @host: session of /dev/kscript; NULL without a host
 * @leak_check: state of the host before the run; NULL without a host
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
	struct leak_check *leak_check;
	struct block *blocks;
};

/* Ends the run with a message, which may have several lines. */
void run_fail(struct run *run, const char *format, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

void *run_alloc(struct run *run, size_t size);
char *run_text(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
void run_free(struct run *run);

void bytes_add(struct run *run, struct bytes *bytes, const void *data, size_t len);
/* Returns a hex dump of the first 512 of @len bytes, with sixteen bytes in a row. */
const char *bytes_dump(struct run *run, const u8 *at, size_t len);
/* Fails the run if @got differs from @want; the message names @what and the first difference. */
void bytes_expect(struct run *run, const char *what, const u8 *got, size_t got_len,
		  const u8 *want, size_t want_len);

void var_set(struct run *run, const char *name, u64 value);
const u64 *var_find(const struct run *run, const char *name);

#endif /* WIRE_SCRIPT_RUN_H */
