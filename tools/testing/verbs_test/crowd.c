// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: very many connections, all open at once. A few processes on each side have a share of them
 * each, with one CQ and one region. When all are open, each carries a message, which is compared,
 * and the answer to it; then all are looked at, and end.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verbs_test.h"

#define MAX_WORKERS	16
#define SHARE		2000
/* Connections that a client begins before the first of them is open. */
#define FLIGHT		16
#define LEN		200

enum phase {
	OPENING,
	TALKING,
	CLOSING
};

/* What the processes share. The counters are of ends of connections: two each. */
static struct crowd {
	atomic_int phase; /* what they may do */
	atomic_bool failed;
	atomic_int open;
	atomic_int answered;
	atomic_int closed;
	/* Where each server listens. */
	atomic_bool listening[MAX_WORKERS];
	struct sockaddr_storage addrs[MAX_WORKERS];
} *crowd;

/* Of this process. */
static struct worker {
	int index;
	int share;
	struct rdma_event_channel *channel;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint8_t *mem;
	struct side *conns;
	uint32_t *messages; /* that each connection carries */
	int begun;
	int open;
	int closed;
} me;

static int number, workers;

/* --- what both sides do --- */

/* A message that comes, and behind it one that goes. */
static uint8_t *coming(const struct side *conn)
{
	return conn->mem;
}

static uint8_t *going(const struct side *conn)
{
	return conn->mem + LEN;
}

/* For all connections of the process, which are of one device. */
static bool make_shared(struct ibv_context *context)
{
	size_t len = (size_t)me.share * 2 * LEN;

	TRY(memory_make(&me.mem, len));
	TRY(got(me.pd = ibv_alloc_pd(context)));
	TRY(got(me.cq = ibv_create_cq(context, 4 * me.share, NULL, NULL, 0)));
	TRY(got(me.mr = ibv_reg_mr(me.pd, me.mem, len, IBV_ACCESS_LOCAL_WRITE)));
	return true;
}

/* With a place for what comes. */
static bool make_conn(struct side *conn)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 2, .max_recv_wr = 2, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	int i = conn - me.conns;

	if (!me.pd && !make_shared(conn->id->verbs))
		return false;
	attr.send_cq = me.cq;
	attr.recv_cq = me.cq;
	conn->pd = me.pd;
	conn->cq = me.cq;
	conn->mr = me.mr;
	conn->mem = me.mem + (size_t)i * 2 * LEN;
	TRY(sys(rdma_create_qp(conn->id, me.pd, &attr)));
	TRY(post_recv(conn, i, 0, LEN));
	return true;
}

static bool free_all(void)
{
	for (int i = 0; i < me.share; i++) {
		TRY(verbs(ibv_destroy_qp(me.conns[i].id->qp)));
		me.conns[i].id->qp = NULL;
		TRY(sys(rdma_destroy_id(me.conns[i].id)));
	}
	TRY(verbs(ibv_dereg_mr(me.mr)));
	TRY(verbs(ibv_destroy_cq(me.cq)));
	TRY(verbs(ibv_dealloc_pd(me.pd)));
	return true;
}

static bool say(struct side *conn, uint32_t message)
{
	pattern_fill(going(conn), LEN, message);
	TRY(post_send(conn, conn - me.conns, LEN, LEN));
	return true;
}

/* Each waits as long as anything happens anywhere; all_are() knows. */
static bool next_event(struct cm_event *event)
{
	int ret;

	do {
		ret = next_cm_event(me.channel, event);
	} while (ret == -ETIMEDOUT && !crowd->failed);
	TRY(ret);
	return true;
}

/* What has come, or gone, on one of the connections. */
static bool next_completion(struct ibv_wc *wc)
{
	struct side any = { .cq = me.cq };
	int polled;

	do {
		polled = poll_one(&any, wc);
	} while (!polled && !crowd->failed);
	EXPECT(1, polled);
	EXPECT(IBV_WC_SUCCESS, wc->status);
	return true;
}

