/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Splits what siw sends into the MPA frame and FPDUs, as far as the player has to know them. */
#ifndef KFUZZ_READER_H
#define KFUZZ_READER_H

#include <linux/types.h>

#include "iwarp/wire.h"

#define READER_HEAD	(DDP_HEAD_MAX + TERM_CTRL_LEN)
#define READER_SINKS	32

/**
 * struct reader - state of a stream
 * @outcome: where to note what came
 * @head: first bytes of the current item
 * @have: number of bytes of the current item that have come
 * @items: number of complete items
 * @sinks: STags of the data sinks of Read Requests
 * @requests: number of Read and Atomic Requests
 */
struct reader {
	struct kfuzz_outcome *outcome;
	u8 head[READER_HEAD];
	u32 have;
	u32 items;
	u32 sinks[READER_SINKS];
	u32 requests;
};

/* Takes bytes of the stream, in pieces of any length. */
void reader_push(struct reader *reader, const u8 *data, u32 len);

#endif /* KFUZZ_READER_H */
