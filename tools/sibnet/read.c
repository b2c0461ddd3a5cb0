// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause

#include "read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "configfs.h"
#include "rate.h"
#include "resolve.h"

/**
 * struct reader - a fabric that is read
 * @dir:	its open folder
 * @topo:	topology
 * @fault:	receives the fault
 * @path:	path of the file that was read last
 * @text:	content of that file
 */
struct reader {
	int dir;
	struct topology *topo;
	struct fault *fault;
	char path[CONFIGFS_PATH_LEN];
	char text[CONFIGFS_TEXT_LEN];
};

static int odd_content(struct reader *r)
{
	return fault_at(r->fault, 0, 0, "%s: \"%s\" makes no sense", r->path, r->text);
}

/* Reads the file @name of a node, or of its port if @port is not 0, to @r->text. */
static int get(struct reader *r, const char *node, unsigned int port, const char *name)
{
	if (port)
		snprintf(r->path, sizeof(r->path), "%s/port%u/%s", node, port, name);
	else
		snprintf(r->path, sizeof(r->path), "%s/%s", node, name);
	return configfs_read(r->dir, r->path, r->text) ? fault_errno(r->fault, r->path) : 0;
}

/* Reads a decimal number, which is followed by @unit. */
static int get_number(struct reader *r, const char *node, unsigned int port, const char *name,
		      const char *unit, unsigned int max, unsigned int *value)
{
	char *end;

	if (get(r, node, port, name))
		return -1;
	*value = strtoul(r->text, &end, 10);
	return end != r->text && !strcmp(end, unit) && *value <= max ? 0 : odd_content(r);
}

static int get_guid(struct reader *r, const char *node, unsigned int port, const char *name,
		    uint64_t *guid)
{
	char *end;

	if (get(r, node, port, name))
		return -1;
	*guid = strtoull(r->text, &end, 16);
	return *guid && !*end ? 0 : odd_content(r);
}

static int read_node(struct reader *r, struct node *node)
{
	unsigned int ports;
	uint64_t guid;

	if (get_number(r, node->name, 0, "num_ports", "", SWITCH_PORTS_MAX, &ports))
		return -1;
	if (!ports)
		return odd_content(r);
	node->num_ports = ports;
	if (get_guid(r, node->name, 0, "guid", &guid) ||
	    get_guid(r, node->name, 0, "system_guid", &node->system_guid) ||
	    get(r, node->name, 0, "node_desc"))
		return -1;
	topo_set_guid(r->topo, node, guid);
	/* Software of the node, or an SM, may have set a description that sib does not take. */
	return topo_describe(node, r->text, strlen(r->text)) ? fault_memory(r->fault) : 0;
}

static int read_peer(struct reader *r, struct node *node, unsigned int number)
{
	struct port *port = &node->ports[number - 1];
	char *colon, *end;
	struct node *peer;
	unsigned long peer_port;

	if (get(r, node->name, number, "peer"))
		return -1;
	if (!*r->text)
		return 0;
	colon = strrchr(r->text, ':');
	peer_port = colon ? strtoul(colon + 1, &end, 10) : 0;
	if (!peer_port || *end || peer_port > SWITCH_PORTS_MAX)
		return odd_content(r);
	*colon = 0;
	peer = topo_find(r->topo, r->text);
	if (!peer)
		return fault_at(r->fault, 0, 0, "%s: there is no node \"%s\"", r->path, r->text);
	port->peer = topo_index(r->topo, peer);
	port->peer_port = peer_port;
	return 0;
}

static int read_speed(struct reader *r, const struct node *node, unsigned int number,
		      struct port *port)
{
	static const uint8_t speeds[] = { SPEED_SDR, SPEED_DDR, SPEED_QDR };

	if (get(r, node->name, number, "speed"))
		return -1;
	for (size_t i = 0; i < sizeof(speeds); i++)
		if (!strcmp(r->text, speed_text(speeds[i])))
			port->speed = speeds[i];
	return port->speed ? 0 : odd_content(r);
}

static int read_port(struct reader *r, struct node *node, unsigned int number)
{
	unsigned int width, mtu, vls;
	struct port *port = topo_port(node, number);

	if (!port)
		return fault_memory(r->fault);
	if (get_number(r, node->name, number, "width", "x", 12, &width) ||
	    read_speed(r, node, number, port) ||
	    get_number(r, node->name, number, "mtu", "", 4096, &mtu) ||
	    get_number(r, node->name, number, "vls", "", 8, &vls))
		return -1;
	port->width = width == WIDTH_DEFAULT ? 0 : width;
	port->speed = port->speed == SPEED_DEFAULT ? 0 : port->speed;
	port->mtu = mtu == MTU_DEFAULT ? 0 : mtu;
	port->vls = vls == VLS_DEFAULT ? 0 : vls;
	if (node->kind == NODE_CA && get_guid(r, node->name, number, "guid", &port->guid))
		return -1;
	return read_peer(r, node, number);
}

/* Returns the number of the port whose folder has this name, or 0. */
static unsigned int number_of(const char *name)
{
	unsigned long number;
	char *end;

	if (strncmp(name, "port", 4))
		return 0;
	number = strtoul(name + 4, &end, 10);
	return *end || number > SWITCH_PORTS_MAX ? 0 : number;
}

static int read_ports(struct reader *r, struct node *node)
{
	struct names ports;
	int err = 0;

	if (configfs_list(r->dir, node->name, &ports))
		return fault_errno(r->fault, node->name);
	for (size_t i = 0; i < ports.count && !err; i++) {
		unsigned int number = number_of(ports.names[i]);

		if (number && number <= node->num_ports)
			err = read_port(r, node, number);
	}
	names_free(&ports);
	return err;
}

/* Adds all nodes of a kind. */
static int add_nodes(struct reader *r, const struct names *names, enum node_kind kind)
{
	struct node *node;

	for (size_t i = 0; i < names->count; i++) {
		if (get(r, names->names[i], 0, "kind"))
			return -1;
		if (strcmp(r->text, kind == NODE_SWITCH ? "switch" : "ca"))
			continue;
		node = topo_add(r->topo, names->names[i]);
		if (!node)
			return fault_memory(r->fault);
		node->kind = kind;
		if (read_node(r, node))
			return -1;
	}
	return 0;
}

static int read_nodes(struct reader *r, const char *name)
{
	struct names names;
	int err;

	if (configfs_list(r->dir, ".", &names))
		return fault_errno(r->fault, name);
	err = add_nodes(r, &names, NODE_SWITCH) || add_nodes(r, &names, NODE_CA);
	names_free(&names);
	for (uint32_t i = 0; i < r->topo->count && !err; i++)
		err = read_ports(r, &r->topo->nodes[i]);
	return err ? -1 : 0;
}

int fabric_read(int root, const char *name, struct topology *topo, struct fault *fault)
{
	struct reader r = { .dir = configfs_open(root, name), .topo = topo, .fault = fault };
	int err;

	if (r.dir < 0)
		return fault_errno(fault, name);
	err = read_nodes(&r, name);
	configfs_close(r.dir);
	return err ?: topo_resolve(topo, fault);
}
