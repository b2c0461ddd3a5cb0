// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A file consists of records, one for each node:
 *
 *	NAME=VALUE			a GUID or a description of the node that follows
 *	Switch|Hca|Ca NUMBER "NAME"	the node, and its number of ports
 *	[PORT](GUID) "NAME"[PORT](GUID)	a link; GUIDs may be left out
 *
 * Blank lines and lines that begin with "#" are skipped. The file is read twice: first the nodes,
 * then their links.
 */

#include "parse.h"

#include <stdlib.h>
#include <string.h>

#include "attributes.h"
#include "cursor.h"
#include "dialect.h"
#include "resolve.h"

#define LINE_MAX_LEN	1024

/**
 * struct parser - where a file is read
 * @topo:	what was read so far
 * @dialect:	format of the file
 * @node:	index of the node whose ports follow, when ports are read
 * @next:	attributes of the node that follows
 */
struct parser {
	struct topology *topo;
	const struct dialect *dialect;
	uint32_t node;
	struct attributes next;
};

/* Reads the name of a node. */
static int read_name(struct parser *p, struct cursor *c, char *name)
{
	struct cursor before = *c;

	if (cursor_quoted(c, p->dialect->escapes, NAME_MAX_LEN, "a name", name))
		return -1;
	if (!name_is_valid(name))
		return cursor_expected(&before, "a name without blanks, \":\" and \"/\"");
	return 0;
}

/* Adds a node. @at is where its name stands. */
static struct node *add_node(struct parser *p, const struct cursor *at, const char *name)
{
	const struct node *other = topo_find(p->topo, name);
	struct node *node;

	if (other) {
		fault_at(at->fault, at->line, cursor_column(at), "line %u has a node of this name",
			 other->line);
		return NULL;
	}
	node = topo_add(p->topo, name);
	if (!node && p->topo->count == NODES_MAX)
		fault_at(at->fault, at->line, cursor_column(at), "more than %u nodes", NODES_MAX);
	else if (!node)
		fault_memory(at->fault);
	return node;
}

static int read_node(struct parser *p, struct cursor *c, enum node_kind kind)
{
	unsigned int most = kind == NODE_CA ? CA_PORTS_MAX : SWITCH_PORTS_MAX, ports;
	char name[NAME_MAX_LEN + 1];
	struct cursor before = *c;
	struct node *node;

	if (p->next.kind != NODE_UNKNOWN && p->next.kind != kind)
		return fault_at(c->fault, c->line, 1, "line %u has a GUID of %s", p->next.line,
				p->next.kind == NODE_CA ? "a CA" : "a switch");
	cursor_blanks(c);
	if (c->at == before.at)
		return cursor_expected(c, "a blank");
	if (cursor_decimal(c, 1, most, "a number of ports", &ports))
		return -1;
	cursor_blanks(c);
	before = *c;
	if (read_name(p, c, name))
		return -1;
	node = add_node(p, &before, name);
	if (!node)
		return -1;
	node->kind = kind;
	node->num_ports = ports;
	node->line = c->line;
	attributes_take(&p->next, p->topo, node);
	if (node->desc)
		return dialect_ibsim.node_tail(c, node);
	return p->dialect->node_tail(c, node);
}

/* Reads the number of a port in brackets, and the number in a chassis that may follow. */
static int read_number(struct cursor *c, unsigned int *number)
{
	if (!cursor_text(c, "["))
		return cursor_expected(c, "a port in brackets");
	if (cursor_decimal(c, 1, SWITCH_PORTS_MAX, "the number of a port", number))
		return -1;
	if (!cursor_text(c, "]"))
		return cursor_expected(c, "\"]\"");
	if (!cursor_text(c, "[ext "))
		return 0;
	c->at = memchr(c->at, ']', c->end - c->at) ?: c->end;
	return cursor_text(c, "]") ? 0 : cursor_expected(c, "\"]\"");
}