/*
 * The message of each connection, which has @added to what the connection was asked for with. What
 * goes out completes meanwhile.
 */
static bool hear_all(uint32_t added, bool (*then)(struct side *conn))
{
	struct side *conn;
	struct ibv_wc wc;

	for (int i = 0; i < 2 * me.share; i++) {
		if (!next_completion(&wc))
			return false;
		if (wc.opcode != IBV_WC_RECV)
			continue;
		EXPECT(LEN, wc.byte_len);
		conn = &me.conns[wc.wr_id];
		if (!pattern_is(coming(conn), LEN, me.messages[wc.wr_id] + added) ||
		    (then && !then(conn)))
			return false;
		crowd->answered++;
	}
	return true;
}

static bool wait_for_phase(int phase)
{
	while (crowd->phase < phase) {
		if (crowd->failed)
			return false;
		usleep(10000);
	}
	return true;
}

static bool count_end(int *mine, atomic_int *all)
{
	(*mine)++;
	(*all)++;
	return true;
}

/* The last event of each connection's beginning, on either side. */
static bool is_open(const struct cm_event *event)
{
	if (event->type == RDMA_CM_EVENT_ESTABLISHED)
		return count_end(&me.open, &crowd->open);
	printf("# %s of status %d\n", rdma_event_str(event->type), event->status);
	return false;
}

static bool all_close(void)
{
	struct cm_event event;

	while (me.closed < me.share) {
		if (!next_event(&event))
			return false;
		EXPECT(RDMA_CM_EVENT_DISCONNECTED, event.type);
		count_end(&me.closed, &crowd->closed);
	}
	return free_all();
}

/* --- servers --- */

static bool take_request(const struct cm_event *event)
{
	struct rdma_conn_param param = {};
	struct side *conn;

	EXPECT(1, me.begun < me.share);
	conn = &me.conns[me.begun++];
	conn->id = event->id;
	/* There may be zeros behind it. */
	EXPECT(1, event->len >= (int)sizeof(uint32_t));
	memcpy(&me.messages[conn - me.conns], event->data, sizeof(uint32_t));
	if (!make_conn(conn))
		return false;
	TRY(sys(rdma_accept(conn->id, &param)));
	return true;
}

static bool server_event(const struct cm_event *event)
{
	if (event->type == RDMA_CM_EVENT_CONNECT_REQUEST)
		return take_request(event);
	return is_open(event);
}

static bool answer(struct side *conn)
{
	return say(conn, me.messages[conn - me.conns] + number);
}

static bool be_server(void)
{
	struct rdma_cm_id *listener;
	struct cm_event event;

	TRY(listener_id(me.channel, &listener));
	crowd->addrs[me.index] = listener->route.addr.src_storage;
	crowd->listening[me.index] = true;
	while (me.open < me.share) {
		if (!next_event(&event) || !server_event(&event))
			return false;
	}
	if (!wait_for_phase(TALKING) || !hear_all(0, answer) || !wait_for_phase(CLOSING) ||
	    !all_close())
		return false;
	TRY(sys(rdma_destroy_id(listener)));
	return true;
}

/* --- clients --- */

static bool begin_one(void)
{
	struct side *conn = &me.conns[me.begun];
	struct sockaddr *to = (struct sockaddr *)&crowd->addrs[me.index];

	me.messages[me.begun] = me.begun * workers + me.index;
	me.begun++;
	TRY(client_id(me.channel, &conn->id));
	conn->id->context = conn;
	TRY(sys(rdma_resolve_addr(conn->id, NULL, to, patience_ms())));
	return true;
}

static bool connect_one(struct side *conn)
{
	struct rdma_conn_param param = {
		.private_data = &me.messages[conn - me.conns],
		.private_data_len = sizeof(*me.messages),
	};

	if (!make_conn(conn))
		return false;
	TRY(sys(rdma_connect(conn->id, &param)));
	return true;
}

static bool client_event(const struct cm_event *event)
{
	switch (event->type) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		TRY(sys(rdma_resolve_route(event->id, patience_ms())));
		return true;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		return connect_one(event->id->context);
	default:
		return is_open(event);
	}
}

