/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Controls the ULP of the host under test: commands to and reports from /dev/kscript. */
#ifndef WIRE_SCRIPT_HOST_H
#define WIRE_SCRIPT_HOST_H

#include "run.h"

struct host;

/* Opens a session on the RDMA device that the command line names. */
void host_open(struct run *run);
/* Executes a command. Fails the run unless the result of the command is @want (0 or an errno). */
void host_command(struct run *run, const char *text, int want);
/*
 * Waits for the next report whose first two words, kind and object, are those of @pattern. Fails
 * the run if no such report comes, or if that report does not match @pattern. Sets a variable such
 * as `M.stag` for each number in the report.
 */
void host_expect(struct run *run, const char *pattern);
/* Fails the run if a report with the kind and object of @pattern comes within @ms ms. */
void host_expect_not(struct run *run, int ms, const char *pattern);
/* Lets host_finish() accept reports that match @pattern. */
void host_allow(struct run *run, const char *pattern);
/*
 * Destroys the QPs, so that no more reports come. Fails the run if an unexpected report has come.
 */
void host_finish(struct run *run);
/* Ends the session, which destroys its objects. */
void host_close(struct run *run);

#endif /* WIRE_SCRIPT_HOST_H */
