// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Reads topologies of any content. What is printed of one that is read is the same topology, and is
 * printed in the same way.
 */

#include "fuzz.h"
#include "tools/sibnet/compare.h"
#include "tools/sibnet/parse.h"
#include "tools/sibnet/print.h"

/* Returns what the topology is printed as; the caller frees it. */
static char *print(const struct topology *topo, size_t *len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);

	CLAIM(out);
	topo_print(topo, out);
	fclose(out);
	return text;
}

static void claim_printed(const struct topology *topo)
{
	struct topology *again = topo_new();
	struct fault fault = { 0 };
	size_t len, len_again;
	char *text = print(topo, &len), *text_again;

	if (topo_parse(again, text, len, &fault)) {
		fprintf(stderr, "%s\n%u:%u: %s\n", text, fault.line, fault.column, fault.text);
		abort();
	}
	CLAIM(again->count == topo->count);
	CLAIM(!topo_compare(topo, "printed", again, "again", stderr));
	text_again = print(again, &len_again);
	CLAIM(len == len_again && !memcmp(text, text_again, len));
	free(text);
	free(text_again);
	topo_free(again);
}

/* Claims that each link has two ends, which are ports of nodes. */
static void claim_links(const struct topology *topo)
{
	for (uint32_t i = 0; i < topo->count; i++) {
		const struct node *node = &topo->nodes[i];

		CLAIM(name_is_valid(node->name));
		CLAIM(node->ports_len <= node->num_ports);
		for (uint32_t n = 0; n < node->ports_len; n++) {
			const struct port *port = &node->ports[n], *to;

			if (!port->peer_port)
				continue;
			CLAIM(port->peer < topo->count);
			CLAIM(port->peer_port <= topo->nodes[port->peer].ports_len);
			to = &topo->nodes[port->peer].ports[port->peer_port - 1];
			CLAIM(to != port && to->peer == i && to->peer_port == n + 1);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct topology *topo = topo_new();
	uint8_t *text = exact(data, size);
	struct fault fault = { 0 };

	if (!topo_parse(topo, (char *)text, size, &fault)) {
		claim_links(topo);
		claim_printed(topo);
	} else {
		CLAIM(fault.line && fault.column && *fault.text);
	}
	free(text);
	topo_free(topo);
	return 0;
}
