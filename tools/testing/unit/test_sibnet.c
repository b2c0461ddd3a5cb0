// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests how sibnet reads, prints and compares topologies: each fault with its place. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sibnet/compare.h"
#include "tools/sibnet/devices.h"
#include "tools/sibnet/parse.h"
#include "tools/sibnet/print.h"
#include "unit.h"

#define TWO_CAS		"Switch 8 \"S1\"\n[1] \"H1\"[1]\n[2] \"H2\"[2]\n" \
			"Hca 2 \"H1\"\n[1] \"S1\"[1]\nHca 2 \"H2\"\n[2] \"S1\"[2]\n"

#define DISCOVERED	"#\n# Topology file: generated on Mon Nov 30 08:43:39 2026\n#\n" \
	"# Initiated from node 0002c900010000d0 port 0002c900010000d1\n\n" \
	"vendid=0x2c9\ndevid=0xb924\nsysimgguid=0x2c90002000009\n" \
	"switchguid=0x2c90002000002(2c90002000002)\n" \
	"Switch\t24 \"S-0002c90002000002\"\t\t# \"a \"b\" c\" base port 0 lid 9 lmc 0\n" \
	"[22]\t\"H-0002c900010000d0\"[1](2c900010000d1) \t\t# \"ca13\" lid 25 1xDDR\n" \
	"[3][ext 7]\t\"H-0002c900010000d0\"[2](2c900010000ff) \t\t# \"ca13\" lid 26 4xEDR\n\n" \
	"vendid=0x0\ndevid=0x0\nsysimgguid=0x2c900010000d0\ncaguid=0x2c900010000d0\n" \
	"Ca\t2 \"H-0002c900010000d0\"\t\t# \"ca13\"\n" \
	"[1](2c900010000d1) \t\"S-0002c90002000002\"[22]\t\t" \
	"# lid 25 lmc 0 \"a 4xSDR\" lid 9 1xDDR\n" \
	"[2](2c900010000ff) \t\"S-0002c90002000002\"[3]\t\t# lid 26 lmc 0 \"a\" lid 9 4xEDR\n"

/* Returns the topology of a text, which is copied so that an overrun is found; else NULL. */
static struct topology *parse(const char *text, size_t len, struct fault *fault)
{
	struct topology *topo = topo_new();
	struct bytes copy = bytes_copy(text, len);

	*fault = (struct fault){ 0 };
	if (!topo_parse(topo, (char *)copy.at, len, fault))
		return topo;
	topo_free(topo);
	return NULL;
}

static struct topology *parse_good(const char *text)
{
	struct fault fault;
	struct topology *topo = parse(text, strlen(text), &fault);

	unit_input("%s\n%u:%u: %s", text, fault.line, fault.column, fault.text);
	CHECK(topo);
	return topo;
}

/* Checks that a port is linked to another one, and how fast. */
static void check_link(struct topology *topo, const char *name, unsigned int number,
		       const char *peer, unsigned int peer_port)
{
	struct node *node = topo_find(topo, name);
	struct port *port;

	unit_input("%s:%u", name, number);
	if (CHECK(node && number <= node->ports_len))
		return;
	port = &node->ports[number - 1];
	CHECK_EQ(port->peer_port, peer_port);
	if (peer)
		CHECK(!strcmp(topo->nodes[port->peer].name, peer));
}

static void ibsim_format(void)
{
	struct topology *topo = parse_good("# comment\n\n" TWO_CAS);

	if (!topo)
		return;
	CHECK(!topo->discovered);
	CHECK_EQ(topo->count, 3);
	CHECK_EQ(topo_find(topo, "S1")->kind, NODE_SWITCH);
	CHECK_EQ(topo_find(topo, "S1")->num_ports, 8);
	CHECK_EQ(topo_find(topo, "H2")->kind, NODE_CA);
	CHECK_EQ(topo_find(topo, "H2")->num_ports, 2);
	CHECK(!topo_find(topo, "H3"));
	check_link(topo, "S1", 1, "H1", 1);
	check_link(topo, "S1", 2, "H2", 2);
	check_link(topo, "H1", 1, "S1", 1);
	check_link(topo, "H2", 1, NULL, 0);
	check_link(topo, "H2", 2, "S1", 2);
	topo_free(topo);
}

