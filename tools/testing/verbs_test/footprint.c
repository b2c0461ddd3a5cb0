// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: the kernel's memory for a QP of a process with QUEUE_DEPTH requests each way: before
 * it is connected, just after that, and after traffic. The figures are averages of many QPs; the
 * QPs of a side share a PD, a CQ and a region.
 *
 * A figure is the growth of slab and vmalloc memory: a QP, its rings and, when it is connected, its
 * connection. TCP's sockets do not count. Nor do the identifiers of rdma_cm: for each that comes
 * with a request, a spare one is destroyed.
 */
#include <stdio.h>
#include <unistd.h>

#include "verbs_test.h"

/* The process's two mappings of the rings are 0.8 of it, and iw_cm is 1 of a connection. */
#define IDLE_KIB	19.5
#define CONNECTED_KIB	24
/* Slabs are freed as a whole, so a part of what traffic has needed may be left. */
#define LEFT_KIB	1.5
/* The same for all memory, of which other parts of the kernel use some. A fragment has 4 to 32. */
#define LEFT_PAGES_KIB	3.0
/* Time until a stream without traffic has given memory back. */
#define BACK_MS		10000
#define LEN		4096
#define READS		16

/* One of the two sides. @shared has what its endpoints share. */
struct side {
	struct endpoint shared;
	struct endpoint *conns;
};

static struct rdma_event_channel *channel;
static struct rdma_cm_id *listener, **spare;
static struct side clients, servers;
static int pairs;

static bool make_id(struct rdma_cm_id **id)
{
	struct sockaddr *to = rdma_get_local_addr(listener);
	struct cm_event event;

	TRY(client_id(channel, id));
	TRY(sys(rdma_resolve_addr(*id, NULL, to, patience_ms())));
	if (!expect_cm_event(channel, RDMA_CM_EVENT_ADDR_RESOLVED, &event))
		return false;
	TRY(sys(rdma_resolve_route(*id, patience_ms())));
	return expect_cm_event(channel, RDMA_CM_EVENT_ROUTE_RESOLVED, &event);
}

static bool make_side(struct side *side, struct ibv_context *context)
{
	struct endpoint *shared = &side->shared;

	shared->len = LEN;
	TRY(memory_alloc(&shared->mem, LEN));
	TRY(got(shared->pd = ibv_alloc_pd(context)));
	TRY(got(shared->cq = ibv_create_cq(context, 4 * QUEUE_DEPTH, NULL, NULL, 0)));
	TRY(got(shared->mr = ibv_reg_mr(shared->pd, shared->mem, LEN, ALL_RIGHTS)));
	return true;
}

/* Makes all that is there before the first QP. */
static bool prepare(void)
{
	TRY(got(channel = rdma_create_event_channel()));
	TRY(listener_id(channel, &listener));
	TRY(got(clients.conns = calloc(pairs, sizeof(*clients.conns))));
	TRY(got(servers.conns = calloc(pairs, sizeof(*servers.conns))));
	TRY(got(spare = calloc(pairs, sizeof(*spare))));
	for (int i = 0; i < pairs; i++)
		if (!make_id(&clients.conns[i].id) || !make_id(&spare[i]))
			return false;
	return make_side(&clients, clients.conns[0].id->verbs) &&
	       make_side(&servers, listener->verbs);
}

static bool create_qp(struct side *side, struct endpoint *conn)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = side->shared.cq,
		.recv_cq = side->shared.cq,
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = QUEUE_DEPTH, .max_recv_wr = QUEUE_DEPTH, .max_send_sge = 1,
			 .max_recv_sge = 1 },
	};
	struct rdma_cm_id *id = conn->id;

	*conn = side->shared;
	conn->id = id;
	TRY(sys(rdma_create_qp(id, conn->pd, &attr)));
	return true;
}

static bool connect_one(int i)
{
	struct rdma_conn_param param = { .responder_resources = READS, .initiator_depth = READS };
	struct cm_event event;

	TRY(sys(rdma_connect(clients.conns[i].id, &param)));
	if (!expect_cm_event(channel, RDMA_CM_EVENT_CONNECT_REQUEST, &event))
		return false;
	servers.conns[i].id = event.id;
	TRY(sys(rdma_destroy_id(spare[i])));
	if (!create_qp(&servers, &servers.conns[i]))
		return false;
	TRY(sys(rdma_accept(event.id, &param)));
	return expect_cm_event(channel, RDMA_CM_EVENT_ESTABLISHED, &event) &&
	       expect_cm_event(channel, RDMA_CM_EVENT_ESTABLISHED, &event);
}

