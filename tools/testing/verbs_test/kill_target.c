// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: the processes that are killed. Servers grant their clients access to memory. The
 * state of a process is in memory that the process shares with the parent, so that the parent can
 * read it after the death of the process.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "verbs_test.h"

#define MAX_CONNS	64

/* The private data of a server's reply: the address and the rkey of the server's memory. */
struct grant {
	uint64_t addr;
	uint64_t rkey;
};

/*
 * Points to memory that is shared with the parent, or to own_state if no parent watches this
 * process.
 */
static struct proc_state own_state, *state = &own_state;
/* The number of steps until the process kills itself; negative if it never does. */
static int steps_left = -1;

/* --- how a process is killed --- */

static void signal_in(uint32_t us)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };
	struct itimerspec when = { .it_value = { .tv_sec = us / 1000000,
						 .tv_nsec = us % 1000000 * 1000 + 1 } };
	static timer_t timer;
	static bool made;

	if (!made && timer_create(CLOCK_MONOTONIC, &event, &timer))
		exit(1);
	made = true;
	state->killed_at = now_ms() + us / 1000;
	timer_settime(timer, 0, &when, NULL);
}

/*
 * Enters @stage, or begins the next step of the same stage. May kill the process, as kill_time and
 * steps_left say.
 */
static void enter_stage(enum stage stage)
{
	state->stage = stage;
	if (state->kill_time.us && state->kill_time.stage == stage) {
		signal_in(state->kill_time.us);
		state->kill_time.us = 0;
	}
	if (!steps_left)
		raise(SIGKILL);
	if (steps_left > 0)
		steps_left--;
}

bool was_killed(pid_t pid)
{
	int status;

	TRY(sys(waitpid(pid, &status, 0)));
	EXPECT(1, WIFSIGNALED(status));
	EXPECT(SIGKILL, WTERMSIG(status));
	return true;
}

/* --- how a process starts --- */

/* Forks. Returns 0 in the new process, and the pid of the new process or -1 in the parent. */
static pid_t start_process(struct kill_target *target)
{
	if (!target->state)
		target->state = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (target->state == MAP_FAILED)
		return -1;
	*target->state = (struct proc_state){ .kill_time = target->kill_time };
	target->pid = fork();
	if (target->pid)
		return target->pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	state = target->state;
	if (target->kill_time.latest_us)
		signal_in(target->kill_time.latest_us);
	return 0;
}

/* --- servers --- */

static struct endpoint conns[MAX_CONNS];
static atomic_bool stopping;

static void stop(int signal)
{
	(void)signal;
	stopping = true;
}

static struct endpoint *conn_of(const struct rdma_cm_id *id)
{
	for (int i = 0; i < MAX_CONNS; i++)
		if (conns[i].id == id)
			return &conns[i];
	return NULL;
}

static int num_conns(void)
{
	int num = 0;

	for (int i = 0; i < MAX_CONNS; i++)
		num += !!conns[i].id;
	return num;
}

static bool free_conn(struct endpoint *conn)
{
	enter_stage(STAGE_CLOSING);
	TRY(endpoint_free(conn));
	return true;
}

/* A server ignores errors here, because the client may have been killed since its request. */
static bool accept_request(struct rdma_cm_id *id)
{
	struct endpoint *conn = conn_of(NULL);
	struct rdma_conn_param param = { .responder_resources = 4, .initiator_depth = 4 };
	struct grant grant;
	int ret;

	enter_stage(STAGE_ACCEPTING);
	EXPECT(1, !!conn);
	conn->id = id;
	ret = endpoint_create(conn, GRANT_LEN, false);
	for (int i = 0; !ret && i < MAX_SENDS; i++)
		ret = post_recv(conn, i, SENT_AT(i), SEND_LEN);
	if (ret)
		return free_conn(conn);
	grant = (struct grant){ .addr = (uintptr_t)conn->mem, .rkey = conn->mr->rkey };
	param.private_data = &grant;
	param.private_data_len = sizeof(grant);
	return rdma_accept(id, &param) ? free_conn(conn) : true;
}

static bool handle_event(const struct cm_event *event)
{
	struct endpoint *conn;

	switch (event->type) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return accept_request(event->id);
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
		conn = conn_of(event->id);
		return conn ? free_conn(conn) : true;
	default:
		return true;
	}
}

/* Serves until the process is stopped and has no connection left. */
static bool serve(struct rdma_event_channel *channel)
{
	struct pollfd pollfd = { .fd = channel->fd, .events = POLLIN };
	struct cm_event event;
	int64_t end = 0;

	while (!stopping || num_conns()) {
		enter_stage(num_conns() ? STAGE_SERVING : STAGE_LISTENING);
		if (stopping && !end)
			end = now_ms() + patience_ms();
		if (end && now_ms() > end) {
			printf("# %d connections are open after their peers have ended\n",
			       num_conns());
			return false;
		}
		if (poll(&pollfd, 1, 50) != 1)
			continue;
		TRY(next_cm_event(channel, &event));
		if (!handle_event(&event))
			return false;
	}
	return true;
}

