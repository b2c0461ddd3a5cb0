/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Nodes, ports and links of a fabric, as a file or configfs describes them.
 */
#ifndef SIBNET_TOPOLOGY_H
#define SIBNET_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAME_MAX_LEN	63
#define DESC_MAX_LEN	63
#define NODES_MAX	65536
#define CA_PORTS_MAX	8
#define SWITCH_PORTS_MAX 254

#define WIDTH_DEFAULT	4
#define SPEED_DEFAULT	10
#define MTU_DEFAULT	4096
#define VLS_DEFAULT	8

#define TOPO_BUCKETS	8192

enum node_kind {
	NODE_UNKNOWN,
	NODE_CA,
	NODE_SWITCH,
};

/**
 * struct port - a port, and the end of a link
 * @guid:	GUID of a CA's port; 0: that of the node plus the port's number
 * @peer_guid:	GUID of the port at the other end, if the line says so; else 0
 * @peer:	index of the node at the other end; valid if @peer_port is not 0
 * @line:	line that describes the port or its link; 0: none
 * @column:	column of the peer's name in that line
 * @mtu:	largest MTU in bytes; 0: the default
 * @peer_port:	number of the port at the other end; 0: no link
 * @width:	widest link, in lanes; 0: the default
 * @speed:	fastest link, as Gbit/s of a lane, 2 for 2.5; 0: the default
 * @vls:	number of data VLs; 0: the default
 * @made:	the loader has made the port's folder
 */
struct port {
	uint64_t guid;
	uint64_t peer_guid;
	uint32_t peer;
	uint32_t line;
	uint16_t column;
	uint16_t mtu;
	uint8_t peer_port;
	uint8_t width;
	uint8_t speed;
	uint8_t vls;
	bool made;
};

/**
 * struct node - a CA or a switch
 * @name:	name, without blanks and colons
 * @desc:	description; NULL: not given
 * @guid:	GUID; 0: not given
 * @system_guid: GUID of the system; 0: not given
 * @ports:	ports 1 to @ports_len; ports beyond have no link, and all defaults
 * @ports_len:	number of @ports
 * @line:	line of the file that defines the node
 * @next_name:	next node of the bucket, plus 1
 * @next_guid:	next node of the bucket, plus 1
 * @kind:	what the node is
 * @num_ports:	number of ports
 * @device:	the CA becomes a device
 */
struct node {
	char *name;
	char *desc;
	uint64_t guid;
	uint64_t system_guid;
	struct port *ports;
	uint32_t ports_len;
	uint32_t line;
	uint32_t next_name;
	uint32_t next_guid;
	enum node_kind kind;
	uint8_t num_ports;
	bool device;
};

/**
 * struct topology - a fabric
 * @nodes:	nodes in the order of the file
 * @count:	number of @nodes
 * @room:	number of nodes for which @nodes has memory
 * @discovered:	a program has found the nodes by asking them, as ibnetdiscover does: names are made
 *		of GUIDs, and width and speed are those of links
 * @by_name:	heads of hash chains, plus 1
 * @by_guid:	heads of hash chains, plus 1
 */
struct topology {
	struct node *nodes;
	uint32_t count;
	uint32_t room;
	bool discovered;
	uint32_t by_name[TOPO_BUCKETS];
	uint32_t by_guid[TOPO_BUCKETS];
};

/**
 * topo_new() - make an empty topology
 *
 * Return: the topology, or NULL if there is no memory
 */
struct topology *topo_new(void);

/**
 * topo_free() - free a topology
 * @topo:	topology, or NULL
 */
void topo_free(struct topology *topo);

/**
 * topo_find() - look a node up by its name
 * @topo:	topology
 * @name:	name
 *
 * Return: the node, or NULL; valid until a node is added
 */
struct node *topo_find(const struct topology *topo, const char *name);

/**
 * topo_find_guid() - look a node up by its GUID
 * @topo:	topology
 * @guid:	GUID
 *
 * Return: the node, or NULL; valid until a node is added
 */
struct node *topo_find_guid(const struct topology *topo, uint64_t guid);

/**
 * topo_add() - add a node
 * @topo:	topology
 * @name:	name that no other node has
 *
 * Return: the node, valid until the next one is added; NULL if there is no memory, or there are
 * NODES_MAX nodes
 */
struct node *topo_add(struct topology *topo, const char *name);

/**
 * topo_set_guid() - give a node that has none a GUID
 * @topo:	topology
 * @node:	node of the topology
 * @guid:	GUID that no other node has
 */
void topo_set_guid(struct topology *topo, struct node *node, uint64_t guid);

/**
 * topo_describe() - describe a node that has no description
 * @node:	node
 * @text:	description; DESC_MAX_LEN bytes of it are used, a "?" for each control character
 * @len:	its length
 *
 * Return: 0; -1 if there is no memory
 */
int topo_describe(struct node *node, const char *text, size_t len);

/**
 * topo_port() - return a port, with memory for it
 * @node:	node
 * @number:	number of the port, from 1
 *
 * Return: the port, valid until another one of the node is returned; NULL if there is no memory
 */
struct port *topo_port(struct node *node, unsigned int number);

/**
 * topo_index() - return the index of a node
 * @topo:	topology
 * @node:	node of the topology
 *
 * Return: the index
 */
static inline uint32_t topo_index(const struct topology *topo, const struct node *node)
{
	return node - topo->nodes;
}

/**
 * name_is_valid() - check the name of a node or of a fabric
 * @name:	name
 *
 * Return: true if configfs takes the name: 1 to 63 bytes without blanks, control characters, ":"
 * and "/"
 */
bool name_is_valid(const char *name);

#endif /* SIBNET_TOPOLOGY_H */
