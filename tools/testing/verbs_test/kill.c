// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: kills processes at any moment. Expects that the peers of a killed process get an
 * event, and can connect to other processes. The selftest that runs this group checks in the
 * resource table that no object is left.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "verbs_test.h"

#define STEPS		24
#define ROUNDS		12
#define SERVERS		4
#define LIFETIME_MS	300

/* Transfers the whole memory, in turns, until the process or its server is killed. */
static bool exchange_repeatedly(const struct kill_target *server)
{
	struct client client = {};

	if (!client_resolve(&client, server) || !client_connect(&client))
		return false;
	for (;;) {
		EXPECT(1, client_exchange(&client, IBV_WR_RDMA_WRITE, 0, GRANT_LEN));
		EXPECT(1, client_exchange(&client, IBV_WR_RDMA_READ, 0, GRANT_LEN));
	}
}

static bool start_server(struct kill_target *server)
{
	return server_start(server) && server_listens(server);
}

static bool at_each_step(void)
{
	struct kill_target server = {}, client = {};

	if (!start_server(&server))
		return false;
	for (int steps = 0; steps < STEPS; steps++) {
		if (!client_start(&client, &server, steps, exchange_repeatedly) ||
		    !was_killed(client.pid)) {
			printf("# killed at step %d\n", steps);
			return false;
		}
	}
	return server_stop(&server) && connections_work();
}

/* Runs two clients at a time, so that one is killed while the other connects. */
static bool at_any_moment(void)
{
	struct kill_target server = {}, clients[2] = {};

	if (!start_server(&server))
		return false;
	for (int i = 0; i < ROUNDS / slow_factor + 1; i++) {
		for (int j = 0; j < 2; j++) {
			if (!client_start(&clients[j], &server, -1, exchange_repeatedly))
				return false;
			usleep(below(LIFETIME_MS * 1000 * slow_factor));
		}
		kill(clients[0].pid, SIGKILL);
		kill(clients[1].pid, SIGKILL);
		if (!was_killed(clients[0].pid) || !was_killed(clients[1].pid))
			return false;
	}
	return server_stop(&server) && connections_work();
}

/*
 * Kills the server while the client READs. Expects that the READs fail, and that the client gets an
 * event.
 */
static bool client_notices(struct client *client, struct kill_target *server)
{
	struct cm_event event;
	int64_t end = now_ms() + patience_ms();
	int64_t kill_at = now_ms() + below(LIFETIME_MS * slow_factor);
	bool killed = false;

	while (client_exchange(client, IBV_WR_RDMA_READ, 0, GRANT_LEN)) {
		if (!killed && now_ms() > kill_at) {
			kill(server->pid, SIGKILL);
			killed = true;
		}
		EXPECT(1, now_ms() < end);
	}
	EXPECT(1, killed);
	if (!expect_cm_event(client->channel, RDMA_CM_EVENT_DISCONNECTED, &event))
		return false;
	EXPECT(IBV_QPS_ERR, state_of(&client->ep));
	return was_killed(server->pid);
}

/* All servers start before this process opens a device, because a child inherits open files. */
static bool server_is_killed(void)
{
	struct kill_target servers[SERVERS] = {};

	for (int i = 0; i < SERVERS; i++)
		if (!start_server(&servers[i]))
			return false;
	for (int i = 0; i < SERVERS; i++) {
		struct client client = {};

		if (!client_resolve(&client, &servers[i]) || !client_connect(&client) ||
		    !client_notices(&client, &servers[i]))
			return false;
		if (!client_free(&client))
			return false;
	}
	return connections_work();
}

/* Stops a server with SIGSTOP, and kills it while a client waits for the server's reply. */
static bool listener_is_killed(void)
{
	struct client client = {};
	struct rdma_conn_param param = {};
	struct cm_event event;
	struct kill_target server = {};

	if (!start_server(&server))
		return false;
	kill(server.pid, SIGSTOP);
	if (!client_resolve(&client, &server))
		return false;
	TRY(endpoint_create(&client.ep, GRANT_LEN, false));
	TRY(sys(rdma_connect(client.ep.id, &param)));
	usleep(100000);
	kill(server.pid, SIGKILL);
	if (!was_killed(server.pid))
		return false;
	TRY(next_cm_event(client.channel, &event));
	if (event.type != RDMA_CM_EVENT_REJECTED && event.type != RDMA_CM_EVENT_UNREACHABLE)
		EXPECT(RDMA_CM_EVENT_CONNECT_ERROR, event.type);
	return client_free(&client) && connections_work();
}

const struct test kill_tests[] = {
	{ "clients are killed at each step", at_each_step },
	{ "clients are killed at any moment", at_any_moment },
	{ "the server of a connection is killed", server_is_killed },
	{ "a listener is killed before it accepts", listener_is_killed },
	{}
};
