// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests how sibnet makes, reads and removes fabrics in configfs, also if any of its calls fails. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sibnet_fake.h"
#include "tools/sibnet/load.h"
#include "tools/sibnet/parse.h"
#include "tools/sibnet/print.h"
#include "tools/sibnet/read.h"
#include "tools/sibnet/remove.h"
#include "unit.h"

static const char lab[] =
	"\nsysimgguid=0x9\nswitchguid=0x110\ndesc=\"first \\\"switch\\\"\"\n"
	"Switch\t8 \"S1\"\n[1]\t\"H1\"[1]\n[2]\t\"S2\"[4]\tw=1\ts=3\tmtu=2048\tvls=2\n"
	"[3]\t\"S2\"[5]\n[8]\tw=12\n"
	"\nswitchguid=0x101\nSwitch\t36 \"S2\"\n[1]\t\"H10\"[2]\n[2]\t\"H1\"[2]\n"
	"[4]\t\"S1\"[2]\n[5]\t\"S1\"[3]\n"
	"\ncaguid=0x100\nHca\t2 \"H1\"\n[1](177)\t\"S1\"[1]\n[2]\t\"S2\"[2]\n"
	"\ncaguid=0x120\nHca\t2 \"H10\"\n[2]\t\"S2\"[1]\ts=1\n";

static struct topology *lab_topology(const char *text)
{
	struct topology *topo = topo_new();
	struct fault fault = { 0 };

	if (topo_parse(topo, text, strlen(text), &fault))
		unit_check(false, fault.text, __FILE__, __LINE__);
	return topo;
}

/* Reads the fabric. Returns what it is printed as, or the fault; the caller frees it. */
static char *saved(void)
{
	struct topology *topo = topo_new();
	struct fault fault = { 0 };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (fabric_read(FAKE_ROOT, "lab", topo, &fault))
		fputs(fault.text, out);
	else
		topo_print(topo, out);
	fclose(out);
	topo_free(topo);
	return text;
}

static void check_saved(const char *want)
{
	char *text = saved();

	unit_input("%s", text);
	CHECK(!strcmp(text, want));
	free(text);
}

static void loading(void)
{
	struct topology *topo = lab_topology(lab);
	struct fault fault = { 0 };

	fake_reset(0);
	topo_find(topo, "H10")->device = true;
	CHECK_EQ(fabric_load(FAKE_ROOT, "lab", topo, &fault), 0);
	unit_input("%s", fault.text);
	CHECK(!strcmp(fake_read("S2/port2/peer"), "?"));
	CHECK(!strcmp(fake_read("H10/port2/peer"), "S2:1"));
	CHECK(!strcmp(fake_read("S2/num_ports"), "36"));
	CHECK(!strcmp(fake_read("S1/node_desc"), "first \"switch\""));
	CHECK(!strcmp(fake_read("S1/port2/speed"), "5"));
	CHECK(!strcmp(fake_read("H10/device"), "H10"));
	CHECK(!strcmp(fake_read("H1/device"), ""));
	check_saved(lab);
	CHECK_EQ(fabric_remove(FAKE_ROOT, "lab", &fault), 0);
	CHECK(fake_is_empty() && fake_is_closed());
	topo_free(topo);
}

/* Nodes without a GUID do not take one that another node has in the file. */
static void guids(void)
{
	struct topology *topo = lab_topology("Hca 1 \"a\"\nHca 1 \"b\"\nguid=100\nHca 1 \"c\"\n"
					     "guid=101\nHca 1 \"d\"");
	struct fault fault = { 0 };

	fake_reset(0);
	CHECK_EQ(fabric_load(FAKE_ROOT, "lab", topo, &fault), 0);
	unit_input("%s", fault.text);
	CHECK(!strcmp(fake_read("c/guid"), "0x0000000000000100"));
	CHECK(!strcmp(fake_read("d/guid"), "0x0000000000000101"));
	topo_free(topo);
}