static void one_end(void)
{
	struct topology *topo = parse_good("Switch 4 \"a\"\n[4]\t\"b\" [3]\n[1] \"a\"[2]\n"
					   "Switch 4 \"b\"\r\n[2] \"c\"[1]\r\nCa 1 \"c\"# end");

	if (!topo)
		return;
	check_link(topo, "b", 3, "a", 4);
	check_link(topo, "a", 2, "a", 1);
	check_link(topo, "c", 1, "b", 2);
	topo_free(topo);
}

static void options(void)
{
	struct topology *topo = parse_good("sysimgguid=0x9\nswitchguid=0x10(11)\n"
					   "desc=\"a \\\"\\\\\\x41\"\n"
					   "Switch 4 \"S\\\"1\"\n[4] w=1 s=3 mtu=2048 vls=2 # w=4\n"
					   "[2] \"H\"[1](77) s=1\n"
					   "hcaguid=20\nHca 3 \"H\"\n[1] w=12\n[3](23)\n");
	struct port *port;
	struct node *node;

	if (!topo)
		return;
	node = topo_find(topo, "S\"1");
	if (CHECK(node))
		return;
	CHECK_EQ(node->guid, 0x10);
	CHECK_EQ(node->system_guid, 9);
	CHECK(!strcmp(node->desc, "a \"\\A"));
	port = &node->ports[3];
	CHECK_EQ(port->width, 1);
	CHECK_EQ(port->speed, 5);
	CHECK_EQ(port->mtu, 2048);
	CHECK_EQ(port->vls, 2);
	CHECK_EQ(port->peer_port, 0);
	CHECK_EQ(node->ports[1].speed, 2);
	node = topo_find_guid(topo, 0x20);
	if (CHECK(node))
		return;
	CHECK_EQ(node->ports[0].guid, 0x77);
	CHECK_EQ(node->ports[0].width, 12);
	CHECK_EQ(node->ports[2].guid, 0);
	CHECK_EQ(node->ports[0].speed, 0);
	topo_free(topo);
}

static void ibnetdiscover_format(void)
{
	struct topology *topo = parse_good(DISCOVERED);
	struct node *node;

	if (!topo)
		return;
	CHECK(topo->discovered);
	CHECK_EQ(topo->count, 2);
	node = topo_find(topo, "S-0002c90002000002");
	CHECK_EQ(node->guid, 0x2c90002000002);
	CHECK_EQ(node->system_guid, 0x2c90002000009);
	CHECK(!strcmp(node->desc, "a \"b\" c"));
	check_link(topo, "S-0002c90002000002", 22, "H-0002c900010000d0", 1);
	CHECK_EQ(node->ports[21].width, 1);
	CHECK_EQ(node->ports[21].speed, 5);
	node = topo_find(topo, "H-0002c900010000d0");
	CHECK_EQ(node->system_guid, 0);
	CHECK(!strcmp(node->desc, "ca13"));
	CHECK_EQ(node->ports[0].guid, 0);
	CHECK_EQ(node->ports[0].width, 1);
	CHECK_EQ(node->ports[0].speed, 5);
	CHECK_EQ(node->ports[1].guid, 0x2c900010000ff);
	CHECK_EQ(node->ports[1].speed, 10);
	topo_free(topo);
}

