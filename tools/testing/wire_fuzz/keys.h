/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * STags and addresses differ between connections. The STags and addresses of the recording are
 * replaced by the values that the peer of this connection has sent in the same place.
 */
#ifndef WIRE_FUZZ_KEYS_H
#define WIRE_FUZZ_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "plan.h"

#define KEYS_MAX	32

/* A region: STag and address in the recording (old) and in this connection (new). */
struct key {
	uint32_t old_stag, new_stag;
	uint64_t old_base, new_base;
	uint32_t len;
};

struct keys {
	struct key all[KEYS_MAX];
	uint32_t count;
};

/* Learns the keys of @live, which the peer has sent in the place of @recorded. */
void keys_learn(struct keys *keys, const struct item *recorded, const uint8_t *live, uint32_t len);

/* Puts this connection's keys in the place of the recorded ones in an FPDU. */
void keys_put(const struct keys *keys, uint8_t *fpdu, uint32_t len);

/*
 * Writes the bytes of a step to @buf, with this connection's keys, the changes, and the CRC.
 * Returns the number of bytes written, at most ITEM_MAX.
 */
uint32_t step_render(const struct step *step, const struct keys *keys, uint8_t *buf);

/*
 * Returns true if the peer must answer the changed step @buf with a Terminate, provided that all
 * earlier steps were valid. Returns false if the peer may accept the step.
 */
bool step_is_forbidden(const struct step *step, enum side side, const struct keys *keys,
		       const uint8_t *buf, uint32_t len);

#endif /* WIRE_FUZZ_KEYS_H */
