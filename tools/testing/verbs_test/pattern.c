// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: the contents of messages.
 */
#include <stdio.h>

#include "verbs_test.h"

static uint8_t byte_of(uint32_t message, size_t place)
{
	return message * 131 + (message >> 8) * (place | 1) + place * 7 + (place >> 8);
}

void pattern_fill(uint8_t *mem, size_t len, uint32_t message)
{
	for (size_t i = 0; i < len; i++)
		mem[i] = byte_of(message, i);
}

bool pattern_matches(const uint8_t *mem, size_t len, uint32_t message)
{
	for (size_t i = 0; i < len; i++) {
		if (mem[i] == byte_of(message, i))
			continue;
		printf("# message %u: byte %zu of %zu is %#x, expected %#x\n", message, i, len,
		       mem[i], byte_of(message, i));
		return false;
	}
	return true;
}

bool bytes_are(const uint8_t *mem, size_t len, uint8_t value)
{
	for (size_t i = 0; i < len; i++) {
		if (mem[i] == value)
			continue;
		printf("# byte %zu of %zu is %#x, expected %#x\n", i, len, mem[i], value);
		return false;
	}
	return true;
}