/* A text without its last line's end, and the fault that it has. */
static const struct {
	const char *text;
	unsigned int line;
	unsigned int column;
	const char *message;
} faults[] = {
	{ "", 1, 1, "expected a node" },
	{ "# nothing\n", 1, 1, "expected a node" },
	{ "Router 1 \"r\"", 1, 1, "expected Switch, Hca, Ca" },
	{ "  Rt 1 \"r\"", 1, 3, "routers are not supported" },
	{ "Rt\t1 \"r\"", 1, 1, "routers are not supported" },
	{ "include other", 1, 1, "expected Switch, Hca, Ca" },
	{ "rtguid=0x1", 1, 1, "expected Switch, Hca, Ca" },
	{ "Switch8 \"s\"", 1, 7, "expected a blank" },
	{ "Switch \"s\"", 1, 8, "expected a number of ports, 1 to 254" },
	{ "Switch 0 \"s\"", 1, 8, "expected a number of ports, 1 to 254" },
	{ "Switch 255 \"s\"", 1, 8, "expected a number of ports, 1 to 254" },
	{ "Switch 99999999999999999999 \"s\"", 1, 8, "expected a number of ports" },
	{ "Hca 9 \"h\"", 1, 5, "expected a number of ports, 1 to 8" },
	{ "Hca 1 h", 1, 7, "expected a name in quotes" },
	{ "Hca 1 \"h", 1, 9, "expected a quote" },
	{ "Hca 1 \"\"", 1, 7, "expected a name without blanks" },
	{ "Hca 1 \"a b\"", 1, 7, "expected a name without blanks" },
	{ "Hca 1 \"a:b\"", 1, 7, "expected a name without blanks" },
	{ "Hca 1 \"a/b\"", 1, 7, "expected a name without blanks" },
	{ "Hca 1 \"..\"", 1, 7, "expected a name without blanks" },
	{ "Hca 1 \"\\q\"", 1, 9, "expected \\\", \\\\ or \\x" },
	{ "Hca 1 \"\\x4\"", 1, 9, "expected \\\", \\\\ or \\x" },
	{ "Hca 1 \"\\x00\"", 1, 9, "expected \\\", \\\\ or \\x" },
	{ "Hca 1 \"0123456789012345678901234567890123456789012345678901234567890123\"", 1, 72,
	  "expected a name of 63 bytes at most" },
	{ "Hca 1 \"h\" more", 1, 11, "expected a comment" },
	{ "Hca 1 \"h\"\n\nHca 1 \"h\"", 3, 7, "line 1 has a node of this name" },
	{ "[1] \"h\"[1]", 1, 1, "expected Switch, Hca or Ca before its ports" },
	{ "Hca 1 \"h\"\n[0] \"s\"[1]", 2, 2, "expected the number of a port, 1 to 254" },
	{ "Hca 1 \"h\"\n[x] \"s\"[1]", 2, 2, "expected the number of a port" },
	{ "Hca 1 \"h\"\n[2] \"s\"[1]", 2, 2, "\"h\" has 1 ports, not 2" },
	{ "Hca 1 \"h\"\n[1 \"s\"[1]", 2, 3, "expected \"]\"" },
	{ "Hca 1 \"h\"\n[1][ext 1", 2, 10, "expected \"]\"" },
	{ "Hca 1 \"h\"\n[1] \"h\"", 2, 8, "expected a port in brackets" },
	{ "Hca 1 \"h\"\n[1] \"h\"[255]", 2, 9, "expected the number of a port" },
	{ "Hca 1 \"h\"\n[1] \"s\"[1]", 2, 5, "there is no node \"s\"" },
	{ "Hca 1 \"h\"\n[1] \"h\"[2]", 2, 5, "\"h\" has 1 ports, not 2" },
	{ "Hca 1 \"h\"\n[1] \"h\"[1]", 2, 5, "the port is linked to itself" },
	{ "Hca 1 \"h\"\n[1](zz) \"h\"[1]", 2, 5, "expected a GUID" },
	{ "Hca 1 \"h\"\n[1](1 \"h\"[1]", 2, 6, "expected \")\"" },
	{ "Hca 1 \"h\"\n[1] w=4\n[1] w=4", 3, 2, "line 2 has port 1" },
	{ "Hca 1 \"h\"\n[1] w=2", 2, 7, "expected a number of lanes: 1, 4, 8 or 12" },
	{ "Hca 1 \"h\"\n[1] w=13", 2, 7, "expected a number of lanes, 1 to 12" },
	{ "Hca 1 \"h\"\n[1] s=8", 2, 7, "expected a mask of speeds, 1 to 7" },
	{ "Hca 1 \"h\"\n[1] mtu=1000", 2, 9, "expected an MTU: 256" },
	{ "Hca 1 \"h\"\n[1] mtu=8192", 2, 9, "expected an MTU, 256 to 4096" },
	{ "Hca 1 \"h\"\n[1] vls=3", 2, 9, "expected a number of VLs: 1" },
	{ "Hca 1 \"h\"\n[1] vls=9", 2, 9, "expected a number of VLs, 1 to 8" },
	{ "Hca 1 \"h\"\n[1] x=9", 2, 5, "expected w=, s=, mtu=, vls=" },
	{ "guid=0\nHca 1 \"h\"", 1, 6, "expected a GUID that is not 0" },
	{ "guid=\nHca 1 \"h\"", 1, 6, "expected a GUID" },
	{ "guid=0x\nHca 1 \"h\"", 1, 8, "expected a GUID" },
	{ "guid=12345678901234567\nHca 1 \"h\"", 1, 6, "expected a number of 64 bits" },
	{ "guid=1 2\nHca 1 \"h\"", 1, 8, "expected a comment" },
	{ "guid=1\nguid=2\nHca 1 \"h\"", 2, 6, "expected one GUID" },
	{ "guid=1\nHca 1 \"h\"\nguid=1\nHca 1 \"i\"", 3, 6, "\"h\" in line 2 has this GUID" },
	{ "guid=1", 1, 1, "expected Switch, Hca or Ca after this line" },
	{ "vendid=g\nHca 1 \"h\"", 1, 8, "expected a hexadecimal number" },
	{ "switchguid=1\nHca 1 \"h\"", 2, 1, "line 1 has a GUID of a switch" },
	{ "caguid=1\nSwitch 1 \"h\"", 2, 1, "line 1 has a GUID of a CA" },
	{ "desc=\"a\"\ndesc=\"a\"\nSwitch 1 \"h\"", 2, 6, "expected one description" },
	{ "desc=a\nSwitch 1 \"h\"", 1, 6, "expected a description in quotes" },
	{ "Hca 2 \"h\"\n[1] \"s\"[1]\n[2] \"s\"[1]\nSwitch 2 \"s\"", 3, 5,
	  "port 1 of \"s\" is linked to port 1 of \"h\" in line 2" },
	{ "Hca 2 \"h\"\n[1] \"s\"[1]\nSwitch 2 \"s\"\n[1] \"h\"[2]", 2, 5,
	  "port 1 of \"s\" is linked to port 2 of \"h\" in line 4" },
	{ "Hca 2 \"h\"\n[1] \"s\"[1]\n[2] \"s\"[2]\nSwitch 2 \"s\"\n[2] \"h\"[1]", 3, 5,
	  "port 2 of \"s\" is linked to port 1 of \"h\" in line 5" },
	{ "Switch 2 \"s\"\n[1] \"h\"[1](5)\nHca 2 \"h\"\n[1](6)", 2, 5,
	  "the GUID of port 1 of \"h\" is 0x6 elsewhere" },
	{ "Ca 1 \"H-1\"\t# \"h\"\n[1] \"H-1\"[1] w=4\n", 2, 14, "expected a comment" },
};