/* Reads the other end of a port's link. */
static int read_peer(struct parser *p, struct cursor *c, struct port *port)
{
	char name[NAME_MAX_LEN + 1];
	struct cursor before = *c;
	unsigned int peer_port;
	struct node *peer;

	if (read_name(p, c, name))
		return -1;
	peer = topo_find(p->topo, name);
	if (!peer)
		return fault_at(c->fault, c->line, cursor_column(&before),
				"there is no node \"%s\"", name);
	cursor_blanks(c);
	if (read_number(c, &peer_port) || cursor_parentheses(c, "a GUID", &port->peer_guid))
		return -1;
	port->peer = topo_index(p->topo, peer);
	port->peer_port = peer_port;
	port->column = cursor_column(&before);
	return 0;
}

static int read_port(struct parser *p, struct cursor *c)
{
	struct node *node = &p->topo->nodes[p->node];
	struct cursor before = *c;
	struct port *port;
	unsigned int number;

	if (read_number(c, &number))
		return -1;
	if (number > node->num_ports)
		return fault_at(c->fault, c->line, cursor_column(&before) + 1,
				"\"%s\" has %u ports, not %u", node->name, node->num_ports, number);
	port = topo_port(node, number);
	if (!port)
		return fault_memory(c->fault);
	if (port->line)
		return fault_at(c->fault, c->line, cursor_column(&before) + 1,
				"line %u has port %u", port->line, number);
	port->line = c->line;
	if (cursor_parentheses(c, "a GUID", &port->guid))
		return -1;
	if (node->kind == NODE_SWITCH)
		port->guid = 0;
	cursor_blanks(c);
	if (c->at < c->end && *c->at == '"' && read_peer(p, c, port))
		return -1;
	return p->dialect->port_tail(c, port);
}

/* Reads a line of a node, and skips those of its ports. */
static int read_node_line(struct parser *p, struct cursor *c)
{
	if (c->end - c->start > LINE_MAX_LEN) {
		c->at += LINE_MAX_LEN;
		return cursor_expected(c, "a line of 1024 bytes at most");
	}
	if (cursor_ended(c))
		return 0;
	if (*c->at == '[' && (p->next.line || !p->topo->count))
		return cursor_expected(c, "Switch, Hca or Ca before its ports");
	if (*c->at == '[')
		return 0;
	if (cursor_text(c, "Switch"))
		return read_node(p, c, NODE_SWITCH);
	if (cursor_text(c, "Hca") || cursor_text(c, "Ca"))
		return read_node(p, c, NODE_CA);
	if (cursor_text(c, "Rt"))
		return fault_at(c->fault, c->line, cursor_column(c) - 2,
				"routers are not supported; expected Switch, Hca or Ca");
	return attributes_read(&p->next, c, p->topo);
}

/* Reads a line of a port. */
static int read_port_line(struct parser *p, struct cursor *c)
{
	if (cursor_ended(c))
		return 0;
	if (*c->at == '[')
		return read_port(p, c);
	if (p->node + 1 < p->topo->count && p->topo->nodes[p->node + 1].line == c->line)
		p->node++;
	return 0;
}

static int each_line(struct parser *p, struct cursor *c, const char *text, size_t len,
		     int (*read_line)(struct parser *p, struct cursor *c))
{
	const char *end = text + len;

	c->line = 0;
	for (const char *at = text; at < end; at = c->end + 1) {
		c->start = at;
		c->at = at;
		c->end = memchr(at, '\n', end - at) ?: end;
		c->line++;
		if (read_line(p, c))
			return -1;
	}
	return 0;
}

static int read_lines(struct parser *p, const char *text, size_t len, struct fault *fault)
{
	struct cursor c = { .fault = fault };

	if (each_line(p, &c, text, len, read_node_line))
		return -1;
	if (p->next.line)
		return fault_at(fault, p->next.line, 1,
				"expected Switch, Hca or Ca after this line");
	if (!p->topo->count)
		return fault_at(fault, c.line ?: 1, 1, "expected a node: Switch, Hca or Ca");
	return each_line(p, &c, text, len, read_port_line);
}

int topo_parse(struct topology *topo, const char *text, size_t len, struct fault *fault)
{
	struct parser p = { .topo = topo, .dialect = dialect_of(text, len) };
	int err;

	topo->discovered = p.dialect->discovered;
	err = read_lines(&p, text, len, fault);
	free(p.next.desc);
	return err ?: topo_resolve(topo, fault);
}
