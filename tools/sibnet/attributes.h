/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lines NAME=VALUE, which stand before the node that they describe.
 */
#ifndef SIBNET_ATTRIBUTES_H
#define SIBNET_ATTRIBUTES_H

#include "cursor.h"
#include "topology.h"

/**
 * struct attributes - what is known of the node that follows; all 0 at first
 * @guid:	its GUID, or 0
 * @system_guid: GUID of its system, or 0
 * @desc:	its description, which the owner of the structure frees, or NULL
 * @kind:	what it must be, because of the name of an attribute, or NODE_UNKNOWN
 * @line:	line of the first attribute, or 0
 */
struct attributes {
	uint64_t guid;
	uint64_t system_guid;
	char *desc;
	enum node_kind kind;
	unsigned int line;
};

/**
 * attributes_read() - read a line
 * @a:		attributes
 * @c:		cursor at the name
 * @topo:	nodes, of which none may have the same GUID
 *
 * Return: 0, or -1 after the fault was described
 */
int attributes_read(struct attributes *a, struct cursor *c, const struct topology *topo);

/**
 * attributes_take() - give the attributes to a node
 * @a:		attributes, which become empty
 * @topo:	topology
 * @node:	node of the topology, without attributes
 */
void attributes_take(struct attributes *a, struct topology *topo, struct node *node);

#endif /* SIBNET_ATTRIBUTES_H */
