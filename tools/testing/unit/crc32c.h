/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* CRC32c for the tests, with the signature and convention of the kernel's function. */
#ifndef UNIT_CRC32C_H
#define UNIT_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* This function does not invert: a message's CRC is crc32c(~0, data, len) ^ ~0. */
static inline uint32_t crc32c(uint32_t crc, const void *data, size_t len)
{
	static uint32_t table[256];
	const uint8_t *p = data;

	for (uint32_t i = 1; !table[255] && i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0x82f63b78 : 0);
	}
	while (len--)
		crc = table[(crc ^ *p++) & 0xff] ^ crc >> 8;
	return crc;
}

#endif /* UNIT_CRC32C_H */
