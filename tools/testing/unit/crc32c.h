/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* CRC32c for the tests, with the signature and convention of the kernel's function. */
#ifndef UNIT_CRC32C_H
#define UNIT_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* This function does not invert: a message's CRC is crc32c(~0, data, len) ^ ~0. */
static inline uint32_t crc32c(uint32_t crc, const void *data, size_t len)
{
	const uint8_t *p = data;

	while (len--) {
		crc ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return crc;
}

#endif /* UNIT_CRC32C_H */
