/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* A TCP connection of the peer: sends segments of chosen sizes, receives within a bounded time. */
#ifndef WIRE_SCRIPT_CONN_H
#define WIRE_SCRIPT_CONN_H

#include "run.h"

#define CONN_QUEUES	4

/**
 * struct direction - one direction of a stream of FPDUs
 * @markers: the stream has markers
 * @pos: number of bytes since the first FPDU began, markers included
 * @msn: for each queue, the MSN of the next message
 * @mo: for each queue, the MO of the next segment
 * @tagged_stag: STag of the unfinished tagged message
 * @tagged_to: tagged offset that the next segment of the unfinished message must have
 * @tagged_open: a tagged message is unfinished
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
 * @name: name of the connection in messages of failures
 * @fd: socket; -1 if there is none
 * @listen_fd: listening socket; -1 if there is none
 * @in: all bytes received
 * @at: number of bytes in @in that expectations have consumed
 * @since: value of @at when the present expectation began; a failure shows the bytes after it
 * @ended: how the host ended its direction; END_NONE if it has not
 * @reset: send() failed because the host had reset the connection
 * @sent_fin: we have ended our direction
 * @dropped: we have reset the connection
 * @corked: bytes to be sent are collected in @out
 * @out: bytes collected while @corked
 * @crc: CRCs are used
 * @large: all frames of the handshake so far have the flag for FPDUs above the segment size
 * @tx: the direction that we send
 * @rx: the direction that the host sends
 * @last: the FPDU sent last, without markers and CRC; received Terminates are compared with @last
 * @pinned: FPDUs sent later do not replace @last
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
	bool large;
	struct direction tx;
	struct direction rx;
	struct bytes last;
	bool pinned;
};

struct conn *conn_new(struct run *run, const char *name);
/*
 * Connects to the host. Fails the run unless the host accepts the connection or, if @refused is
 * true, unless the host refuses the connection.
 */
void conn_connect(struct run *run, struct conn *conn, int port, bool refused);
void conn_listen(struct run *run, struct conn *conn, int port);
/* Closes the previous connection and waits for the host's next one. */
void conn_accept(struct run *run, struct conn *conn);

/*
 * Sends @len bytes in segments of run->segment bytes. If the host has closed the connection, the
 * bytes are dropped and the run does not fail.
 */
void conn_send(struct run *run, struct conn *conn, const u8 *data, size_t len);
/* Waits for bytes of the host, or its end of the connection. Returns whether there are bytes. */
bool conn_has_more(struct run *run, struct conn *conn);
/* Sends @len bytes at once, with TCP's URG flag. */
void conn_send_urgent(struct run *run, struct conn *conn, const u8 *data, size_t len);
void conn_uncork(struct run *run, struct conn *conn);
void conn_fin(struct run *run, struct conn *conn);
void conn_rst(struct run *run, struct conn *conn);

/* Returns the bytes of a full TCP segment on this connection, or 0 if the size is unknown. */
unsigned int conn_mss(const struct conn *conn);

/* Returns the next @len received bytes. If they do not come, fails the run: "waited for @what". */
const u8 *conn_take(struct run *run, struct conn *conn, size_t len, const char *what);
/* Fails the run unless the host ends its direction next, by @end or, for END_NONE, in any way. */
void conn_expect_end(struct run *run, struct conn *conn, enum conn_end end);
/*
 * Fails the run unless TCP has no connection any more, because the host has reset it, or because
 * both sides have sent a FIN. Received bytes, and a FIN of the host, may be unread.
 */
void conn_expect_gone(struct run *run, struct conn *conn);
/* Fails the run if a byte or the end of the stream comes within @ms ms. */
void conn_expect_nothing(struct run *run, struct conn *conn, int ms);
/* Fails the run if bytes have come that no expectation consumed. */
void conn_expect_taken(struct run *run, struct conn *conn);
/* Waits until the host has closed the connection. Fails the run if bytes come before that. */
void conn_wait_closed(struct run *run, struct conn *conn);
/* Closes both sockets. */
void conn_close(struct conn *conn);

#endif /* WIRE_SCRIPT_CONN_H */
