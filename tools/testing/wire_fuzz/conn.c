// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Replays a connection: sends the steps of its plan, receives items, and ends it. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conn.h"
#include "iwarp/ddp.h"
#include "iwarp/mpa.h"
#include "iwarp/term.h"

/*
 * Longest wait, in ms, for items of the peer: on an unchanged connection, and on a changed one, on
 * which the peer may send nothing more.
 */
#define ITEM_TIMEOUT_CONTROL_MS	60000
#define ITEM_TIMEOUT_MS		150
#define STALL_MS		300
#define CONNECT_MS		60000
/* Time, in ms, after which a peer counts as stuck; longer than the sum of all timeouts of siw. */
#define STUCK_MS		60000
/* Largest number of pieces into which a stream is cut; what is left then is sent whole. */
#define PIECES_MAX		48

static void log_event(const struct conn *conn, const char *what, uint64_t value)
{
	if (conn->job->verbose)
		printf("%6llu ms: %s %llu\n", (unsigned long long)(now_ms() - conn->began), what,
		       (unsigned long long)value);
}

static void set_state(struct conn *conn, enum conn_state state)
{
	conn->state = state;
	conn->since = now_ms();
}

/* Receiving */

/*
 * A recording fits the client if the recorded request has the same private data as the client's
 * request. Returns the recording that fits, or NULL if none does.
 */
static const struct script *find_script(const struct conn *conn)
{
	const struct scripts *scripts = conn->job->scripts;
	struct mpa_frame live, old;

	if (mpa_frame_parse(conn->in.buf, MPA_FRAME_MAX, MPA_REQUEST, &live))
		return NULL;
	for (uint32_t i = 0; i < scripts->count; i++) {
		const struct item *item = &scripts->all[i].track[CLIENT].items[0];

		if (!mpa_frame_parse(item->data, item->len, MPA_REQUEST, &old) &&
		    old.pd_len == live.pd_len && !memcmp(old.pd, live.pd, old.pd_len))
			return &scripts->all[i];
	}
	return NULL;
}

static void make_plan(struct conn *conn, const struct script *script)
{
	const struct job *job = conn->job;

	plan_make(&conn->plan, job->scripts, script, job->side, job->seed, conn->number);
	if (job->verbose)
		printf("plan: %s\n", conn->plan.text);
	set_state(conn, CONN_PLAYING);
}

static void take_frame(struct conn *conn)
{
	struct mpa_frame frame;

	if (conn->job->side == SERVER) {
		conn->outcome.accepted = true;
		make_plan(conn, find_script(conn));
		/*
		 * If the header of the request differs from the recording, for example in revision,
		 * the recorded reply does not fit.
		 */
		if (memcmp(conn->in.buf, conn->plan.script->track[CLIENT].items[0].data,
			   MPA_HDR_LEN)) {
			conn->plan.control = false;
			conn->plan.single = false;
		}
	} else if (!mpa_frame_parse(conn->in.buf, MPA_FRAME_MAX, MPA_REPLY, &frame)) {
		conn->outcome.accepted = !frame.reject;
		conn->outcome.rejected = frame.reject;
	}
}

static void take_fpdu(struct conn *conn, uint32_t len)
{
	const struct track *track = &conn->plan.script->track[!conn->plan.side];
	struct outcome *outcome = &conn->outcome;
	uint32_t index = conn->in.count - 1;
	struct ddp_segment seg;
	struct iwarp_term term;

	outcome->fpdus++;
	if (index < track->count)
		keys_learn(&conn->keys, &track->items[index], conn->in.buf, len);
	if (ddp_segment_parse(conn->in.buf, len, &seg))
		return;
	log_event(conn, "received an FPDU with opcode", seg.opcode);
	if (seg.opcode == RDMAP_TERMINATE &&
	    !iwarp_term_parse(conn->in.buf + seg.hdr_len, seg.payload_len, &term)) {
		outcome->terminated = true;
		outcome->layer = term.layer;
		outcome->etype = term.etype;
		outcome->code = term.code;
	}
}

