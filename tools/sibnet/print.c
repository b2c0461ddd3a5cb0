// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause

#include "print.h"

#include <inttypes.h>
#include <string.h>

#include "rate.h"

static void print_quoted(const char *text, FILE *out)
{
	putc('"', out);
	for (; *text; text++) {
		unsigned char byte = *text;

		if (byte == '"' || byte == '\\')
			fprintf(out, "\\%c", byte);
		else if (byte < ' ' || byte == 0x7f)
			fprintf(out, "\\x%02x", byte);
		else
			putc(byte, out);
	}
	putc('"', out);
}

static void print_options(const struct port *port, FILE *out)
{
	if (port->width)
		fprintf(out, "\tw=%u", port->width);
	if (port->speed)
		fprintf(out, "\ts=%u", mask_of_speed(port->speed));
	if (port->mtu)
		fprintf(out, "\tmtu=%u", port->mtu);
	if (port->vls)
		fprintf(out, "\tvls=%u", port->vls);
}

static void print_port(const struct topology *topo, const struct node *node, unsigned int number,
		       FILE *out)
{
	const struct port *port = &node->ports[number - 1];

	if (!port->peer_port && !port->guid && !port->width && !port->speed && !port->mtu &&
	    !port->vls)
		return;
	fprintf(out, "[%u]", number);
	if (port->guid)
		fprintf(out, "(%" PRIx64 ")", port->guid);
	if (port->peer_port) {
		putc('\t', out);
		print_quoted(topo->nodes[port->peer].name, out);
		fprintf(out, "[%u]", port->peer_port);
	}
	print_options(port, out);
	putc('\n', out);
}

static void print_node(const struct topology *topo, const struct node *node, FILE *out)
{
	bool is_switch = node->kind == NODE_SWITCH;

	putc('\n', out);
	if (node->system_guid)
		fprintf(out, "sysimgguid=0x%" PRIx64 "\n", node->system_guid);
	if (node->guid)
		fprintf(out, "%s=0x%" PRIx64 "\n", is_switch ? "switchguid" : "caguid", node->guid);
	if (node->desc && strcmp(node->desc, node->name)) {
		fputs("desc=", out);
		print_quoted(node->desc, out);
		putc('\n', out);
	}
	fprintf(out, "%s\t%u ", is_switch ? "Switch" : "Hca", node->num_ports);
	print_quoted(node->name, out);
	putc('\n', out);
	for (uint32_t n = 1; n <= node->ports_len; n++)
		print_port(topo, node, n, out);
}

void topo_print(const struct topology *topo, FILE *out)
{
	for (uint32_t i = 0; i < topo->count; i++)
		print_node(topo, &topo->nodes[i], out);
}
