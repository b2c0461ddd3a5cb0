// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* TCP connections with exact segment sizes and bounded waits. */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conn.h"
#include "decode.h"
#include "iwarp/wire.h"

/*
 * Bytes of the send buffer, enough for a frame in one-byte segments: besides the byte, the kernel
 * charges its overhead for each segment.
 */
#define BUFFER_SIZE	(16 << 20)

struct conn *conn_new(struct run *run, const char *name)
{
	struct conn *conn = run_alloc(run, sizeof(*conn));

	*conn = (struct conn) { .name = name, .fd = -1, .listen_fd = -1 };
	for (int qn = 0; qn < CONN_QUEUES; qn++) {
		conn->tx.msn[qn] = DDP_MSN_FIRST;
		conn->rx.msn[qn] = DDP_MSN_FIRST;
	}
	return conn;
}

/* Lets TCP send each write, and acknowledge, at once. */
static void set_options(struct run *run, int fd)
{
	int on = 1;

	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) ||
	    setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on)))
		run_fail(run, "socket option: %s", strerror(errno));
	/*
	 * The call needs CAP_NET_ADMIN. If it fails, the buffer is not enlarged, and long scripts
	 * of small segments are slower.
	 */
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &(int){ BUFFER_SIZE }, sizeof(int));
}

/* Returns a socket; stores @text and @port in @addr. */
static int new_socket(struct run *run, const char *text, int port, struct sockaddr_in *addr)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int)))
		run_fail(run, "no socket: %s", strerror(errno));
	set_options(run, fd);
	*addr = (struct sockaddr_in) { .sin_family = AF_INET, .sin_port = htons(port) };
	if (!inet_pton(AF_INET, text, &addr->sin_addr))
		run_fail(run, "not an address: %s", text);
	return fd;
}

void conn_connect(struct run *run, struct conn *conn, int port, bool refused)
{
	struct timeval limit = { .tv_sec = run->wait_ms / 1000 };
	struct sockaddr_in addr;

	conn->fd = new_socket(run, run->options->addr, port, &addr);
	setsockopt(conn->fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	if (!connect(conn->fd, (struct sockaddr *)&addr, sizeof(addr)) != !refused)
		run_fail(run, "%s: connection to port %d: %s", conn->name, port,
			 refused ? "not refused" : strerror(errno));
	if (refused)
		conn_close(conn);
}

void conn_listen(struct run *run, struct conn *conn, int port)
{
	struct sockaddr_in addr;

	conn->listen_fd = new_socket(run, "0.0.0.0", port, &addr);
	if (bind(conn->listen_fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    listen(conn->listen_fd, 16))
		run_fail(run, "%s: cannot listen: %s", conn->name, strerror(errno));
}

static bool wait_for(struct run *run, int fd, int ms)
{
	struct pollfd poller = { .fd = fd, .events = POLLIN };
	int ret;

	do {
		ret = poll(&poller, 1, ms);
	} while (ret < 0 && errno == EINTR);
	if (ret < 0)
		run_fail(run, "poll: %s", strerror(errno));
	return ret;
}

void conn_accept(struct run *run, struct conn *conn)
{
	struct conn *fresh = conn_new(run, conn->name);

	/* Back to the state before the first connection; the listening socket stays open. */
	if (conn->fd >= 0)
		close(conn->fd);
	fresh->listen_fd = conn->listen_fd;
	fresh->in = (struct bytes) { .at = conn->in.at, .room = conn->in.room };
	*conn = *fresh;
	if (!wait_for(run, conn->listen_fd, run->wait_ms))
		run_fail(run, "%s: waited %d ms for a connection of the host", conn->name,
			 run->wait_ms);
	conn->fd = accept4(conn->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	if (conn->fd < 0)
		run_fail(run, "%s: accept: %s", conn->name, strerror(errno));
	set_options(run, conn->fd);
}

/*
 * MSG_EOR keeps the size of each segment: TCP appends nothing to a queued segment with this flag.
 */
static void write_out(struct run *run, struct conn *conn, const u8 *data, size_t len)
{
	while (len) {
		size_t size = run->segment && run->segment < len ? run->segment : len;
		ssize_t sent = send(conn->fd, data, size,
				    MSG_NOSIGNAL | (run->segment ? MSG_EOR : 0));

		if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) {
			/* A reset is reported only once: recv() then returns 0, as after a FIN. */
			conn->reset |= errno == ECONNRESET;
			return;
		}
		if (sent < 0)
			run_fail(run, "%s: send: %s", conn->name, strerror(errno));
		data += sent;
		len -= sent;
	}
}

void conn_send(struct run *run, struct conn *conn, const u8 *data, size_t len)
{
	if (conn->fd < 0)
		run_fail(run, "%s: is not connected", conn->name);
	if (conn->corked)
		bytes_add(run, &conn->out, data, len);
	else
		write_out(run, conn, data, len);
}

void conn_send_urgent(struct run *run, struct conn *conn, const u8 *data, size_t len)
{
	if (conn->corked)
		run_fail(run, "%s: is corked", conn->name);
	if (send(conn->fd, data, len, MSG_NOSIGNAL | MSG_OOB) != (ssize_t)len)
		run_fail(run, "%s: send: %s", conn->name, strerror(errno));
}

void conn_uncork(struct run *run, struct conn *conn)
{
	conn->corked = false;
	write_out(run, conn, conn->out.at, conn->out.len);
	conn->out.len = 0;
}

void conn_fin(struct run *run, struct conn *conn)
{
	if (conn->corked)
		conn_uncork(run, conn);
	shutdown(conn->fd, SHUT_WR);
	conn->sent_fin = true;
}

void conn_rst(struct run *run, struct conn *conn)
{
	struct linger linger = { .l_onoff = 1 };

	if (conn->corked)
		conn_uncork(run, conn);
	setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	close(conn->fd);
	conn->fd = -1;
	conn->dropped = true;
}

unsigned int conn_mss(const struct conn *conn)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);

	if (getsockopt(conn->fd, IPPROTO_TCP, TCP_INFO, &info, &len))
		return 0;
	return info.tcpi_snd_mss;
}

