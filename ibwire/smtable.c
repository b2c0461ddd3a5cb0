// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The tables that a subnet manager reads and sets in blocks. */

#include "smtable.h"
#include "nodeinfo.h"

#define MOD_LOW_8		0x000000ff
#define MOD_SECOND_8	0x0000ff00
#define MOD_LOW_9		0x000001ff
#define MOD_LOW_16		0x0000ffff
#define MOD_THIRD_8		0x00ff0000
#define MOD_HIGH_4		0xf0000000
#define MOD_HIGH_16		0xffff0000

bool smtable_at_pkeys(u32 attr_mod, struct smtable_at *at)
{
	*at = (struct smtable_at) {
		.port = FIELD_GET(MOD_THIRD_8, attr_mod),
		.block = FIELD_GET(MOD_LOW_16, attr_mod),
	};
	return !(attr_mod & MOD_HIGH_16 & ~MOD_THIRD_8);
}

bool smtable_at_sl_to_vl(u32 attr_mod, struct smtable_at *at)
{
	*at = (struct smtable_at) {
		.port = FIELD_GET(MOD_LOW_8, attr_mod),
		.in_port = FIELD_GET(MOD_SECOND_8, attr_mod),
	};
	return !(attr_mod & MOD_HIGH_16);
}

bool smtable_at_vl_arb(u32 attr_mod, struct smtable_at *at)
{
	*at = (struct smtable_at) {
		.port = FIELD_GET(MOD_LOW_8, attr_mod),
		.block = FIELD_GET(MOD_HIGH_16, attr_mod),
	};
	return !(attr_mod & MOD_SECOND_8);
}

bool smtable_at_linear(u32 attr_mod, struct smtable_at *at)
{
	*at = (struct smtable_at) { .block = FIELD_GET(MOD_LOW_16, attr_mod) };
	return !(attr_mod & MOD_HIGH_16);
}

bool smtable_at_multicast(u32 attr_mod, struct smtable_at *at)
{
	*at = (struct smtable_at) {
		.block = FIELD_GET(MOD_LOW_9, attr_mod),
		.position = FIELD_GET(MOD_HIGH_4, attr_mod),
	};
	return !(attr_mod & ~(MOD_LOW_9 | MOD_HIGH_4));
}

void pkeys_parse(const u8 *data, u16 *keys)
{
	for (size_t i = 0; i < PKEYS_PER_BLOCK; i++)
		keys[i] = get_unaligned_be16(data + 2 * i);
}

void pkeys_build(u8 *data, const u16 *keys)
{
	for (size_t i = 0; i < PKEYS_PER_BLOCK; i++)
		put_unaligned_be16(keys[i], data + 2 * i);
}

bool pkey_is_same(u16 a, u16 b)
{
	return a & PKEY_BASE && !((a ^ b) & PKEY_BASE);
}

bool pkey_matches(u16 a, u16 b)
{
	return pkey_is_same(a, b) && (a | b) & PKEY_FULL;
}

u8 sl_to_vl(const u8 *table, u8 sl)
{
	u8 both = table[(sl & (SL_COUNT - 1)) / 2];

	return sl & 1 ? both & 0x0f : both >> 4;
}

bool linear_is_valid(const u8 *data, u8 num_ports)
{
	for (size_t i = 0; i < LIDS_PER_BLOCK; i++)
		if (data[i] > num_ports && data[i] != SWITCH_PORT_NONE)
			return false;
	return true;
}

bool multicast_is_valid(const u8 *data, u8 position, u8 num_ports)
{
	u32 first = (u32)position * PORTS_PER_POSITION, have;

	if (first > num_ports)
		return false;
	have = num_ports - first + 1;
	if (have >= PORTS_PER_POSITION)
		return true;
	for (size_t i = 0; i < MLIDS_PER_BLOCK; i++)
		if (get_unaligned_be16(data + 2 * i) >> have)
			return false;
	return true;
}
