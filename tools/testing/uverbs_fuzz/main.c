// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz [--seed N] [--seconds S] [--processes P] ADDRESS...: runs hostile processes for S
 * seconds, on the siw devices that have one of the addresses; other addresses are those of peers.
 * Prints KTAP. Expects that no process is stuck or crashes, and that each kind of command that can
 * succeed does so at least once. The caller has to check the kernel log.
 *
 * The same seed gives the same processes and threads with the same random choices. The scheduler
 * decides how the threads interleave.
 *
 * uverbs_fuzz --guided [--seed N] [--seconds S] [--corpus FILE] [--journal FILE] ADDRESS...: plays
 * programs in one thread, and changes those further that reach new code; see guided.h. Needs
 * modules that were compiled for coverage. With --replay FILE, plays the programs in FILE, once;
 * with --fresh, changes none.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "guided.h"
#include "uverbs_fuzz.h"

#define MAX_UVERBS	32

struct setting setting = { .seconds = 20, .processes = 3, .slow = 1 };

static void usage(void)
{
	fputs("usage: uverbs_fuzz [--seed N] [--seconds S] [--processes P] ADDRESS...\n"
	      "       uverbs_fuzz --guided [--seed N] [--seconds S] [--corpus FILE] [--fresh]\n"
	      "                   [--journal FILE] [--replay FILE] ADDRESS...\n", stderr);
	exit(2);
}

/* --- devices --- */

static bool parse(const char *text, struct sockaddr_in6 *addr)
{
	struct sockaddr_in in = { .sin_family = AF_INET };

	*addr = (struct sockaddr_in6) { .sin6_family = AF_INET6 };
	if (inet_pton(AF_INET6, text, &addr->sin6_addr) == 1)
		return true;
	if (inet_pton(AF_INET, text, &in.sin_addr) != 1)
		return false;
	*addr = (struct sockaddr_in6) {};
	memcpy(addr, &in, sizeof(in));
	return true;
}

static bool cm_ask(int fd, uint32_t number, const void *in, size_t len, size_t out)
{
	struct {
		struct rdma_ucm_cmd_hdr hdr;
		uint8_t in[512];
	} command = { .hdr = { number, len, out } };

	memcpy(command.in, in, len);
	return write(fd, &command, sizeof(command.hdr) + len) > 0;
}

/* Returns the index of the device that has the address, or -1 if no device here has it. */
static int index_of(const struct sockaddr_in6 *addr)
{
	struct rdma_ucm_query_addr_resp resp = {};
	struct rdma_ucm_create_id_resp id;
	struct rdma_ucm_create_id create = { .response = (uintptr_t)&id, .ps = RDMA_PS_TCP };
	struct rdma_ucm_bind_ip bind = { .addr = *addr };
	struct rdma_ucm_query query = { .response = (uintptr_t)&resp };
	int fd = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);
	int index = -1;

	if (fd < 0)
		return -1;
	if (cm_ask(fd, RDMA_USER_CM_CMD_CREATE_ID, &create, sizeof(create), sizeof(id))) {
		bind.id = id.id;
		query.id = id.id;
		if (cm_ask(fd, RDMA_USER_CM_CMD_BIND_IP, &bind, sizeof(bind), 0) &&
		    cm_ask(fd, RDMA_USER_CM_CMD_QUERY, &query, sizeof(query), sizeof(resp)))
			index = resp.ibdev_index;
	}
	close(fd);
	return index;
}

/*
 * Returns the index of the node's device, or -1 if the node does not exist or its device is not one
 * of siw.
 */
static int index_of_node(unsigned int node)
{
	struct {
		struct ib_uverbs_get_context_resp core;
		struct siw_uresp_alloc_ctx driver;
	} resp = {};
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_get_context in;
	} command = {
		.hdr = { IB_USER_VERBS_CMD_GET_CONTEXT, sizeof(command) / 4, sizeof(resp) / 4 },
		.in = { .response = (uintptr_t)&resp },
	};
	char path[64];
	int fd, index = -1;

	snprintf(path, sizeof(path), "/dev/infiniband/uverbs%u", node);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (write(fd, &command, sizeof(command)) > 0) {
		index = resp.driver.dev_id;
		close(resp.core.async_fd);
	}
	close(fd);
	return index;
}

/* Adds a node, whose device has this index. It is ours if it has one of the addresses. */
static void add_node(unsigned int node, int index)
{
	bool ours = false;

	if (setting.num_nodes == MAX_NODES)
		return;
	setting.nodes[setting.num_nodes++] = node;
	for (unsigned int i = 0; i < setting.num_targets && !ours; i++)
		ours = index_of(&setting.targets[i]) == index;
	if (!ours)
		return;
	/* The nodes of our devices come first. */
	setting.nodes[setting.num_nodes - 1] = setting.nodes[setting.num_ours];
	setting.nodes[setting.num_ours++] = node;
}

/* --- the run --- */

static void read_options(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "seconds", required_argument, NULL, 't' },
		{ "processes", required_argument, NULL, 'p' },
		{ "guided", no_argument, NULL, 'g' },
		{ "fresh", no_argument, NULL, 'f' },
		{ "corpus", required_argument, NULL, 'c' },
		{ "replay", required_argument, NULL, 'r' },
		{ "journal", required_argument, NULL, 'j' },
		{}
	};
	const char *slow = getenv("KRDMA_SLOW");
	int option;

	if (slow && atoi(slow) > 0)
		setting.slow = atoi(slow);
	setting.seed = time(NULL);
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 's':
			setting.seed = strtoull(optarg, NULL, 0);
			break;
		case 't':
			setting.seconds = strtoul(optarg, NULL, 0);
			break;
		case 'p':
			setting.processes = strtoul(optarg, NULL, 0);
			break;
		case 'g':
			setting.guided = true;
			break;
		case 'f':
			setting.fresh = true;
			break;
		case 'c':
			setting.corpus = optarg;
			break;
		case 'r':
			setting.replay = optarg;
			break;
		case 'j':
			setting.journal = optarg;
			break;
		default:
			usage();
		}
	}
	for (; optind < argc && setting.num_targets < MAX_TARGETS; optind++)
		if (!parse(argv[optind], &setting.targets[setting.num_targets++]))
			usage();
	if (!setting.num_targets || !setting.processes)
		usage();
}

/* Runs processes with several threads. Prints results, and returns the number of failed ones. */
static int run_processes(int *count)
{
	struct outcome outcome = {};
	int failed = 0;

	parent_run(&outcome);
	printf("# %u processes, %u of them killed\n", outcome.started, outcome.killed);
	failed += result(count, !outcome.stuck, "processes end when they are killed");
	failed += result(count, !outcome.crashed, "no process has crashed");
	return failed + stats_report(count, true);
}

int main(int argc, char **argv)
{
	int count = 0, failed;

	setvbuf(stdout, NULL, _IOLBF, 0);
	read_options(argc, argv);
	for (unsigned int node = 0; node < MAX_UVERBS; node++) {
		int index = index_of_node(node);

		if (index >= 0)
			add_node(node, index);
	}
	printf("KTAP version 1\n# seed %llu\n", (unsigned long long)setting.seed);
	if (!setting.num_ours) {
		printf("# no siw device here has one of the addresses\nnot ok 1 devices\n1..1\n");
		return 1;
	}
	stats_init();
	failed = setting.guided ? guided_run(&count) : run_processes(&count);
	printf("1..%d\n", count);
	return failed ? 1 : 0;
}
