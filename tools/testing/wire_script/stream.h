/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Sends FPDUs with CRC and markers, valid or invalid; receives FPDUs and checks CRC and markers. */
#ifndef WIRE_SCRIPT_STREAM_H
#define WIRE_SCRIPT_STREAM_H

#include "args.h"
#include "conn.h"

/*
 * Sends an FPDU; the bytes at @fpdu end with the pad. @args may have the words
 * `crc=good|bad|zero|none|NUMBER`, `ptr=N` (N is added to the pointers of markers), `mrsvd=N`
 * (reserved bits of markers), `markers=0` (no markers) and `cut=N` (at most N bytes are sent).
 */
void stream_send(struct run *run, struct conn *conn, const struct bytes *fpdu, struct args *args);

/* Sends bytes unchanged, without markers. The bytes count for the positions of later markers. */
void stream_send_raw(struct run *run, struct conn *conn, const struct bytes *raw);

/*
 * Receives an FPDU, and removes markers, CRC and pad. Fails the run if a marker, the CRC or the pad
 * is wrong, or if the FPDU is larger than a TCP segment.
 */
void stream_take(struct run *run, struct conn *conn, struct bytes *fpdu, const char *what);

#endif /* WIRE_SCRIPT_STREAM_H */
