// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: many connections, all open at once. Up to 16 processes on each side have an equal
 * share of the connections, with one CQ and one region per process. When all connections are open,
 * each carries a message and a reply, and both are compared with what was sent. After that, the
 * resource table is checked, and all connections are closed.
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
/* The number of connections that a client may have begun but not yet opened. */
#define MAX_PENDING	16
#define LEN		200

enum phase {
	OPENING,
	EXCHANGING,
	CLOSING
};

/* All processes share this state. The counters count endpoints: two for each connection. */
static struct shared {
	atomic_int phase; /* the phase that processes may enter */
	atomic_bool failed;
	atomic_int open;
	atomic_int received;
	atomic_int closed;
	/* For each server: whether it listens, and at which address. */
	atomic_bool listening[MAX_WORKERS];
	struct sockaddr_storage addrs[MAX_WORKERS];
} *shared;

/* The state of this process. */
static struct worker {
	int index;
	int share;
	struct rdma_event_channel *channel;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint8_t *mem;
	struct endpoint *conns;
	uint32_t *messages; /* the number of the message on each connection */
	int begun;
	int open;
	int closed;
} worker;

static int number, workers;

/* --- both sides --- */

/*
 * Creates the objects that all connections of the process use. All connections are on one device.
 */
static bool create_objects(struct ibv_context *context)
{
	size_t len = (size_t)worker.share * 2 * LEN;

	TRY(memory_alloc(&worker.mem, len));
	TRY(got(worker.pd = ibv_alloc_pd(context)));
	TRY(got(worker.cq = ibv_create_cq(context, 4 * worker.share, NULL, NULL, 0)));
	TRY(got(worker.mr = ibv_reg_mr(worker.pd, worker.mem, len, IBV_ACCESS_LOCAL_WRITE)));
	return true;
}

/* Creates the QP and posts a receive into conn->mem; the send buffer lies behind that. */
static bool create_conn(struct endpoint *conn)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 2, .max_recv_wr = 2, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	int i = conn - worker.conns;

	if (!worker.pd && !create_objects(conn->id->verbs))
		return false;
	attr.send_cq = worker.cq;
	attr.recv_cq = worker.cq;
	conn->pd = worker.pd;
	conn->cq = worker.cq;
	conn->mr = worker.mr;
	conn->mem = worker.mem + (size_t)i * 2 * LEN;
	TRY(sys(rdma_create_qp(conn->id, worker.pd, &attr)));
	TRY(post_recv(conn, i, 0, LEN));
	return true;
}

static bool send_message(struct endpoint *conn, uint32_t message)
{
	pattern_fill(conn->mem + LEN, LEN, message);
	TRY(post_send(conn, conn - worker.conns, LEN, LEN));
	return true;
}

/*
 * Waits until an event comes or a process has failed. wait_for_all() in the parent limits the time.
 */
static bool next_event(struct cm_event *event)
{
	int ret;

	do {
		ret = next_cm_event(worker.channel, event);
	} while (ret == -ETIMEDOUT && !shared->failed);
	TRY(ret);
	return true;
}

/*
 * Receives one message on each connection, and expects the pattern of the connection's number plus
 * @added. If @reply is true, answers each with the pattern of that number plus `number`. Consumes
 * completions of sends as well.
 */
static bool receive_all(uint32_t added, bool reply)
{
	struct endpoint *conn;
	struct ibv_wc wc;
	uint32_t message;

	for (int i = 0; i < 2 * worker.share; i++) {
		/* Takes the next completion of any connection, and expects success. */
		struct endpoint any = { .cq = worker.cq };
		int polled;

		do {
			polled = poll_one(&any, &wc);
		} while (!polled && !shared->failed);
		EXPECT(1, polled);
		EXPECT(IBV_WC_SUCCESS, wc.status);
		if (wc.opcode != IBV_WC_RECV)
			continue;
		EXPECT(LEN, wc.byte_len);
		conn = &worker.conns[wc.wr_id];
		message = worker.messages[wc.wr_id];
		if (!pattern_matches(conn->mem, LEN, message + added) ||
		    (reply && !send_message(conn, message + number)))
			return false;
		shared->received++;
	}
	return true;
}

