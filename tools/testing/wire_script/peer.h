/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What `peer:` and `peer?` lines do. */
#ifndef PEER_PEER_H
#define PEER_PEER_H

#include "run.h"

void peer_do(struct run *run, int number, const char *text);
void peer_expect(struct run *run, int number, const char *text);
/* Ends all connections the way a peer does that has nothing more to say. */
void peer_finish(struct run *run);
/* And waits until the host has, too. */
void peer_settle(struct run *run);
void peer_close(struct run *run);

#endif /* PEER_PEER_H */
