/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * fault_test: runs operations of a process, and makes each of their allocations in the kernel fail
 * once.
 */
#ifndef FAULT_TEST_H
#define FAULT_TEST_H

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>

#define MAX_STEPS	7

/*
 * struct operation - what is tested
 * @prepare: the steps that make what @run needs, without failures, until a 0
 * @run: the step in which an allocation fails
 * @connects: @run has a peer, so lack of memory explains more errors
 * @also: errno by which the library reports lack of memory, besides ENOMEM
 */
struct operation {
	const char *name;
	int prepare[MAX_STEPS];
	int run;
	bool connects;
	int also;
};

/*
 * struct group - operations that use the same objects
 * @operations: until one without a name
 * @do_step: does a step, whose number is one of the group's own. Returns 0 or an errno, with either
 *           sign
 * @undo: destroys everything that exists, whatever has failed
 */
struct group {
	const struct operation *operations;
	int (*do_step)(int step);
	void (*undo)(void);
};

extern const struct group object_group, connection_group, command_group;

/*
 * Takes the network namespaces of both sides. Opens and closes a listener before the tests, so that
 * the context and the PD that librdmacm then opens and keeps do not look like a leak. Returns 0 or
 * an errno.
 */
int connection_start(int client_netns, int server_netns);

/* main.c */
extern struct ibv_context *context;
extern struct ibv_device *device;
extern const char *server_addr;
extern int time_limit; /* of each wait, in ms */

/* inject.c */
extern const char *const kinds[];
void inject_open(void);
/* Makes the Nth allocation of this kind from now fail. */
void fail_nth(int kind, unsigned int n);
/* Ends injection; returns whether an allocation has failed. */
bool stop_failing(int kind);
/* Remembers how many objects there are, also those that kt_user.ko counts, for nothing_left(). */
void remember_resources(void);
/*
 * Waits until there are as many objects as were remembered. Returns false if that takes too long.
 */
bool nothing_left(void);

#endif /* FAULT_TEST_H */
