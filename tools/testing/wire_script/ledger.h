/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What the host must look like after a script: counters, kernel log, resources, sockets. */
#ifndef PEER_LEDGER_H
#define PEER_LEDGER_H

#include "run.h"

/* The objects of a device, as `rdma resource` shows them. */
bool ledger_resources(const char *dev, char *text, size_t size);

/* Notes how things are now. */
struct ledger *ledger_open(struct run *run);
/* A counter moves by @delta; what is said of one adds up. */
void ledger_count(struct run *run, const char *name, long delta);
/* A counter may move as it likes. */
void ledger_count_any(struct run *run, const char *name);
/* Lines of the kernel log that match may be there. */
void ledger_log(struct run *run, const char *regex);
/* A setting of the device, until the end of the run. */
void ledger_set(struct run *run, const char *name, const char *value);
/* Fails if the host is not as the script and the documentation say. */
void ledger_check(struct run *run);
/* Puts settings back; waits, in bounded time, until the host has no socket any more. */
void ledger_close(struct run *run);

#endif /* PEER_LEDGER_H */
