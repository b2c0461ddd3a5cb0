// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: local requests and requests of the peer, for memory that they may not access. siw.rst
 * documents which statuses and events each side gets. Expects that no byte of the memory changes,
 * that the connection is closed, and that a new connection works.
 */
#include <stdio.h>
#include <string.h>

#include "verbs_test.h"

#define LEN	5000
#define SMALL	64
#define CANARY	0xa5

/* The address and the rkey that a request names, and objects that exist only for that request. */
struct target {
	uint64_t addr;
	uint32_t rkey;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
};

/* --- accesses of the peer that are denied --- */

struct denied {
	const char *what;
	enum ibv_wr_opcode opcode;
	int (*aim)(struct endpoint *server, struct target *target, enum ibv_wr_opcode opcode);
};

static int aim_without_right(struct endpoint *server, struct target *target,
			     enum ibv_wr_opcode opcode)
{
	int other = opcode == IBV_WR_RDMA_WRITE ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_REMOTE_WRITE;

	target->mr = ibv_reg_mr(server->pd, server->mem, LEN, IBV_ACCESS_LOCAL_WRITE | other);
	if (target->mr)
		target->rkey = target->mr->rkey;
	return got(target->mr);
}

static int aim_local_only(struct endpoint *server, struct target *target, enum ibv_wr_opcode opcode)
{
	(void)opcode;
	target->mr = ibv_reg_mr(server->pd, server->mem, LEN, IBV_ACCESS_LOCAL_WRITE);
	if (target->mr)
		target->rkey = target->mr->rkey;
	return got(target->mr);
}

static int aim_behind(struct endpoint *server, struct target *target, enum ibv_wr_opcode opcode)
{
	(void)opcode;
	target->addr = (uintptr_t)server->mem + LEN - SMALL + 1;
	return 0;
}

static int aim_before(struct endpoint *server, struct target *target, enum ibv_wr_opcode opcode)
{
	(void)opcode;
	target->addr = (uintptr_t)server->mem - 1;
	return 0;
}

static int aim_far_away(struct endpoint *server, struct target *target, enum ibv_wr_opcode opcode)
{
	(void)server;
	(void)opcode;
	target->addr = UINT64_MAX - SMALL / 2;
	return 0;
}

/* Keeps the index of the region in the rkey, but changes the key, which is the lowest byte. */
static int aim_other_key(struct endpoint *server, struct target *target, enum ibv_wr_opcode opcode)
{
	(void)opcode;
	target->rkey = server->mr->rkey ^ 1;
	return 0;
}

static int aim_unknown_key(struct endpoint *server, struct target *target,
			   enum ibv_wr_opcode opcode)
{
	(void)opcode;
	target->rkey = server->mr->rkey ^ 0x55555500;
	return 0;
}

static int aim_other_pd(struct endpoint *server, struct target *target, enum ibv_wr_opcode opcode)
{
	(void)opcode;
	target->pd = ibv_alloc_pd(server->id->verbs);
	if (!target->pd)
		return -errno;
	target->mr = ibv_reg_mr(target->pd, server->mem, LEN, ALL_RIGHTS);
	if (target->mr)
		target->rkey = target->mr->rkey;
	return got(target->mr);
}

static int aim_deregistered(struct endpoint *server, struct target *target,
			    enum ibv_wr_opcode opcode)
{
	struct ibv_mr *mr = ibv_reg_mr(server->pd, server->mem, LEN, ALL_RIGHTS);

	(void)opcode;
	if (!mr)
		return -errno;
	target->rkey = mr->rkey;
	return verbs(ibv_dereg_mr(mr));
}

