// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause

#include "attributes.h"

#include <stdlib.h>
#include <string.h>

/* Reads a GUID that is not 0, and that no GUID was before. */
static int read_guid(struct cursor *c, uint64_t *guid)
{
	struct cursor before = *c;
	uint64_t ignored;

	if (*guid)
		return cursor_expected(&before, "one GUID for a node");
	if (cursor_hex(c, "a GUID", guid))
		return -1;
	if (!*guid)
		return cursor_expected(&before, "a GUID that is not 0");
	return cursor_parentheses(c, "a GUID", &ignored);
}

static int read_node_guid(struct attributes *a, struct cursor *c, const struct topology *topo,
			  enum node_kind kind)
{
	struct cursor before = *c;
	struct node *other;

	if (read_guid(c, &a->guid))
		return -1;
	a->kind = kind;
	other = topo_find_guid(topo, a->guid);
	if (other)
		return fault_at(c->fault, c->line, cursor_column(&before),
				"\"%s\" in line %u has this GUID", other->name, other->line);
	return 0;
}

static int read_desc(struct attributes *a, struct cursor *c)
{
	char text[NAME_MAX_LEN + 1];

	if (a->desc)
		return cursor_expected(c, "one description for a node");
	if (cursor_quoted(c, true, NAME_MAX_LEN, "a description", text))
		return -1;
	a->desc = strdup(text);
	return a->desc ? 0 : fault_memory(c->fault);
}

static int read_value(struct attributes *a, struct cursor *c, const struct topology *topo)
{
	uint64_t ignored;

	if (cursor_text(c, "vendid=") || cursor_text(c, "devid="))
		return cursor_hex(c, "a hexadecimal number", &ignored);
	if (cursor_text(c, "sysimgguid="))
		return read_guid(c, &a->system_guid);
	if (cursor_text(c, "switchguid="))
		return read_node_guid(a, c, topo, NODE_SWITCH);
	if (cursor_text(c, "caguid=") || cursor_text(c, "hcaguid="))
		return read_node_guid(a, c, topo, NODE_CA);
	if (cursor_text(c, "guid="))
		return read_node_guid(a, c, topo, NODE_UNKNOWN);
	if (cursor_text(c, "desc="))
		return read_desc(a, c);
	return cursor_expected(c, "Switch, Hca, Ca, a port in brackets, a GUID or a comment");
}

int attributes_read(struct attributes *a, struct cursor *c, const struct topology *topo)
{
	if (read_value(a, c, topo))
		return -1;
	if (!a->line)
		a->line = c->line;
	return cursor_ended(c) ? 0 : cursor_expected(c, "a comment or the end of the line");
}

void attributes_take(struct attributes *a, struct topology *topo, struct node *node)
{
	if (a->guid)
		topo_set_guid(topo, node, a->guid);
	node->system_guid = a->system_guid;
	node->desc = a->desc;
	*a = (struct attributes){ 0 };
}
