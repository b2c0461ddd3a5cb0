// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause

#include "devices.h"

#include <string.h>

/* Copies a name of the list, up to a comma. Returns what follows, or NULL if it is too long. */
static const char *next_name(const char *list, char *name)
{
	size_t len = strcspn(list, ",");

	if (len > NAME_MAX_LEN)
		return NULL;
	memcpy(name, list, len);
	name[len] = 0;
	return list[len] ? list + len + 1 : list + len;
}

static void choose_all(struct topology *topo)
{
	for (uint32_t i = 0; i < topo->count; i++)
		topo->nodes[i].device = topo->nodes[i].kind == NODE_CA;
}

int devices_choose(struct topology *topo, const char *list, struct fault *fault)
{
	char name[NAME_MAX_LEN + 1];
	struct node *node;

	if (!strcmp(list, "all")) {
		choose_all(topo);
		return 0;
	}
	do {
		list = next_name(list, name);
		node = list ? topo_find(topo, name) : NULL;
		if (!node)
			return fault_at(fault, 0, 0, "devices: there is no node \"%s\"",
					list ? name : "of more than 63 bytes");
		if (node->kind != NODE_CA)
			return fault_at(fault, 0, 0, "devices: \"%s\" is a switch", name);
		node->device = true;
	} while (*list);
	return 0;
}
