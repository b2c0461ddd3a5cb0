// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Settings of a port are written only if they are not the default, and a link at one of its ends
 * only, because each file takes three system calls, and each folder memory.
 */

#include "load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "configfs.h"
#include "interrupt.h"
#include "rate.h"
#include "remove.h"

/**
 * struct loader - a fabric that is being made
 * @dir:	its open folder
 * @topo:	topology
 * @fault:	receives the fault
 */
struct loader {
	int dir;
	struct topology *topo;
	struct fault *fault;
};

/* Writes the file @name of a node, or of its port if @port is not 0. */
static int set(struct loader *l, const struct node *node, unsigned int port, const char *name,
	       const char *format, ...)
{
	char path[CONFIGFS_PATH_LEN], text[CONFIGFS_TEXT_LEN];
	va_list args;

	if (port)
		snprintf(path, sizeof(path), "%s/port%u/%s", node->name, port, name);
	else
		snprintf(path, sizeof(path), "%s/%s", node->name, name);
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!configfs_write(l->dir, path, text))
		return 0;
	text[strcspn(text, "\n")] = 0;
	return fault_at(l->fault, 0, 0, "%s: %s: %s", path, text, strerror(errno));
}

static int set_guid(struct loader *l, const struct node *node, unsigned int port, const char *name,
		    uint64_t guid)
{
	return guid ? set(l, node, port, name, "0x%016" PRIx64 "\n", guid) : 0;
}

/* Returns whether a signal asks for the end, and says so as the fault. */
static bool interrupted(struct loader *l)
{
	return interrupt_seen() && fault_at(l->fault, 0, 0, "a signal was received");
}

/* Makes the folder of a port. That of port 1 comes with the node. */
static int make_port(struct loader *l, struct node *node, unsigned int number)
{
	struct port *port = &node->ports[number - 1];
	char path[CONFIGFS_PATH_LEN];

	if (number == 1 || port->made)
		return 0;
	snprintf(path, sizeof(path), "%s/port%u", node->name, number);
	if (configfs_mkdir(l->dir, path))
		return fault_errno(l->fault, path);
	port->made = true;
	return 0;
}

/* Sets what of a port is not the default. */
static int set_up_port(struct loader *l, struct node *node, unsigned int number)
{
	const struct port *port = &node->ports[number - 1];

	if (!port->guid && !port->width && !port->speed && !port->mtu && !port->vls)
		return 0;
	if (make_port(l, node, number) || set_guid(l, node, number, "guid", port->guid))
		return -1;
	if (port->width && set(l, node, number, "width", "%ux\n", port->width))
		return -1;
	if (port->speed && set(l, node, number, "speed", "%s\n", speed_text(port->speed)))
		return -1;
	if (port->mtu && set(l, node, number, "mtu", "%u\n", port->mtu))
		return -1;
	return port->vls ? set(l, node, number, "vls", "%u\n", port->vls) : 0;
}

static int make_node(struct loader *l, struct node *node)
{
	if (configfs_mkdir(l->dir, node->name))
		return fault_errno(l->fault, node->name);
	if (node->kind == NODE_SWITCH && set(l, node, 0, "kind", "switch\n"))
		return -1;
	if (node->num_ports != 1 && set(l, node, 0, "num_ports", "%u\n", node->num_ports))
		return -1;
	if (set_guid(l, node, 0, "guid", node->guid) ||
	    set_guid(l, node, 0, "system_guid", node->system_guid))
		return -1;
	if (node->desc && set(l, node, 0, "node_desc", "%s\n", node->desc))
		return -1;
	for (uint32_t n = 1; n <= node->ports_len; n++)
		if (set_up_port(l, node, n))
			return -1;
	return 0;
}

/*
 * Makes the nodes that have a GUID, or those that have none. The latter come last, because the
 * kernel chooses a GUID for them, which a node that is made later might have in the file.
 */
static int make_nodes(struct loader *l, bool with_guid)
{
	for (uint32_t i = 0; i < l->topo->count; i++) {
		struct node *node = &l->topo->nodes[i];

		if (!node->guid == with_guid)
			continue;
		if (interrupted(l))
			return -1;
		if (make_node(l, node))
			return -1;
	}
	return 0;
}

/*
 * Returns true if the link is written at this end: that of a CA, whose port 1 has a folder already,
 * or the first one.
 */
static bool is_first_end(const struct topology *topo, const struct node *node, unsigned int number)
{
	const struct port *port = &node->ports[number - 1];
	const struct node *peer = &topo->nodes[port->peer];

	if (node->kind != peer->kind)
		return node->kind == NODE_CA;
	if (node != peer)
		return node < peer;
	return number < port->peer_port;
}

static int make_links_of(struct loader *l, struct node *node)
{
	for (uint32_t n = 1; n <= node->ports_len; n++) {
		const struct port *port = &node->ports[n - 1];

		if (!port->peer_port || !is_first_end(l->topo, node, n))
			continue;
		if (make_port(l, node, n) ||
		    set(l, node, n, "peer", "%s:%u\n", l->topo->nodes[port->peer].name,
			port->peer_port))
			return -1;
	}
	return 0;
}

static int make_links(struct loader *l)
{
	for (uint32_t i = 0; i < l->topo->count; i++) {
		if (interrupted(l))
			return -1;
		if (make_links_of(l, &l->topo->nodes[i]))
			return -1;
	}
	return 0;
}

static int make_devices(struct loader *l)
{
	for (uint32_t i = 0; i < l->topo->count; i++) {
		if (interrupted(l))
			return -1;
		if (l->topo->nodes[i].device && set(l, &l->topo->nodes[i], 0, "device", "1\n"))
			return -1;
	}
	return 0;
}

/* Removes what was made, after a fault. Returns -1, and adds to the fault what fails. */
static int undo(int root, const char *name, struct fault *fault)
{
	struct fault more;

	/* A folder that could not be opened is empty. */
	if (configfs_rmdir(root, name) && fabric_remove(root, name, &more))
		fault_add(fault, "; what was made could not be removed: %s", more.text);
	return -1;
}

int fabric_load(int root, const char *name, struct topology *topo, struct fault *fault)
{
	struct loader l = { .topo = topo, .fault = fault };
	int err;

	if (configfs_mkdir(root, name))
		return fault_errno(fault, name);
	l.dir = configfs_open(root, name);
	if (l.dir < 0) {
		fault_errno(fault, name);
		return undo(root, name, fault);
	}
	err = make_nodes(&l, true) || make_nodes(&l, false) || make_links(&l) || make_devices(&l) ||
	      interrupted(&l);
	configfs_close(l.dir);
	return err ? undo(root, name, fault) : 0;
}
