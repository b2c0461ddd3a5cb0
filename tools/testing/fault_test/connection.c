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

#define PORT	7100
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
static struct side *const sides[] = { &client, &server };
static struct sockaddr_in address = { .sin_family = AF_INET };
static struct rdma_cm_id *listener;
static struct rdma_event_channel *extra_channel;

enum connection_step {
	OPEN_CHANNELS = 1, NEW_CHANNEL, MAKE_ID, MIGRATE_ID, END_ID, LISTEN, RESOLVE, CLIENT_QP,
	ACCEPT, REJECT, FILL_MEMORY, DISCONNECT, SEND_MESSAGE, WRITE_AND_READ,
};

/* --- steps --- */

static int made(int ret)
{
	return ret ? errno ?: EIO : 0;
}

/* Opens the channel of each side, in its namespace, if the side has none. */
static int open_channels(void)
{
	for (int i = 0; i < 2; i++) {
		if (sides[i]->channel)
			continue;
		if (setns(sides[i]->netns, CLONE_NEWNET))
			return errno;
		sides[i]->channel = rdma_create_event_channel();
		if (!sides[i]->channel)
			return made(-1);
	}
	return 0;
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

static void end_connection(void)
{
	for (int i = 0; i < 2; i++) {
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

static int make_listener(void)
{
	return made(rdma_create_id(server.channel, &listener, NULL, RDMA_PS_TCP)) ?:
	       made(rdma_bind_addr(listener, (struct sockaddr *)&address)) ?:
	       made(rdma_listen(listener, 4));
}

static int resolve(void)
{
	return made(rdma_resolve_addr(client.id, NULL, (struct sockaddr *)&address, 2000)) ?:
	       await(&client, RDMA_CM_EVENT_ADDR_RESOLVED) ?:
	       made(rdma_resolve_route(client.id, 2000)) ?:
	       await(&client, RDMA_CM_EVENT_ROUTE_RESOLVED);
}

static int make_side_qp(struct side *side)
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

static int request_and_accept(void)
{
	struct rdma_conn_param param = {
		.private_data = "accept", .private_data_len = 6,
		.initiator_depth = 1, .responder_resources = 1,
	};

	return request() ?: make_side_qp(&server) ?: made(rdma_accept(server.id, &param)) ?:
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

static int do_connection(int step)
{
	int err;

	switch ((enum connection_step)step) {
	case OPEN_CHANNELS:
		return open_channels();
	case NEW_CHANNEL:
		extra_channel = rdma_create_event_channel();
		return made(!extra_channel);
	case MAKE_ID:
		return made(rdma_create_id(client.channel, &client.id, NULL, RDMA_PS_TCP));
	case MIGRATE_ID:
		return made(rdma_migrate_id(client.id, extra_channel)) ?:
		       made(rdma_migrate_id(client.id, client.channel));
	case END_ID:
		err = made(rdma_destroy_id(client.id));
		if (!err)
			client.id = NULL;
		return err;
	case LISTEN:
		return make_listener();
	case RESOLVE:
		return resolve();
	case CLIENT_QP:
		return make_side_qp(&client);
	case ACCEPT:
		return request_and_accept();
	case REJECT:
		return request() ?: made(rdma_reject(server.id, "no", 2)) ?:
		       await(&client, RDMA_CM_EVENT_REJECTED);
	case FILL_MEMORY:
		memset(client.memory, SEED, BYTES);
		memset(server.memory, 0, BYTES);
		return 0;
	case DISCONNECT:
		return made(rdma_disconnect(client.id)) ?: await_end();
	case SEND_MESSAGE:
		return send_message();
	case WRITE_AND_READ:
		return write_and_read();
	}
	return EINVAL;
}

int connection_start(int client_netns, int server_netns)
{
	int err;

	client.netns = client_netns;
	server.netns = server_netns;
	address.sin_port = htons(PORT);
	inet_pton(AF_INET, server_addr, &address.sin_addr);
	err = open_channels() ?: make_listener();
	end_connection();
	return err;
}

/* What a request, and data, need. */
#define BEFORE_REQUEST	{ OPEN_CHANNELS, LISTEN, MAKE_ID, RESOLVE, CLIENT_QP }
#define BEFORE_DATA	{ OPEN_CHANNELS, LISTEN, MAKE_ID, RESOLVE, CLIENT_QP, ACCEPT, FILL_MEMORY }

static const struct operation connection_operations[] = {
	/* If librdmacm cannot open the node, it looks for another one, and fails with ENOENT. */
	{ "an event channel", { OPEN_CHANNELS }, NEW_CHANNEL, .also = ENOENT },
	{ "an identifier", { OPEN_CHANNELS }, MAKE_ID },
	{ "end of an identifier", { OPEN_CHANNELS, MAKE_ID }, END_ID },
	{ "migration of an identifier", { OPEN_CHANNELS, MAKE_ID, NEW_CHANNEL }, MIGRATE_ID },
	{ "a listener", { OPEN_CHANNELS }, LISTEN, true },
	/* librdmacm reports the status -1, which is -EPERM, if it cannot query the addresses. */
	{ "addresses and route", { OPEN_CHANNELS, MAKE_ID }, RESOLVE, true, EPERM },
	{ "connect and accept", BEFORE_REQUEST, ACCEPT, true },
	{ "connect and reject", BEFORE_REQUEST, REJECT, true },
	{ "disconnect", BEFORE_DATA, DISCONNECT, true },
	{ "send", BEFORE_DATA, SEND_MESSAGE, true },
	{ "write and read", BEFORE_DATA, WRITE_AND_READ, true },
	{ }
};

const struct group connection_group = { connection_operations, do_connection, end_connection };
