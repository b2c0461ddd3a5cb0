// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause

#include "dialect.h"

#include <string.h>

static const char heading[] = "# Topology file: generated";

static bool begins_with(const char *at, const char *end, const char *text)
{
	size_t len = strlen(text);

	return (size_t)(end - at) >= len && !memcmp(at, text, len);
}

static bool is_ibnetdiscover(const char *at, const char *end)
{
	return begins_with(at, end, heading) || begins_with(at, end, "Ca\t") ||
	       begins_with(at, end, "Ca ") || begins_with(at, end, "Rt\t");
}

const struct dialect *dialect_of(const char *text, size_t len)
{
	const char *end = text + len, *next;

	for (const char *at = text; at < end; at = next) {
		if (is_ibnetdiscover(at, end))
			return &dialect_ibnetdiscover;
		next = memchr(at, '\n', end - at);
		next = next ? next + 1 : end;
	}
	return &dialect_ibsim;
}
