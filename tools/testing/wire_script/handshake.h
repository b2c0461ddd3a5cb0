/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* MPA request and reply frames, of any kind and malformation. */
#ifndef PEER_HANDSHAKE_H
#define PEER_HANDSHAKE_H

#include "args.h"
#include "conn.h"

/* Sends a frame as the words say; Documentation/wire_scripts.rst lists them. */
void handshake_send(struct run *run, struct conn *conn, bool reply, struct args *args);
/* Takes a frame in and compares what the words name. */
void handshake_expect(struct run *run, struct conn *conn, bool reply, struct args *args);

#endif /* PEER_HANDSHAKE_H */
