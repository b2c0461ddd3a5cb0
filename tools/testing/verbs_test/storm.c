// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: very many processes that are killed, servers and clients, several at a time and in whatever
 * they are doing. For each one that has died another begins.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verbs_test.h"

#define SERVERS		4
/* The first two of them visit a server that stays, the others two each of those that do not. */
#define CLIENTS		(2 + 2 * SERVERS)
#define MORTALS		(SERVERS + CLIENTS)
#define LIFE_MS		300
#define LATEST_MS	3000
#define MOMENT_US	30000

/* How a client ends that has read something wrong: 1 is any other failure. */
#define WRONG_BYTES	2

static const char *const stage_names[NUM_STAGES] = {
	[STAGE_STARTING] = "starting",
	[STAGE_OPENING] = "opening",
	[STAGE_RESOLVING] = "resolving",
	[STAGE_CONNECTING] = "connecting",
	[STAGE_TRAFFIC] = "in traffic",
	[STAGE_LISTENING] = "listening",
	[STAGE_ACCEPTING] = "accepting",
	[STAGE_SERVING] = "serving",
	[STAGE_PARTING] = "parting",
};

static int number;

/* --- clients --- */

static void compare(const struct side *side, uint32_t offset, uint32_t len, uint32_t message)
{
	if (!pattern_is(side->mem + offset, len, message))
		exit(WRONG_BYTES);
}

/* What is written is read back. */
static bool write_and_read(struct client *client, uint32_t message)
{
	uint8_t *mem = client->side.mem;

	pattern_fill(mem, GRANT_RDMA, message);
	if (!client_exchange(client, IBV_WR_RDMA_WRITE, 0, GRANT_RDMA))
		return false;
	memset(mem, 0, GRANT_RDMA);
	if (!client_exchange(client, IBV_WR_RDMA_READ, 0, GRANT_RDMA))
		return false;
	compare(&client->side, 0, GRANT_RDMA, message);
	return true;
}

/* What has been sent is read from where it has come to. */
static bool send_and_read(struct client *client, uint32_t message)
{
	uint8_t *mem = client->side.mem + SENT_AT(message);

	pattern_fill(mem, SEND_LEN, message);
	if (!client_send(client, message))
		return false;
	memset(mem, 0, SEND_LEN);
	if (!client_exchange(client, IBV_WR_RDMA_READ, SENT_AT(message), SEND_LEN))
		return false;
	compare(&client->side, SENT_AT(message), SEND_LEN, message);
	return true;
}

static bool visit(struct client *client, const struct victim *server)
{
	uint32_t rounds = 1 + below(MAX_SENDS);

	if (!server_listens(server) || !client_reach(client, server) || !client_join(client))
		return false;
	for (uint32_t i = 0; i < rounds; i++)
		if (!write_and_read(client, getpid() + i) || !send_and_read(client, i))
			return false;
	return client_disconnect(client);
}

/* One connection after another. */
static bool visit_all_the_time(const struct victim *server)
{
	struct client client = {};

	while (visit(&client, server))
		if (!client_free(&client))
			return false;
	return false;
}

/* Whatever the server's death does to it is nothing to tell of. */
static bool visit_mortal(const struct victim *server)
{
	struct client client = {};

	if (!freopen("/dev/null", "w", stdout))
		return false;
	for (;;) {
		visit(&client, server);
		if (!client_free(&client))
			return false;
	}
}

/* --- their fate --- */

struct mortal {
	struct victim victim;
	int64_t born_at;
};

struct storm {
	struct victim server;		/* stays */
	struct mortal mortals[MORTALS];	/* servers first */
	int begun;
	int ended;
	int of_stage[NUM_STAGES];
	int64_t slowest_ms;
};

static bool is_server(int i)
{
	return i < SERVERS;
}

/* One half at any time, the others while they are doing this or that. */
static struct fate draw_fate(bool server)
{
	static const enum stage of_servers[] = {
		STAGE_OPENING, STAGE_LISTENING, STAGE_ACCEPTING, STAGE_SERVING, STAGE_PARTING,
	};
	static const enum stage of_clients[] = {
		STAGE_OPENING, STAGE_RESOLVING, STAGE_CONNECTING, STAGE_TRAFFIC, STAGE_PARTING,
	};

