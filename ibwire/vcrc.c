// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The variant CRC, four bits at a time, because only what leaves the machine has one. */

#include "vcrc.h"

/* The remainders of the numbers of four bits. The least significant bit is the first one. */
static const u16 remainders[16] = {
	0x0000, 0x1a01, 0x3402, 0x2e03, 0x6804, 0x7205, 0x5c06, 0x4607,
	0xd008, 0xca09, 0xe40a, 0xfe0b, 0xb80c, 0xa20d, 0x8c0e, 0x960f,
};

u16 vcrc(const u8 *packet, size_t len)
{
	u16 crc = 0xffff;

	while (len--) {
		crc ^= *packet++;
		crc = crc >> 4 ^ remainders[crc & 0xf];
		crc = crc >> 4 ^ remainders[crc & 0xf];
	}
	return ~crc;
}
