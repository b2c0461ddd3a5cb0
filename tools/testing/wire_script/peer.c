// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Executes `peer:` and `peer?` lines: a function for each first word of such a line. */

#include "args.h"
#include "conn.h"
#include "handshake.h"
#include "peer.h"
#include "segment.h"
#include "stream.h"

#define HOST_PORT	7000
#define PEER_PORT	7100

typedef void (*peer_word)(struct run *run, struct conn *conn, struct args *args);

struct word {
	const char *name;
	peer_word run;
};

static peer_word find_word(const struct word *words, size_t num, const char *name)
{
	for (size_t i = 0; i < num; i++)
		if (!strcmp(words[i].name, name))
			return words[i].run;
	return NULL;
}

/* Actions */

static void do_connect(struct run *run, struct conn *conn, struct args *args)
{
	conn_connect(run, conn, args_number(args, "port", HOST_PORT), args_flag(args, "refused"));
}

static void do_listen(struct run *run, struct conn *conn, struct args *args)
{
	conn_listen(run, conn, args_number(args, "port", PEER_PORT));
}

static void do_accept(struct run *run, struct conn *conn, struct args *args)
{
	(void)args;
	conn_accept(run, conn);
}

static void do_req(struct run *run, struct conn *conn, struct args *args)
{
	handshake_send(run, conn, false, args);
}

static void do_rep(struct run *run, struct conn *conn, struct args *args)
{
	handshake_send(run, conn, true, args);
}

/* Sends the bytes of the next word unchanged, without a frame or FPDU around them. */
static void do_raw(struct run *run, struct conn *conn, struct args *args)
{
	const char *text = args_word(args);
	struct bytes raw = {};

	bytes_of(run, text ?: "", &raw);
	stream_send_raw(run, conn, &raw);
}

/*
 * Sends the bytes of the next word in a segment that marks them as urgent. TCP treats only the last
 * of these bytes as the urgent byte.
 */
static void do_urgent(struct run *run, struct conn *conn, struct args *args)
{
	const char *text = args_word(args);
	struct bytes raw = {};

	bytes_of(run, text ?: "", &raw);
	conn_send_urgent(run, conn, raw.at, raw.len);
	conn->tx.pos += raw.len;
}

static void do_fin(struct run *run, struct conn *conn, struct args *args)
{
	(void)args;
	conn_fin(run, conn);
}

static void do_rst(struct run *run, struct conn *conn, struct args *args)
{
	(void)args;
	conn_rst(run, conn);
}

static void do_cork(struct run *run, struct conn *conn, struct args *args)
{
	(void)run;
	(void)args;
	conn->corked = true;
}

static void do_uncork(struct run *run, struct conn *conn, struct args *args)
{
	(void)args;
	conn_uncork(run, conn);
}

/* Sets whether FPDUs have CRCs and markers, regardless of the handshake. */
static void do_mode(struct run *run, struct conn *conn, struct args *args)
{
	(void)run;
	conn->crc = args_number(args, "crc", conn->crc);
	conn->tx.markers = args_number(args, "txmark", conn->tx.markers);
	conn->rx.markers = args_number(args, "rxmark", conn->rx.markers);
}

static const struct word actions[] = {
	{ "connect", do_connect }, { "listen", do_listen }, { "accept", do_accept },
	{ "req", do_req }, { "rep", do_rep }, { "raw", do_raw }, { "urgent", do_urgent },
	{ "fin", do_fin }, { "rst", do_rst }, { "cork", do_cork }, { "uncork", do_uncork },
	{ "mode", do_mode },
};

/* Expectations */

static void expect_req(struct run *run, struct conn *conn, struct args *args)
{
	handshake_expect(run, conn, false, args);
}

static void expect_rep(struct run *run, struct conn *conn, struct args *args)
{
	handshake_expect(run, conn, true, args);
}

static void expect_raw(struct run *run, struct conn *conn, struct args *args)
{
	const char *text = args_word(args);
	struct bytes want = {};

	bytes_of(run, text ?: "", &want);
	conn_begin_expectation(conn);
	bytes_expect(run, "bytes", conn_take(run, conn, want.len, "these bytes"), want.len,
		     want.at, want.len);
}

static void expect_fin(struct run *run, struct conn *conn, struct args *args)
{
	(void)args;
	conn_begin_expectation(conn);
	conn_expect_end(run, conn, END_FIN);
}

static void expect_rst(struct run *run, struct conn *conn, struct args *args)
{
	(void)args;
	conn_begin_expectation(conn);
	conn_expect_end(run, conn, END_RST);
}

static void expect_end(struct run *run, struct conn *conn, struct args *args)
{
	(void)args;
	conn_begin_expectation(conn);
	conn_expect_end(run, conn, END_NONE);
}

static void expect_gone(struct run *run, struct conn *conn, struct args *args)
{
	(void)args;
	conn_begin_expectation(conn);
	conn_expect_gone(run, conn);
}

static void expect_fpdus(struct run *run, struct conn *conn, struct args *args)
{
	(void)args;
	segments_expect(run, conn);
}

static void expect_nothing(struct run *run, struct conn *conn, struct args *args)
{
	const char *ms = args_word(args);

	conn_begin_expectation(conn);
	conn_expect_nothing(run, conn, number(run, ms ?: "200"));
}

static const struct word expectations[] = {
	{ "req", expect_req }, { "rep", expect_rep }, { "raw", expect_raw },
	{ "fin", expect_fin }, { "rst", expect_rst }, { "end", expect_end },
	{ "gone", expect_gone }, { "nothing", expect_nothing }, { "fpdus", expect_fpdus },
};

static struct conn *conn_of(struct run *run, int number)
{
	if (!run->conns[number])
		run->conns[number] = conn_new(run, number == 1 ? "peer" :
					      run_text(run, "peer%d", number));
	return run->conns[number];
}

static void need_socket(struct run *run, const struct conn *conn, const char *word)
{
	if (conn->fd < 0 && strcmp(word, "connect") && strcmp(word, "listen") &&
	    strcmp(word, "accept"))
		run_fail(run, "%s: is not connected", conn->name);
}

void peer_do(struct run *run, int number, const char *text)
{
	struct conn *conn = conn_of(run, number);
	const struct message_kind *kind;
	struct args args;
	const char *word;
	peer_word action;

	args_parse(run, &args, text);
	word = args_word(&args) ?: "";
	need_socket(run, conn, word);
	kind = message_kind(word);
	action = find_word(actions, ARRAY_SIZE(actions), word);
	if (kind)
		segment_send(run, conn, kind, &args);
	else if (action)
		action(run, conn, &args);
	else
		run_fail(run, "unknown action of a peer: %s", word);
	args_done(&args);
}

void peer_expect(struct run *run, int number, const char *text)
{
	struct conn *conn = conn_of(run, number);
	const struct message_kind *kind;
	peer_word expectation;
	struct args args;
	const char *word;

	args_parse(run, &args, text);
	word = args_word(&args) ?: "";
	need_socket(run, conn, word);
	kind = message_kind(word);
	expectation = find_word(expectations, ARRAY_SIZE(expectations), word);
	if (kind)
		message_expect(run, conn, kind, &args);
	else if (expectation)
		expectation(run, conn, &args);
	else
		run_fail(run, "unknown expectation of a peer: %s", word);
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
