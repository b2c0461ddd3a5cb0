// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause

#include "topology.h"

#include <stdlib.h>
#include <string.h>

#define NODES_FIRST	64

static uint32_t bucket_of_name(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return (hash ^ hash >> 16) % TOPO_BUCKETS;
}

static uint32_t bucket_of_guid(uint64_t guid)
{
	return guid * 0x9e3779b97f4a7c15ull >> 32 & (TOPO_BUCKETS - 1);
}

struct topology *topo_new(void)
{
	return calloc(1, sizeof(struct topology));
}

void topo_free(struct topology *topo)
{
	if (!topo)
		return;
	for (uint32_t i = 0; i < topo->count; i++) {
		free(topo->nodes[i].name);
		free(topo->nodes[i].desc);
		free(topo->nodes[i].ports);
	}
	free(topo->nodes);
	free(topo);
}

struct node *topo_find(const struct topology *topo, const char *name)
{
	uint32_t i = topo->by_name[bucket_of_name(name)];

	while (i && strcmp(topo->nodes[i - 1].name, name))
		i = topo->nodes[i - 1].next_name;
	return i ? &topo->nodes[i - 1] : NULL;
}

struct node *topo_find_guid(const struct topology *topo, uint64_t guid)
{
	uint32_t i = topo->by_guid[bucket_of_guid(guid)];

	while (i && topo->nodes[i - 1].guid != guid)
		i = topo->nodes[i - 1].next_guid;
	return i ? &topo->nodes[i - 1] : NULL;
}

/* Makes room for one more node. */
static bool grow(struct topology *topo)
{
	uint32_t room = topo->room ? topo->room * 2 : NODES_FIRST;
	struct node *nodes;

	if (topo->count < topo->room)
		return true;
	nodes = reallocarray(topo->nodes, room, sizeof(*nodes));
	if (!nodes)
		return false;
	topo->nodes = nodes;
	topo->room = room;
	return true;
}

struct node *topo_add(struct topology *topo, const char *name)
{
	struct node *node;
	uint32_t *head;

	if (topo->count == NODES_MAX || !grow(topo))
		return NULL;
	node = &topo->nodes[topo->count];
	memset(node, 0, sizeof(*node));
	node->name = strdup(name);
	if (!node->name)
		return NULL;
	head = &topo->by_name[bucket_of_name(name)];
	node->next_name = *head;
	*head = ++topo->count;
	return node;
}

void topo_set_guid(struct topology *topo, struct node *node, uint64_t guid)
{
	uint32_t *head = &topo->by_guid[bucket_of_guid(guid)];

	node->guid = guid;
	node->next_guid = *head;
	*head = topo_index(topo, node) + 1;
}

int topo_describe(struct node *node, const char *text, size_t len)
{
	node->desc = strndup(text, len < DESC_MAX_LEN ? len : DESC_MAX_LEN);
	if (!node->desc)
		return -1;
	for (char *c = node->desc; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return 0;
}

struct port *topo_port(struct node *node, unsigned int number)
{
	struct port *ports;

	if (number <= node->ports_len)
		return &node->ports[number - 1];
	ports = reallocarray(node->ports, number, sizeof(*ports));
	if (!ports)
		return NULL;
	memset(&ports[node->ports_len], 0, (number - node->ports_len) * sizeof(*ports));
	node->ports = ports;
	node->ports_len = number;
	return &ports[number - 1];
}

bool name_is_valid(const char *name)
{
	size_t len = strlen(name);

	if (!len || len > NAME_MAX_LEN || !strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	for (; *name; name++)
		if ((unsigned char)*name <= ' ' || *name == 0x7f || *name == ':' || *name == '/')
			return false;
	return true;
}