static void each_failure(void)
{
	struct topology *topo;
	struct fault fault;
	unsigned int calls;
	int err = -1;

	for (unsigned int n = 1; err; n++) {
		topo = lab_topology(lab);
		topo_find(topo, "H1")->device = true;
		fake_reset(n);
		fault = (struct fault){ 0 };
		err = fabric_load(FAKE_ROOT, "lab", topo, &fault);
		calls = fake_calls();
		unit_input("call %u of %u: %s", n, calls, fault.text);
		CHECK(fake_is_closed());
		CHECK(!err || (fake_is_empty() && strstr(fault.text, "Cannot allocate memory")));
		CHECK(err || n > calls);
		topo_free(topo);
		if (CHECK(n < 1000))
			return;
	}
}

/* Makes the fabric, and fails call @n of reading it. Returns false if reading has fewer calls. */
static bool read_with_failure(unsigned int n)
{
	struct topology *topo = lab_topology(lab);
	struct fault fault = { 0 };
	unsigned int calls;
	char *text;

	fake_reset(0);
	CHECK_EQ(fabric_load(FAKE_ROOT, "lab", topo, &fault), 0);
	topo_free(topo);
	calls = fake_calls();
	fake_fail(calls + n);
	text = saved();
	unit_input("call %u: %s", n, text);
	CHECK(fake_is_closed());
	CHECK(fake_calls() < calls + n ? !strcmp(text, lab) :
	      !!strstr(text, "Cannot allocate memory"));
	free(text);
	return fake_calls() >= calls + n;
}

static void each_failure_of_reading(void)
{
	unsigned int n = 1;

	while (n < 1000 && read_with_failure(n))
		n++;
	CHECK(n > 20 && n < 1000);
}

static void interrupts(void)
{
	struct topology *topo;
	struct fault fault;
	unsigned int calls;

	topo = lab_topology(lab);
	topo_find(topo, "H1")->device = true;
	topo_find(topo, "H10")->device = true;
	fake_reset(0);
	CHECK_EQ(fabric_load(FAKE_ROOT, "lab", topo, &fault), 0);
	CHECK(!strcmp(fake_read("H10/device"), "H10"));
	topo_free(topo);
	calls = fake_calls() - 1;
	for (unsigned int n = 1; n <= calls; n++) {
		topo = lab_topology(lab);
		topo_find(topo, "H1")->device = true;
		topo_find(topo, "H10")->device = true;
		fake_reset(0);
		fake_interrupt(n);
		CHECK(fabric_load(FAKE_ROOT, "lab", topo, &fault));
		unit_input("call %u: %s", n, fault.text);
		CHECK(!strcmp(fault.text, "a signal was received"));
		CHECK(fake_is_empty() && fake_is_closed());
		topo_free(topo);
	}
}

/* What cannot be removed after a signal is told. */
static void failure_of_removal(void)
{
	struct topology *topo;
	struct fault fault;
	unsigned int calls = 0;

	for (unsigned int run = 0; run < 2; run++) {
		topo = lab_topology(lab);
		fake_reset(calls);
		fake_interrupt(5);
		CHECK(fabric_load(FAKE_ROOT, "lab", topo, &fault));
		calls = fake_calls();
		topo_free(topo);
	}
	unit_input("%s", fault.text);
	CHECK(!strncmp(fault.text, "a signal was received; ", 23));
	CHECK(!strncmp(fault.text + 23, "what was made could not be removed: ", 36));
	CHECK(!strcmp(fault.text + 59, "lab: Cannot allocate memory"));
	CHECK(!fake_is_empty() && fake_is_closed());
}

