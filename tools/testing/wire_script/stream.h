/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Sends and receives FPDUs: adds CRC and markers, right or wrong, and checks those of the host. */
#ifndef WIRE_SCRIPT_STREAM_H
#define WIRE_SCRIPT_STREAM_H

#include "args.h"
#include "conn.h"

/*
 * Sends an FPDU; @fpdu ends with the pad. Words: `crc=good|bad|zero|none|NUMBER`, `ptr=N` (added to
 * the pointers of markers), `mrsvd=N` (reserved bits of markers), `markers=0` (no markers), `cut=N`
 * (send at most N bytes).
 */
void stream_send(struct run *run, struct conn *conn, const struct bytes *fpdu, struct args *args);

/* Sends bytes as they are, without markers; they count for the positions of later markers. */
void stream_send_raw(struct run *run, struct conn *conn, const struct bytes *raw);

/*
 * Receives an FPDU, and removes markers, CRC and pad. Fails the run if one of them is wrong, or if
 * the FPDU is larger than a TCP segment.
 */
void stream_take(struct run *run, struct conn *conn, struct bytes *fpdu, const char *what);

#endif /* WIRE_SCRIPT_STREAM_H */
