// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Forwards a connection between a client and a server, and records it. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire_fuzz.h"
#include "script.h"

#define QUIET_MS	20000

struct recorder {
	FILE *file;
	int fd[2];	/* sockets to the client and to the server */
	struct splitter split[2];
	bool ended[2];
};

static int connect_to(const struct endpoint *server)
{
	int one = 1;
	int fd = socket(server->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)&server->addr, server->len) ||
	    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
		die("cannot connect: %s", strerror(errno));
	return fd;
}

static void write_items(struct recorder *r, enum side from, const uint8_t *data, size_t len)
{
	struct splitter *s = &r->split[from];
	bool whole;
	size_t n;

	while (len) {
		uint32_t before = s->have;

		n = splitter_push(s, from, data, len, &whole);
		if (s->lost)
			die("not an iWARP stream");
		if (whole)
			script_write_item(r->file, from, r->split[!from].count, s->buf, before + n);
		data += n;
		len -= n;
	}
}

/* Records bytes before forwarding them, so that a reply is recorded after its cause. */
static void pass_on(struct recorder *r, enum side from)
{
	uint8_t buf[65536];
	ssize_t n = recv(r->fd[from], buf, sizeof(buf), 0), sent, done;

	if (n < 0)
		die("recv: %s", strerror(errno));
	if (!n) {
		r->ended[from] = true;
		shutdown(r->fd[!from], SHUT_WR);
		return;
	}
	write_items(r, from, buf, n);
	for (done = 0; done < n; done += sent) {
		sent = send(r->fd[!from], buf + done, n - done, MSG_NOSIGNAL);
		if (sent <= 0)
			die("the connection broke");
	}
}

static void pass_all(struct recorder *r)
{
	struct pollfd polls[2];

	while (!r->ended[CLIENT] || !r->ended[SERVER]) {
		for (int side = CLIENT; side <= SERVER; side++)
			polls[side] = (struct pollfd) {
				.fd = r->ended[side] ? -1 : r->fd[side],
				.events = POLLIN,
			};
		if (poll(polls, 2, QUIET_MS) <= 0)
			die("neither side has sent anything for %d ms", QUIET_MS);
		for (int side = CLIENT; side <= SERVER; side++)
			if (polls[side].revents)
				pass_on(r, side);
	}
}

int record(const struct endpoint *listen_at, const struct endpoint *server, const char *path)
{
	int listener = endpoint_listen(listen_at, 0);
	struct recorder r = { .file = fopen(path, "w") };
	int one = 1;

	if (!r.file)
		die("cannot write %s", path);
	r.fd[CLIENT] = accept(listener, NULL, NULL);
	if (r.fd[CLIENT] < 0 ||
	    setsockopt(r.fd[CLIENT], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
		die("accept: %s", strerror(errno));
	close(listener);
	r.fd[SERVER] = connect_to(server);
	pass_all(&r);
	for (int side = CLIENT; side <= SERVER; side++) {
		close(r.fd[side]);
		splitter_free(&r.split[side]);
	}
	return fclose(r.file) ? 2 : 0;
}
