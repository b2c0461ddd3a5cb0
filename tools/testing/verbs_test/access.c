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
#define LONGEST	(1u << 31)	/* bytes of the longest message */
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

/*
 * An access for which the peer has no right: @aim, if it is not NULL, aims the request at objects
 * of its own. Otherwise the request names the region, @offset bytes from its begin or at the
 * address @addr, if that is not 0, with an rkey that differs in @other_bits.
 */
struct denied {
	const char *what;
	enum ibv_wr_opcode opcode;
	int (*aim)(struct endpoint *server, struct target *target, int access);
	int access;
	int offset;
	uint64_t addr;
	uint32_t other_bits;
};

static int aim_at_region(struct endpoint *server, struct target *target, int access)
{
	target->mr = ibv_reg_mr(target->pd ?: server->pd, server->mem, LEN, access);
	if (target->mr)
		target->rkey = target->mr->rkey;
	return got(target->mr);
}

static int aim_at_other_pd(struct endpoint *server, struct target *target, int access)
{
	target->pd = ibv_alloc_pd(server->id->verbs);
	return target->pd ? aim_at_region(server, target, access) : -errno;
}

static int aim_at_deregistered(struct endpoint *server, struct target *target, int access)
{
	struct ibv_mr *mr = ibv_reg_mr(server->pd, server->mem, LEN, access);

	if (!mr)
		return -errno;
	target->rkey = mr->rkey;
	return verbs(ibv_dereg_mr(mr));
}

#define RIGHT_TO_WRITE	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)
#define RIGHT_TO_READ	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ)
/* The key is the lowest byte of an rkey, and the index of the region is above. */
#define OTHER_KEY	1
#define OTHER_INDEX	0x55555500

static const struct denied denials[] = {
	{ "a WRITE without the right", IBV_WR_RDMA_WRITE, aim_at_region, RIGHT_TO_READ },
	{ "a READ without the right", IBV_WR_RDMA_READ, aim_at_region, RIGHT_TO_WRITE },
	{ "a WRITE to a region without remote access", IBV_WR_RDMA_WRITE, aim_at_region,
	  IBV_ACCESS_LOCAL_WRITE },
	{ "a READ of a region without remote access", IBV_WR_RDMA_READ, aim_at_region,
	  IBV_ACCESS_LOCAL_WRITE },
	{ "a WRITE one byte behind the region", IBV_WR_RDMA_WRITE, .offset = LEN - SMALL + 1 },
	{ "a READ one byte behind the region", IBV_WR_RDMA_READ, .offset = LEN - SMALL + 1 },
	{ "a WRITE one byte before the region", IBV_WR_RDMA_WRITE, .offset = -1 },
	{ "a READ one byte before the region", IBV_WR_RDMA_READ, .offset = -1 },
	{ "a WRITE across the end of the address space", IBV_WR_RDMA_WRITE,
	  .addr = UINT64_MAX - SMALL / 2 },
	{ "a READ across the end of the address space", IBV_WR_RDMA_READ,
	  .addr = UINT64_MAX - SMALL / 2 },
	{ "a WRITE with the region's index and a wrong key", IBV_WR_RDMA_WRITE,
	  .other_bits = OTHER_KEY },
	{ "a READ with the region's index and a wrong key", IBV_WR_RDMA_READ,
	  .other_bits = OTHER_KEY },
	{ "a WRITE with an unknown key", IBV_WR_RDMA_WRITE, .other_bits = OTHER_INDEX },
	{ "a READ with an unknown key", IBV_WR_RDMA_READ, .other_bits = OTHER_INDEX },
	{ "a WRITE into another protection domain", IBV_WR_RDMA_WRITE, aim_at_other_pd,
	  ALL_RIGHTS },
	{ "a READ from another protection domain", IBV_WR_RDMA_READ, aim_at_other_pd, ALL_RIGHTS },
	{ "a WRITE to a deregistered region", IBV_WR_RDMA_WRITE, aim_at_deregistered, ALL_RIGHTS },
	{ "a READ of a deregistered region", IBV_WR_RDMA_READ, aim_at_deregistered, ALL_RIGHTS },
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
		.addr = denial->addr ?: (uintptr_t)pair.server.mem + denial->offset,
		.rkey = pair.server.mr->rkey ^ denial->other_bits,
	};
	if (denial->aim)
		TRY(denial->aim(&pair.server, &target, denial->access));
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
 * gets an event, and whether a part of the message may be placed. The request names @len bytes at
 * @offset of the memory, by an lkey that differs in @other_bits; if @own_region is true, this is
 * the lkey of a region made for it, with the rights @access, and of a PD of its own if @other_pd is
 * true; if @kernel_key is true, it is the lkey by which the kernel uses all of its memory.
 */
struct fault {
	const char *what;
	bool of_server;
	enum ibv_wc_status status;
	bool server_event;
	bool partly;
	int (*post)(struct conn_pair *pair, struct ibv_sge *sge);
	int offset;
	uint32_t len;
	uint32_t other_bits;
	bool own_region;
	bool other_pd;
	int access;
	bool kernel_key;
};

