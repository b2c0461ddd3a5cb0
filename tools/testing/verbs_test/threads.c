// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: many threads on one device. Each creates and destroys objects of its own at the same
 * time as the others. The threads' identifiers are synchronous: a call returns when its event has
 * come.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "verbs_test.h"

#define ROUNDS		3
#define MESSAGES	20
#define SIZE		3001
#define MAX_THREADS	256
#define MAX_PAUSE_US	20000

static int num_threads;
static struct rdma_cm_id *listener;

/*
 * Waits for a completion. The pauses between polls grow, so that other threads get the processors.
 */
static int wait_completion(struct endpoint *ep, struct ibv_wc *wc)
{
	int64_t end = now_ms() + 3 * patience_ms() + 200 * num_threads;
	int pause = 100;

	while (now_ms() < end) {
		int polled = ibv_poll_cq(ep->cq, 1, wc);

		if (polled)
			return polled;
		usleep(pause);
		pause = pause < MAX_PAUSE_US ? 2 * pause : MAX_PAUSE_US;
	}
	return 0;
}

/* Sends each message back, from its receive buffer. */
static bool echo(struct endpoint *ep)
{
	struct ibv_wc wc;

	for (int i = 0; i < 2 * MESSAGES; i++) {
		EXPECT(1, wait_completion(ep, &wc));
		EXPECT(IBV_WC_SUCCESS, wc.status);
		if (wc.opcode != IBV_WC_RECV)
			continue;
		EXPECT(SIZE, wc.byte_len);
		TRY(post_send(ep, wc.wr_id, wc.wr_id * SIZE, SIZE));
	}
	return true;
}

static bool serve_one(struct endpoint *ep)
{
	struct rdma_conn_param param = {};

	TRY(endpoint_create(ep, MESSAGES * SIZE, false));
	for (int i = 0; i < MESSAGES; i++)
		TRY(post_recv(ep, i, i * SIZE, SIZE));
	TRY(sys(rdma_accept(ep->id, &param)));
	if (!echo(ep))
		return false;
	/*
	 * No message is lost, because the peer disconnects only after it has received every
	 * message.
	 */
	TRY(sys(rdma_disconnect(ep->id)));
	TRY(endpoint_free(ep));
	return true;
}

static void *server_thread(void *argument)
{
	struct endpoint ep = { .id = argument };

	return serve_one(&ep) ? argument : NULL;
}

static bool connect_one(struct endpoint *ep)
{
	struct rdma_conn_param param = {};

	TRY(client_id(NULL, &ep->id));
	TRY(sys(rdma_resolve_addr(ep->id, NULL, rdma_get_local_addr(listener),
				  patience_ms())));
	TRY(sys(rdma_resolve_route(ep->id, patience_ms())));
	TRY(endpoint_create(ep, 2 * SIZE, false));
	TRY(sys(rdma_connect(ep->id, &param)));
	return true;
}

static bool exchange(struct endpoint *ep, uint32_t message)
{
	struct ibv_wc wc;

	pattern_fill(ep->mem, SIZE, message);
	memset(ep->mem + SIZE, 0, SIZE);
	TRY(post_recv(ep, 1, SIZE, SIZE));
	TRY(post_send(ep, 2, 0, SIZE));
	for (int i = 0; i < 2; i++) {
		EXPECT(1, wait_completion(ep, &wc));
		EXPECT(IBV_WC_SUCCESS, wc.status);
	}
	return pattern_matches(ep->mem + SIZE, SIZE, message);
}

static bool one_round(uint32_t thread, uint32_t round)
{
	struct endpoint ep = {};

	if (!connect_one(&ep))
		return false;
	for (uint32_t i = 0; i < MESSAGES; i++)
		if (!exchange(&ep, thread * 10000 + round * 100 + i))
			return false;
	TRY(sys(rdma_disconnect(ep.id)));
	TRY(endpoint_free(&ep));
	return true;
}

static void *client_thread(void *argument)
{
	uintptr_t thread = (uintptr_t)argument;

	for (uint32_t round = 0; round < ROUNDS; round++)
		if (!one_round(thread, round))
			return NULL;
	return argument;
}

/* Returns true if no thread has failed; a thread returns NULL if it fails. */
static bool join_all(pthread_t *threads, int num)
{
	bool good = true;
	void *ret;

	for (int i = 0; i < num; i++) {
		pthread_join(threads[i], &ret);
		good = good && ret;
	}
	return good;
}

static bool at_once(void)
{
	pthread_t clients[MAX_THREADS], servers[MAX_THREADS * ROUNDS];
	bool good;
	struct rdma_cm_id *id;

	TRY(listener_id(NULL, &listener));
	for (uintptr_t i = 0; i < (uintptr_t)num_threads; i++)
		EXPECT(0, pthread_create(&clients[i], NULL, client_thread, (void *)(i + 1)));
	for (int i = 0; i < num_threads * ROUNDS; i++) {
		TRY(sys(rdma_get_request(listener, &id)));
		EXPECT(0, pthread_create(&servers[i], NULL, server_thread, id));
	}
	good = join_all(clients, num_threads);
	good = join_all(servers, num_threads * ROUNDS) && good;
	TRY(sys(rdma_destroy_id(listener)));
	return good;
}

/* --- objects without connections, of one context --- */

static struct ibv_context *context;

static bool make_and_free(uint32_t thread)
{
	struct ibv_pd *pd = ibv_alloc_pd(context);
	struct ibv_cq *cq = ibv_create_cq(context, 16 + thread, NULL, NULL, 0);
	struct ibv_qp_init_attr attr = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	uint8_t *mem;

	TRY(got(pd));
	TRY(got(cq));
	TRY(memory_alloc(&mem, SIZE));
	TRY(got(mr = ibv_reg_mr(pd, mem, SIZE, ALL_RIGHTS)));
	TRY(got(qp = ibv_create_qp(pd, &attr)));
	EXPECT(EBUSY, ibv_dealloc_pd(pd));
	TRY(verbs(ibv_destroy_qp(qp)));
	TRY(verbs(ibv_dereg_mr(mr)));
	TRY(verbs(ibv_destroy_cq(cq)));
	TRY(verbs(ibv_dealloc_pd(pd)));
	memory_free(mem, SIZE);
	return true;
}

static void *object_thread(void *argument)
{
	for (int i = 0; i < 10 * ROUNDS; i++)
		if (!make_and_free((uintptr_t)argument))
			return NULL;
	return argument;
}

static bool objects(void)
{
	pthread_t threads[MAX_THREADS];

	TRY(listener_id(NULL, &listener));
	context = listener->verbs;
	for (uintptr_t i = 0; i < (uintptr_t)num_threads; i++)
		EXPECT(0, pthread_create(&threads[i], NULL, object_thread, (void *)(i + 1)));
	return join_all(threads, num_threads);
}

void test_threads(int number)
{
	num_threads = number > MAX_THREADS ? MAX_THREADS : number;
	run_for("objects are created and destroyed", 60 + num_threads, objects);
	run_for("connections are opened and closed", 60 + 3 * num_threads, at_once);
	run("connections work", connections_work);
}
