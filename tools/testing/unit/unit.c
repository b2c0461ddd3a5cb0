// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* What all tests use: buffers, checks, and their results as KTAP. */

#include <ctype.h>
#include <stdarg.h>
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
	char input[200];
	struct allocation *allocations;
} unit;

struct bytes bytes_copy(const void *from, size_t len)
{
	struct allocation *a = malloc(sizeof(*a));

	if (!a)
		abort();
	a->at = malloc(len);
	if (len && !a->at)
		abort();
	a->next = unit.allocations;
	unit.allocations = a;
	if (len)
		memcpy(a->at, from, len);
	return (struct bytes) { a->at, len };
}

struct bytes bytes_of_hex(const char *hex)
{
	uint8_t *buf = malloc(strlen(hex) / 2 + 1);
	struct bytes b;
	size_t n = 0;

	if (!buf)
		abort();
	for (; *hex; hex++) {
		int c = tolower((unsigned char)*hex);
		int digit = isdigit(c) ? c - '0' : c - 'a' + 10;

		if (!isxdigit(c))
			continue;
		buf[n / 2] = n & 1 ? buf[n / 2] | digit : digit << 4;
		n++;
	}
	b = bytes_copy(buf, n / 2);
	free(buf);
	return b;
}

void unit_input(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(unit.input, sizeof(unit.input), format, args);
	va_end(args);
}

bool unit_check(bool ok, const char *what, const char *file, int line)
{
	if (ok || unit.failed_checks++ >= SHOWN_MAX)
		return false;
	printf("# %s:%d: %s\n", file, line, what);
	if (*unit.input)
		printf("#   input %s\n", unit.input);
	return true;
}

void unit_check_eq(unsigned long long got, unsigned long long want, const char *what,
		   const char *file, int line)
{
	if (unit_check(got == want, what, file, line))
		printf("#   got %#llx, want %#llx\n", got, want);
}

void unit_check_fault(enum iwarp_fault got, enum iwarp_fault want, const char *what,
		      const char *file, int line)
{
	if (unit_check(got == want, what, file, line))
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
	bool same = w.len == len && (!len || !memcmp(got, w.at, len));

	if (unit_check(same, what, file, line)) {
		print_hex("got ", got, len);
		print_hex("want", w.at, w.len);
	}
}

void unit_run(const char *name, void (*test)(void))
{
	unit.failed_checks = 0;
	*unit.input = '\0';
	test();
	while (unit.allocations) {
		struct allocation *a = unit.allocations;

		unit.allocations = a->next;
		free(a->at);
		free(a);
	}
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
