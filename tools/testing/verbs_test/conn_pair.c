// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: a connection with both endpoints, and the events of the connection manager about it.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "verbs_test.h"

/*
 * Enters the network namespace @name. An identifier stays in the namespace in which it was created.
 * Returns a file descriptor of the old namespace, or a negative errno.
 */
static int enter_netns(const char *name)
{
	int old_ns = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC), new_ns, ret;
	char path[128];

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	new_ns = open(path, O_RDONLY | O_CLOEXEC);
	if (old_ns < 0 || new_ns < 0)
		return -errno;
	ret = sys(setns(new_ns, CLONE_NEWNET));
	close(new_ns);
	return ret ? ret : old_ns;
}

int client_id(struct rdma_event_channel *channel, struct rdma_cm_id **id)
{
	int old_ns, ret, left;

	if (!client_netns)
		return sys(rdma_create_id(channel, id, NULL, RDMA_PS_TCP));
	old_ns = enter_netns(client_netns);
	if (old_ns < 0)
		return old_ns;
	ret = sys(rdma_create_id(channel, id, NULL, RDMA_PS_TCP));
	left = sys(setns(old_ns, CLONE_NEWNET));
	close(old_ns);
	return ret ? ret : left;
}

static struct sockaddr_storage server_address(void)
{
	struct sockaddr_storage addr = {};
	struct sockaddr_in *in = (struct sockaddr_in *)&addr;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&addr;

	if (inet_pton(AF_INET6, test_address, &in6->sin6_addr) == 1) {
		addr.ss_family = AF_INET6;
	} else {
		addr = (struct sockaddr_storage){ .ss_family = AF_INET };
		inet_pton(AF_INET, test_address, &in->sin_addr);
	}
	return addr;
}

/* Creates an identifier that listens on server_address(). rdma_cm chooses a free port for it. */
int listener_id(struct rdma_event_channel *channel, struct rdma_cm_id **id)
{
	struct sockaddr_storage addr = server_address();
	int ret;

	ret = sys(rdma_create_id(channel, id, NULL, RDMA_PS_TCP));
	if (!ret)
		ret = sys(rdma_bind_addr(*id, (struct sockaddr *)&addr));
	return ret ? ret : sys(rdma_listen(*id, 0));
}

int next_cm_event(struct rdma_event_channel *channel, struct cm_event *event)
{
	struct pollfd pollfd = { .fd = channel->fd, .events = POLLIN };
	struct rdma_cm_event *seen;
	int ret;

	ret = poll(&pollfd, 1, patience_ms());
	if (ret != 1)
		return ret ? -errno : -ETIMEDOUT;
	ret = sys(rdma_get_cm_event(channel, &seen));
	if (ret)
		return ret;
	*event = (struct cm_event){ .type = seen->event, .status = seen->status, .id = seen->id };
	event->len = seen->param.conn.private_data_len;
	if (event->len)
		memcpy(event->data, seen->param.conn.private_data, event->len);
	return sys(rdma_ack_cm_event(seen));
}

bool expect_cm_event(struct rdma_event_channel *channel, enum rdma_cm_event_type type,
		     struct cm_event *event)
{
	TRY(next_cm_event(channel, event));
	if (event->type == type)
		return true;
	printf("# event %s with status %d, expected %s\n", rdma_event_str(event->type),
	       event->status, rdma_event_str(type));
	return false;
}

bool pair_listen(struct conn_pair *pair)
{
	*pair = (struct conn_pair){};
	TRY(got(pair->channel = rdma_create_event_channel()));
	TRY(listener_id(pair->channel, &pair->listener));
	return true;
}

bool pair_resolve(struct conn_pair *pair)
{
	struct sockaddr *to = rdma_get_local_addr(pair->listener);
	struct cm_event event;

	TRY(client_id(pair->channel, &pair->client.id));
	TRY(sys(rdma_resolve_addr(pair->client.id, NULL, to, patience_ms())));
	if (!expect_cm_event(pair->channel, RDMA_CM_EVENT_ADDR_RESOLVED, &event))
		return false;
	TRY(sys(rdma_resolve_route(pair->client.id, patience_ms())));
	return expect_cm_event(pair->channel, RDMA_CM_EVENT_ROUTE_RESOLVED, &event);
}

