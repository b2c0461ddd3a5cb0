// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Guards of T10 DIF: CRC or IP checksum. A kernel with CRC_T10DIF has functions for both; one
 * without CRC_T10DIF has a function for the checksum only. The functions here compute what is
 * missing: the CRC in such a kernel, and both in user space.
 */
#ifdef __KERNEL__
#include <linux/bitops.h>
#include <linux/crc-t10dif.h>
#include <linux/kconfig.h>
#include <net/checksum.h>
#define HAS_CRC_T10DIF	IS_REACHABLE(CONFIG_CRC_T10DIF)
#else
#define HAS_CRC_T10DIF	0
#endif

#include "soft/dif_guard.h"

#if HAS_CRC_T10DIF

static u16 crc_add(u16 crc, const u8 *data, u32 len)
{
	return crc_t10dif_update(crc, data, len);
}

#else

/* The polynomial 0x8bb7 times each value of four bits. */
static const u16 crc_of_nibble[16] = {
	0x0000, 0x8bb7, 0x9cd9, 0x176e, 0xb205, 0x39b2, 0x2edc, 0xa56b,
	0xefbd, 0x640a, 0x7364, 0xf8d3, 0x5db8, 0xd60f, 0xc161, 0x4ad6,
};

static u16 crc_add(u16 crc, const u8 *data, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++) {
		crc = (u16)(crc << 4) ^ crc_of_nibble[crc >> 12 ^ data[i] >> 4];
		crc = (u16)(crc << 4) ^ crc_of_nibble[crc >> 12 ^ (data[i] & 0xf)];
	}
	return crc;
}

#endif

#ifdef __KERNEL__

static u32 csum_begin(u16 seed)
{
	return (__force u32)csum_unfold((__force __sum16)cpu_to_be16(seed));
}

static u32 csum_extend(u32 state, const u8 *data, u32 len, u32 offset)
{
	return (__force u32)csum_block_add((__force __wsum)state, csum_partial(data, len, 0),
					   offset);
}

static u16 csum_end(u32 state)
{
	return be16_to_cpu((__force __be16)csum_fold((__force __wsum)state));
}

#else

static u32 csum_begin(u16 seed)
{
	return seed;
}

static u32 csum_extend(u32 state, const u8 *data, u32 len, u32 offset)
{
	u32 i;

	for (i = 0; i < len; i++) {
		state += (offset + i) % 2 ? data[i] : (u32)data[i] << 8;
		state = (state & 0xffff) + (state >> 16);
	}
	return state;
}

static u16 csum_end(u32 state)
{
	return (u16)~state;
}

#endif /* __KERNEL__ */

u32 soft_guard_begin(enum ib_t10_dif_bg_type type, u16 seed)
{
	return type == IB_T10DIF_CRC ? seed : csum_begin(seed);
}

u32 soft_guard_add(enum ib_t10_dif_bg_type type, u32 state, const u8 *data, u32 len, u32 offset)
{
	return type == IB_T10DIF_CRC ? crc_add((u16)state, data, len) :
				       csum_extend(state, data, len, offset);
}

u16 soft_guard_end(enum ib_t10_dif_bg_type type, u32 state)
{
	return type == IB_T10DIF_CRC ? (u16)state : csum_end(state);
}
