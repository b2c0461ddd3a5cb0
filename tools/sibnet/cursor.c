// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause

#include "cursor.h"

#include <stdio.h>
#include <string.h>

#define WHAT_LEN	128

int cursor_expected(struct cursor *c, const char *what)
{
	return fault_at(c->fault, c->line, cursor_column(c), "expected %s", what);
}

void cursor_blanks(struct cursor *c)
{
	while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\r'))
		c->at++;
}

bool cursor_ended(struct cursor *c)
{
	cursor_blanks(c);
	return c->at == c->end || *c->at == '#';
}

bool cursor_text(struct cursor *c, const char *text)
{
	size_t len = strlen(text);

	if ((size_t)(c->end - c->at) < len || memcmp(c->at, text, len))
		return false;
	c->at += len;
	return true;
}

int cursor_decimal(struct cursor *c, unsigned int min, unsigned int max, const char *what,
		   unsigned int *value)
{
	const char *at = c->at;
	unsigned int number = 0;
	char expected[WHAT_LEN];

	while (at < c->end && *at >= '0' && *at <= '9' && number <= max)
		number = number * 10 + (*at++ - '0');
	if (at == c->at || number < min || number > max) {
		snprintf(expected, sizeof(expected), "%s, %u to %u", what, min, max);
		return cursor_expected(c, expected);
	}
	c->at = at;
	*value = number;
	return 0;
}

/* Returns the value of a hexadecimal digit, or -1. */
static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int cursor_hex(struct cursor *c, const char *what, uint64_t *value)
{
	uint64_t number = 0;
	const char *at;

	if (!cursor_text(c, "0x"))
		cursor_text(c, "0X");
	for (at = c->at; at < c->end && digit_of(*at) >= 0; at++) {
		if (number >> 60)
			return cursor_expected(c, "a number of 64 bits at most");
		number = number << 4 | digit_of(*at);
	}
	if (at == c->at)
		return cursor_expected(c, what);
	c->at = at;
	*value = number;
	return 0;
}

/* Reads the byte after a backslash. Returns the byte, or -1. */
static int read_escape(struct cursor *c)
{
	int high, low;

	if (c->at == c->end)
		return -1;
	if (*c->at == '"' || *c->at == '\\')
		return *c->at++;
	if (*c->at != 'x' || c->end - c->at < 3)
		return -1;
	high = digit_of(c->at[1]);
	low = digit_of(c->at[2]);
	if (high < 0 || low < 0 || !(high | low))
		return -1;
	c->at += 3;
	return high << 4 | low;
}

int cursor_quoted(struct cursor *c, bool escapes, size_t max, const char *what, char *text)
{
	char expected[WHAT_LEN];
	size_t len = 0;
	int byte;

	if (!cursor_text(c, "\"")) {
		snprintf(expected, sizeof(expected), "%s in quotes", what);
		return cursor_expected(c, expected);
	}
	while (c->at < c->end && *c->at != '"') {
		byte = (unsigned char)*c->at++;
		if (escapes && byte == '\\') {
			byte = read_escape(c);
			if (byte < 0)
				return cursor_expected(c, "\\\", \\\\ or \\x and two digits");
		}
		if (!byte)
			return cursor_expected(c, "a text without a byte 0");
		if (len == max) {
			snprintf(expected, sizeof(expected), "%s of %zu bytes at most", what, max);
			return cursor_expected(c, expected);
		}
		text[len++] = byte;
	}
	text[len] = 0;
	if (!cursor_text(c, "\""))
		return cursor_expected(c, "a quote");
	return 0;
}

int cursor_parentheses(struct cursor *c, const char *what, uint64_t *value)
{
	if (!cursor_text(c, "("))
		return 0;
	if (cursor_hex(c, what, value))
		return -1;
	return cursor_text(c, ")") ? 0 : cursor_expected(c, "\")\"");
}