uint8_t conn_depth = 4;

static struct rdma_conn_param conn_param(const void *data, uint8_t len)
{
	return (struct rdma_conn_param){
		.private_data = data,
		.private_data_len = len,
		.responder_resources = conn_depth,
		.initiator_depth = conn_depth,
	};
}

bool pair_request(struct conn_pair *pair, const void *data, uint8_t len, struct cm_event *request)
{
	struct rdma_conn_param param = conn_param(data, len);

	TRY(sys(rdma_connect(pair->client.id, &param)));
	if (!expect_cm_event(pair->channel, RDMA_CM_EVENT_CONNECT_REQUEST, request))
		return false;
	pair->server.id = request->id;
	return true;
}

bool pair_accept(struct conn_pair *pair, const void *data, uint8_t len)
{
	struct rdma_conn_param param = conn_param(data, len);
	struct cm_event event;

	TRY(sys(rdma_accept(pair->server.id, &param)));
	for (int i = 0; i < 2; i++) {
		if (!expect_cm_event(pair->channel, RDMA_CM_EVENT_ESTABLISHED, &event))
			return false;
		if (event.id != pair->client.id)
			continue;
		EXPECT(len, event.len);
		EXPECT(0, len ? memcmp(event.data, data, len) : 0);
	}
	return true;
}

bool pair_open(struct conn_pair *pair, size_t len, bool srq)
{
	struct cm_event request;

	if (!pair_listen(pair) || !pair_resolve(pair))
		return false;
	TRY(endpoint_create(&pair->client, len, false));
	if (!pair_request(pair, NULL, 0, &request))
		return false;
	TRY(endpoint_create(&pair->server, len, srq));
	return pair_accept(pair, NULL, 0);
}

bool pair_is_over(struct conn_pair *pair)
{
	struct cm_event event;

	for (int i = 0; i < 2; i++)
		if (!expect_cm_event(pair->channel, RDMA_CM_EVENT_DISCONNECTED, &event))
			return false;
	return true;
}

bool pair_close(struct conn_pair *pair)
{
	TRY(endpoint_free(&pair->client));
	TRY(endpoint_free(&pair->server));
	TRY(sys(rdma_destroy_id(pair->listener)));
	rdma_destroy_event_channel(pair->channel);
	return true;
}

static bool message_arrives(struct conn_pair *pair, size_t len)
{
	struct ibv_wc wc;

	pattern_fill(pair->client.mem, len, 1);
	TRY(post_recv(&pair->server, 1, 0, len));
	TRY(post_send(&pair->client, 2, 0, len));
	if (!completes(&pair->client, 2, IBV_WC_SUCCESS, &wc) ||
	    !completes(&pair->server, 1, IBV_WC_SUCCESS, &wc))
		return false;
	EXPECT(IBV_WC_RECV, wc.opcode);
	EXPECT(len, wc.byte_len);
	return pattern_matches(pair->server.mem, len, 1);
}

static bool write_and_read_back(struct conn_pair *pair, size_t len)
{
	struct ibv_sge sge = sge_of(&pair->client, 0, len);
	uint64_t remote = (uintptr_t)pair->server.mem;
	struct ibv_wc wc;

	pattern_fill(pair->client.mem, len, 2);
	TRY(post_rdma(&pair->client, 3, IBV_WR_RDMA_WRITE, &sge, remote, pair->server.mr->rkey));
	if (!completes(&pair->client, 3, IBV_WC_SUCCESS, &wc))
		return false;
	memset(pair->client.mem, 0, len);
	TRY(post_rdma(&pair->client, 4, IBV_WR_RDMA_READ, &sge, remote, pair->server.mr->rkey));
	if (!completes(&pair->client, 4, IBV_WC_SUCCESS, &wc))
		return false;
	return pattern_matches(pair->client.mem, len, 2) &&
	       pattern_matches(pair->server.mem, len, 2);
}

bool connections_work(void)
{
	const size_t len = 10001;
	struct conn_pair pair;

	if (!pair_open(&pair, len, false) || !message_arrives(&pair, len) ||
	    !write_and_read_back(&pair, len))
		return false;
	TRY(sys(rdma_disconnect(pair.client.id)));
	return pair_is_over(&pair) && pair_close(&pair);
}