static void each_fault(void)
{
	struct topology *topo;
	struct fault fault;

	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		topo = parse(faults[i].text, strlen(faults[i].text), &fault);
		unit_input("%s\n%u:%u: %s", faults[i].text, fault.line, fault.column, fault.text);
		CHECK(!topo);
		CHECK_EQ(fault.line, faults[i].line);
		CHECK_EQ(fault.column, faults[i].column);
		CHECK(!strncmp(fault.text, faults[i].message, strlen(faults[i].message)));
		topo_free(topo);
	}
}

/* Checks that the text ends with a fault in this place. */
static void check_fault(const char *text, size_t len, unsigned int line, unsigned int column,
			const char *message)
{
	struct fault fault;
	struct topology *topo = parse(text, len, &fault);

	unit_input("%zu bytes\n%u:%u: %s", len, fault.line, fault.column, fault.text);
	CHECK(!topo);
	CHECK_EQ(fault.line, line);
	CHECK_EQ(fault.column, column);
	CHECK(!strncmp(fault.text, message, strlen(message)));
	topo_free(topo);
}

static void limits(void)
{
	size_t len = 0, room = 2u << 20;
	char *text = malloc(room);
	struct topology *topo;
	struct fault fault;

	memset(text, ' ', 1100);
	memcpy(text, "Hca 1 \"h\"#", 10);
	topo = parse(text, 1024, &fault);
	CHECK(topo);
	topo_free(topo);
	check_fault(text, 1025, 1, 1025, "expected a line of 1024 bytes at most");
	check_fault("Hca 1 \"a\0b\"", 11, 1, 10, "expected a text without a byte 0");
	for (unsigned int i = 0; i < NODES_MAX; i++)
		len += snprintf(text + len, room - len, "Hca 1 \"%u\"\n", i);
	topo = parse(text, len, &fault);
	if (!CHECK(topo))
		CHECK_EQ(topo->count, NODES_MAX);
	topo_free(topo);
	len += snprintf(text + len, room - len, "Hca 1 \"one\"");
	check_fault(text, len, NODES_MAX + 1, 7, "more than 65536 nodes");
	free(text);
}