/* Posts @number requests at once, and waits for all of them. */
static bool exchange(struct endpoint *conn, struct side *peer, enum ibv_wr_opcode opcode,
		     int number)
{
	struct ibv_sge sge = sge_of(conn, 0, LEN);
	struct ibv_wc wc;

	for (int i = 0; i < number; i++)
		TRY(post_rdma(conn, i, opcode, &sge, (uintptr_t)peer->shared.mem,
			      peer->shared.mr->rkey));
	for (int i = 0; i < number; i++)
		if (!completes(conn, i, IBV_WC_SUCCESS, &wc))
			return false;
	return true;
}

/* Uses all of what traffic needs, on each connection and in both directions. */
static bool exchange_all(void)
{
	for (int i = 0; i < pairs; i++)
		if (!exchange(&clients.conns[i], &servers, IBV_WR_RDMA_WRITE, QUEUE_DEPTH) ||
		    !exchange(&servers.conns[i], &clients, IBV_WR_RDMA_WRITE, QUEUE_DEPTH) ||
		    !exchange(&clients.conns[i], &servers, IBV_WR_RDMA_READ, READS) ||
		    !exchange(&servers.conns[i], &clients, IBV_WR_RDMA_READ, READS))
			return false;
	return true;
}

/* Reads memory without the slabs that each CPU keeps, which are no part of a QP. */
static int read_settled(struct memory *memory)
{
	memory_shrink_slabs();
	return memory_read(memory);
}

/* Returns the growth of the kernel's memory for each of @qps QPs, in KiB. */
static double growth(const struct memory *from, const struct memory *to, int qps)
{
	long before = from->slab - from->sockets + from->vmalloc;
	long after = to->slab - to->sockets + to->vmalloc;

	return (double)(after - before) / qps;
}

static bool at_most(double limit, double seen)
{
	if (seen <= limit)
		return true;
	printf("# %.1f KiB are more than %.1f\n", seen, limit);
	return false;
}

/*
 * Waits until the QPs take as much as after they were connected. The fragments for transmit are
 * not in slabs, so free memory is looked at, too. On a slow machine, the first streams have given
 * memory back before the last have had traffic.
 */
static bool comes_back(const struct memory *fresh)
{
	int64_t start = now_ms();
	struct memory now;
	double left, pages;

	do {
		usleep(100000);
		TRY(read_settled(&now));
		left = growth(fresh, &now, 2 * pairs);
		pages = (double)(fresh->free - now.free) / (2 * pairs);
	} while ((left > LEFT_KIB || pages > LEFT_PAGES_KIB) &&
		 now_ms() - start < BACK_MS * slow_factor);
	printf("# footprint: %lld ms after traffic: %.1f KiB left of it, %.1f with all pages\n",
	       (long long)(now_ms() - start), left, pages);
	return at_most(LEFT_KIB, left) && at_most(LEFT_PAGES_KIB, pages);
}

static bool destroy_side(struct side *side)
{
	for (int i = 0; i < pairs; i++) {
		TRY(verbs(ibv_destroy_qp(side->conns[i].id->qp)));
		side->conns[i].id->qp = NULL;
		TRY(sys(rdma_destroy_id(side->conns[i].id)));
	}
	TRY(verbs(ibv_dereg_mr(side->shared.mr)));
	TRY(verbs(ibv_destroy_cq(side->shared.cq)));
	TRY(verbs(ibv_dealloc_pd(side->shared.pd)));
	return true;
}

static bool footprint(void)
{
	struct memory before, idle, fresh, busy;
	double idle_kib, fresh_kib;

	if (!prepare())
		return false;
	TRY(read_settled(&before));
	for (int i = 0; i < pairs; i++)
		if (!create_qp(&clients, &clients.conns[i]))
			return false;
	TRY(read_settled(&idle));
	for (int i = 0; i < pairs; i++)
		if (!connect_one(i))
			return false;
	TRY(read_settled(&fresh));
	if (!exchange_all())
		return false;
	TRY(memory_read(&busy));

	idle_kib = growth(&before, &idle, pairs);
	fresh_kib = growth(&before, &fresh, 2 * pairs);
	printf("# footprint: KiB of a QP: not connected %.1f, connected %.1f, in traffic %.1f\n",
	       idle_kib, fresh_kib, growth(&before, &busy, 2 * pairs));
	if (!comes_back(&fresh) || !destroy_side(&clients) || !destroy_side(&servers))
		return false;
	TRY(sys(rdma_destroy_id(listener)));
	rdma_destroy_event_channel(channel);
	if (memory_is_debugged()) {
		printf("# footprint: a kernel that checks itself needs more; no limits\n");
		return true;
	}
	if (before.sockets < 0)
		printf("# footprint: sockets are included, of which this kernel says nothing\n");
	return at_most(IDLE_KIB, idle_kib) &&
	       (before.sockets < 0 || at_most(CONNECTED_KIB, fresh_kib));
}

void test_footprint(int number)
{
	pairs = number;
	run_for("a QP takes little memory, and after traffic no more", 60 + pairs / 2, footprint);
}
