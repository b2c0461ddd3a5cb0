/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The types, byte order helpers and arithmetic of the code that is compiled both in the kernel and
 * in user space. No other file of that code differs between the two.
 */
#ifndef KRDMA_PORT_H
#define KRDMA_PORT_H

#ifdef __KERNEL__

#include <linux/bitfield.h>
#include <linux/build_bug.h>
#include <linux/crc32.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/unaligned.h>
#include <asm/byteorder.h>

#else

#include <endian.h>
#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;

/* Like the kernel's static_assert(), but without the optional message. */
#undef static_assert
#define static_assert(expr) _Static_assert(expr, #expr)

#define __packed __attribute__((packed))

#define U16_MAX 0xffffu
#define U32_MAX 0xffffffffu

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))

#define FIELD_GET(mask, reg) (((reg) & (mask)) >> __builtin_ctz(mask))
#define FIELD_PREP(mask, val) (((u32)(val) << __builtin_ctz(mask)) & (mask))

#define cpu_to_be16(v) ((__be16)htobe16(v))
#define cpu_to_be32(v) ((__be32)htobe32(v))
#define cpu_to_be64(v) ((__be64)htobe64(v))
#define be16_to_cpu(v) be16toh((u16)(v))
#define be32_to_cpu(v) be32toh((u32)(v))
#define be64_to_cpu(v) be64toh((u64)(v))

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = (u32)(dividend % divisor);
	return dividend / divisor;
}

static inline u16 get_unaligned_be16(const void *p)
{
	const u8 *b = p;

	return (u16)(b[0] << 8 | b[1]);
}

static inline u32 get_unaligned_be32(const void *p)
{
	const u8 *b = p;

	return (u32)get_unaligned_be16(b) << 16 | get_unaligned_be16(b + 2);
}

static inline u64 get_unaligned_be64(const void *p)
{
	const u8 *b = p;

	return (u64)get_unaligned_be32(b) << 32 | get_unaligned_be32(b + 4);
}

static inline u32 get_unaligned_le32(const void *p)
{
	const u8 *b = p;

	return b[0] | b[1] << 8 | b[2] << 16 | (u32)b[3] << 24;
}

static inline void put_unaligned_be16(u16 v, void *p)
{
	u8 *b = p;

	b[0] = (u8)(v >> 8);
	b[1] = (u8)v;
}

static inline void put_unaligned_be32(u32 v, void *p)
{
	u8 *b = p;

	put_unaligned_be16((u16)(v >> 16), b);
	put_unaligned_be16((u16)v, b + 2);
}

static inline void put_unaligned_be64(u64 v, void *p)
{
	u8 *b = p;

	put_unaligned_be32((u32)(v >> 32), b);
	put_unaligned_be32((u32)v, b + 4);
}

static inline void put_unaligned_le32(u32 v, void *p)
{
	u8 *b = p;

	b[0] = (u8)v;
	b[1] = (u8)(v >> 8);
	b[2] = (u8)(v >> 16);
	b[3] = (u8)(v >> 24);
}

/* The CRC-32 of Ethernet, the least significant bit first, without inversion. */
static inline u32 crc32_le(u32 crc, const void *p, size_t len)
{
	for (const u8 *b = p; len--; b++) {
		crc ^= *b;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

#endif /* __KERNEL__ */

#endif /* KRDMA_PORT_H */
