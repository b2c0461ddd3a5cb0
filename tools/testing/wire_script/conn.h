/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* A TCP connection of the peer: bytes out in the sizes asked for, bytes in within bounded time. */
#ifndef PEER_CONN_H
#define PEER_CONN_H

#include "run.h"

#define CONN_QUEUES	4

/**
 * struct direction - one direction of a stream of FPDUs
 * @markers: has markers
 * @pos: bytes since the first FPDU began, markers included
 * @msn: of the next message, by queue
 * @mo: of its next segment
 * @tagged_stag: STag of the tagged message that is open
 * @tagged_to: offset that its next segment must have
 * @tagged_open: there is one
 */
struct direction {
	bool markers;
	u64 pos;
	u32 msn[CONN_QUEUES];
	u32 mo[CONN_QUEUES];
	u32 tagged_stag;
	u64 tagged_to;
	bool tagged_open;
};

/**
 * struct conn - a connection
 * @name: for failures
 * @fd: socket; -1 without
 * @listen_fd: listening socket; -1 without
 * @in: all that came in
 * @at: of that, what has been looked at
 * @since: where the present expectation began
 * @ended: 0, or how the host ended it: END_FIN, END_RST
 * @reset: a reset came while we sent
 * @sent_fin: we have ended our direction
 * @dropped: we have reset it, or expect no more of it
 * @corked: bytes to go are collected in @out
 * @out: those
 * @crc: CRCs are used
 * @tx: what we send
 * @rx: what the host sends
 * @last: the FPDU sent last, without markers
 * @pinned: @last stays
 */
struct conn {
	const char *name;
	int fd;
	int listen_fd;
	struct bytes in;
	size_t at;
	size_t since;
	enum conn_end { END_NONE, END_FIN, END_RST } ended;
	bool reset;
	bool sent_fin;
	bool dropped;
	bool corked;
	struct bytes out;
	bool crc;
	struct direction tx;
	struct direction rx;
	struct bytes last;
	bool pinned;
};

struct conn *conn_new(struct run *run, const char *name);
/* Fails unless the host takes it; with @refused, unless it does not. */
void conn_connect(struct run *run, struct conn *conn, int port, bool refused);
void conn_listen(struct run *run, struct conn *conn, int port);
/* The next connection of the host; the one before is closed. */
void conn_accept(struct run *run, struct conn *conn);

/* As the run's segmentation has it. A host that has closed is no failure here. */
void conn_send(struct run *run, struct conn *conn, const u8 *data, size_t len);
void conn_uncork(struct run *run, struct conn *conn);
void conn_fin(struct run *run, struct conn *conn);
void conn_rst(struct run *run, struct conn *conn);

/* The largest segment that the host may send. */
unsigned int conn_mss(const struct conn *conn);

/* An expectation begins: what came in since is shown if it fails. */
void conn_expect(struct conn *conn);
/* @len bytes that have come in, or fails: "waited for @what". */
const u8 *conn_take(struct run *run, struct conn *conn, size_t len, const char *what);
/* The host ends its direction now, with @end (END_NONE: either), or fails. */
void conn_expect_end(struct run *run, struct conn *conn, enum conn_end end);
/* Nothing comes for @ms, or fails. */
void conn_expect_nothing(struct run *run, struct conn *conn, int ms);
/* Ends the run if bytes came that no expectation took. */
void conn_expect_taken(struct run *run, struct conn *conn);
/* Waits until the host has closed; bytes meanwhile are a failure. */
void conn_settle(struct run *run, struct conn *conn);
/* Closes what is open. */
void conn_close(struct conn *conn);

#endif /* PEER_CONN_H */