static bool run_server(void)
{
	struct conn_pair pair;

	signal(SIGTERM, stop);
	enter_stage(STAGE_OPENING);
	if (!pair_listen(&pair))
		return false;
	state->addr = pair.listener->route.addr.src_storage;
	state->listening = true;
	return serve(pair.channel) && pair_close(&pair);
}

bool server_start(struct kill_target *server)
{
	if (!start_process(server))
		exit(run_server() ? 0 : 1);
	TRY(sys(server->pid));
	return true;
}

bool server_listens(const struct kill_target *server)
{
	int64_t end = now_ms() + patience_ms();

	while (!server->state->listening) {
		EXPECT(1, now_ms() < end);
		usleep(1000);
	}
	return true;
}

bool server_stop(const struct kill_target *server)
{
	int status;

	kill(server->pid, SIGTERM);
	TRY(sys(waitpid(server->pid, &status, 0)));
	EXPECT(0, status);
	return true;
}

/* --- clients --- */

bool client_resolve(struct client *client, const struct kill_target *server)
{
	struct sockaddr *addr = (struct sockaddr *)&server->state->addr;
	struct cm_event event;

	enter_stage(STAGE_OPENING);
	TRY(got(client->channel = rdma_create_event_channel()));
	enter_stage(STAGE_OPENING);
	TRY(client_id(client->channel, &client->ep.id));
	enter_stage(STAGE_RESOLVING);
	TRY(sys(rdma_resolve_addr(client->ep.id, NULL, addr, patience_ms())));
	enter_stage(STAGE_RESOLVING);
	if (!expect_cm_event(client->channel, RDMA_CM_EVENT_ADDR_RESOLVED, &event))
		return false;
	TRY(sys(rdma_resolve_route(client->ep.id, patience_ms())));
	enter_stage(STAGE_RESOLVING);
	return expect_cm_event(client->channel, RDMA_CM_EVENT_ROUTE_RESOLVED, &event);
}

bool client_connect(struct client *client)
{
	struct rdma_conn_param param = { .responder_resources = 4, .initiator_depth = 4 };
	struct cm_event event;
	struct grant grant;

	enter_stage(STAGE_CONNECTING);
	TRY(endpoint_create(&client->ep, GRANT_LEN, false));
	enter_stage(STAGE_CONNECTING);
	TRY(sys(rdma_connect(client->ep.id, &param)));
	enter_stage(STAGE_CONNECTING);
	if (!expect_cm_event(client->channel, RDMA_CM_EVENT_ESTABLISHED, &event))
		return false;
	EXPECT(sizeof(grant), event.len);
	memcpy(&grant, event.data, sizeof(grant));
	client->addr = grant.addr;
	client->rkey = grant.rkey;
	return true;
}

static bool succeeds(struct client *client)
{
	struct ibv_wc wc;

	enter_stage(STAGE_TRAFFIC);
	return poll_one(&client->ep, &wc) == 1 && wc.status == IBV_WC_SUCCESS;
}

bool client_exchange(struct client *client, enum ibv_wr_opcode opcode, uint32_t offset,
		     uint32_t len)
{
	struct ibv_sge sge = sge_of(&client->ep, offset, len);

	enter_stage(STAGE_TRAFFIC);
	return !post_rdma(&client->ep, 1, opcode, &sge, client->addr + offset, client->rkey) &&
	       succeeds(client);
}

bool client_send(struct client *client, uint32_t number)
{
	enter_stage(STAGE_TRAFFIC);
	return !post_send(&client->ep, 2, SENT_AT(number), SEND_LEN) && succeeds(client);
}

bool client_disconnect(struct client *client)
{
	struct cm_event event;

	enter_stage(STAGE_CLOSING);
	TRY(sys(rdma_disconnect(client->ep.id)));
	enter_stage(STAGE_CLOSING);
	return expect_cm_event(client->channel, RDMA_CM_EVENT_DISCONNECTED, &event);
}

bool client_free(struct client *client)
{
	enter_stage(STAGE_CLOSING);
	TRY(endpoint_free(&client->ep));
	if (client->channel)
		rdma_destroy_event_channel(client->channel);
	*client = (struct client){};
	return true;
}

bool client_start(struct kill_target *client, const struct kill_target *server, int steps,
		  bool (*run_client)(const struct kill_target *server))
{
	if (!start_process(client)) {
		steps_left = steps;
		exit(run_client(server) ? 0 : 1);
	}
	TRY(sys(client->pid));
	return true;
}
