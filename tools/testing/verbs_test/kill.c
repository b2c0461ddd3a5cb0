// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: processes that are killed at any moment. Their peers hear of it, and go on with others; that
 * nothing is left of them, the resource table tells.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "verbs_test.h"

#define STEPS		24
#define MOMENTS		12
#define DEATHS		4
#define LIFE_MS		300

/* All of the memory: whether it has succeeded. */
static bool exchange(struct client *client, enum ibv_wr_opcode opcode)
{
	return client_exchange(client, opcode, 0, GRANT_LEN);
}

static bool live(const struct victim *server)
{
	struct client client = {};

	if (!client_reach(&client, server) || !client_join(&client))
		return false;
	for (;;) {
		EXPECT(1, exchange(&client, IBV_WR_RDMA_WRITE));
		EXPECT(1, exchange(&client, IBV_WR_RDMA_READ));
	}
}

static bool start_server(struct victim *server)
{
	return server_start(server) && server_listens(server);
}

static bool at_each_step(void)
{
	struct victim server = {}, client = {};

	if (!start_server(&server))
		return false;
	for (int steps = 0; steps < STEPS; steps++) {
		if (!client_start(&client, &server, steps, live) || !was_killed(client.pid)) {
			printf("# at step %d\n", steps);
			return false;
		}
	}
	return server_stop(&server) && connections_work();
}

/* Two at a time, so that one goes while another comes. */
static bool at_any_moment(void)
{
	struct victim server = {}, clients[2] = {};

	if (!start_server(&server))
		return false;
	for (int i = 0; i < MOMENTS / uv_slow + 1; i++) {
		for (int j = 0; j < 2; j++) {
			if (!client_start(&clients[j], &server, -1, live))
				return false;
			usleep(below(LIFE_MS * 1000 * uv_slow));
		}
		kill(clients[0].pid, SIGKILL);
		kill(clients[1].pid, SIGKILL);
		if (!was_killed(clients[0].pid) || !was_killed(clients[1].pid))
			return false;
	}
	return server_stop(&server) && connections_work();
}

/* The client's requests end, and it is told. */
static bool client_notices(struct client *client, struct victim *server)
{
	struct cm_event event;
	int64_t end = now_ms() + patience_ms(), alive_until = now_ms() + below(LIFE_MS * uv_slow);
	bool killed = false;

	while (exchange(client, IBV_WR_RDMA_READ)) {
		if (!killed && now_ms() > alive_until) {
			kill(server->pid, SIGKILL);
			killed = true;
		}
		EXPECT(1, now_ms() < end);
	}
	EXPECT(1, killed);
	if (!expect_cm_event(client->channel, RDMA_CM_EVENT_DISCONNECTED, &event))
		return false;
	EXPECT(IBV_QPS_ERR, state_of(&client->side));
	return was_killed(server->pid);
}

/* A child has what its parent has opened: all servers begin before this process opens a device. */
static bool server_is_killed(void)
{
	struct victim servers[DEATHS] = {};

	for (int i = 0; i < DEATHS; i++)
		if (!start_server(&servers[i]))
			return false;
	for (int i = 0; i < DEATHS; i++) {
		struct client client = {};

		if (!client_reach(&client, &servers[i]) || !client_join(&client) ||
		    !client_notices(&client, &servers[i]))
			return false;
		if (!client_free(&client))
			return false;
	}
	return connections_work();
}

/* Nobody has been accepted, and somebody waits for it. */
static bool listener_is_killed(void)
{
	struct client client = {};
	struct rdma_conn_param param = {};
	struct cm_event event;
	struct victim server = {};

	if (!start_server(&server))
		return false;
	kill(server.pid, SIGSTOP);
	if (!client_reach(&client, &server))
		return false;
	TRY(side_make(&client.side, GRANT_LEN, false));
	TRY(sys(rdma_connect(client.side.id, &param)));
	usleep(100000);
	kill(server.pid, SIGKILL);
	if (!was_killed(server.pid))
		return false;
	TRY(next_cm_event(client.channel, &event));
	if (event.type != RDMA_CM_EVENT_REJECTED && event.type != RDMA_CM_EVENT_UNREACHABLE)
		EXPECT(RDMA_CM_EVENT_CONNECT_ERROR, event.type);
	return client_free(&client) && connections_work();
}

void test_kill(void)
{
	run("clients, at each step", at_each_step);
	run("clients, at any moment", at_any_moment);
	run("the server of a connection", server_is_killed);
	run("the server that was asked", listener_is_killed);
}