static const struct denied denials[] = {
	{ "a WRITE without the right", IBV_WR_RDMA_WRITE, aim_without_right },
	{ "a READ without the right", IBV_WR_RDMA_READ, aim_without_right },
	{ "a WRITE to a region without remote access", IBV_WR_RDMA_WRITE, aim_local_only },
	{ "a READ of a region without remote access", IBV_WR_RDMA_READ, aim_local_only },
	{ "a WRITE one byte behind the region", IBV_WR_RDMA_WRITE, aim_behind },
	{ "a READ one byte behind the region", IBV_WR_RDMA_READ, aim_behind },
	{ "a WRITE one byte before the region", IBV_WR_RDMA_WRITE, aim_before },
	{ "a READ one byte before the region", IBV_WR_RDMA_READ, aim_before },
	{ "a WRITE across the end of the address space", IBV_WR_RDMA_WRITE, aim_far_away },
	{ "a READ across the end of the address space", IBV_WR_RDMA_READ, aim_far_away },
	{ "a WRITE with the region's index and a wrong key", IBV_WR_RDMA_WRITE, aim_other_key },
	{ "a READ with the region's index and a wrong key", IBV_WR_RDMA_READ, aim_other_key },
	{ "a WRITE with an unknown key", IBV_WR_RDMA_WRITE, aim_unknown_key },
	{ "a READ with an unknown key", IBV_WR_RDMA_READ, aim_unknown_key },
	{ "a WRITE into another protection domain", IBV_WR_RDMA_WRITE, aim_other_pd },
	{ "a READ from another protection domain", IBV_WR_RDMA_READ, aim_other_pd },
	{ "a WRITE to a deregistered region", IBV_WR_RDMA_WRITE, aim_deregistered },
	{ "a READ of a deregistered region", IBV_WR_RDMA_READ, aim_deregistered },
};

static const struct denied *denial;

static void set_canaries(struct conn_pair *pair)
{
	memset(pair->server.mem - PAGE, CANARY, LEN + 2 * PAGE);
	memset(pair->client.mem, 0x11, LEN);
}

static bool canaries_intact(struct conn_pair *pair)
{
	return bytes_are(pair->server.mem - PAGE, LEN + 2 * PAGE, CANARY);
}

static bool outside_is_untouched(struct conn_pair *pair)
{
	return bytes_are(pair->server.mem - PAGE, PAGE, CANARY) &&
	       bytes_are(pair->server.mem + LEN, PAGE, CANARY);
}

static bool connection_ends(struct conn_pair *pair)
{
	if (!pair_is_over(pair))
		return false;
	EXPECT(IBV_QPS_ERR, state_of(&pair->client));
	EXPECT(IBV_QPS_ERR, state_of(&pair->server));
	return true;
}

static bool release(struct target *target)
{
	if (target->mr)
		TRY(verbs(ibv_dereg_mr(target->mr)));
	if (target->pd)
		TRY(verbs(ibv_dealloc_pd(target->pd)));
	return true;
}

static bool peer_is_denied(void)
{
	struct target target;
	struct ibv_sge sge;
	struct conn_pair pair;
	struct ibv_wc wc;

	if (!pair_open(&pair, LEN, false))
		return false;
	set_canaries(&pair);
	target = (struct target){
		.addr = (uintptr_t)pair.server.mem, .rkey = pair.server.mr->rkey,
	};
	TRY(denial->aim(&pair.server, &target, denial->opcode));
	sge = sge_of(&pair.client, 0, SMALL);
	TRY(post_rdma(&pair.client, 7, denial->opcode, &sge, target.addr, target.rkey));
	/*
	 * A WRITE may complete with success, because it completes when TCP has taken its bytes,
	 * before the peer denies it. A READ always completes with an error.
	 */
	EXPECT(1, poll_one(&pair.client, &wc));
	EXPECT(7, wc.wr_id);
	if (denial->opcode == IBV_WR_RDMA_READ)
		EXPECT(IBV_WC_REM_ACCESS_ERR, wc.status);
	else
		EXPECT(1, wc.status == IBV_WC_SUCCESS || wc.status == IBV_WC_REM_ACCESS_ERR);
	if (!expect_async(&pair.server, IBV_EVENT_QP_ACCESS_ERR) ||
	    !expect_async(&pair.client, IBV_EVENT_QP_FATAL) || !connection_ends(&pair))
		return false;
	if (!canaries_intact(&pair) || !bytes_are(pair.client.mem, LEN, 0x11))
		return false;
	return release(&target) && pair_close(&pair) && connections_work();
}