static const char *end_name(enum conn_end end)
{
	return end == END_FIN ? "FIN" : end == END_RST ? "RST" : "FIN or RST";
}

/* Reads once. Returns false if neither bytes nor the end of the stream came within @ms ms. */
static bool take_in(struct run *run, struct conn *conn, int ms)
{
	u8 buf[16384];
	ssize_t got;

	if (conn->ended || !wait_for(run, conn->fd, ms))
		return conn->ended;
	got = recv(conn->fd, buf, sizeof(buf), MSG_DONTWAIT);
	if (got > 0)
		bytes_add(run, &conn->in, buf, got);
	else if (!got)
		conn->ended = conn->reset ? END_RST : END_FIN;
	else if (errno == ECONNRESET || errno == EPIPE)
		conn->ended = END_RST;
	else if (errno != EAGAIN)
		run_fail(run, "%s: recv: %s", conn->name, strerror(errno));
	return true;
}

static void fail_wait(struct run *run, struct conn *conn, const char *what)
{
	size_t len = conn->in.len - conn->since;

	run_fail(run, "%s: waited for %s; seen %zu bytes, then %s\n%s", conn->name, what, len,
		 conn->ended ? end_name(conn->ended) : "nothing",
		 decode(run, conn->in.at + conn->since, len));
}

const u8 *conn_take(struct run *run, struct conn *conn, size_t len, const char *what)
{
	int64_t end = now_ms() + run->wait_ms;
	const u8 *at;

	if (conn->fd < 0)
		run_fail(run, "%s: is not connected", conn->name);
	while (conn->in.len - conn->at < len) {
		int64_t now = now_ms();

		if (conn->ended || now >= end)
			fail_wait(run, conn, what);
		take_in(run, conn, end - now);
	}
	at = conn->in.at + conn->at;
	conn->at += len;
	return at;
}

bool conn_has_more(struct run *run, struct conn *conn)
{
	int64_t limit = now_ms() + run->wait_ms;

	while (!conn->ended && conn->in.len == conn->at) {
		int64_t now = now_ms();

		if (now >= limit)
			fail_wait(run, conn, "bytes or an end");
		take_in(run, conn, limit - now);
	}
	return conn->in.len > conn->at;
}

void conn_expect_end(struct run *run, struct conn *conn, enum conn_end end)
{
	int64_t limit = now_ms() + run->wait_ms;

	while (!conn->ended && conn->in.len == conn->at && now_ms() < limit)
		take_in(run, conn, limit - now_ms());
	if (!conn->ended || conn->in.len > conn->at || (end && conn->ended != end))
		fail_wait(run, conn, end_name(end));
}

void conn_expect_gone(struct run *run, struct conn *conn)
{
	struct pollfd poller = { .fd = conn->fd };
	int64_t limit = now_ms() + run->wait_ms;
	int64_t now;

	while ((now = now_ms()) < limit)
		if (poll(&poller, 1, limit - now) > 0)
			return;
	fail_wait(run, conn, "the end of both directions");
}

void conn_expect_nothing(struct run *run, struct conn *conn, int ms)
{
	int64_t limit = now_ms() + ms;
	int64_t now;

	while (!conn->ended && conn->in.len == conn->at && (now = now_ms()) < limit)
		take_in(run, conn, limit - now);
	if (conn->ended || conn->in.len > conn->at)
		fail_wait(run, conn, "silence");
}

void conn_expect_taken(struct run *run, struct conn *conn)
{
	if (conn->fd < 0)
		return;
	conn->since = conn->at;
	while (!conn->ended && take_in(run, conn, 0))
		;
	if (conn->in.len > conn->at)
		fail_wait(run, conn, "no more than what the script names");
}

void conn_wait_closed(struct run *run, struct conn *conn)
{
	int64_t limit = now_ms() + run->wait_ms;

	if (conn->fd < 0 || conn->dropped)
		return;
	conn->since = conn->at;
	while (!conn->ended && now_ms() < limit)
		take_in(run, conn, limit - now_ms());
	if (!conn->ended || conn->in.len > conn->at)
		fail_wait(run, conn, "the host's end of the connection");
}

void conn_close(struct conn *conn)
{
	if (conn->fd >= 0)
		close(conn->fd);
	if (conn->listen_fd >= 0)
		close(conn->listen_fd);
	conn->fd = -1;
	conn->listen_fd = -1;
}
