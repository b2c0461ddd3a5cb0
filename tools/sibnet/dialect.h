/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What is different in files of ibsim and in the output of ibnetdiscover.
 */
#ifndef SIBNET_DIALECT_H
#define SIBNET_DIALECT_H

#include "cursor.h"
#include "topology.h"

/**
 * struct dialect - a format of files
 * @discovered:	sets &topology.discovered
 * @escapes:	texts in quotes have backslashes, see cursor_quoted()
 * @node_tail:	reads the rest of a node's line
 * @port_tail:	reads the rest of a port's line
 */
struct dialect {
	bool discovered;
	bool escapes;
	int (*node_tail)(struct cursor *c, struct node *node);
	int (*port_tail)(struct cursor *c, struct port *port);
};

/* Options follow a port, and comments are ignored. "sibnet save" prints this format. */
extern const struct dialect dialect_ibsim;
/* Descriptions and rates are in comments. */
extern const struct dialect dialect_ibnetdiscover;

/**
 * dialect_of() - detect the format of a file
 * @text:	whole file
 * @len:	number of bytes
 *
 * Return: that of ibnetdiscover if there is its heading, or a line that begins with Ca or Rt; else
 * that of ibsim
 */
const struct dialect *dialect_of(const char *text, size_t len);

#endif /* SIBNET_DIALECT_H */
