// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The lines of nodes and of ports end with comments:
 *
 *	Switch	24 "S-0002c90002000002"		# "description" base port 0 lid 6 lmc 0
 *	[1]	"H-0002c90002000010"[1](2c90002000011)	# "description" lid 4 4xQDR
 *	Ca	2 "H-0002c90002000010"		# "description"
 *	[1](2c90002000011)	"S-0002c90002000002"[1]	# lid 4 lmc 0 "description" lid 6 4xQDR
 *
 * A description is printed as it is, and may have quotes in it. The last one of the line ends it.
 * InfiniBand has 64 bytes for it, configfs 63: a byte more is cut off.
 */

#include "dialect.h"

#include <stdlib.h>
#include <string.h>

#include "rate.h"

#define RATE_LEN	15

/* Returns the last byte @byte of what is left of the line, or NULL. */
static const char *last_of(const struct cursor *c, char byte)
{
	return memrchr(c->at, byte, c->end - c->at);
}

static int read_description(struct cursor *c, struct node *node)
{
	const char *first, *last;

	if (!cursor_ended(c))
		return cursor_expected(c, "a comment or the end of the line");
	first = memchr(c->at, '"', c->end - c->at);
	last = last_of(c, '"');
	if (!first || first == last)
		return 0;
	first++;
	c->at = first;
	if (memchr(first, 0, last - first))
		return cursor_expected(c, "a description without a byte 0");
	return topo_describe(node, first, last - first) ? fault_memory(c->fault) : 0;
}

/* Reads the next word of a comment. Cuts long ones, which are no rates. */
static void read_word(struct cursor *c, char *word)
{
	size_t len = 0;

	while (c->at < c->end && *c->at != ' ' && *c->at != '\t' && *c->at != '\r') {
		if (len < RATE_LEN)
			word[len++] = *c->at;
		c->at++;
	}
	word[len] = 0;
}

static int read_rate(struct cursor *c, struct port *port)
{
	char word[RATE_LEN + 1];
	const char *quote;

	if (!cursor_ended(c))
		return cursor_expected(c, "a comment or the end of the line");
	quote = last_of(c, '"');
	c->at = quote ? quote + 1 : c->at;
	for (cursor_blanks(c); c->at < c->end; cursor_blanks(c)) {
		read_word(c, word);
		if (rate_parse(word, &port->width, &port->speed))
			return 0;
	}
	return 0;
}

const struct dialect dialect_ibnetdiscover = {
	.discovered = true,
	.node_tail = read_description,
	.port_tail = read_rate,
};