/* --- local requests that are denied --- */

/*
 * A bad request: whether the server posts it, the status of its completion, whether the server's QP
 * gets an event, and whether a part of the message may be placed.
 */
struct fault {
	const char *what;
	bool of_server;
	enum ibv_wc_status status;
	bool server_event;
	bool partly;
	int (*post)(struct conn_pair *pair, struct target *target);
};

static int post_good_send(struct conn_pair *pair)
{
	return post_send(&pair->client, 8, 0, SMALL);
}

/* Posts a receive of the server into @mr, and sends a message from the client for it. */
static int receive_into(struct conn_pair *pair, struct ibv_mr *mr)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)pair->server.mem, .length = SMALL, .lkey = mr ? mr->lkey : 0,
	};
	int ret = got(mr);

	if (!ret)
		ret = post_recv_sge(&pair->server, 9, &sge);
	return ret ? ret : post_good_send(pair);
}

static int receive_read_only(struct conn_pair *pair, struct target *target)
{
	target->mr = ibv_reg_mr(pair->server.pd, pair->server.mem, LEN, IBV_ACCESS_REMOTE_READ);
	return receive_into(pair, target->mr);
}

static int receive_elsewhere(struct conn_pair *pair, struct target *target)
{
	target->pd = ibv_alloc_pd(pair->server.id->verbs);
	if (!target->pd)
		return -errno;
	target->mr = ibv_reg_mr(target->pd, pair->server.mem, LEN, ALL_RIGHTS);
	return receive_into(pair, target->mr);
}

static int receive_beyond(struct conn_pair *pair, struct target *target)
{
	int ret = post_recv(&pair->server, 9, LEN - SMALL + 1, SMALL);

	(void)target;
	return ret ? ret : post_good_send(pair);
}

static int receive_too_short(struct conn_pair *pair, struct target *target)
{
	int ret = post_recv(&pair->server, 9, 0, SMALL - 1);

	(void)target;
	return ret ? ret : post_good_send(pair);
}

static int send_beyond(struct conn_pair *pair, struct target *target)
{
	int ret = post_recv(&pair->server, 10, 0, SMALL);

	(void)target;
	return ret ? ret : post_send(&pair->client, 9, LEN - SMALL + 1, SMALL);
}

static int send_with(struct conn_pair *pair, uint32_t lkey)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)pair->client.mem, .length = SMALL, .lkey = lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = 9, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};
	int ret = post_recv(&pair->server, 10, 0, SMALL);

	return ret ? ret : post_request(&pair->client, &wr);
}

static int send_unregistered(struct conn_pair *pair, struct target *target)
{
	(void)target;
	return send_with(pair, pair->client.mr->lkey ^ 0x55555500);
}

static int send_from_elsewhere(struct conn_pair *pair, struct target *target)
{
	target->pd = ibv_alloc_pd(pair->client.id->verbs);
	if (!target->pd)
		return -errno;
	target->mr = ibv_reg_mr(target->pd, pair->client.mem, LEN, ALL_RIGHTS);
	return target->mr ? send_with(pair, target->mr->lkey) : -errno;
}

static int read_into_read_only(struct conn_pair *pair, struct target *target)
{
	struct ibv_sge sge = sge_of(&pair->client, 0, SMALL);

	target->mr = ibv_reg_mr(pair->client.pd, pair->client.mem, LEN, 0);
	if (!target->mr)
		return -errno;
	sge.lkey = target->mr->lkey;
	return post_rdma(&pair->client, 9, IBV_WR_RDMA_READ, &sge, (uintptr_t)pair->server.mem,
			 pair->server.mr->rkey);
}

