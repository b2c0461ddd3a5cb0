/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Describes bytes of the wire, for messages of failures. */
#ifndef WIRE_SCRIPT_DECODE_H
#define WIRE_SCRIPT_DECODE_H

#include "run.h"

/*
 * Returns a hex dump, followed by a line for each MPA frame or FPDU. Expects no markers; the
 * description ends at the first bytes that are neither.
 */
const char *decode(struct run *run, const u8 *at, size_t len);

#endif /* WIRE_SCRIPT_DECODE_H */
