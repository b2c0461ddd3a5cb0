// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause

#include "compare.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "rate.h"

#define PLACE_LEN	(NAME_MAX_LEN + 16)
#define VALUE_LEN	(NAME_MAX_LEN + 32)

static const struct port port_defaults;

/**
 * struct comparison - two topologies, and what was found
 * @fabric:	fabric
 * @file:	topology of a file
 * @fabric_name: name of the fabric
 * @file_name:	name of the file
 * @out:	where the differences are printed
 * @count:	number of differences
 */
struct comparison {
	const struct topology *fabric;
	const struct topology *file;
	const char *fabric_name;
	const char *file_name;
	FILE *out;
	unsigned int count;
};

/* Prints a difference if the values, which are texts, are not the same. */
static void compare_texts(struct comparison *c, const char *place, const char *what,
			  const char *in_fabric, const char *in_file)
{
	if (!strcmp(in_fabric, in_file))
		return;
	fprintf(c->out, "%s: %s: %s in %s, %s in %s\n", place, what, in_fabric, c->fabric_name,
		in_file, c->file_name);
	c->count++;
}

static void compare_numbers(struct comparison *c, const char *place, const char *what,
			    unsigned int in_fabric, unsigned int in_file)
{
	char a[VALUE_LEN], b[VALUE_LEN];

	snprintf(a, sizeof(a), "%u", in_fabric);
	snprintf(b, sizeof(b), "%u", in_file);
	compare_texts(c, place, what, a, b);
}

static void compare_guids(struct comparison *c, const char *place, const char *what,
			  uint64_t in_fabric, uint64_t in_file)
{
	char a[VALUE_LEN], b[VALUE_LEN];

	snprintf(a, sizeof(a), "%#" PRIx64, in_fabric);
	snprintf(b, sizeof(b), "%#" PRIx64, in_file);
	compare_texts(c, place, what, a, b);
}

static const struct port *port_of(const struct node *node, unsigned int number)
{
	return number <= node->ports_len ? &node->ports[number - 1] : &port_defaults;
}

/* Returns the node of @topo that is the same as @node of the other topology, or NULL. */
static const struct node *match(const struct comparison *c, const struct topology *topo,
				const struct node *node)
{
	if (c->file->discovered)
		return topo_find_guid(topo, node->guid);
	return topo_find(topo, node->name);
}

/* Names the other end of a link by the names of the fabric, if it is there. */
static void name_peer(const struct comparison *c, const struct topology *topo,
		      const struct port *port, char *text)
{
	const struct node *peer, *same;

	if (!port->peer_port) {
		strcpy(text, "no link");
		return;
	}
	peer = &topo->nodes[port->peer];
	same = topo == c->file ? match(c, c->fabric, peer) : peer;
	snprintf(text, VALUE_LEN, "%s:%u", (same ?: peer)->name, port->peer_port);
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Returns the width of a port, or if @active, that of its link. */
static unsigned int width_of(const struct topology *topo, const struct port *port, bool active)
{
	unsigned int width = port->width ?: WIDTH_DEFAULT;

	if (!active || !port->peer_port)
		return width;
	return least(width, width_of(topo, port_of(&topo->nodes[port->peer], port->peer_port),
				     false));
}

/* Returns the speed of a port, or if @active, that of its link. */
static unsigned int speed_of(const struct topology *topo, const struct port *port, bool active)
{
	unsigned int speed = port->speed ?: SPEED_DEFAULT;

	if (!active || !port->peer_port)
		return speed;
	return least(speed, speed_of(topo, port_of(&topo->nodes[port->peer], port->peer_port),
				     false));
}

static void compare_rates(struct comparison *c, const char *place, const struct port *a,
			  const struct port *b)
{
	bool active = c->file->discovered;

	if (active && (!a->peer_port || !b->peer_port))
		return;
	compare_numbers(c, place, "width", width_of(c->fabric, a, active),
			width_of(c->file, b, active));
	compare_texts(c, place, "speed", speed_text(speed_of(c->fabric, a, active)),
		      speed_text(speed_of(c->file, b, active)));
	if (active)
		return;
	compare_numbers(c, place, "mtu", a->mtu ?: MTU_DEFAULT, b->mtu ?: MTU_DEFAULT);
	compare_numbers(c, place, "vls", a->vls ?: VLS_DEFAULT, b->vls ?: VLS_DEFAULT);
}

static void compare_ports(struct comparison *c, const struct node *node, const struct node *other,
			  unsigned int number)
{
	const struct port *a = port_of(node, number), *b = port_of(other, number);
	char place[PLACE_LEN], in_fabric[VALUE_LEN], in_file[VALUE_LEN];

	snprintf(place, sizeof(place), "%s:%u", node->name, number);
	name_peer(c, c->fabric, a, in_fabric);
	name_peer(c, c->file, b, in_file);
	compare_texts(c, place, "link", in_fabric, in_file);
	compare_rates(c, place, a, b);
	if (node->kind == NODE_CA && other->kind == NODE_CA && (b->guid || other->guid))
		compare_guids(c, place, "guid", a->guid ?: node->guid + number,
			      b->guid ?: other->guid + number);
}

static const char *kind_text(const struct node *node)
{
	return node->kind == NODE_CA ? "ca" : "switch";
}

static void compare_nodes(struct comparison *c, const struct node *node, const struct node *other)
{
	uint32_t ports = node->ports_len > other->ports_len ? node->ports_len : other->ports_len;

	compare_texts(c, node->name, "kind", kind_text(node), kind_text(other));
	compare_numbers(c, node->name, "num_ports", node->num_ports, other->num_ports);
	if (other->guid)
		compare_guids(c, node->name, "guid", node->guid, other->guid);
	if (other->guid || other->system_guid)
		compare_guids(c, node->name, "system_guid", node->system_guid ?: node->guid,
			      other->system_guid ?: other->guid);
	if (other->desc)
		compare_texts(c, node->name, "node_desc", node->desc, other->desc);
	for (uint32_t n = 1; n <= ports; n++)
		compare_ports(c, node, other, n);
}

static void print_missing(struct comparison *c, const struct node *node, const char *where)
{
	fprintf(c->out, "%s: only in %s\n", node->name, where);
	c->count++;
}

unsigned int topo_compare(const struct topology *fabric, const char *fabric_name,
			  const struct topology *file, const char *file_name, FILE *out)
{
	struct comparison c = { fabric, file, fabric_name, file_name, out, 0 };
	const struct node *other;

	for (uint32_t i = 0; i < fabric->count; i++) {
		other = match(&c, file, &fabric->nodes[i]);
		if (other)
			compare_nodes(&c, &fabric->nodes[i], other);
		else
			print_missing(&c, &fabric->nodes[i], fabric_name);
	}
	for (uint32_t i = 0; i < file->count; i++)
		if (!match(&c, fabric, &file->nodes[i]))
			print_missing(&c, &file->nodes[i], file_name);
	return c.count;
}