static bool open_all(void)
{
	struct cm_event event;

	while (me.open < me.share) {
		while (me.begun < me.share && me.begun - me.open < FLIGHT)
			if (!begin_one())
				return false;
		if (!next_event(&event) || !client_event(&event))
			return false;
	}
	return true;
}

static bool ask_all(void)
{
	for (int i = 0; i < me.share; i++)
		if (!say(&me.conns[i], me.messages[i]))
			return false;
	return hear_all(number, NULL);
}

static bool be_client(void)
{
	while (!crowd->listening[me.index]) {
		if (crowd->failed)
			return false;
		usleep(10000);
	}
	if (!open_all() || !wait_for_phase(TALKING) || !ask_all() || !wait_for_phase(CLOSING))
		return false;
	for (int i = 0; i < me.share; i++)
		TRY(sys(rdma_disconnect(me.conns[i].id)));
	return all_close();
}

/* --- all of them --- */

static bool work(int index, bool (*be)(void))
{
	me.index = index;
	me.share = number / workers + (index < number % workers);
	me.conns = calloc(me.share, sizeof(*me.conns));
	me.messages = calloc(me.share, sizeof(*me.messages));
	EXPECT(1, me.conns && me.messages);
	TRY(got(me.channel = rdma_create_event_channel()));
	if (!be())
		return false;
	rdma_destroy_event_channel(me.channel);
	return true;
}

static bool start(int index, bool (*be)(void))
{
	pid_t pid = fork();
	bool good;

	TRY(sys(pid));
	if (pid)
		return true;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	good = work(index, be);
	if (!good)
		crowd->failed = true;
	exit(good ? 0 : 1);
}

static bool start_all(void)
{
	crowd = mmap(NULL, sizeof(*crowd), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	EXPECT(1, crowd != MAP_FAILED);
	for (int i = 0; i < workers; i++)
		if (!start(i, be_server) || !start(i, be_client))
			return false;
	return true;
}

static bool all_end(void)
{
	int status;

	for (int i = 0; i < 2 * workers; i++) {
		TRY(sys(wait(&status)));
		EXPECT(0, status);
	}
	return true;
}

/* All ends have come so far. As long as some go on, the others may take their time. */
static bool all_are(atomic_int *counter, const char *what)
{
	int64_t start = now_ms(), moved = start;
	int seen = 0, now;

	while ((now = *counter) < 2 * number) {
		if (now != seen)
			moved = now_ms();
		seen = now;
		if (crowd->failed || now_ms() - moved > 4 * patience_ms()) {
			printf("# %d of %d ends are %s\n", now, 2 * number, what);
			return false;
		}
		usleep(10000);
	}
	printf("# crowd: all are %s after %lld ms\n", what, (long long)(now_ms() - start));
	return true;
}

/* --- the test --- */

/* A listener of each server is not a connection's. */
static bool table_shows_all(void)
{
	struct table table;

	TRY(table_read(&table));
	EXPECT(2 * number, table_sum(&table, "qp"));
	EXPECT(2 * number + workers, table_sum(&table, "cm_id"));
	return true;
}

static bool all_at_once(void)
{
	struct memory before, open, after;
	struct table table;

	TRY(table_read(&table));
	TRY(memory_read(&before));
	if (!start_all() || !all_are(&crowd->open, "open"))
		return false;
	crowd->phase = TALKING;
	if (!all_are(&crowd->answered, "answered") || !table_shows_all())
		return false;
	TRY(memory_read(&open));
	crowd->phase = CLOSING;
	if (!all_are(&crowd->closed, "closed") || !all_end() || !table_is_again(&table))
		return false;
	TRY(memory_read(&after));
	memory_print(&before, &open, &after, number);
	return connections_work();
}

void test_crowd(int connections)
{
	number = connections;
	workers = 2 + number / SHARE;
	if (workers > MAX_WORKERS)
		workers = MAX_WORKERS;
	run_for("all at once", 60 + number / 4, all_at_once);
}
