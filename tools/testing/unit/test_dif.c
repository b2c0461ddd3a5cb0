// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests T10 DIF (soft/dif.c): known sums, registrations, copies against the model. */

#include <stdio.h>
#include <string.h>

#include "dif_case.h"
#include "soft/dif_guard.h"
#include "unit.h"

#define CASES	20000

/* The output of dif_vectors.py. The sums have the seeds 0 and 0xffff. */
static const struct {
	const char *kind;
	size_t size;
	uint16_t crc[2];
	uint16_t csum[2];
} vectors[] = {
	{ "0", 512, { 0x0000, 0x72bb }, { 0xffff, 0x0000 } },
	{ "ff", 512, { 0xe6a1, 0x941a }, { 0x0000, 0x0000 } },
	{ "counting", 512, { 0x4f10, 0x3dab }, { 0x7f80, 0x7f80 } },
	{ "random", 512, { 0x37c1, 0x457a }, { 0x132f, 0x132f } },
	{ "0", 4096, { 0x0000, 0xe7e2 }, { 0xffff, 0x0000 } },
	{ "ff", 4096, { 0x8b5d, 0x6cbf }, { 0x0000, 0x0000 } },
	{ "counting", 4096, { 0x8f6d, 0x688f }, { 0xfc03, 0xfc03 } },
	{ "random", 4096, { 0x6742, 0x80a0 }, { 0x7937, 0x7937 } },
	{ "random", 521, { 0x25fc, 0x2013 }, { 0x43a0, 0x43a0 } },
};

static void make_block(const char *kind, uint8_t *at, size_t size)
{
	uint32_t state = 1;

	for (size_t i = 0; i < size; i++) {
		state = state * 1664525 + 1013904223;
		if (kind[0] == 'c')
			at[i] = (uint8_t)i;
		else if (kind[0] == 'r')
			at[i] = (uint8_t)(state >> 24);
		else
			at[i] = kind[0] == 'f' ? 0xff : 0;
	}
}

/* Computes a guard in pieces of at most @most bytes. */
static uint16_t guard(enum ib_t10_dif_bg_type type, uint16_t seed, const uint8_t *at, uint32_t len,
		      uint32_t most)
{
	uint32_t state = soft_guard_begin(type, seed), offset, piece;

	for (offset = 0; offset < len; offset += piece) {
		piece = len - offset < most ? len - offset : most;
		state = soft_guard_add(type, state, at + offset, piece, offset);
	}
	return soft_guard_end(type, state);
}

static void known_sums(void)
{
	for (size_t v = 0; v < ARRAY_SIZE(vectors); v++) {
		uint8_t block[4096];
		size_t size = vectors[v].size;

		make_block(vectors[v].kind, block, size);
		for (int s = 0; s < 2; s++) {
			uint16_t seed = s ? 0xffff : 0, crc = vectors[v].crc[s];
			uint16_t csum = vectors[v].csum[s];

			CHECK_EQ(model_crc(seed, block, size), crc);
			CHECK_EQ(model_csum(seed, block, size), csum);
			for (uint32_t most = 1; most <= size; most = most * 3 + 4) {
				CHECK_EQ(guard(IB_T10DIF_CRC, seed, block, size, most), crc);
				CHECK_EQ(guard(IB_T10DIF_CSUM, seed, block, size, most), csum);
			}
		}
	}
	CHECK_EQ(guard(IB_T10DIF_CRC, 0, (const uint8_t *)"123456789", 9, 9), 0xd0db);
}

/*
 * Makes a region of which @segs are the only segments. Their addresses are for registrations,
 * which do not use them.
 */
static struct soft_dif make_region(struct soft_dif_seg segs[2], uint32_t data_len,
				   uint32_t meta_len)
{
	segs[0] = (struct soft_dif_seg) {bytes_copy(NULL, 0).at, data_len};
	segs[1] = (struct soft_dif_seg) {bytes_copy(NULL, 0).at, meta_len};
	return (struct soft_dif) {
		.data = {&segs[0], data_len ? 1 : 0},
		.meta = {&segs[1], meta_len ? 1 : 0},
	};
}

static const struct ib_sig_domain dif512 = {
	.sig_type = IB_SIG_TYPE_T10_DIF, .sig.dif = { .pi_interval = 512 },
};

