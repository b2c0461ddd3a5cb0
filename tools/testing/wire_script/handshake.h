/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Sends and compares MPA request and reply frames, well-formed or malformed. */
#ifndef WIRE_SCRIPT_HANDSHAKE_H
#define WIRE_SCRIPT_HANDSHAKE_H

#include "args.h"
#include "conn.h"

/* Sends a frame with the fields that @args names; Documentation/wire_scripts.rst lists them. */
void handshake_send(struct run *run, struct conn *conn, bool reply, struct args *args);
/* Receives a frame. Fails the run if a field that @args names has another value. */
void handshake_expect(struct run *run, struct conn *conn, bool reply, struct args *args);

#endif /* WIRE_SCRIPT_HANDSHAKE_H */
