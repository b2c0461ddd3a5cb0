/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The fuzz targets share this code: an input that is read byte by byte, and claims that must hold.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CLAIM(cond) do {							\
	if (!(cond)) {								\
		fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);	\
		abort();							\
	}									\
} while (0)

struct input {
	const uint8_t *at;
	size_t len;
};

/*
 * Returns the next @bytes bytes of the input as a big endian number. Bytes beyond its end are zero.
 */
static inline uint32_t take(struct input *in, unsigned int bytes)
{
	uint32_t v = 0;

	while (bytes--) {
		v = v << 8 | (in->len ? *in->at : 0);
		in->at += in->len ? 1 : 0;
		in->len -= in->len ? 1 : 0;
	}
	return v;
}

/* Returns a heap copy of the exact size, so that overruns are found; the caller frees it. */
static inline uint8_t *exact(const uint8_t *from, size_t len)
{
	uint8_t *copy = calloc(1, len ? len : 1);

	CLAIM(copy);
	if (len)
		memcpy(copy, from, len);
	return copy;
}

/* Returns the random size of the next piece of a stream; never zero. */
static inline size_t piece(uint32_t *seed, size_t left)
{
	size_t n;

	*seed = *seed * 1664525 + 1013904223;
	n = (*seed >> 24) % 3 ? 1 + (*seed >> 16) % 7 : 1 + (*seed >> 16) % 97;
	return n < left ? n : left;
}

#endif /* FUZZ_H */
