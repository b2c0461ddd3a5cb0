// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests of atomic.c of software providers: what becomes of a word. */

#include "unit.h"
#include "soft/atomic.h"

static u64 result(bool swaps, u64 old, u64 compare, u64 compare_mask, u64 data, u64 data_mask)
{
	const struct soft_atomic op = {
		.swaps = swaps, .data = data, .data_mask = data_mask,
		.compare = compare, .compare_mask = compare_mask,
	};

	return soft_atomic_result(&op, old);
}

#define add(old, data, mask)	result(false, old, 1, ~0ull, data, mask)
#define swap(...)		result(true, __VA_ARGS__)

/* Computes the result bit by bit, as RFC 7306 describes it. */
static u64 add_bitwise(u64 old, u64 data, u64 mask)
{
	unsigned int carry = 0;
	u64 sum = 0;

	for (unsigned int bit = 0; bit < 64; bit++) {
		unsigned int s = carry + (old >> bit & 1) + (data >> bit & 1);

		sum |= (u64)(s & 1) << bit;
		carry = mask >> bit & 1 ? 0 : s >> 1;
	}
	return sum;
}

static void fetch_add(void)
{
	u64 a = 1, b = 2, m = 3;

	CHECK_EQ(add(1, 2, 0), 3);
	CHECK_EQ(add(~0ull, 1, 0), 0);
	CHECK_EQ(add(5, ~0ull, 0), 4);
	CHECK_EQ(add(0xffffffff, 1, 0x80000000), 0);
	CHECK_EQ(add(0x00000001ffffffff, 0x0000000100000001, 0x80000000), 0x200000000);
	CHECK_EQ(add(0x00ff00ff00ff00ff, 0x0001000100010001, 0x8080808080808080),
		 0x0000000000000000);
	CHECK_EQ(add(0x5555, 0xffff, ~0ull), 0xaaaa);
	for (unsigned int i = 0; i < 10000; i++) {
		a = a * 6364136223846793005 + 1442695040888963407;
		b = b * 6364136223846793005 + 1442695040888963407;
		m = m * 6364136223846793005 + 1442695040888963407;
		CHECK_EQ(add(a, b, m), add_bitwise(a, b, m));
		CHECK_EQ(add(a, b, m & a & b), add_bitwise(a, b, m & a & b));
		CHECK_EQ(add(a, b, 0), a + b);
	}
}

static void swaps(void)
{
	const u64 all = ~0ull, old = 0x1122334455667788, new = 0x99aabbccddeeff00;

	CHECK_EQ(swap(old, 0, 0, new, all), new);
	CHECK_EQ(swap(old, 0, 0, new, 0xffff), 0x112233445566ff00);
	CHECK_EQ(swap(old, 0, 0, new, 0), old);

	CHECK_EQ(swap(old, old, all, new, all), new);
	CHECK_EQ(swap(old, old ^ 1, all, new, all), old);
	CHECK_EQ(swap(old, old ^ 1ull << 63, all, new, all), old);
	CHECK_EQ(swap(old, 0x88, 0xff, new, all), new);
	CHECK_EQ(swap(old, 0x89, 0xff, new, all), old);
	CHECK_EQ(swap(old, 0xff88, 0xff, new, 0xff000000),
		 0x11223344dd667788);
	CHECK_EQ(swap(old, 0, 0, new, all), new);
}

void test_soft_atomic(void)
{
	unit_run("atomic: FetchAdd, whole and in fields", fetch_add);
	unit_run("atomic: Swap and CmpSwap under masks", swaps);
}
