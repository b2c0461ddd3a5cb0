// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * sibnet makes, prints, compares and removes fabrics of sib; see sibnet(8).
 *
 * The exit status is 0, 1 if there are differences, and 2 if the program has failed.
 */

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "configfs.h"
#include "devices.h"
#include "file.h"
#include "interrupt.h"
#include "load.h"
#include "print.h"
#include "read.h"
#include "remove.h"

#define CONFIGFS	"/sys/kernel/config"
#define EXIT_DIFFERENT	1
#define EXIT_FAILED	2

static const char usage[] =
	"usage: sibnet [--configfs DIR] load [-n] [-d all|NAME,...] FABRIC FILE\n"
	"       sibnet [--configfs DIR] save FABRIC\n"
	"       sibnet [--configfs DIR] check FABRIC FILE\n"
	"       sibnet [--configfs DIR] remove FABRIC\n";

/**
 * struct request - the command line
 * @configfs:	where configfs is mounted
 * @devices:	which CAs become devices, or NULL
 * @fabric:	name of the fabric
 * @file:	path of the topology, or NULL
 * @dry_run:	only read the file
 */
struct request {
	const char *configfs;
	const char *devices;
	const char *fabric;
	const char *file;
	bool dry_run;
};

/* Says what has failed in a file or, if @file is NULL, elsewhere. Returns the exit status. */
static int complain(const char *file, const struct fault *fault)
{
	if (file && fault->line)
		fprintf(stderr, "%s:%u:%u: %s\n", file, fault->line, fault->column, fault->text);
	else
		fprintf(stderr, "sibnet: %s%s%s\n", file ?: "", file ? ": " : "", fault->text);
	return EXIT_FAILED;
}

/* Opens the folder of the fabrics. Returns -1 after the fault was described. */
static int open_root(const struct request *request, struct fault *fault)
{
	char path[4096];
	int root;

	snprintf(path, sizeof(path), "%s/sib", request->configfs);
	root = configfs_open(AT_FDCWD, path);
	if (root >= 0)
		return root;
	return fault_at(fault, 0, 0, "%s: %s%s", path, strerror(errno), errno == ENOENT ?
			": is sib loaded (modprobe sib), and configfs mounted?" : "");
}

static void print_summary(const struct request *request, const struct topology *topo)
{
	unsigned long switches = 0, ends = 0;

	for (uint32_t i = 0; i < topo->count; i++) {
		switches += topo->nodes[i].kind == NODE_SWITCH;
		for (uint32_t n = 0; n < topo->nodes[i].ports_len; n++)
			ends += !!topo->nodes[i].ports[n].peer_port;
	}
	printf("%s: switches %lu, cas %lu, links %lu\n", request->file, switches,
	       topo->count - switches, ends / 2);
}

static int load(const struct request *request, struct topology *topo)
{
	struct fault fault = { 0 };
	int root, err;

	if (file_read(request->file, topo, &fault))
		return complain(request->file, &fault);
	if (request->devices && devices_choose(topo, request->devices, &fault))
		return complain(NULL, &fault);
	if (request->dry_run) {
		print_summary(request, topo);
		return 0;
	}
	root = open_root(request, &fault);
	if (root < 0)
		return complain(NULL, &fault);
	interrupt_catch();
	err = fabric_load(root, request->fabric, topo, &fault);
	configfs_close(root);
	return err ? complain(NULL, &fault) : 0;
}

/* Reads the fabric of the request. Returns 0, or the exit status after the fault was printed. */
static int read_fabric(const struct request *request, struct topology *topo)
{
	struct fault fault = { 0 };
	int root = open_root(request, &fault), err;

	if (root < 0)
		return complain(NULL, &fault);
	err = fabric_read(root, request->fabric, topo, &fault);
	configfs_close(root);
	return err ? complain(NULL, &fault) : 0;
}

static int save(const struct request *request, struct topology *topo)
{
	int err = read_fabric(request, topo);

	if (err)
		return err;
	printf("# The fabric %s, as sibnet has saved it.\n", request->fabric);
	topo_print(topo, stdout);
	return 0;
}

static int check(const struct request *request, struct topology *topo)
{
	struct topology *file = topo_new();
	struct fault fault = { 0 };
	int err;

	if (!file)
		fault_memory(&fault);
	if (!file || file_read(request->file, file, &fault))
		err = complain(request->file, &fault);
	else
		err = read_fabric(request, topo);
	if (!err && topo_compare(topo, request->fabric, file, request->file, stdout))
		err = EXIT_DIFFERENT;
	topo_free(file);
	return err;
}

static int remove_fabric(const struct request *request, struct topology *topo)
{
	struct fault fault = { 0 };
	int root = open_root(request, &fault), err;

	(void)topo;
	if (root < 0)
		return complain(NULL, &fault);
	err = fabric_remove(root, request->fabric, &fault);
	configfs_close(root);
	return err ? complain(NULL, &fault) : 0;
}

static const struct command {
	const char *name;
	int (*run)(const struct request *request, struct topology *topo);
	int arguments;
} commands[] = {
	{ "load", load, 2 },
	{ "save", save, 1 },
	{ "check", check, 2 },
	{ "remove", remove_fabric, 1 },
};

static int refuse(const char *reason)
{
	fprintf(stderr, "sibnet: %s\n%s", reason, usage);
	return EXIT_FAILED;
}

/* Carries out the command. Output that could not be written is a failure. */
static int run(const struct command *command, const struct request *request)
{
	struct topology *topo = topo_new();
	struct fault fault = { 0 };
	int status;

	if (!topo) {
		fault_memory(&fault);
		return complain(NULL, &fault);
	}
	status = command->run(request, topo);
	topo_free(topo);
	if (fflush(stdout) || ferror(stdout)) {
		fault_errno(&fault, "standard output");
		return complain(NULL, &fault);
	}
	return status;
}

/* Carries out the command of the words, which are its name, a fabric, and maybe a file. */
static int run_words(struct request *request, int count, char **words)
{
	const struct command *command = NULL;

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands) && count; i++)
		if (!strcmp(words[0], commands[i].name))
			command = &commands[i];
	if (!command)
		return refuse("expected load, save, check or remove");
	if (count != command->arguments + 1)
		return refuse(command->arguments == 1 ? "expected FABRIC" : "expected FABRIC FILE");
	if ((request->devices || request->dry_run) && command->run != load)
		return refuse("-d and -n are options of load");
	request->fabric = words[1];
	request->file = words[2];
	if (!name_is_valid(request->fabric))
		return refuse("expected a name of 1 to 63 bytes without blanks, \":\" and \"/\"");
	return run(command, request);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "configfs", required_argument, NULL, 'c' },
		{ "devices", required_argument, NULL, 'd' },
		{ "dry-run", no_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct request request = { .configfs = getenv("SIBNET_CONFIGFS") ?: CONFIGFS };
	int option;

	while ((option = getopt_long(argc, argv, "d:nh", options, NULL)) != -1) {
		switch (option) {
		case 'c':
			request.configfs = optarg;
			break;
		case 'd':
			request.devices = optarg;
			break;
		case 'n':
			request.dry_run = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			fputs(usage, stderr);
			return EXIT_FAILED;
		}
	}
	return run_words(&request, argc - optind, argv + optind);
}