static void take(struct conn *conn, const uint8_t *data, size_t len)
{
	bool whole;
	size_t n;

	while (len) {
		uint32_t before = conn->in.have;

		n = splitter_push(&conn->in, !conn->job->side, data, len, &whole);
		if (whole && conn->in.count == 1)
			take_frame(conn);
		else if (whole)
			take_fpdu(conn, before + n);
		data += n;
		len -= n;
	}
}

static void receive(struct conn *conn)
{
	static uint8_t buf[65536];
	ssize_t n;

	while (conn->state != CONN_DONE) {
		n = recv(conn->fd, buf, sizeof(buf), MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			conn->outcome.reset = n < 0;
			log_event(conn, n < 0 ? "reset after" : "the peer closed after",
				  conn->outcome.fpdus);
			set_state(conn, CONN_DONE);
			return;
		}
		conn->last_received = now_ms();
		take(conn, buf, n);
	}
}

/* Sending */

static uint64_t item_timeout(const struct conn *conn)
{
	return conn->plan.control ? ITEM_TIMEOUT_CONTROL_MS : ITEM_TIMEOUT_MS;
}

static bool is_due(const struct conn *conn, uint32_t step)
{
	return conn->plan.no_waiting || conn->in.count >= conn->plan.steps[step].after ||
	       now_ms() - conn->since > item_timeout(conn);
}

static uint32_t piece_len(struct conn *conn)
{
	uint32_t left = conn->out_len - conn->out_pos;
	uint32_t n = left;

	if (conn->pieces < PIECES_MAX) {
		if (conn->plan.cutting == CUT_BYTES)
			n = 1;
		else if (conn->plan.cutting == CUT_SMALL)
			n = 1 + rng_below(&conn->plan.rng, 7);
		else if (conn->plan.cutting == CUT_RANDOM)
			n = 1 + rng_below(&conn->plan.rng, 97);
	}
	conn->pieces++;
	n = n < left ? n : left;
	return n < conn->plan.limit - conn->sent ? n : conn->plan.limit - conn->sent;
}

/* Returns false if the socket takes no more bytes now, or is closed. */
static bool send_piece(struct conn *conn)
{
	bool last = conn->step == conn->plan.num_steps;
	int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
	ssize_t n;

	if (conn->plan.cutting == CUT_NONE && !last && is_due(conn, conn->step))
		flags |= MSG_MORE;
	n = send(conn->fd, conn->out + conn->out_pos, piece_len(conn), flags);
	if (n < 0) {
		/*
		 * Do not close yet: bytes that the peer sent before it closed must still be read.
		 */
		if (errno != EAGAIN && errno != EINTR)
			set_state(conn, CONN_CLOSING);
		return false;
	}
	conn->out_pos += n;
	conn->sent += n;
	return true;
}

static void play(struct conn *conn)
{
	const struct plan *plan = &conn->plan;
	const struct step *step;

	while (conn->state == CONN_PLAYING) {
		if (conn->out_pos < conn->out_len && conn->sent != plan->limit) {
			if (!send_piece(conn))
				return;
			continue;
		}
		if (conn->sent == plan->limit || conn->step == plan->num_steps) {
			set_state(conn, CONN_ENDING);
			return;
		}
		if (!is_due(conn, conn->step))
			return;
		log_event(conn, "sending item", conn->step);
		step = &plan->steps[conn->step++];
		conn->out_len = step_render(step, &conn->keys, conn->out);
		conn->out_pos = 0;
		conn->since = now_ms();
		if (plan->single && conn->outcome.accepted && plan->ending != END_RESET &&
		    step_is_forbidden(step, plan->side, &conn->keys, conn->out, conn->out_len))
			conn->forbidden = true;
	}
}

/* Ending */

static bool has_received_all(const struct conn *conn)
{
	return conn->in.count >= conn->plan.script->track[!conn->plan.side].count;
}