/* Returns what @topo is printed as; the caller frees it. */
static char *printed(const struct topology *topo)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	topo_print(topo, out);
	fclose(out);
	return text;
}

static void printing(void)
{
	static const char want[] = "\nsysimgguid=0x9\nswitchguid=0x10\ndesc=\"q\\\"\\\\\\x01\"\n"
		"Switch\t4 \"S1\"\n[2]\t\"H\"[1]\ts=1\n[4]\tw=1\ts=3\tmtu=2048\tvls=2\n"
		"\ncaguid=0x20\nHca\t2 \"H\"\n[1](77)\t\"S1\"[2]\tw=12\n";
	struct topology *topo = parse_good(want);
	char *text;

	if (!topo)
		return;
	text = printed(topo);
	unit_input("%s", text);
	CHECK(!strcmp(text, want));
	free(text);
	topo_free(topo);
}

static void devices(void)
{
	struct topology *topo = parse_good(TWO_CAS);
	char name[80] = "";
	struct fault fault;

	if (!topo)
		return;
	CHECK_EQ(devices_choose(topo, "H2", &fault), 0);
	CHECK(topo_find(topo, "H2")->device && !topo_find(topo, "H1")->device);
	CHECK_EQ(devices_choose(topo, "all", &fault), 0);
	CHECK(topo_find(topo, "H1")->device && !topo_find(topo, "S1")->device);
	CHECK_EQ(devices_choose(topo, "H1,H2,", &fault), 0);
	CHECK(devices_choose(topo, "H1,S1", &fault) && strstr(fault.text, "\"S1\" is a switch"));
	CHECK(devices_choose(topo, "H1,,H2", &fault) && strstr(fault.text, "no node \"\""));
	CHECK(devices_choose(topo, "", &fault) && strstr(fault.text, "no node \"\""));
	memset(name, 'x', 70);
	CHECK(devices_choose(topo, name, &fault) && strstr(fault.text, "63 bytes"));
	topo_free(topo);
}

