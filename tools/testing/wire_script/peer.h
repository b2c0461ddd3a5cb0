/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Executes `peer:` and `peer?` lines. */
#ifndef WIRE_SCRIPT_PEER_H
#define WIRE_SCRIPT_PEER_H

#include "run.h"

/* Executes an action of peer @number, or, if @expects, fails the run unless the host does so. */
void peer_line(struct run *run, int number, bool expects, const char *text);
/* Sends a FIN on each open connection. Fails the run if bytes have come that no line expected. */
void peer_finish(struct run *run);
/* Waits until the host has closed its direction of all connections. */
void peer_wait_closed(struct run *run);
void peer_close(struct run *run);

#endif /* WIRE_SCRIPT_PEER_H */