static void registrations(void)
{
	const struct ib_sig_domain none = { .sig_type = IB_SIG_TYPE_NONE };
	struct ib_sig_domain other = dif512;
	struct soft_dif_seg segs[2];
	struct soft_dif dif = make_region(segs, 2048, 32);
	struct ib_sig_attrs attrs = { .mem = dif512, .wire = dif512 };

	CHECK_EQ(soft_dif_register(&dif, &attrs), 0);
	CHECK_EQ(dif.wire_len, 4 * 520);
	CHECK_EQ(dif.id, 1);
	attrs.wire = none;
	CHECK_EQ(soft_dif_register(&dif, &attrs), 0);
	CHECK_EQ(dif.wire_len, 2048);
	CHECK_EQ(dif.id, 2);
	attrs.mem = none;
	CHECK_EQ(soft_dif_register(&dif, &attrs), 0);
	CHECK_EQ(dif.wire_len, 2048);
	attrs.wire = dif512;
	CHECK_EQ(soft_dif_register(&dif, &attrs), 0);
	CHECK_EQ(dif.wire_len, 4 * 520);

	/* Unknown kinds, no interval, different intervals. */
	other.sig_type = 2;
	attrs.mem = other;
	CHECK_EQ(soft_dif_register(&dif, &attrs), -EINVAL);
	attrs.mem = none;
	attrs.wire = other;
	CHECK_EQ(soft_dif_register(&dif, &attrs), -EINVAL);
	other = dif512;
	other.sig.dif.bg_type = 2;
	attrs.wire = other;
	CHECK_EQ(soft_dif_register(&dif, &attrs), -EINVAL);
	other = dif512;
	other.sig.dif.pi_interval = 0;
	attrs.wire = other;
	CHECK_EQ(soft_dif_register(&dif, &attrs), -EINVAL);
	other.sig.dif.pi_interval = 1024;
	attrs.wire = other;
	CHECK_EQ(soft_dif_register(&dif, &attrs), 0);
	attrs.mem = dif512;
	CHECK_EQ(soft_dif_register(&dif, &attrs), -EINVAL);

	/* Too little protection information, data that is not whole, no data. */
	attrs.wire = none;
	dif = make_region(segs, 2048, 31);
	CHECK_EQ(soft_dif_register(&dif, &attrs), -EINVAL);
	CHECK_EQ(dif.wire_len, 0);
	dif = make_region(segs, 2048, 0);
	CHECK_EQ(soft_dif_register(&dif, &attrs), -EINVAL);
	dif = make_region(segs, 2047, 32);
	CHECK_EQ(soft_dif_register(&dif, &attrs), -EINVAL);
	dif = make_region(segs, 511, 32);
	CHECK_EQ(soft_dif_register(&dif, &attrs), -EINVAL);
	dif = make_region(segs, 0, 32);
	CHECK_EQ(soft_dif_register(&dif, &attrs), -EINVAL);
}

static uint32_t next_number(void *source, unsigned int bytes)
{
	uint64_t *state = source;

	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(*state >> 33) & (uint32_t)((1ull << 8 * bytes) - 1);
}

static void copies(void)
{
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		uint64_t state = seed;
		struct dif_choices ch = { next_number, &state };
		const char *diff = dif_case_run(&ch);

		if (diff)
			printf("# case %llu: %s\n", (unsigned long long)seed, diff);
		CHECK(!diff);
	}
}

/*
 * A message that ends within an interval, and one that continues it: the second one checks the
 * interval by what the first one has left in memory.
 */
static void split_between_messages(void)
{
	struct ib_sig_attrs attrs = { .check_mask = 0xff, .wire = dif512 };
	struct dif_model m = { .attrs = attrs, .interval = 512, .num = 2 };
	struct soft_dif_cursor cursor = {0};
	struct soft_dif_seg segs[2];
	struct soft_dif dif = make_region(segs, 1024, 16);
	uint8_t memory[1024], wire[1040];
	struct ib_sig_err err;

	make_block("random", memory, sizeof(memory));
	segs[0].at = memory;
	m.data = memory;
	for (uint32_t i = 0; i < 2; i++) {
		memcpy(wire + i * 520, memory + i * 512, 512);
		model_right_pi(&m, &attrs.wire.sig.dif, i, wire + i * 520 + 512);
	}
	memset(memory, 0, sizeof(memory));
	CHECK_EQ(soft_dif_register(&dif, &attrs), 0);
	CHECK(!soft_dif_copy(&dif, &cursor, 0, wire, 300, true, &err));
	cursor = (struct soft_dif_cursor) {0};
	CHECK(!soft_dif_copy(&dif, &cursor, 300, wire + 300, 740, true, &err));
	CHECK(!memcmp(memory, wire, 512) && !memcmp(memory + 512, wire + 520, 512));

	/* Without the first part, the guard is wrong. */
	memset(memory, 0, sizeof(memory));
	cursor = (struct soft_dif_cursor) {0};
	CHECK(soft_dif_copy(&dif, &cursor, 300, wire + 300, 220, true, &err));
	CHECK_EQ(err.err_type, IB_SIG_BAD_GUARD);
	CHECK_EQ(err.sig_err_offset, 0);
	/* A cursor of an earlier registration starts anew, from memory. */
	CHECK(!soft_dif_copy(&dif, &cursor, 520, wire + 520, 100, true, &err));
	CHECK_EQ(soft_dif_register(&dif, &attrs), 0);
	CHECK(!soft_dif_copy(&dif, &cursor, 620, wire + 620, 420, true, &err));
	CHECK_EQ(cursor.id, dif.id);
}

/*
 * A peer reads a part of an interval, and then another part with the same cursor, which does not
 * continue the first one. Expects that the interval is right all the same.
 */
static void parts_in_any_order(void)
{
	struct ib_sig_attrs attrs = { .check_mask = 0xff, .wire = dif512 };
	struct soft_dif_cursor cursor = {0}, other = {0};
	struct soft_dif_seg segs[2];
	struct soft_dif dif = make_region(segs, 1024, 16);
	uint8_t memory[1024], wire[1040], again[1040];
	struct ib_sig_err err;

	make_block("random", memory, sizeof(memory));
	segs[0].at = memory;
	CHECK_EQ(soft_dif_register(&dif, &attrs), 0);
	CHECK(!soft_dif_copy(&dif, &cursor, 0, wire, 1040, false, &err));
	memset(again, 0, sizeof(again));
	CHECK(!soft_dif_copy(&dif, &other, 0, again, 300, false, &err));
	CHECK(!soft_dif_copy(&dif, &other, 400, again + 400, 640, false, &err));
	CHECK(!soft_dif_copy(&dif, &other, 300, again + 300, 100, false, &err));
	CHECK(!memcmp(again, wire, sizeof(wire)));
}

void test_dif(void)
{
	unit_run("dif: known sums, in pieces", known_sums);
	unit_run("dif: registrations", registrations);
	unit_run("dif: copies of any case, in any pieces, against the model", copies);
	unit_run("dif: an interval split between messages", split_between_messages);
	unit_run("dif: parts of an interval in any order", parts_in_any_order);
}
