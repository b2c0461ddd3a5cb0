// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause

#include "resolve.h"

/* Describes a fault at the peer of a port. */
#define fault_link(fault, port, ...) fault_at(fault, (port)->line, (port)->column, __VA_ARGS__)

/*
 * Completes the other end of a link that only one end gives. @to is undescribed, or is described
 * without a peer.
 */
static void complete(const struct topology *topo, const struct node *from, unsigned int number,
		     struct port *to)
{
	const struct port *port = &from->ports[number - 1];

	to->peer = topo_index(topo, from);
	to->peer_port = number;
	to->line = port->line;
	to->column = port->column;
}

/* Checks that the port at the other end has the GUID that this line gives it. */
static int check_guid(const struct port *port, const struct node *peer, struct port *to,
		      struct fault *fault)
{
	if (!port->peer_guid || peer->kind != NODE_CA)
		return 0;
	if (!to->guid)
		to->guid = port->peer_guid;
	if (to->guid == port->peer_guid)
		return 0;
	return fault_link(fault, port, "the GUID of port %u of \"%s\" is %#jx elsewhere",
			  port->peer_port, peer->name, (uintmax_t)to->guid);
}

/* Checks the peer of a port, and makes the link known at the other end. */
static int resolve_port(struct topology *topo, struct node *node, unsigned int number,
			struct fault *fault)
{
	struct port port = node->ports[number - 1], *to;
	struct node *peer = &topo->nodes[port.peer];

	if (port.peer_port > peer->num_ports)
		return fault_link(fault, &port, "\"%s\" has %u ports, not %u", peer->name,
				  peer->num_ports, port.peer_port);
	if (peer == node && port.peer_port == number)
		return fault_link(fault, &port, "the port is linked to itself");
	to = topo_port(peer, port.peer_port);
	if (!to)
		return fault_memory(fault);
	if (!to->peer_port)
		complete(topo, node, number, to);
	else if (to->peer != topo_index(topo, node) || to->peer_port != number)
		return fault_link(fault, &port,
				  "port %u of \"%s\" is linked to port %u of \"%s\" in line %u",
				  port.peer_port, peer->name, to->peer_port,
				  topo->nodes[to->peer].name, to->line);
	return check_guid(&port, peer, to, fault);
}

static void forget_default_guids(struct node *node)
{
	for (uint32_t i = 0; i < node->ports_len; i++)
		if (node->guid && node->ports[i].guid == node->guid + i + 1)
			node->ports[i].guid = 0;
	if (node->system_guid == node->guid)
		node->system_guid = 0;
}

int topo_resolve(struct topology *topo, struct fault *fault)
{
	for (uint32_t i = 0; i < topo->count; i++) {
		struct node *node = &topo->nodes[i];

		for (uint32_t n = 1; n <= node->ports_len; n++)
			if (node->ports[n - 1].peer_port && resolve_port(topo, node, n, fault))
				return -1;
	}
	for (uint32_t i = 0; i < topo->count; i++)
		forget_default_guids(&topo->nodes[i]);
	return 0;
}
