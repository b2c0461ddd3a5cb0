// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ucma_test: an open file, and commands that are written to it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ucma_test.h"

#define EVENT_TIMEOUT_MS 10000

int channel_open(void)
{
	int fd = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int command(int fd, uint32_t number, const void *in, size_t in_len, size_t out_len)
{
	struct rdma_ucm_cmd_hdr hdr = { .cmd = number, .in = in_len, .out = out_len };
	char bytes[sizeof(hdr) + 4096];
	size_t len = sizeof(hdr) + in_len;
	ssize_t written;

	memcpy(bytes, &hdr, sizeof(hdr));
	memcpy(bytes + sizeof(hdr), in, in_len);
	written = write(fd, bytes, len);
	if (written < 0)
		return -errno;
	return (size_t)written == len ? 0 : -EIO;
}

int create(int fd, uint64_t uid)
{
	struct rdma_ucm_create_id_resp resp;
	struct rdma_ucm_create_id cmd = {
		.uid = uid, .response = (uintptr_t)&resp, .ps = RDMA_PS_TCP,
	};
	int ret = command(fd, RDMA_USER_CM_CMD_CREATE_ID, &cmd, sizeof(cmd), sizeof(resp));

	return ret ? ret : (int)resp.id;
}

int destroy(int fd, uint32_t id)
{
	struct rdma_ucm_destroy_id_resp resp;
	struct rdma_ucm_destroy_id cmd = { .response = (uintptr_t)&resp, .id = id };
	int ret = command(fd, RDMA_USER_CM_CMD_DESTROY_ID, &cmd, sizeof(cmd), sizeof(resp));

	return ret ? ret : (int)resp.events_reported;
}

struct sockaddr_in6 address(const char *text, uint16_t port)
{
	struct sockaddr_in6 addr = { .sin6_port = htons(port) };
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };

	if (inet_pton(AF_INET6, text, &addr.sin6_addr) == 1) {
		addr.sin6_family = AF_INET6;
	} else {
		inet_pton(AF_INET, text, &in.sin_addr);
		memcpy(&addr, &in, sizeof(in));
	}
	return addr;
}

static uint16_t size_of(const struct sockaddr_in6 *addr)
{
	return addr->sin6_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(*addr);
}

int bind_to(int fd, uint32_t id, const char *text, uint16_t port)
{
	struct sockaddr_in6 addr = address(text, port);
	struct rdma_ucm_bind cmd = { .id = id, .addr_size = size_of(&addr) };

	memcpy(&cmd.addr, &addr, sizeof(addr));
	return COMMAND(fd, BIND, cmd);
}

int listen_on(int fd, uint32_t id, uint32_t backlog)
{
	struct rdma_ucm_listen cmd = { .id = id, .backlog = backlog };

	return COMMAND(fd, LISTEN, cmd);
}

int resolve(int fd, uint32_t id, const char *text, uint16_t port)
{
	struct sockaddr_in6 addr = address(text, port);
	struct rdma_ucm_resolve_addr cmd = {
		.id = id, .timeout_ms = 2000, .dst_size = size_of(&addr),
	};

	memcpy(&cmd.dst_addr, &addr, sizeof(addr));
	return COMMAND(fd, RESOLVE_ADDR, cmd);
}

int resolve_route(int fd, uint32_t id)
{
	struct rdma_ucm_resolve_route cmd = { .id = id, .timeout_ms = 2000 };

	return COMMAND(fd, RESOLVE_ROUTE, cmd);
}

static void fill(struct rdma_ucm_conn_param *param, uint32_t qpn, const void *data, uint8_t len)
{
	param->qp_num = qpn;
	param->responder_resources = 3;
	param->initiator_depth = 2;
	param->private_data_len = len;
	param->valid = 1;
	if (len)
		memcpy(param->private_data, data, len);
}

int connect_to(int fd, uint32_t id, uint32_t qpn, const void *data, uint8_t len)
{
	struct rdma_ucm_connect cmd = { .id = id };

	fill(&cmd.conn_param, qpn, data, len);
	return COMMAND(fd, CONNECT, cmd);
}

int accept_as(int fd, uint32_t id, uint64_t uid, uint32_t qpn, const void *data, uint8_t len)
{
	struct rdma_ucm_accept cmd = { .id = id, .uid = uid };

	fill(&cmd.conn_param, qpn, data, len);
	return COMMAND(fd, ACCEPT, cmd);
}

int reject(int fd, uint32_t id, const void *data, uint8_t len)
{
	struct rdma_ucm_reject cmd = { .id = id, .private_data_len = len };

	if (len)
		memcpy(cmd.private_data, data, len);
	return COMMAND(fd, REJECT, cmd);
}

int disconnect(int fd, uint32_t id)
{
	struct rdma_ucm_disconnect cmd = { .id = id };

	return COMMAND(fd, DISCONNECT, cmd);
}

int migrate(int fd, uint32_t id, int from)
{
	struct rdma_ucm_migrate_resp resp;
	struct rdma_ucm_migrate_id cmd = { .response = (uintptr_t)&resp, .id = id, .fd = from };
	int ret = command(fd, RDMA_USER_CM_CMD_MIGRATE_ID, &cmd, sizeof(cmd), sizeof(resp));

	return ret ? ret : (int)resp.events_reported;
}

int get_event_now(int fd, struct rdma_ucm_event_resp *event)
{
	struct rdma_ucm_get_event cmd = { .response = (uintptr_t)event };
	int flags = fcntl(fd, F_GETFL);
	int ret;

	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	ret = command(fd, RDMA_USER_CM_CMD_GET_EVENT, &cmd, sizeof(cmd), sizeof(*event));
	fcntl(fd, F_SETFL, flags);
	return ret;
}

int await_event(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, EVENT_TIMEOUT_MS) == 1 ? 0 : -ETIMEDOUT;
}

int expect_event(int fd, uint32_t kind, int status, struct rdma_ucm_event_resp *event)
{
	int ret = await_event(fd) ?: get_event_now(fd, event);

	if (ret)
		return ret;
	if (event->event == kind && (int)event->status == status)
		return 0;
	printf("# event %u with status %d, expected %u with %d\n", event->event,
	       (int)event->status, kind, status);
	return -EPROTO;
}