/* A change of TWO_CAS with GUIDs, and what is printed of it. */
static const struct {
	const char *fabric;
	const char *file;
	const char *want;
} differences[] = {
	{ TWO_CAS, TWO_CAS, "" },
	{ "Hca 1 \"a\"", "Hca 1 \"b\"", "a: only in lab\nb: only in f\n" },
	{ "Hca 1 \"a\"", "Switch 1 \"a\"", "a: kind: ca in lab, switch in f\n" },
	{ "Hca 1 \"a\"", "Hca 2 \"a\"", "a: num_ports: 1 in lab, 2 in f\n" },
	{ "guid=7\nHca 1 \"a\"", "guid=8\nHca 1 \"a\"",
	  "a: guid: 0x7 in lab, 0x8 in f\na: system_guid: 0x7 in lab, 0x8 in f\n" },
	{ "guid=7\nHca 1 \"a\"", "Hca 1 \"a\"", "" },
	{ "sysimgguid=1\nguid=7\nHca 1 \"a\"", "guid=7\nHca 1 \"a\"",
	  "a: system_guid: 0x1 in lab, 0x7 in f\n" },
	{ "desc=\"x\"\nHca 1 \"a\"", "desc=\"y\"\nHca 1 \"a\"",
	  "a: node_desc: x in lab, y in f\n" },
	{ "guid=7\nHca 2 \"a\"\n[2](9)", "guid=7\nHca 2 \"a\"\n[2](a)",
	  "a:2: guid: 0x9 in lab, 0xa in f\n" },
	{ "guid=7\nHca 2 \"a\"\n[2](a)", "guid=7\nHca 2 \"a\"\n[2]",
	  "a:2: guid: 0xa in lab, 0x9 in f\n" },
	{ "Hca 2 \"a\"\n[1] \"a\"[2]", "Hca 2 \"a\"",
	  "a:1: link: a:2 in lab, no link in f\na:2: link: a:1 in lab, no link in f\n" },
	{ "Hca 3 \"a\"\n[1] \"a\"[2]", "Hca 3 \"a\"\n[3] \"a\"[2]",
	  "a:1: link: a:2 in lab, no link in f\na:2: link: a:1 in lab, a:3 in f\n"
	  "a:3: link: no link in lab, a:2 in f\n" },
	{ "Hca 1 \"a\"\n[1] w=1 s=1 mtu=256 vls=1", "Hca 1 \"a\"",
	  "a:1: width: 1 in lab, 4 in f\na:1: speed: 2.5 in lab, 10 in f\n"
	  "a:1: mtu: 256 in lab, 4096 in f\na:1: vls: 1 in lab, 8 in f\n" },
	{ "Hca 1 \"a\"\n[1] w=4 s=7 mtu=4096 vls=8", "Hca 1 \"a\"", "" },
	{ "guid=1\ndesc=\"d\"\nHca 1 \"a\"\n[1] \"b\"[1] w=1\nguid=2\nHca 1 \"b\"\n[1] s=3 mtu=256",
	  "caguid=1\nCa\t1 \"H-1\"\t# \"d\"\n[1](2)\t\"H-2\"[1](3)\t# lid 1 lmc 0 \"b\" lid 2 1xDDR\n"
	  "caguid=2\nCa\t1 \"H-2\"\n[1](3)\t\"H-1\"[1](2)\t# lid 2 lmc 0 \"d\" lid 2 1xDDR\n", "" },
	{ "guid=1\ndesc=\"d\"\nHca 1 \"a\"\n[1] \"b\"[1]\nguid=2\nHca 1 \"b\"\n",
	  "caguid=1\nCa\t1 \"H-1\"\t# \"e\"\n[1](2)\t\"H-3\"[1](4)\t# lid 1 lmc 0 \"b\" lid 2 1xQDR\n"
	  "caguid=3\nCa\t1 \"H-3\"\n[1](4)\t\"H-1\"[1](2)\t# lid 2 lmc 0 \"d\" lid 2 1xQDR\n",
	  "a: node_desc: d in lab, e in f\na:1: link: b:1 in lab, H-3:1 in f\n"
	  "a:1: width: 4 in lab, 1 in f\nb: only in lab\nH-3: only in f\n" },
};

static void comparing(void)
{
	for (size_t i = 0; i < sizeof(differences) / sizeof(*differences); i++) {
		struct topology *fabric = parse_good(differences[i].fabric);
		struct topology *file = parse_good(differences[i].file);
		char *text = NULL;
		size_t len, lines = 0;
		FILE *out = open_memstream(&text, &len);

		if (fabric && file) {
			lines = topo_compare(fabric, "lab", file, "f", out);
			fclose(out);
			unit_input("%s\n%s\n%s", differences[i].fabric, differences[i].file, text);
			CHECK(!strcmp(text, differences[i].want));
			for (const char *at = text; (at = strchr(at, '\n')); at++)
				lines--;
			CHECK_EQ(lines, 0);
		}
		free(text);
		topo_free(fabric);
		topo_free(file);
	}
}

void test_sibnet(void)
{
	unit_run("sibnet: a file of ibsim", ibsim_format);
	unit_run("sibnet: links of which one end is given", one_end);
	unit_run("sibnet: GUIDs, descriptions and options", options);
	unit_run("sibnet: output of ibnetdiscover", ibnetdiscover_format);
	unit_run("sibnet: each fault, and its place", each_fault);
	unit_run("sibnet: lengths and numbers at their limits, and beyond", limits);
	unit_run("sibnet: what is printed is what was read", printing);
	unit_run("sibnet: the CAs that become devices", devices);
	unit_run("sibnet: each kind of difference", comparing);
}