/* A description that software of the node has set is saved as one that can be loaded. */
static void odd_descriptions(void)
{
	char long_one[65] = { 0 }, want[256];
	struct topology *topo = lab_topology("guid=5\nHca 1 \"H1\"");
	struct fault fault = { 0 };

	fake_reset(0);
	CHECK_EQ(fabric_load(FAKE_ROOT, "lab", topo, &fault), 0);
	topo_free(topo);
	memset(long_one, 'd', 64);
	long_one[3] = '\t';
	long_one[4] = '\x7f';
	long_one[5] = '\x80';
	CHECK_EQ(fake_write("H1/node_desc", long_one), 0);
	snprintf(want, sizeof(want), "\ncaguid=0x5\ndesc=\"ddd??\x80%.57s\"\nHca\t1 \"H1\"\n",
		 long_one + 6);
	check_saved(want);
	topo = lab_topology(want);
	CHECK_EQ(fabric_remove(FAKE_ROOT, "lab", &fault), 0);
	CHECK_EQ(fabric_load(FAKE_ROOT, "lab", topo, &fault), 0);
	check_saved(want);
	topo_free(topo);
}

static void refusals(void)
{
	struct topology *topo = lab_topology(lab);
	struct fault fault = { 0 };

	fake_reset(0);
	CHECK(fabric_remove(FAKE_ROOT, "lab", &fault));
	CHECK(!strcmp(fault.text, "lab: No such file or directory"));
	CHECK(fabric_read(FAKE_ROOT, "lab", topo, &fault));
	CHECK(!strcmp(fault.text, "lab: No such file or directory"));
	CHECK_EQ(fabric_load(FAKE_ROOT, "lab", topo, &fault), 0);
	CHECK(fabric_load(FAKE_ROOT, "lab", topo, &fault));
	CHECK(!strcmp(fault.text, "lab: File exists"));
	CHECK(!fake_is_empty());
	topo_free(topo);
	topo = lab_topology("guid=5\nSwitch 2 \"s\"");
	topo_find(topo, "s")->device = true;
	CHECK_EQ(fabric_remove(FAKE_ROOT, "lab", &fault), 0);
	CHECK(fabric_load(FAKE_ROOT, "lab", topo, &fault));
	CHECK(!strcmp(fault.text, "s/device: 1: Operation not supported"));
	CHECK(fake_is_empty() && fake_is_closed());
	topo_free(topo);
}

/* Files whose content makes no sense. */
static void odd_files(void)
{
	static const struct {
		const char *path;
		const char *text;
		const char *want;
	} rows[] = {
		{ "H1/port1/width", "four", "H1/port1/width: \"four\" makes no sense" },
		{ "H1/port1/width", "99x", "H1/port1/width: \"99x\" makes no sense" },
		{ "H1/port1/speed", "3", "H1/port1/speed: \"3\" makes no sense" },
		{ "H1/port1/mtu", "8192", "H1/port1/mtu: \"8192\" makes no sense" },
		{ "H1/port1/vls", "8 ", "H1/port1/vls: \"8 \" makes no sense" },
		{ "H1/guid", "0", "H1/guid: \"0x0000000000000000\" makes no sense" },
		{ "H1/num_ports", "0", "H1/num_ports: \"0\" makes no sense" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct topology *topo = lab_topology("Hca 2 \"H1\"");
		struct fault fault;

		fake_reset(0);
		CHECK_EQ(fabric_load(FAKE_ROOT, "lab", topo, &fault), 0);
		CHECK_EQ(fake_write(rows[i].path, rows[i].text), 0);
		check_saved(rows[i].want);
		topo_free(topo);
	}
}

void test_sibnet_fabric(void)
{
	unit_run("sibnet: a fabric is made, saved and removed", loading);
	unit_run("sibnet: GUIDs of the file come first", guids);
	unit_run("sibnet: nothing is left after a call that fails", each_failure);
	unit_run("sibnet: reading says which call has failed", each_failure_of_reading);
	unit_run("sibnet: nothing is left after a signal", interrupts);
	unit_run("sibnet: what is left after a signal is told", failure_of_removal);
	unit_run("sibnet: descriptions that load refuses", odd_descriptions);
	unit_run("sibnet: what is refused", refusals);
	unit_run("sibnet: files of configfs that make no sense", odd_files);
}
