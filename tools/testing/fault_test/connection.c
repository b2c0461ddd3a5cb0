// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Identifiers, connections and data of processes. One thread plays both sides: the client is on
 * host a, the server on host b.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "fault_test.h"

#define PORT	htons(7100)
#define BYTES	20000
#define SEED	7

/* One of the two sides of a connection. */
struct side {
	int netns;
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	struct ibv_mr *mr;
	char memory[BYTES];
};

static struct side client, server;
static struct rdma_cm_id *listener;
static struct rdma_event_channel *extra_channel;

/* --- steps --- */

static int made(int ret)
{
	return ret ? errno ?: EIO : 0;
}

static int open_channel(struct side *side)
{
	if (setns(side->netns, CLONE_NEWNET))
		return errno;
	side->channel = rdma_create_event_channel();
	return made(!side->channel);
}

static int open_channels(void)
{
	return (client.channel ? 0 : open_channel(&client)) ?:
	       (server.channel ? 0 : open_channel(&server));
}

static void destroy_id(struct rdma_cm_id **id)
{
	if (!*id)
		return;
	if ((*id)->qp)
		rdma_destroy_qp(*id);
	rdma_destroy_id(*id);
	*id = NULL;
}

static void undo(void)
{
	struct side *sides[] = { &client, &server };
	int i;

	for (i = 0; i < 2; i++) {
		if (sides[i]->id && sides[i]->id->qp)
			rdma_destroy_qp(sides[i]->id);
		if (sides[i]->mr)
			ibv_dereg_mr(sides[i]->mr);
		sides[i]->mr = NULL;
		destroy_id(&sides[i]->id);
	}
	destroy_id(&listener);
	if (extra_channel)
		rdma_destroy_event_channel(extra_channel);
	extra_channel = NULL;
}

/*
 * Fetches an event of a side, which has to be @wanted; keeps the identifier of the first request.
 * A client whose first request was lost may have sent a second one.
 */
static int fetch(struct side *side, enum rdma_cm_event_type wanted)
{
	struct rdma_cm_id *second = NULL;
	struct rdma_cm_event *event;
	int err = 0;

	if (rdma_get_cm_event(side->channel, &event))
		return errno;
	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST && server.id)
		second = event->id;
	else if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		server.id = event->id;
	if (event->event != wanted)
		err = event->status < 0 ? -event->status : ECONNREFUSED;
	rdma_ack_cm_event(event);
	destroy_id(&second);
	return err;
}

/*
 * Waits until @side has the event @wanted, or the other side has an event that reports a failure.
 */
static int await(struct side *side, enum rdma_cm_event_type wanted)
{
	struct side *other = side == &client ? &server : &client;
	struct pollfd fds[] = {
		{ .fd = side->channel->fd, .events = POLLIN },
		{ .fd = other->channel->fd, .events = POLLIN },
	};

	if (poll(fds, 2, time_limit) <= 0)
		return ETIMEDOUT;
	return fds[0].revents ? fetch(side, wanted) : fetch(other, -1);
}

static int make_id(void)
{
	return made(rdma_create_id(client.channel, &client.id, NULL, RDMA_PS_TCP));
}

static struct sockaddr_in address(void)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = PORT };

	inet_pton(AF_INET, server_addr, &addr.sin_addr);
	return addr;
}

static int make_listener(void)
{
	struct sockaddr_in addr = address();

	return made(rdma_create_id(server.channel, &listener, NULL, RDMA_PS_TCP)) ?:
	       made(rdma_bind_addr(listener, (struct sockaddr *)&addr)) ?:
	       made(rdma_listen(listener, 4));
}

static int resolve(void)
{
	struct sockaddr_in addr = address();

	return made(rdma_resolve_addr(client.id, NULL, (struct sockaddr *)&addr, 2000)) ?:
	       await(&client, RDMA_CM_EVENT_ADDR_RESOLVED) ?:
	       made(rdma_resolve_route(client.id, 2000)) ?:
	       await(&client, RDMA_CM_EVENT_ROUTE_RESOLVED);
}

static int make_qp(struct side *side)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 2, .max_recv_sge = 2 },
		.qp_type = IBV_QPT_RC,
	};
	int err = made(rdma_create_qp(side->id, NULL, &attr));

	if (err)
		return err;
	side->mr = ibv_reg_mr(side->id->pd, side->memory, BYTES,
			      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			      IBV_ACCESS_REMOTE_READ);
	return made(!side->mr);
}

static int request(void)
{
	struct rdma_conn_param param = {
		.private_data = "request", .private_data_len = 7,
		.initiator_depth = 1, .responder_resources = 1,
	};

	return made(rdma_connect(client.id, &param)) ?:
	       await(&server, RDMA_CM_EVENT_CONNECT_REQUEST);
}

static int accept_request(void)
{
	struct rdma_conn_param param = {
		.private_data = "accept", .private_data_len = 6,
		.initiator_depth = 1, .responder_resources = 1,
	};

	return make_qp(&server) ?: made(rdma_accept(server.id, &param)) ?:
	       await(&client, RDMA_CM_EVENT_ESTABLISHED) ?:
	       await(&server, RDMA_CM_EVENT_ESTABLISHED);
}

