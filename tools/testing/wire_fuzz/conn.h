/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* A connection that is played: what is sent when, what comes back, how it ends. */
#ifndef REPLAY_CONN_H
#define REPLAY_CONN_H

#include "keys.h"
#include "plan.h"
#include "script.h"

enum conn_state {
	CONN_CONNECTING,
	CONN_AWAIT_REQUEST,	/* server: what is asked for decides on the recording */
	CONN_PLAYING,
	CONN_ENDING,		/* all is sent */
	CONN_CLOSING,		/* our FIN is, too: the peer's must follow */
	CONN_DONE
};

/**
 * struct outcome - what became of it
 * @connected: TCP came about
 * @accepted: an MPA reply without reject came in, or we are the server and a request came
 * @rejected: one with it
 * @terminated: a Terminate came in; @layer, @etype and @code are its
 * @reset: the connection was reset
 * @stuck: our FIN did not make the peer close
 * @fpdus: that the peer sent
 */
struct outcome {
	bool connected;
	bool accepted;
	bool rejected;
	bool terminated;
	bool reset;
	bool stuck;
	uint8_t layer, etype, code;
	uint32_t fpdus;
};

struct job {
	const struct scripts *scripts;
	struct endpoint peer;
	enum side side;
	uint64_t seed;
	bool verbose;
};

struct conn {
	const struct job *job;
	int fd;
	uint32_t watched;	/* events the loop waits for */
	uint64_t number;
	enum conn_state state;
	struct plan plan;
	struct outcome outcome;

	uint32_t step;
	uint8_t out[ITEM_MAX + RAW_MAX];
	uint32_t out_len, out_pos;
	uint64_t sent;
	uint32_t pieces;

	bool forbidden;		/* what was sent must not be accepted */
	struct splitter in;
	struct keys keys;
	uint64_t began, heard, since;
};

/* A connection of ours to the peer, or @fd, which the peer made to us. NULL: no socket. */
struct conn *conn_begin(const struct job *job, uint64_t number, int fd);
/* Goes on as far as possible; after that conn->state may be CONN_DONE. */
void conn_run(struct conn *conn);
/* Whether to be called when the socket is writable, too. */
bool conn_wants_room(const struct conn *conn);
/* NULL if it went as it must, else what was wrong. */
const char *conn_fault(const struct conn *conn);
void conn_free(struct conn *conn);

#endif /* REPLAY_CONN_H */
