/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* FPDUs as bytes of a stream: CRC and markers, right or wrong, out and in. */
#ifndef PEER_STREAM_H
#define PEER_STREAM_H

#include "args.h"
#include "conn.h"

/*
 * Sends an FPDU; @fpdu has it up to its pad. Words: `crc=good|bad|zero|none|NUMBER`, `ptr=N` (added
 * to what markers point at), `markers=0` (left out where they are due), `cut=N` (bytes that go).
 */
void stream_send(struct run *run, struct conn *conn, const struct bytes *fpdu, struct args *args);

/* Bytes outside of FPDUs: as they are, but counted for markers. */
void stream_send_raw(struct run *run, struct conn *conn, const struct bytes *raw);

/*
 * Takes an FPDU in, without markers and CRC: both, and the pad, are as they must be, and its size
 * is within a TCP segment, or the run fails.
 */
void stream_take(struct run *run, struct conn *conn, struct bytes *fpdu, const char *what);

#endif /* PEER_STREAM_H */
