// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: runs many servers and clients, and kills them in random stages, several at a time. A
 * new process takes the place of each killed one.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verbs_test.h"

#define SERVERS		4
/* Two clients use the server that is never killed, and two use each of the other servers. */
#define CLIENTS		(2 + 2 * SERVERS)
#define SLOTS		(SERVERS + CLIENTS)
#define LIFETIME_MS	300
#define LATEST_MS	3000
#define STAGE_DELAY_US	30000

/* The exit status of a client that has read wrong data. Other failures have the status 1. */
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
	[STAGE_CLOSING] = "closing",
};

static int number;

/* --- clients --- */

/* WRITEs to the server's memory, READs the same memory back, and compares the data. */
static bool write_and_read(struct client *client, uint32_t message)
{
	uint8_t *mem = client->ep.mem;

	pattern_fill(mem, GRANT_RDMA, message);
	if (!client_exchange(client, IBV_WR_RDMA_WRITE, 0, GRANT_RDMA))
		return false;
	memset(mem, 0, GRANT_RDMA);
	if (!client_exchange(client, IBV_WR_RDMA_READ, 0, GRANT_RDMA))
		return false;
	if (!pattern_matches(mem, GRANT_RDMA, message))
		exit(WRONG_BYTES);
	return true;
}

/* Sends a message, READs it back from the server's receive buffer, and compares the data. */
static bool send_and_read(struct client *client, uint32_t message)
{
	uint8_t *mem = client->ep.mem + SENT_AT(message);

	pattern_fill(mem, SEND_LEN, message);
	if (!client_send(client, message))
		return false;
	memset(mem, 0, SEND_LEN);
	if (!client_exchange(client, IBV_WR_RDMA_READ, SENT_AT(message), SEND_LEN))
		return false;
	if (!pattern_matches(mem, SEND_LEN, message))
		exit(WRONG_BYTES);
	return true;
}

static bool run_connection(struct client *client, const struct kill_target *server)
{
	uint32_t rounds = 1 + below(MAX_SENDS);

	if (!server_listens(server) || !client_resolve(client, server) || !client_connect(client))
		return false;
	for (uint32_t i = 0; i < rounds; i++)
		if (!write_and_read(client, getpid() + i) || !send_and_read(client, i))
			return false;
	return client_disconnect(client);
}

/* Opens one connection after another, until one fails. */
static bool connect_repeatedly(const struct kill_target *server)
{
	struct client client = {};

	while (run_connection(&client, server))
		if (!client_free(&client))
			return false;
	return false;
}

/*
 * Opens one connection after another, even if some fail. Output is discarded, because the death of
 * the server causes errors.
 */
static bool connect_to_target(const struct kill_target *server)
{
	struct client client = {};

	if (!freopen("/dev/null", "w", stdout))
		return false;
	for (;;) {
		run_connection(&client, server);
		if (!client_free(&client))
			return false;
	}
}

/* --- when processes are killed --- */

struct slot {
	struct kill_target target;
	int64_t started_at;
};

struct stress {
	struct kill_target server;		/* never killed */
	struct slot slots[SLOTS];	/* servers, then clients */
	int begun;
	int ended;
	int by_stage[NUM_STAGES];
	int64_t slowest_ms;
};

/* Half of the processes are killed at a random time, the others in a random stage. */
static struct kill_time draw_kill_time(bool server)
{
	static const enum stage of_servers[] = {
		STAGE_OPENING, STAGE_LISTENING, STAGE_ACCEPTING, STAGE_SERVING, STAGE_CLOSING,
	};
	static const enum stage of_clients[] = {
		STAGE_OPENING, STAGE_RESOLVING, STAGE_CONNECTING, STAGE_TRAFFIC, STAGE_CLOSING,
	};

	if (below(2))
		return (struct kill_time){
			.latest_us = 1 + below(LIFETIME_MS * 1000 * slow_factor),
		};
	return (struct kill_time){
		.stage = server ? of_servers[below(ARRAY_SIZE(of_servers))] :
				  of_clients[below(ARRAY_SIZE(of_clients))],
		.us = 1 + below(STAGE_DELAY_US * slow_factor),
		.latest_us = LATEST_MS * 1000 * slow_factor,
	};
}

static bool start_slot(struct stress *stress, int i)
{
	struct slot *slot = &stress->slots[i];
	int server = (i - SERVERS) / 2 - 1;

	stress->begun++;
	slot->started_at = now_ms();
	slot->target.kill_time = draw_kill_time(i < SERVERS);
	if (i < SERVERS)
		return server_start(&slot->target);
	if (server < 0)
		return client_start(&slot->target, &stress->server, -1, connect_repeatedly);
	return client_start(&slot->target, &stress->slots[server].target, -1, connect_to_target);
}

static bool record_exit(struct stress *stress, struct slot *slot, int status)
{
	const struct proc_state *state = slot->target.state;
	int64_t delay = now_ms() - state->killed_at;

	slot->target.pid = 0;
	stress->ended++;
	stress->by_stage[state->stage]++;
	if (delay > stress->slowest_ms)
		stress->slowest_ms = delay;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return true;
	printf("# a process was not killed but ended, %s: status %#x\n",
	       stage_names[state->stage], status);
	return false;
}

/* --- processes that do not end --- */

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

static bool all_end_in_time(const struct stress *stress)
{
	const struct slot *slot;
	int64_t limit = LATEST_MS * slow_factor + patience_ms();

	for (int i = 0; i < SLOTS; i++) {
		slot = &stress->slots[i];
		if (!slot->target.pid || now_ms() - slot->started_at < limit)
			continue;
		printf("# process %d was killed but has not ended, %s\n", slot->target.pid,
		       stage_names[slot->target.state->stage]);
		print_file_of(slot->target.pid, "status");
		print_file_of(slot->target.pid, "wchan");
		print_file_of(slot->target.pid, "stack");
		return false;
	}
	return true;
}

/* --- the run --- */

/*
 * If a process has ended, starts another in its place, until `number` processes have been started.
 * Returns false if a process has not ended in time, or has ended without being killed.
 */
static bool replace_one(struct stress *stress)
{
	int status, i = 0;
	pid_t pid;

	pid = waitpid(-1, &status, WNOHANG);
	TRY(sys(pid));
	if (!pid) {
		usleep(1000);
		return all_end_in_time(stress);
	}
	while (i < SLOTS && stress->slots[i].target.pid != pid)
		i++;
	if (i == SLOTS) {
		printf("# the server that is never killed has ended: status %#x\n", status);
		return false;
	}
	if (!record_exit(stress, &stress->slots[i], status))
		return false;
	return stress->begun < number ? start_slot(stress, i) : true;
}

static bool all_are_killed(void)
{
	static struct stress stress;
	struct table before;

	TRY(table_read(&before));
	if (!server_start(&stress.server) || !server_listens(&stress.server))
		return false;
	for (int i = 0; i < SLOTS && stress.begun < number; i++)
		if (!start_slot(&stress, i))
			return false;
	while (stress.ended < stress.begun)
		if (!replace_one(&stress))
			return false;
	printf("# kill_stress: %d killed, the slowest ended after %lld ms;", stress.ended,
	       (long long)stress.slowest_ms);
	for (int i = 0; i < NUM_STAGES; i++)
		printf(" %s %d", stage_names[i], stress.by_stage[i]);
	printf("\n");
	return server_stop(&stress.server) && table_is_restored(&before) && connections_work();
}

void test_kill_stress(int processes)
{
	number = processes;
	run_for("servers and clients are killed", 60 + 2 * number, all_are_killed);
}
