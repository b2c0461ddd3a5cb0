/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Describes bytes of the wire, for messages of failures. */
#ifndef WIRE_SCRIPT_DECODE_H
#define WIRE_SCRIPT_DECODE_H

#include "run.h"

/*
 * Returns a hex dump of @len bytes, followed by a line for each MPA frame or FPDU. The bytes must
 * not contain markers. The lines end at the first bytes that are neither a frame nor an FPDU.
 */
const char *decode(struct run *run, const u8 *at, size_t len);

#endif /* WIRE_SCRIPT_DECODE_H */
