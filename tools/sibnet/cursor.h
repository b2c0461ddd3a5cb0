/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A position in a line, and the tokens that begin there. A function that fails has described the
 * fault, with the column where another token was expected.
 */
#ifndef SIBNET_CURSOR_H
#define SIBNET_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"

/**
 * struct cursor - a position in a line
 * @start:	first byte of the line
 * @at:		next byte
 * @end:	end of the line, without its newline
 * @line:	number of the line, from 1
 * @fault:	where a fault is described
 */
struct cursor {
	const char *start;
	const char *at;
	const char *end;
	unsigned int line;
	struct fault *fault;
};

/**
 * cursor_column() - return the column
 * @c:		cursor
 *
 * Return: the column, from 1
 */
static inline unsigned int cursor_column(const struct cursor *c)
{
	return c->at - c->start + 1;
}

/**
 * cursor_expected() - say what was expected here
 * @c:		cursor
 * @what:	noun
 *
 * Return: -1
 */
int cursor_expected(struct cursor *c, const char *what);

/**
 * cursor_blanks() - skip blanks
 * @c:		cursor
 */
void cursor_blanks(struct cursor *c);

/**
 * cursor_ended() - skip blanks, and see whether only a comment follows
 * @c:		cursor
 *
 * Return: true at the end of the line, and at a comment
 */
bool cursor_ended(struct cursor *c);

/**
 * cursor_text() - skip a text if it is here
 * @c:		cursor
 * @text:	text
 *
 * Return: true if it was skipped
 */
bool cursor_text(struct cursor *c, const char *text);

/**
 * cursor_decimal() - read a decimal number
 * @c:		cursor
 * @min:	least value
 * @max:	greatest value
 * @what:	noun, for the fault
 * @value:	receives the number
 *
 * Return: 0 or -1
 */
int cursor_decimal(struct cursor *c, unsigned int min, unsigned int max, const char *what,
		   unsigned int *value);

/**
 * cursor_hex() - read a hexadecimal number of up to 64 bits, with or without 0x
 * @c:		cursor
 * @what:	noun, for the fault
 * @value:	receives the number
 *
 * Return: 0 or -1
 */
int cursor_hex(struct cursor *c, const char *what, uint64_t *value);

/**
 * cursor_quoted() - read a text in quotes
 * @c:		cursor
 * @escapes:	a backslash stands before a quote, a backslash, and x with two hexadecimal digits
 * @max:	most bytes of the text
 * @what:	noun, for the fault
 * @text:	receives the text, with a 0 at its end: @max + 1 bytes
 *
 * Return: 0 or -1
 */
int cursor_quoted(struct cursor *c, bool escapes, size_t max, const char *what, char *text);

/**
 * cursor_parentheses() - read a hexadecimal number in parentheses, if there are any
 * @c:		cursor
 * @what:	noun, for the fault
 * @value:	receives the number, or stays as it is
 *
 * Return: 0 or -1
 */
int cursor_parentheses(struct cursor *c, const char *what, uint64_t *value);

#endif /* SIBNET_CURSOR_H */
