// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ucma_test: connections: the events of both sides, the backlog, identifiers that move between
 * files, and processes and files that go away.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ucma_test.h"

enum {
	ADDR_RESOLVED = 0, ROUTE_RESOLVED = 2, CONNECT_REQUEST = 4, CONNECT_ERROR = 6, REJECTED = 8,
	ESTABLISHED = 9, DISCONNECTED = 10,
};

/* IB_EVENT_COMM_EST of <rdma/ib_verbs.h> */
#define COMM_EST	4

#define LISTENER_UID	0x1111111111ull
#define CLIENT_UID	0x2222222222ull
#define SERVER_UID	0x3333333333ull
#define MAX_DATA	255
#define NOBODY		65534
#define OTHER_DEVICE	"127.0.0.1"	/* of a device that is not that of device_address */

bool begin_listening(struct pair *pair)
{
	int ret;

	TRY(pair->fd = channel_open());
	TRY(ret = create(pair->fd, LISTENER_UID));
	pair->listener = ret;
	TRY(bind_to(pair->fd, pair->listener, device_address, PORT));
	TRY(listen_on(pair->fd, pair->listener, 0));
	return true;
}

bool begin_connecting(struct pair *pair, const void *data, uint8_t len)
{
	struct rdma_ucm_connect invalid = { .conn_param.qp_num = next_qpn() };
	struct rdma_ucm_event_resp event;
	int ret;

	TRY(ret = create(pair->fd, CLIENT_UID));
	pair->client = ret;
	TRY(resolve(pair->fd, pair->client, device_address, PORT));
	TRY(expect_event(pair->fd, ADDR_RESOLVED, 0, &event));
	EXPECT(1, event.uid == CLIENT_UID && event.id == pair->client);
	TRY(resolve_route(pair->fd, pair->client));
	TRY(expect_event(pair->fd, ROUTE_RESOLVED, 0, &event));
	/* Parameters that are not valid by their own word. */
	invalid.id = pair->client;
	EXPECT(-EINVAL, COMMAND(pair->fd, CONNECT, invalid));
	TRY(connect_to(pair->fd, pair->client, invalid.conn_param.qp_num, data, len));
	return true;
}

bool take_request(struct pair *pair)
{
	struct rdma_ucm_event_resp event;

	TRY(expect_event(pair->fd, CONNECT_REQUEST, 0, &event));
	EXPECT(1, event.uid == LISTENER_UID && event.id != pair->listener);
	pair->server = event.id;
	return true;
}

static void fill(uint8_t *data, int len)
{
	for (int i = 0; i < len; i++)
		data[i] = i * 7 + len;
}

static bool has(const struct rdma_ucm_event_resp *event, const uint8_t *data, int len)
{
	EXPECT(len, event->param.conn.private_data_len);
	EXPECT(0, memcmp(event->param.conn.private_data, data, len));
	return true;
}

/*
 * Expects that both sides get all events of a connection, with the private data of the other side.
 */
static bool accepted(void)
{
	struct rdma_ucm_notify notify = { .event = COMM_EST };
	struct rdma_ucm_event_resp event;
	uint8_t there[200], back[100];
	struct pair pair;

	fill(there, sizeof(there));
	fill(back, sizeof(back));
	if (!begin_listening(&pair) || !begin_connecting(&pair, there, sizeof(there)))
		return false;
	TRY(expect_event(pair.fd, CONNECT_REQUEST, 0, &event));
	pair.server = event.id;
	if (!has(&event, there, sizeof(there)))
		return false;
	EXPECT(2, event.param.conn.responder_resources);
	EXPECT(3, event.param.conn.initiator_depth);
	TRY(accept_as(pair.fd, pair.server, SERVER_UID, next_qpn(), back, sizeof(back)));
	for (int i = 0; i < 2; i++) {
		TRY(expect_event(pair.fd, ESTABLISHED, 0, &event));
		if (event.uid == CLIENT_UID && !has(&event, back, sizeof(back)))
			return false;
		EXPECT(1, event.id == (event.uid == CLIENT_UID ? pair.client : pair.server));
	}
	notify.id = pair.client;
	TRY(COMMAND(pair.fd, NOTIFY, notify));
	notify.id = pair.listener;
	EXPECT(-EINVAL, COMMAND(pair.fd, NOTIFY, notify));
	TRY(disconnect(pair.fd, pair.server));
	for (int i = 0; i < 2; i++)
		TRY(expect_event(pair.fd, DISCONNECTED, 0, &event));
	EXPECT(4, destroy(pair.fd, pair.client));
	EXPECT(2, destroy(pair.fd, pair.server));
	EXPECT(1, destroy(pair.fd, pair.listener));
	close(pair.fd);
	return true;
}

