// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Executes `peer:` and `peer?` lines. */

#include "args.h"
#include "conn.h"
#include "handshake.h"
#include "peer.h"
#include "segment.h"
#include "stream.h"

#define HOST_PORT	7000
#define PEER_PORT	7100

/* Executes an action that is not a message. Returns false if @word is no such action. */
static bool act(struct run *run, struct conn *conn, const char *word, struct args *args)
{
	struct bytes raw = {};

	if (!strcmp(word, "connect")) {
		conn_connect(run, conn, args_number(args, "port", HOST_PORT),
			     args_flag(args, "refused"));
	} else if (!strcmp(word, "listen")) {
		conn_listen(run, conn, args_number(args, "port", PEER_PORT));
	} else if (!strcmp(word, "accept")) {
		conn_accept(run, conn);
	} else if (!strcmp(word, "req") || !strcmp(word, "rep")) {
		handshake_send(run, conn, !strcmp(word, "rep"), args);
	} else if (!strcmp(word, "raw")) {
		/* Bytes without a frame or FPDU around them. */
		bytes_of(run, args_word(args) ?: "", &raw);
		stream_send_raw(run, conn, &raw);
	} else if (!strcmp(word, "urgent")) {
		/* TCP treats only the last of these bytes as the urgent byte. */
		bytes_of(run, args_word(args) ?: "", &raw);
		conn_send_urgent(run, conn, raw.at, raw.len);
		conn->tx.pos += raw.len;
	} else if (!strcmp(word, "fin")) {
		conn_fin(run, conn);
	} else if (!strcmp(word, "rst")) {
		conn_rst(run, conn);
	} else if (!strcmp(word, "cork")) {
		conn->corked = true;
	} else if (!strcmp(word, "uncork")) {
		conn_uncork(run, conn);
	} else if (!strcmp(word, "mode")) {
		/* Sets whether FPDUs have CRCs and markers, regardless of the handshake. */
		conn->crc = args_number(args, "crc", conn->crc);
		conn->tx.markers = args_number(args, "txmark", conn->tx.markers);
		conn->rx.markers = args_number(args, "rxmark", conn->rx.markers);
	} else {
		return false;
	}
	return true;
}

/* Expects what is not a message. Returns false if @word names no such expectation. */
static bool expect(struct run *run, struct conn *conn, const char *word, struct args *args)
{
	struct bytes want = {};

	if (!strcmp(word, "req") || !strcmp(word, "rep")) {
		handshake_expect(run, conn, !strcmp(word, "rep"), args);
	} else if (!strcmp(word, "raw")) {
		bytes_of(run, args_word(args) ?: "", &want);
		bytes_expect(run, "bytes", conn_take(run, conn, want.len, "these bytes"), want.len,
			     want.at, want.len);
	} else if (!strcmp(word, "fin")) {
		conn_expect_end(run, conn, END_FIN);
	} else if (!strcmp(word, "rst")) {
		conn_expect_end(run, conn, END_RST);
	} else if (!strcmp(word, "end")) {
		conn_expect_end(run, conn, END_NONE);
	} else if (!strcmp(word, "gone")) {
		conn_expect_gone(run, conn);
	} else if (!strcmp(word, "nothing")) {
		conn_expect_nothing(run, conn, number(run, args_word(args) ?: "200"));
	} else if (!strcmp(word, "fpdus")) {
		segments_expect(run, conn);
	} else {
		return false;
	}
	return true;
}

void peer_line(struct run *run, int number, bool expects, const char *text)
{
	const struct message_kind *kind;
	struct conn *conn = run->conns[number];
	struct args args;
	const char *word;

	if (!conn) {
		conn = conn_new(run, number == 1 ? "peer" : run_text(run, "peer%d", number));
		run->conns[number] = conn;
	}
	args_parse(run, &args, text);
	word = args_word(&args) ?: "";
	if (conn->fd < 0 && strcmp(word, "connect") && strcmp(word, "listen") &&
	    strcmp(word, "accept"))
		run_fail(run, "%s: is not connected", conn->name);
	kind = message_kind(word);
	if (expects) {
		conn->since = conn->at;
		if (kind)
			message_expect(run, conn, kind, &args);
		else if (!expect(run, conn, word, &args))
			run_fail(run, "unknown expectation of a peer: %s", word);
	} else if (kind) {
		segment_send(run, conn, kind, &args);
	} else if (!act(run, conn, word, &args)) {
		run_fail(run, "unknown action of a peer: %s", word);
	}
	args_done(&args);
}

void peer_finish(struct run *run)
{
	for (int i = 0; i < RUN_MAX_CONNS; i++) {
		struct conn *conn = run->conns[i];

		if (!conn || conn->fd < 0)
			continue;
		conn_expect_taken(run, conn);
		if (!conn->sent_fin)
			conn_fin(run, conn);
	}
}

void peer_wait_closed(struct run *run)
{
	for (int i = 0; i < RUN_MAX_CONNS; i++)
		if (run->conns[i])
			conn_wait_closed(run, run->conns[i]);
}

void peer_close(struct run *run)
{
	for (int i = 0; i < RUN_MAX_CONNS; i++)
		if (run->conns[i])
			conn_close(run->conns[i]);
}