	if (below(2))
		return (struct fate){ .latest_us = 1 + below(LIFE_MS * 1000 * uv_slow) };
	return (struct fate){
		.stage = server ? of_servers[below(ARRAY_SIZE(of_servers))] :
				  of_clients[below(ARRAY_SIZE(of_clients))],
		.us = 1 + below(MOMENT_US * uv_slow),
		.latest_us = LATEST_MS * 1000 * uv_slow,
	};
}

static bool begin(struct storm *storm, int i)
{
	struct mortal *mortal = &storm->mortals[i];
	int of = (i - SERVERS) / 2 - 1;

	storm->begun++;
	mortal->born_at = now_ms();
	mortal->victim.fate = draw_fate(is_server(i));
	if (is_server(i))
		return server_start(&mortal->victim);
	if (of < 0)
		return client_start(&mortal->victim, &storm->server, -1, visit_all_the_time);
	return client_start(&mortal->victim, &storm->mortals[of].victim, -1, visit_mortal);
}

static int find(const struct storm *storm, pid_t pid)
{
	for (int i = 0; i < MORTALS; i++)
		if (storm->mortals[i].victim.pid == pid)
			return i;
	return -1;
}

static bool note_end(struct storm *storm, struct mortal *mortal, int status)
{
	const struct board *board = mortal->victim.board;
	int64_t took = now_ms() - board->dies_at;

	mortal->victim.pid = 0;
	storm->ended++;
	storm->of_stage[board->stage]++;
	if (took > storm->slowest_ms)
		storm->slowest_ms = took;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return true;
	printf("# a process ended of itself, %s: status %#x\n", stage_names[board->stage], status);
	return false;
}

/* --- those that do not die --- */

static void print_file_of(pid_t pid, const char *name)
{
	char path[64], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		printf("# %s: %s%s", name, line, strchr(line, '\n') ? "" : "\n");
	if (file)
		fclose(file);
}

static bool all_die_in_time(const struct storm *storm)
{
	const struct mortal *mortal;
	int64_t limit = LATEST_MS * uv_slow + patience_ms();

	for (int i = 0; i < MORTALS; i++) {
		mortal = &storm->mortals[i];
		if (!mortal->victim.pid || now_ms() - mortal->born_at < limit)
			continue;
		printf("# process %d should be dead, and is %s\n", mortal->victim.pid,
		       stage_names[mortal->victim.board->stage]);
		print_file_of(mortal->victim.pid, "status");
		print_file_of(mortal->victim.pid, "wchan");
		print_file_of(mortal->victim.pid, "stack");
		return false;
	}
	return true;
}

/* --- the storm --- */

/* Waits for one to die, and begins another unless there have been enough. */
static bool replace_one(struct storm *storm)
{
	int status, i;
	pid_t pid;

	pid = waitpid(-1, &status, WNOHANG);
	TRY(sys(pid));
	if (!pid) {
		usleep(1000);
		return all_die_in_time(storm);
	}
	i = find(storm, pid);
	if (i < 0) {
		printf("# the server that should stay has ended: status %#x\n", status);
		return false;
	}
	if (!note_end(storm, &storm->mortals[i], status))
		return false;
	return storm->begun < number ? begin(storm, i) : true;
}

static void print_storm(const struct storm *storm)
{
	printf("# storm: %d killed, the slowest was dead after %lld ms;", storm->ended,
	       (long long)storm->slowest_ms);
	for (int i = 0; i < NUM_STAGES; i++)
		printf(" %s %d", stage_names[i], storm->of_stage[i]);
	printf("\n");
}

static bool all_are_killed(void)
{
	static struct storm storm;
	struct table before;

	TRY(table_read(&before));
	if (!server_start(&storm.server) || !server_listens(&storm.server))
		return false;
	for (int i = 0; i < MORTALS && storm.begun < number; i++)
		if (!begin(&storm, i))
			return false;
	while (storm.ended < storm.begun)
		if (!replace_one(&storm))
			return false;
	print_storm(&storm);
	return server_stop(&storm.server) && table_is_again(&before) && connections_work();
}

void test_storm(int processes)
{
	number = processes;
	run_for("servers and clients", 60 + 2 * number, all_are_killed);
}
