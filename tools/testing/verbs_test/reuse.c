// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: a buffer may be reused when its request has completed. The tests overwrite the buffer
 * at once, and expect that the receiver gets the old contents. Errors are likely where TCP
 * retransmits.
 */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "verbs_test.h"

#define MESSAGES	160
#define DEPTH		8
#define SLOT		20011
#define GARBAGE		0xee

/*
 * The wr_id of a request is the number of its message. This bit is set in the wr_id of the Send
 * that announces a message.
 */
#define ANNOUNCES	(1ull << 32)

/*
 * If @writes is true, messages are WRITEs, and a small inline Send announces each of them;
 * otherwise messages are Sends.
 */
struct stream {
	struct conn_pair pair;
	bool writes;
	uint32_t posted;
	uint32_t completed;
	uint32_t verified;
};

static uint32_t slot_of(uint32_t message)
{
	return message % DEPTH * SLOT;
}

static int announce(struct stream *stream, uint32_t message)
{
	struct ibv_sge sge = { .addr = (uintptr_t)&message, .length = sizeof(message) };
	struct ibv_send_wr wr = {
		.wr_id = message | ANNOUNCES,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
	};

	return post_request(&stream->pair.client, &wr);
}

static int post_message(struct stream *stream, uint32_t message)
{
	struct endpoint *client = &stream->pair.client, *server = &stream->pair.server;
	uint32_t slot = slot_of(message);
	struct ibv_sge sge = sge_of(client, slot, SLOT);
	int ret;

	pattern_fill(client->mem + slot, SLOT, message);
	if (!stream->writes)
		return post_send(client, message, slot, SLOT);
	ret = post_rdma(client, message, IBV_WR_RDMA_WRITE, &sge, (uintptr_t)server->mem + slot,
			server->mr->rkey);
	return ret ? ret : announce(stream, message);
}

static bool take_completions(struct stream *stream)
{
	struct endpoint *client = &stream->pair.client;
	struct ibv_wc wc;

	while (ibv_poll_cq(client->cq, 1, &wc) == 1) {
		EXPECT(IBV_WC_SUCCESS, wc.status);
		if (wc.wr_id & ANNOUNCES)
			continue;
		memset(client->mem + slot_of(wc.wr_id), GARBAGE, SLOT);
		EXPECT(stream->completed++, wc.wr_id);
	}
	return true;
}

/*
 * Posts a new receive before it counts a message as verified, so that a receive is posted for each
 * message in flight.
 */
static bool take_messages(struct stream *stream)
{
	struct endpoint *server = &stream->pair.server;
	struct ibv_wc wc;

	while (ibv_poll_cq(server->cq, 1, &wc) == 1) {
		uint32_t slot = slot_of(stream->verified);

		EXPECT(IBV_WC_SUCCESS, wc.status);
		EXPECT(stream->writes ? sizeof(uint32_t) : SLOT, wc.byte_len);
		if (!pattern_matches(server->mem + slot, SLOT, stream->verified))
			return false;
		TRY(post_recv(server, 0, stream->writes ? DEPTH * SLOT : slot, SLOT));
		stream->verified++;
	}
	return true;
}

static bool flow(struct stream *stream)
{
	int64_t end = now_ms() + 5 * patience_ms();

	while (stream->verified < MESSAGES || stream->completed < MESSAGES) {
		while (stream->posted < MESSAGES && stream->posted - stream->verified < DEPTH &&
		       stream->posted - stream->completed < DEPTH) {
			TRY(post_message(stream, stream->posted));
			stream->posted++;
		}
		if (!take_completions(stream) || !take_messages(stream))
			return false;
		if (now_ms() > end) {
			printf("# %u posted, %u completed, %u verified\n", stream->posted,
			       stream->completed, stream->verified);
			return false;
		}
		sched_yield();
	}
	return true;
}

/* Whether the messages of the present test are WRITEs. */
static bool by_writes;

/* The server has one slot more than the client uses, which receives the announcements. */
static bool overwritten_at_completion(void)
{
	struct stream stream = { .writes = by_writes };
	struct conn_pair *pair = &stream.pair;

	if (!pair_open(pair, (DEPTH + 1) * SLOT, false))
		return false;
	for (uint32_t i = 0; i < DEPTH; i++)
		TRY(post_recv(&pair->server, 0, by_writes ? DEPTH * SLOT : slot_of(i), SLOT));
	if (!flow(&stream))
		return false;
	TRY(sys(rdma_disconnect(pair->client.id)));
	return pair_is_over(pair) && pair_close(pair);
}

/* Expects that inline data may be overwritten when the call that posts it has returned. */
static bool inline_data(void)
{
	struct ibv_wc wc;
	struct conn_pair pair;
	uint8_t data[60];
	struct ibv_sge sge = { .addr = (uintptr_t)data, .length = sizeof(data) };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
	};

	if (!pair_open(&pair, QUEUE_DEPTH * sizeof(data), false))
		return false;
	for (uint32_t i = 0; i < QUEUE_DEPTH / 2; i++)
		TRY(post_recv(&pair.server, i, i * sizeof(data), sizeof(data)));
	for (uint32_t i = 0; i < QUEUE_DEPTH / 2; i++) {
		pattern_fill(data, sizeof(data), i);
		TRY(post_request(&pair.client, &wr));
		memset(data, GARBAGE, sizeof(data));
	}
	for (uint32_t i = 0; i < QUEUE_DEPTH / 2; i++) {
		if (!completes(&pair.server, i, IBV_WC_SUCCESS, &wc) ||
		    !pattern_matches(pair.server.mem + i * sizeof(data), sizeof(data), i))
			return false;
	}
	return pair_close(&pair);
}

void test_reuse(void)
{
	run("messages, overwritten at their completion", overwritten_at_completion);
	by_writes = true;
	run("WRITEs, overwritten at their completion", overwritten_at_completion);
	run("inline data, overwritten at once", inline_data);
}
