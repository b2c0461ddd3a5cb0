// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* What all tests use: buffers, checks, and their results as KTAP. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define SHOWN_MAX 5	/* the number of failed checks of a test that are printed */

struct allocation {
	struct allocation *next;
	void *at;
};

static struct {
	unsigned int run;
	unsigned int failed;
	unsigned int failed_checks;
	struct allocation *allocations;
} unit;

static void *keep(size_t len)
{
	struct allocation *a = malloc(sizeof(*a));

	if (!a)
		abort();
	a->at = malloc(len);
	if (len && !a->at)
		abort();
	a->next = unit.allocations;
	unit.allocations = a;
	return a->at;
}

static void release(void)
{
	while (unit.allocations) {
		struct allocation *a = unit.allocations;

		unit.allocations = a->next;
		free(a->at);
		free(a);
	}
}

struct bytes bytes_copy(const void *from, size_t len)
{
	struct bytes b = { keep(len), len };

	if (len)
		memcpy(b.at, from, len);
	return b;
}

static unsigned int nibble(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

struct bytes bytes_of_hex(const char *hex)
{
	uint8_t *buf = malloc(strlen(hex) / 2 + 1);
	struct bytes b;
	size_t n = 0;

	if (!buf)
		abort();
	for (; *hex; hex++) {
		if (!isxdigit((unsigned char)*hex))
			continue;
		buf[n / 2] = n & 1 ? buf[n / 2] | nibble(*hex) : nibble(*hex) << 4;
		n++;
	}
	b = bytes_copy(buf, n / 2);
	free(buf);
	return b;
}

static bool failed(const char *what, const char *file, int line)
{
	if (unit.failed_checks++ >= SHOWN_MAX)
		return false;
	printf("# %s:%d: %s\n", file, line, what);
	return true;
}

void unit_check(bool ok, const char *what, const char *file, int line)
{
	if (!ok)
		failed(what, file, line);
}

void unit_check_eq(unsigned long long got, unsigned long long want, const char *what,
		   const char *file, int line)
{
	if (got != want && failed(what, file, line))
		printf("#   got %#llx, want %#llx\n", got, want);
}

void unit_check_fault(enum iwarp_fault got, enum iwarp_fault want, const char *what,
		      const char *file, int line)
{
	if (got != want && failed(what, file, line))
		printf("#   got %s, want %s\n", iwarp_fault_name(got), iwarp_fault_name(want));
}

static void print_hex(const char *label, const uint8_t *at, size_t len)
{
	printf("#   %s", label);
	for (size_t i = 0; i < len; i++)
		printf(" %02x", at[i]);
	printf("\n");
}

void unit_check_bytes(const void *got, size_t len, const char *want, const char *what,
		      const char *file, int line)
{
	struct bytes w = bytes_of_hex(want);

	if (w.len == len && (!len || !memcmp(got, w.at, len)))
		return;
	if (failed(what, file, line)) {
		print_hex("got ", got, len);
		print_hex("want", w.at, w.len);
	}
}

void unit_run(const char *name, void (*test)(void))
{
	unit.failed_checks = 0;
	test();
	release();
	unit.run++;
	if (unit.failed_checks)
		unit.failed++;
	printf("%s %u - %s\n", unit.failed_checks ? "not ok" : "ok", unit.run, name);
	fflush(stdout);
}

int unit_end(void)
{
	printf("1..%u\n", unit.run);
	printf("# Totals: pass:%u fail:%u xfail:0 xpass:0 skip:0 error:0\n",
	       unit.run - unit.failed, unit.failed);
	return unit.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