/* Returns whether to end the stream. With END_WAIT a server lets the client close first. */
static bool may_close(const struct conn *conn)
{
	uint64_t last = conn->last_received > conn->since ? conn->last_received : conn->since;
	uint64_t quiet = now_ms() - last;

	switch (conn->plan.ending) {
	case END_FIN:
	case END_RESET:
		return true;
	case END_STALL:
		return quiet > STALL_MS;
	default:
		return (conn->plan.side == CLIENT && has_received_all(conn)) ||
		       quiet > item_timeout(conn);
	}
}

static void end_stream(struct conn *conn)
{
	const struct linger hard = { .l_onoff = 1 };

	if (!may_close(conn))
		return;
	if (conn->plan.ending == END_RESET) {
		setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
		set_state(conn, CONN_DONE);
		return;
	}
	log_event(conn, "FIN after", conn->sent);
	shutdown(conn->fd, SHUT_WR);
	set_state(conn, CONN_CLOSING);
}

static void check_timeout(struct conn *conn, uint64_t limit)
{
	if (now_ms() - conn->since <= limit)
		return;
	conn->outcome.stuck = true;
	set_state(conn, CONN_DONE);
}

static void check_connect(struct conn *conn)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);

	if (getsockopt(conn->fd, IPPROTO_TCP, TCP_INFO, &info, &len))
		die("TCP_INFO: %s", strerror(errno));
	if (info.tcpi_state == TCP_SYN_SENT) {
		check_timeout(conn, CONNECT_MS);
		return;
	}
	conn->outcome.connected = info.tcpi_state == TCP_ESTABLISHED ||
				  info.tcpi_state == TCP_CLOSE_WAIT;
	if (conn->outcome.connected)
		make_plan(conn, NULL);
	else
		set_state(conn, CONN_DONE);
}

void conn_run(struct conn *conn)
{
	if (conn->state == CONN_CONNECTING)
		check_connect(conn);
	if (conn->state != CONN_CONNECTING)
		receive(conn);
	if (conn->state == CONN_PLAYING)
		play(conn);
	if (conn->state == CONN_ENDING)
		end_stream(conn);
	if (conn->state == CONN_CLOSING || conn->state == CONN_AWAIT_REQUEST)
		check_timeout(conn, STUCK_MS);
}

bool conn_wants_room(const struct conn *conn)
{
	return conn->state == CONN_CONNECTING ||
	       (conn->state == CONN_PLAYING && conn->out_pos < conn->out_len);
}

const char *conn_fault(const struct conn *conn)
{
	const struct outcome *outcome = &conn->outcome;

	if (outcome->stuck)
		return outcome->connected ? "the peer does not close" : "no connection";
	if (conn->forbidden && !outcome->terminated && !outcome->reset)
		return "neither a Terminate nor a reset after a forbidden item";
	if (!outcome->connected || !conn->plan.control)
		return NULL;
	if (outcome->terminated)
		return "a Terminate on an unchanged connection";
	return has_received_all(conn) ? NULL : "items are missing on an unchanged connection";
}

static int connect_to_peer(const struct endpoint *peer)
{
	int fd = socket(peer->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && connect(fd, (const struct sockaddr *)&peer->addr, peer->len) &&
	    errno != EINPROGRESS) {
		close(fd);
		fd = -1;
	}
	return fd;
}

struct conn *conn_begin(const struct job *job, uint64_t number, int fd)
{
	struct conn *conn = calloc(1, sizeof(*conn));
	int one = 1;

	if (!conn)
		die("no memory");
	conn->job = job;
	conn->number = number;
	conn->fd = job->side == CLIENT ? connect_to_peer(&job->peer) : fd;
	conn->outcome.connected = job->side == SERVER;
	if (conn->fd < 0) {
		free(conn);
		return NULL;
	}
	setsockopt(conn->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	conn->began = now_ms();
	set_state(conn, job->side == CLIENT ? CONN_CONNECTING : CONN_AWAIT_REQUEST);
	return conn;
}

void conn_free(struct conn *conn)
{
	close(conn->fd);
	splitter_free(&conn->in);
	free(conn);
}
