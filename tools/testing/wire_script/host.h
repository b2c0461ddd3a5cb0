/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The ULP of the host under test: commands to and reports from /dev/kscript. */
#ifndef WIRE_SCRIPT_HOST_H
#define WIRE_SCRIPT_HOST_H

#include "run.h"

struct host;

/* Opens a session on the RDMA device that the command line names. */
struct host *host_open(struct run *run);
/* Executes a command. Fails the run unless its result is @want (0 or an errno). */
void host_command(struct run *run, const char *text, int want);
/*
 * Waits for the next report of the same kind and object (the first two words) as @pattern. Fails
 * the run if that report does not match @pattern. Sets a variable for each number in the report,
 * such as `M.stag`.
 */
void host_expect(struct run *run, const char *pattern);
/* Fails the run if a report of the kind and object of @pattern comes within @ms. */
void host_expect_not(struct run *run, int ms, const char *pattern);
/* Lets host_finish() pass reports that match @pattern. */
void host_allow(struct run *run, const char *pattern);
/* Destroys the QPs, so that no more reports come. Fails the run if a report was not expected. */
void host_finish(struct run *run);
/* Ends the session, which destroys its objects. */
void host_close(struct host *host);

#endif /* WIRE_SCRIPT_HOST_H */