static const struct fault faults[] = {
	{ "a receive into memory that is not writable", true, IBV_WC_LOC_PROT_ERR, false, false,
	  receive_read_only },
	{ "a receive into another protection domain", true, IBV_WC_LOC_PROT_ERR, false, false,
	  receive_elsewhere },
	{ "a receive one byte behind the region", true, IBV_WC_LOC_PROT_ERR, false, true,
	  receive_beyond },
	{ "a receive that is one byte too short", true, IBV_WC_LOC_LEN_ERR, true, true,
	  receive_too_short },
	{ "a send one byte behind the region", false, IBV_WC_LOC_PROT_ERR, false, false,
	  send_beyond },
	{ "a send with an unknown key", false, IBV_WC_LOC_PROT_ERR, false, false,
	  send_unregistered },
	{ "a send from another protection domain", false, IBV_WC_LOC_PROT_ERR, false, false,
	  send_from_elsewhere },
	{ "a READ into memory that is not writable", false, IBV_WC_LOC_PROT_ERR, false, false,
	  read_into_read_only },
};

static const struct fault *fault;

/*
 * Expects that the request fails with fault->status, and that a Terminate moves the QP of the other
 * side to the error state.
 */
static bool own_request_fails(void)
{
	struct endpoint *own, *other;
	struct target target = {};
	struct ibv_wc wc;
	struct conn_pair pair;

	if (!pair_open(&pair, LEN, false))
		return false;
	own = fault->of_server ? &pair.server : &pair.client;
	other = fault->of_server ? &pair.client : &pair.server;
	set_canaries(&pair);
	TRY(fault->post(&pair, &target));
	if (!completes(own, 9, fault->status, &wc))
		return false;
	if (fault->server_event && !expect_async(&pair.server, IBV_EVENT_QP_REQ_ERR))
		return false;
	if (!expect_async(other, IBV_EVENT_QP_FATAL) || !connection_ends(&pair))
		return false;
	if (!outside_is_untouched(&pair) || (!fault->partly && !canaries_intact(&pair)))
		return false;
	return release(&target) && pair_close(&pair) && connections_work();
}

static bool no_receive(void)
{
	struct conn_pair pair;

	if (!pair_open(&pair, LEN, false))
		return false;
	set_canaries(&pair);
	TRY(post_good_send(&pair));
	if (!expect_async(&pair.server, IBV_EVENT_QP_REQ_ERR) ||
	    !expect_async(&pair.client, IBV_EVENT_QP_FATAL) || !connection_ends(&pair))
		return false;
	return canaries_intact(&pair) && pair_close(&pair) && connections_work();
}

/*
 * Expects that the client's receives are flushed in order. The client's send may complete at any
 * position among the receives, with any status.
 */
static bool client_is_flushed(struct endpoint *client, unsigned int receives)
{
	unsigned int next = 0;
	struct ibv_wc wc;

	for (unsigned int i = 0; i <= receives; i++) {
		EXPECT(1, poll_one(client, &wc));
		if (wc.wr_id == 200)
			continue;
		EXPECT(next++, wc.wr_id);
		EXPECT(IBV_WC_WR_FLUSH_ERR, wc.status);
	}
	EXPECT(receives, next);
	return true;
}

/* Expects that requests behind a bad one are flushed in order, on both sides. */
static bool others_are_flushed(void)
{
	struct ibv_wc wc;
	struct conn_pair pair;

	if (!pair_open(&pair, LEN, false))
		return false;
	for (int i = 0; i < 5; i++)
		TRY(post_recv(&pair.client, i, 0, SMALL));
	TRY(post_recv(&pair.server, 100, 0, 1));
	for (int i = 101; i < 105; i++)
		TRY(post_recv(&pair.server, i, 0, SMALL));
	TRY(post_send(&pair.client, 200, 0, SMALL));
	if (!completes(&pair.server, 100, IBV_WC_LOC_LEN_ERR, &wc))
		return false;
	for (int i = 101; i < 105; i++)
		if (!completes(&pair.server, i, IBV_WC_WR_FLUSH_ERR, &wc))
			return false;
	return client_is_flushed(&pair.client, 5) && connection_ends(&pair) && pair_close(&pair);
}

void test_access(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(denials); i++) {
		denial = &denials[i];
		run(denial->what, peer_is_denied);
	}
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
		fault = &faults[i];
		run(fault->what, own_request_fails);
	}
	run("a message without a receive", no_receive);
	run("requests behind a bad one are flushed", others_are_flushed);
}
