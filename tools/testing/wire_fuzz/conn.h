/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Replays a connection: sends the steps of its plan, receives items, and ends it. */
#ifndef WIRE_FUZZ_CONN_H
#define WIRE_FUZZ_CONN_H

#include "keys.h"
#include "plan.h"
#include "script.h"

enum conn_state {
	CONN_CONNECTING,
	CONN_AWAIT_REQUEST,	/* server: the client's request decides which recording fits */
	CONN_PLAYING,
	CONN_ENDING,		/* all items are sent; our FIN or reset is not */
	CONN_CLOSING,		/* our FIN is sent; the peer's FIN must follow */
	CONN_DONE
};

/**
 * struct outcome - what happened on a connection
 * @connected: TCP was established
 * @accepted: client: an MPA reply without reject was received; server: a request was received
 * @rejected: an MPA reply with reject was received
 * @terminated: a Terminate with @layer, @etype and @code was received
 * @reset: the connection was reset
 * @stuck: a time limit expired: no connection, no request, or the peer did not close after our FIN
 * @layer: layer of the Terminate
 * @etype: error type of the Terminate
 * @code: error code of the Terminate
 * @fpdus: number of FPDUs that the peer sent
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
	uint32_t watched;	/* epoll events that the loop waits for */
	uint64_t number;
	enum conn_state state;
	struct plan plan;
	struct outcome outcome;

	uint32_t step;
	uint8_t out[ITEM_MAX + RAW_MAX];
	uint32_t out_len, out_pos;
	uint64_t sent;
	uint32_t pieces;

	bool forbidden;		/* the peer must answer with a Terminate or a reset */
	struct splitter in;
	struct keys keys;
	uint64_t began, last_received, since;
};

/*
 * Begins a connection. A client connects to the peer; a server takes over @fd, an accepted socket.
 * Returns NULL if there is no socket.
 */
struct conn *conn_begin(const struct job *job, uint64_t number, int fd);
/* Sends and receives without blocking. The state may be CONN_DONE when this function returns. */
void conn_run(struct conn *conn);
/* Returns whether conn_run() must also be called when the socket is writable. */
bool conn_wants_room(const struct conn *conn);
/* Returns NULL if the peer behaved as it must, else a description of the fault. */
const char *conn_fault(const struct conn *conn);
void conn_free(struct conn *conn);

#endif /* WIRE_FUZZ_CONN_H */