static bool wait_for_phase(int phase)
{
	while (shared->phase < phase) {
		if (shared->failed)
			return false;
		usleep(10000);
	}
	return true;
}

/*
 * Counts an endpoint as open if @event is ESTABLISHED, which is the last event of opening on both
 * sides. Any other event is an error.
 */
static bool count_established(const struct cm_event *event)
{
	if (event->type == RDMA_CM_EVENT_ESTABLISHED) {
		worker.open++;
		shared->open++;
		return true;
	}
	printf("# unexpected event %s with status %d\n", rdma_event_str(event->type),
	       event->status);
	return false;
}

static bool close_all(void)
{
	struct cm_event event;

	while (worker.closed < worker.share) {
		if (!next_event(&event))
			return false;
		EXPECT(RDMA_CM_EVENT_DISCONNECTED, event.type);
		worker.closed++;
		shared->closed++;
	}
	for (int i = 0; i < worker.share; i++) {
		TRY(verbs(ibv_destroy_qp(worker.conns[i].id->qp)));
		worker.conns[i].id->qp = NULL;
		TRY(sys(rdma_destroy_id(worker.conns[i].id)));
	}
	TRY(verbs(ibv_dereg_mr(worker.mr)));
	TRY(verbs(ibv_destroy_cq(worker.cq)));
	TRY(verbs(ibv_dealloc_pd(worker.pd)));
	return true;
}

/* --- servers --- */

static bool accept_request(const struct cm_event *event)
{
	struct rdma_conn_param param = {};
	struct endpoint *conn;

	EXPECT(1, worker.begun < worker.share);
	conn = &worker.conns[worker.begun++];
	conn->id = event->id;
	/* Padding may follow the number in the private data. */
	EXPECT(1, event->len >= (int)sizeof(uint32_t));
	memcpy(&worker.messages[conn - worker.conns], event->data, sizeof(uint32_t));
	if (!create_conn(conn))
		return false;
	TRY(sys(rdma_accept(conn->id, &param)));
	return true;
}

static bool run_server(void)
{
	struct rdma_cm_id *listener;
	struct cm_event event;

	TRY(listener_id(worker.channel, &listener));
	shared->addrs[worker.index] = listener->route.addr.src_storage;
	shared->listening[worker.index] = true;
	while (worker.open < worker.share) {
		if (!next_event(&event))
			return false;
		if (!(event.type == RDMA_CM_EVENT_CONNECT_REQUEST ? accept_request(&event) :
								    count_established(&event)))
			return false;
	}
	if (!wait_for_phase(EXCHANGING) || !receive_all(0, true) || !wait_for_phase(CLOSING) ||
	    !close_all())
		return false;
	TRY(sys(rdma_destroy_id(listener)));
	return true;
}

/* --- clients --- */

static bool connect_one(struct endpoint *conn)
{
	struct rdma_conn_param param = {
		.private_data = &worker.messages[conn - worker.conns],
		.private_data_len = sizeof(*worker.messages),
	};

	if (!create_conn(conn))
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
		return count_established(event);
	}
}

static bool open_all(void)
{
	struct cm_event event;

	while (worker.open < worker.share) {
		while (worker.begun < worker.share && worker.begun - worker.open < MAX_PENDING) {
			struct endpoint *conn = &worker.conns[worker.begun];
			struct sockaddr *to = (struct sockaddr *)&shared->addrs[worker.index];

			worker.messages[worker.begun] = worker.begun * workers + worker.index;
			worker.begun++;
			TRY(client_id(worker.channel, &conn->id));
			conn->id->context = conn;
			TRY(sys(rdma_resolve_addr(conn->id, NULL, to, patience_ms())));
		}
		if (!next_event(&event) || !client_event(&event))
			return false;
	}
	return true;
}