/* The QPs of the command line belong to the kernel. */
static bool refused_to_nobody(uint32_t qpn)
{
	struct rdma_ucm_event_resp event;
	int fd, id;

	TRY(sys(setresuid(NOBODY, NOBODY, NOBODY)));
	TRY(fd = channel_open());
	TRY(id = create(fd, CLIENT_UID));
	TRY(resolve(fd, id, device_address, PORT));
	TRY(expect_event(fd, ADDR_RESOLVED, 0, &event));
	TRY(resolve_route(fd, id));
	TRY(expect_event(fd, ROUTE_RESOLVED, 0, &event));
	EXPECT(-EPERM, connect_to(fd, id, qpn, NULL, 0));
	return true;
}

/* A process without rights cannot connect a QP that it does not own. The next test uses the QP. */
static bool foreign_qp(void)
{
	uint32_t qpn = *unused_qpns ? strtoul(*unused_qpns, NULL, 0) : 0;
	int status = -1;
	pid_t child;
	bool ok;

	fflush(stdout);
	child = fork();
	if (!child) {
		ok = refused_to_nobody(qpn);
		fflush(stdout);
		_exit(!ok);
	}
	TRY(sys(child));
	TRY(sys(waitpid(child, &status, 0)));
	EXPECT(0, status);
	return true;
}

static bool reject_with(struct pair *pair, const uint8_t *data, int len)
{
	struct rdma_ucm_event_resp event;

	if (!begin_connecting(pair, NULL, 0) || !take_request(pair))
		return false;
	TRY(reject(pair->fd, pair->server, data, len));
	TRY(expect_event(pair->fd, REJECTED, -ECONNREFUSED, &event));
	if (!has(&event, data, len))
		return false;
	EXPECT(-EINVAL, reject(pair->fd, pair->server, data, len));
	TRY(destroy(pair->fd, pair->client));
	TRY(destroy(pair->fd, pair->server));
	return true;
}

/* Tries private data of 0 to 255 bytes, the largest length that 8 bits can express. */
static bool rejected(void)
{
	static const int lengths[] = { 0, 1, 2, 3, 4, 63, 127, 128, 254, MAX_DATA };
	uint8_t data[MAX_DATA];
	struct pair pair;

	if (!begin_listening(&pair))
		return false;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		fill(data, lengths[i]);
		if (!reject_with(&pair, data, lengths[i])) {
			printf("# with %d bytes\n", lengths[i]);
			return false;
		}
	}
	close(pair.fd);
	return true;
}

/*
 * With a backlog of 1, one request may be unfetched. Expects that a second request is refused, and
 * that another one is accepted after the first has been fetched.
 */
static bool backlog(void)
{
	struct rdma_ucm_event_resp event;
	struct pair pair, client;

	if (!begin_listening(&pair))
		return false;
	TRY(destroy(pair.fd, pair.listener));
	TRY(pair.listener = create(pair.fd, LISTENER_UID));
	TRY(bind_to(pair.fd, pair.listener, device_address, PORT));
	TRY(listen_on(pair.fd, pair.listener, 1));
	TRY(client.fd = channel_open());
	if (!begin_connecting(&client, NULL, 0))
		return false;
	/* Wait until the first request has arrived, but do not fetch it. */
	TRY(await_event(pair.fd));
	if (!begin_connecting(&client, NULL, 0))
		return false;
	TRY(expect_event(client.fd, REJECTED, -ECONNREFUSED, &event));
	EXPECT(1, event.id == client.client);
	if (!take_request(&pair))
		return false;
	TRY(reject(pair.fd, pair.server, NULL, 0));
	TRY(expect_event(client.fd, REJECTED, -ECONNREFUSED, &event));
	if (!begin_connecting(&client, NULL, 0) || !take_request(&pair))
		return false;
	close(client.fd);
	close(pair.fd);
	return true;
}

/*
 * A wildcard has one backlog for all devices, and OTHER_DEVICE is the address of another one.
 * Expects that with a backlog of 1 a request to each device cannot be unfetched, also after a
 * second LISTEN, which fails.
 */
static bool backlog_of_devices(void)
{
	struct pair pair;
	int first, second;

	TRY(pair.fd = channel_open());
	TRY(pair.listener = create(pair.fd, LISTENER_UID));
	TRY(bind_to(pair.fd, pair.listener, "0.0.0.0", PORT));
	TRY(listen_on(pair.fd, pair.listener, 1));
	TRY(first = peer_request(PORT));
	TRY(await_event(pair.fd));
	EXPECT(-EINVAL, listen_on(pair.fd, pair.listener, 1));
	TRY(second = peer_request_to(OTHER_DEVICE, PORT));
	TRY(peer_reply(second));
	close(second);
	if (!take_request(&pair))
		return false;
	TRY(second = peer_request_to(OTHER_DEVICE, PORT));
	if (!take_request(&pair))
		return false;
	TRY(reject(pair.fd, pair.server, NULL, 0));
	TRY(peer_reply(second));
	close(first);
	close(second);
	close(pair.fd);
	return true;
}

