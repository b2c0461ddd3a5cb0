/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Composes long correct connections to kfuzz (tools/testing/modules/kfuzz) from recorded messages.
 * The keys and the ULP's requests are known beforehand, so all bytes of a connection are known,
 * too.
 */
#ifndef WIRE_FUZZ_COMPOSE_H
#define WIRE_FUZZ_COMPOSE_H

#include "plan.h"
#include "script.h"
#include "../modules/kfuzz/kfuzz_uapi.h"

#define COMPOSED_BYTES	(512 * 1024)
/*
 * SINK_STAG + N stands for the STag in the response to request N, counted from 0. Before the
 * response is sent, the STag of the request replaces it.
 */
#define SINK_STAG	0xfe5a0000
#define SINKS		32

/**
 * struct message - a recorded message
 * @items: its FPDUs
 * @count: number of @items
 * @opcode: its opcode
 * @len: length of its payload in bytes
 */
struct message {
	struct item *items;
	uint32_t count;
	uint8_t opcode;
	uint32_t len;
};

/**
 * struct composer - what connections are composed from
 * @scripts: the recordings, whose keys have been replaced by those of the region KFUZZ_OPEN
 * @messages: all messages in the recordings that either side can send
 * @count: number of @messages
 * @regions: regions of the ULP
 */
struct composer {
	struct scripts scripts;
	struct message *messages;
	uint32_t count;
	const struct kfuzz_region *regions;
};

/**
 * struct composed - a composed connection
 * @script: the connection; only the track of the side that is played has items
 * @items: its items
 * @bytes: their bytes
 * @used: number of @bytes in use
 * @ops: requests that the ULP posts
 * @num_ops: number of @ops
 * @sinks: STag in the response to each of @ops
 * @answers: number of answers that the peer gets, see struct kfuzz_part
 */
struct composed {
	struct script script;
	struct item items[STEPS_MAX];
	uint8_t bytes[COMPOSED_BYTES];
	uint32_t used;
	struct kfuzz_op ops[KFUZZ_OPS_MAX];
	uint32_t num_ops;
	uint32_t sinks[KFUZZ_OPS_MAX];
	uint32_t answers;
};

/* Loads the recordings in @dir. Dies if there are none. @regions stays in use. */
void composer_init(struct composer *composer, const char *dir, const struct kfuzz_region *regions);

/*
 * Composes a connection that depends on @rng only. In its items, item.after is not a number of
 * items, as in a recording, but a number of answers (see struct kfuzz_part).
 */
void compose(const struct composer *composer, enum side side, struct rng *rng, struct composed *to);

/* Returns the offset in an FPDU of the STag that the peer is to access or invalidate; 0 if none. */
uint32_t fpdu_target(const uint8_t *fpdu, uint32_t len);

#endif /* WIRE_FUZZ_COMPOSE_H */