static bool run_client(void)
{
	while (!shared->listening[worker.index]) {
		if (shared->failed)
			return false;
		usleep(10000);
	}
	if (!open_all() || !wait_for_phase(EXCHANGING))
		return false;
	for (int i = 0; i < worker.share; i++)
		if (!send_message(&worker.conns[i], worker.messages[i]))
			return false;
	if (!receive_all(number, false) || !wait_for_phase(CLOSING))
		return false;
	for (int i = 0; i < worker.share; i++)
		TRY(sys(rdma_disconnect(worker.conns[i].id)));
	return close_all();
}

/* --- all processes --- */

static bool work(int index, bool (*body)(void))
{
	worker.index = index;
	worker.share = number / workers + (index < number % workers);
	worker.conns = calloc(worker.share, sizeof(*worker.conns));
	worker.messages = calloc(worker.share, sizeof(*worker.messages));
	EXPECT(1, worker.conns && worker.messages);
	TRY(got(worker.channel = rdma_create_event_channel()));
	if (!body())
		return false;
	rdma_destroy_event_channel(worker.channel);
	return true;
}

static bool start(int index, bool (*body)(void))
{
	pid_t pid = fork();
	bool good;

	TRY(sys(pid));
	if (pid)
		return true;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	good = work(index, body);
	if (!good)
		shared->failed = true;
	exit(good ? 0 : 1);
}

static bool wait_for_exit(void)
{
	int status;

	for (int i = 0; i < 2 * workers; i++) {
		TRY(sys(wait(&status)));
		EXPECT(0, status);
	}
	return true;
}

/*
 * Waits until @counter is 2 * number, the number of all endpoints. Fails if a process has failed,
 * or if @counter has not changed for 4 * patience_ms(). Slow progress is no failure.
 */
static bool wait_for_all(atomic_int *counter, const char *what)
{
	int64_t start = now_ms(), changed = start;
	int seen = 0, now;

	while ((now = *counter) < 2 * number) {
		if (now != seen)
			changed = now_ms();
		seen = now;
		if (shared->failed || now_ms() - changed > 4 * patience_ms()) {
			printf("# only %d of %d endpoints are %s\n", now, 2 * number, what);
			return false;
		}
		usleep(10000);
	}
	printf("# scale: all are %s after %lld ms\n", what, (long long)(now_ms() - start));
	return true;
}

/* --- the test --- */

static bool all_at_once(void)
{
	struct memory before, open, after;
	struct table table, full;

	TRY(table_read(&table));
	TRY(memory_read(&before));
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	EXPECT(1, shared != MAP_FAILED);
	for (int i = 0; i < workers; i++)
		if (!start(i, run_server) || !start(i, run_client))
			return false;
	if (!wait_for_all(&shared->open, "open"))
		return false;
	shared->phase = EXCHANGING;
	if (!wait_for_all(&shared->received, "done with their messages"))
		return false;
	TRY(table_read(&full));
	EXPECT(2 * number, table_sum(&full, "qp"));
	/* Besides the endpoints, the listener of each server counts as a cm_id. */
	EXPECT(2 * number + workers, table_sum(&full, "cm_id"));
	TRY(memory_read(&open));
	shared->phase = CLOSING;
	if (!wait_for_all(&shared->closed, "closed") || !wait_for_exit() ||
	    !table_is_restored(&table))
		return false;
	TRY(memory_read(&after));
	memory_print(&before, &open, &after, number);
	return connections_work();
}

void test_scale(int connections)
{
	number = connections;
	workers = 2 + number / SHARE;
	if (workers > MAX_WORKERS)
		workers = MAX_WORKERS;
	run_for("all connections are open at once", 60 + number / 4, all_at_once);
}
