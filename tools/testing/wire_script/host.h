/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The host's ULP: commands to and reports from /dev/kscript. */
#ifndef PEER_HOST_H
#define PEER_HOST_H

#include "run.h"

struct host;

/* A session on the device of the options. */
struct host *host_open(struct run *run);
/* Fails unless the command ends with @want (0 or an errno). */
void host_command(struct run *run, const char *text, int want);
/*
 * The next report of the same kind and object (the first two words) is as @pattern says, or fails.
 * Numbers of the report are variables then: `M.stag`.
 */
void host_expect(struct run *run, const char *pattern);
/* No such report comes for @ms. */
void host_expect_not(struct run *run, int ms, const char *pattern);
/* Reports that may come, or not. */
void host_allow(struct run *run, const char *pattern);
/* Destroys the QPs, so that nothing more is reported; fails if a report was not asked for. */
void host_finish(struct run *run);
/* Ends the session with all that it has. */
void host_close(struct host *host);

#endif /* PEER_HOST_H */
