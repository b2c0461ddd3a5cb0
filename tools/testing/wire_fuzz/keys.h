/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * STags and addresses are other ones in each connection: what the recording has is replaced by what
 * the peer says in its place.
 */
#ifndef REPLAY_KEYS_H
#define REPLAY_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "plan.h"

#define KEYS_MAX	16

/* A region: as recorded, and as it is now. */
struct key {
	uint32_t old_stag, new_stag;
	uint64_t old_base, new_base;
	uint32_t len;
};

struct keys {
	struct key all[KEYS_MAX];
	uint32_t count;
};

/* The peer sent @live where it sent @recorded. */
void keys_learn(struct keys *keys, const struct item *recorded, const uint8_t *live, uint32_t len);

/*
 * The bytes of a step, with keys, changes and CRC; into @buf, which has room for ITEM_MAX and
 * RAW_MAX. Returns how many.
 */
uint32_t step_render(const struct step *step, const struct keys *keys, uint8_t *buf);

/*
 * Whether a peer must not go along with what has become of a step, everything before it being
 * right. False: perhaps not.
 */
bool step_is_forbidden(const struct step *step, enum side side, const struct keys *keys,
		       const uint8_t *buf, uint32_t len);

#endif /* REPLAY_KEYS_H */