/* Posts a receive of the server, and sends a message from the client for it. */
static int receive_into(struct conn_pair *pair, struct ibv_sge *sge)
{
	int ret = post_recv_sge(&pair->server, 9, sge);

	return ret ? ret : post_send(&pair->client, 8, 0, SMALL);
}

static int send_from(struct conn_pair *pair, struct ibv_sge *sge)
{
	struct ibv_send_wr wr = {
		.wr_id = 9, .sg_list = sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};
	int ret = post_recv(&pair->server, 10, 0, SMALL);

	return ret ? ret : post_request(&pair->client, &wr);
}

static int read_into(struct conn_pair *pair, struct ibv_sge *sge)
{
	return post_rdma(&pair->client, 9, IBV_WR_RDMA_READ, sge, (uintptr_t)pair->server.mem,
			 pair->server.mr->rkey);
}

static const struct fault faults[] = {
	{ "a receive into memory that is not writable", true, IBV_WC_LOC_PROT_ERR, false, false,
	  receive_into, 0, SMALL, .own_region = true, .access = IBV_ACCESS_REMOTE_READ },
	{ "a receive into another protection domain", true, IBV_WC_LOC_PROT_ERR, false, false,
	  receive_into, 0, SMALL, .own_region = true, .other_pd = true, .access = ALL_RIGHTS },
	{ "a receive one byte behind the region", true, IBV_WC_LOC_PROT_ERR, false, true,
	  receive_into, LEN - SMALL + 1, SMALL },
	{ "a receive that is one byte too short", true, IBV_WC_LOC_LEN_ERR, true, true,
	  receive_into, 0, SMALL - 1 },
	{ "a receive for the longest message, which the region does not have", true,
	  IBV_WC_LOC_PROT_ERR, false, true, receive_into, 0, LONGEST },
	{ "a send of the longest message, which the region does not have", false,
	  IBV_WC_LOC_PROT_ERR, false, false, send_from, 0, LONGEST },
	{ "a send one byte behind the region", false, IBV_WC_LOC_PROT_ERR, false, false,
	  send_from, LEN - SMALL + 1, SMALL },
	{ "a send with an unknown key", false, IBV_WC_LOC_PROT_ERR, false, false,
	  send_from, 0, SMALL, .other_bits = OTHER_INDEX },
	{ "a send from another protection domain", false, IBV_WC_LOC_PROT_ERR, false, false,
	  send_from, 0, SMALL, .own_region = true, .other_pd = true, .access = ALL_RIGHTS },
	{ "a READ into memory that is not writable", false, IBV_WC_LOC_PROT_ERR, false, false,
	  read_into, 0, SMALL, .own_region = true, .access = 0 },
	{ "a receive into the kernel's memory", true, IBV_WC_LOC_PROT_ERR, false, false,
	  receive_into, 0, SMALL, .kernel_key = true },
	{ "a send from the kernel's memory", false, IBV_WC_LOC_PROT_ERR, false, false,
	  send_from, 0, SMALL, .kernel_key = true },
	{ "a READ into the kernel's memory", false, IBV_WC_LOC_PROT_ERR, false, false,
	  read_into, 0, SMALL, .kernel_key = true },
};

static const struct fault *fault;

/* Describes the memory of @fault, for which it makes the region and the PD in @target. */
static bool make_sge(const struct endpoint *own, struct target *target, struct ibv_sge *sge)
{
	*sge = sge_of(own, fault->offset, fault->len);
	sge->lkey = fault->kernel_key ? 0 : sge->lkey ^ fault->other_bits;
	if (fault->other_pd)
		TRY(got(target->pd = ibv_alloc_pd(own->id->verbs)));
	if (fault->own_region) {
		TRY(got(target->mr = ibv_reg_mr(target->pd ?: own->pd, own->mem, LEN,
						fault->access)));
		sge->lkey = target->mr->lkey;
	}
	return true;
}

/*
 * Expects that the request fails with fault->status, and that a Terminate moves the QP of the other
 * side to the error state.
 */
static bool own_request_fails(void)
{
	struct endpoint *own, *other;
	struct target target = {};
	struct conn_pair pair;
	struct ibv_sge sge;
	struct ibv_wc wc;

	if (!pair_open(&pair, LEN, false))
		return false;
	own = fault->of_server ? &pair.server : &pair.client;
	other = fault->of_server ? &pair.client : &pair.server;
	set_canaries(&pair);
	if (!make_sge(own, &target, &sge))
		return false;
	TRY(fault->post(&pair, &sge));
	if (!completes(own, 9, fault->status, &wc))
		return false;
	if (fault->server_event && !expect_async(&pair.server, IBV_EVENT_QP_REQ_ERR))
		return false;
	if (!expect_async(other, IBV_EVENT_QP_FATAL) || !connection_ends(&pair))
		return false;
	if (!fault->partly && !canaries_intact(&pair))
		return false;
	if (!bytes_are(pair.server.mem - PAGE, PAGE, CANARY) ||
	    !bytes_are(pair.server.mem + LEN, PAGE, CANARY))
		return false;
	return release(&target) && pair_close(&pair) && connections_work();
}

static bool no_receive(void)
{
	struct conn_pair pair;

	if (!pair_open(&pair, LEN, false))
		return false;
	set_canaries(&pair);
	TRY(post_send(&pair.client, 8, 0, SMALL));
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