static int poll_one(struct ibv_cq *cq)
{
	struct ibv_wc wc;
	int waited, n = 0;

	for (waited = 0; !n && waited < time_limit; waited++) {
		n = ibv_poll_cq(cq, 1, &wc);
		if (!n)
			usleep(1000);
	}
	if (n <= 0)
		return ETIMEDOUT;
	return wc.status == IBV_WC_SUCCESS ? 0 : ECONNABORTED;
}

/* --- operations --- */

static int new_channel(void)
{
	extra_channel = rdma_create_event_channel();
	return made(!extra_channel);
}

static int migrate(void)
{
	return made(rdma_migrate_id(client.id, extra_channel)) ?:
	       made(rdma_migrate_id(client.id, client.channel));
}

static int end_id(void)
{
	int err = made(rdma_destroy_id(client.id));

	if (!err)
		client.id = NULL;
	return err;
}

static int reject_request(void)
{
	int err = request() ?: made(rdma_reject(server.id, "no", 2));

	if (err)
		return err;
	err = await(&client, RDMA_CM_EVENT_REJECTED);
	return err;
}

static int prepare_request(void)
{
	return open_channels() ?: make_listener() ?: make_id() ?: resolve() ?: make_qp(&client);
}

static int fill_memory(void)
{
	memset(client.memory, SEED, BYTES);
	memset(server.memory, 0, BYTES);
	return 0;
}

static int connect_and_accept(void)
{
	return request() ?: accept_request();
}

/* Waits until both sides know of the end of the connection, whichever is the first. */
static int await_end(void)
{
	struct pollfd fds[] = {
		{ .fd = client.channel->fd, .events = POLLIN },
		{ .fd = server.channel->fd, .events = POLLIN },
	};
	int i, err, left = 2;

	while (left) {
		if (poll(fds, 2, time_limit) <= 0)
			return ETIMEDOUT;
		for (i = 0; i < 2; i++) {
			if (!fds[i].revents)
				continue;
			err = fetch(i ? &server : &client, RDMA_CM_EVENT_DISCONNECTED);
			if (err)
				return err;
			fds[i].fd = -1;
			left--;
		}
	}
	return 0;
}

static int disconnect(void)
{
	return made(rdma_disconnect(client.id)) ?: await_end();
}

static int compare(const char *memory)
{
	int i;

	for (i = 0; i < BYTES; i++)
		if (memory[i] != SEED)
			return EBADMSG;
	return 0;
}

static int post(enum ibv_wr_opcode opcode)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)client.memory, .length = BYTES, .lkey = client.mr->lkey,
	};
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = opcode, .send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = (uintptr_t)server.memory, .rkey = server.mr->rkey },
	}, *bad;

	return ibv_post_send(client.id->qp, &wr, &bad) ?:
	       poll_one(client.id->qp->send_cq);
}

static int send_message(void)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)server.memory, .length = BYTES, .lkey = server.mr->lkey,
	};
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	return ibv_post_recv(server.id->qp, &wr, &bad) ?: post(IBV_WR_SEND) ?:
	       poll_one(server.id->qp->recv_cq) ?: compare(server.memory);
}

static int write_and_read(void)
{
	int err = post(IBV_WR_RDMA_WRITE);

	if (err)
		return err;
	/* The READ gets the written bytes, because the peer executes it after the WRITE. */
	memset(client.memory, 0, BYTES);
	return post(IBV_WR_RDMA_READ) ?: compare(client.memory);
}

int connection_start(int client_netns, int server_netns)
{
	int err;

	client.netns = client_netns;
	server.netns = server_netns;
	err = open_channels() ?: make_listener();
	undo();
	return err;
}

const struct operation connection_operations[] = {
	/* If librdmacm cannot open the node, it looks for another one, and fails with ENOENT. */
	{ "an event channel", { open_channels }, new_channel, undo, .also = ENOENT },
	{ "an identifier", { open_channels }, make_id, undo },
	{ "end of an identifier", { open_channels, make_id }, end_id, undo },
	{ "migration of an identifier", { open_channels, make_id, new_channel }, migrate, undo },
	{ "a listener", { open_channels }, make_listener, undo, true },
	/* librdmacm reports the status -1, which is -EPERM, if it cannot query the addresses. */
	{ "addresses and route", { open_channels, make_id }, resolve, undo, true, EPERM },
	{ "connect and accept", { prepare_request }, connect_and_accept, undo, true },
	{ "connect and reject", { prepare_request }, reject_request, undo, true },
	{ "disconnect", { prepare_request, connect_and_accept, fill_memory },
	  disconnect, undo, true },
	{ "send", { prepare_request, connect_and_accept, fill_memory }, send_message, undo, true },
	{ "write and read", { prepare_request, connect_and_accept, fill_memory },
	  write_and_read, undo, true },
	{ }
};