/*
 * Expects that an unfetched request is rejected when its listener is destroyed, and when the file
 * of the listener is closed.
 */
static bool unfetched(void)
{
	struct rdma_ucm_event_resp event;
	struct pair pair, client;

	TRY(client.fd = channel_open());
	for (int i = 0; i < 2; i++) {
		if (!begin_listening(&pair) || !begin_connecting(&client, NULL, 0))
			return false;
		TRY(await_event(pair.fd));
		if (i)
			close(pair.fd);
		else
			TRY(destroy(pair.fd, pair.listener));
		TRY(expect_event(client.fd, REJECTED, -ECONNREFUSED, &event));
		if (!i)
			close(pair.fd);
	}
	close(client.fd);
	return true;
}

/* Expects that an identifier takes its events along to another file: queued events and new ones. */
static bool migrated(void)
{
	struct rdma_ucm_event_resp event;
	int other = channel_open(), pipe_fds[2];
	struct pair pair;

	TRY(other);
	TRY(pipe(pipe_fds));
	if (!begin_listening(&pair) || !begin_connecting(&pair, NULL, 0) || !take_request(&pair))
		return false;
	EXPECT(-EBADF, migrate(other, pair.server, -1));
	EXPECT(-EINVAL, migrate(other, pair.server, pipe_fds[0]));
	EXPECT(-ENOENT, migrate(other, 0x7ffffff0, pair.fd));
	EXPECT(0, migrate(other, pair.server, pair.fd));
	EXPECT(-EINVAL, reject(pair.fd, pair.server, NULL, 0));
	EXPECT(2, migrate(other, pair.client, pair.fd));
	TRY(reject(other, pair.server, NULL, 0));
	TRY(expect_event(other, REJECTED, -ECONNREFUSED, &event));
	EXPECT(-EAGAIN, get_event_now(pair.fd, &event));
	/* A queued request moves with its listener. */
	if (!begin_connecting(&pair, NULL, 0))
		return false;
	TRY(await_event(pair.fd));
	EXPECT(1, migrate(other, pair.listener, pair.fd));
	TRY(expect_event(other, CONNECT_REQUEST, 0, &event));
	EXPECT(-EINVAL, reject(pair.fd, event.id, NULL, 0));
	TRY(reject(other, event.id, NULL, 0));
	TRY(expect_event(pair.fd, REJECTED, -ECONNREFUSED, &event));
	EXPECT(2, migrate(other, pair.listener, other));
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	close(other);
	close(pair.fd);
	return true;
}

/*
 * Accepts the request of a peer that has gone. Expects an error or, if the accept comes before the
 * end of the peer is known, an event that ends the connection.
 */
static bool accept_fails(struct pair *pair)
{
	struct rdma_ucm_event_resp event;
	int ret = accept_as(pair->fd, pair->server, SERVER_UID, next_qpn(), NULL, 0);

	if (ret) {
		EXPECT(-ECONNRESET, ret);
		EXPECT(-EAGAIN, get_event_now(pair->fd, &event));
		return true;
	}
	do {
		TRY(await_event(pair->fd));
		TRY(get_event_now(pair->fd, &event));
	} while (event.event == ESTABLISHED && !event.status);
	EXPECT(1, event.event == CONNECT_ERROR || event.event == DISCONNECTED);
	return true;
}

/* Kills the client process while its files are open. */
static bool killed(void)
{
	struct pair pair;
	int status;
	pid_t pid;

	if (!begin_listening(&pair))
		return false;
	pid = fork();
	if (!pid) {
		struct pair client = { .fd = channel_open() };

		if (client.fd < 0 || !begin_connecting(&client, NULL, 0))
			_exit(1);
		pause();
	}
	/*
	 * The child has used a QP number from its copy of the list. Skip this number in our list.
	 */
	next_qpn();
	if (!take_request(&pair))
		return false;
	TRY(kill(pid, SIGKILL));
	TRY(waitpid(pid, &status, 0));
	EXPECT(SIGKILL, WTERMSIG(status));
	if (!accept_fails(&pair))
		return false;
	close(pair.fd);
	return true;
}

/* Closes a file with identifiers in different states. */
static bool closed(void)
{
	struct pair pair;
	uint32_t id;

	if (!begin_listening(&pair) || !begin_connecting(&pair, NULL, 0))
		return false;
	TRY(id = create(pair.fd, 9));
	TRY(resolve(pair.fd, id, device_address, PORT));
	TRY(create(pair.fd, 10));
	close(pair.fd);
	return true;
}

const struct test connections_tests[] = {
	{ "a QP of somebody else", foreign_qp },
	{ "a connection", accepted },
	{ "rejections, with all lengths of private data", rejected },
	{ "a backlog", backlog },
	{ "a backlog of two devices", backlog_of_devices },
	{ "requests that are not fetched", unfetched },
	{ "identifiers that move to another file", migrated },
	{ "a killed process", killed },
	{ "a file is closed with identifiers in each state", closed },
	{}
};
