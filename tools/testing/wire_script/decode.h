/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Bytes of the wire in words, for those who read failures. */
#ifndef PEER_DECODE_H
#define PEER_DECODE_H

#include "run.h"

/*
 * Bytes as hex, and below what they are if they are MPA frames or FPDUs, without markers, from the
 * first one on.
 */
const char *decode(struct run *run, const u8 *at, size_t len);

#endif /* PEER_DECODE_H */
