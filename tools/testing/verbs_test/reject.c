// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: rejected requests, and private data in requests and replies. The library's length of
 * private data has 8 bits. iWARP can carry more bytes than 8 bits can express, so no length is too
 * long.
 */
#include <stdio.h>
#include <string.h>

#include "verbs_test.h"

#define MAX_DATA 255

static const uint8_t lengths[] = { 0, 1, 2, 3, 4, 56, 100, 127, 128, 148, 149, 196, 254, MAX_DATA };

static bool is_data(const struct cm_event *event, int len, uint32_t message)
{
	EXPECT(len, event->len);
	return pattern_matches(event->data, len, message);
}

static bool reject_with(struct conn_pair *pair, int len)
{
	struct cm_event request, answer;
	uint8_t sent[MAX_DATA], reply[MAX_DATA];

	pattern_fill(sent, sizeof(sent), len);
	pattern_fill(reply, sizeof(reply), 1000 + len);
	if (!pair_resolve(pair))
		return false;
	TRY(endpoint_create(&pair->client, PAGE, false));
	if (!pair_request(pair, sent, len, &request) || !is_data(&request, len, len))
		return false;
	TRY(sys(rdma_reject(pair->server.id, len ? reply : NULL, len)));
	if (!expect_cm_event(pair->channel, RDMA_CM_EVENT_REJECTED, &answer))
		return false;
	EXPECT(1, answer.id == pair->client.id);
	EXPECT(-ECONNREFUSED, answer.status);
	EXPECT(IBV_QPS_ERR, state_of(&pair->client));
	if (!is_data(&answer, len, 1000 + len))
		return false;
	TRY(endpoint_free(&pair->client));
	TRY(sys(rdma_destroy_id(pair->server.id)));
	return true;
}

static bool private_data(void)
{
	struct conn_pair pair;

	if (!pair_listen(&pair))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		if (!reject_with(&pair, lengths[i])) {
			printf("# with %d bytes\n", lengths[i]);
			return false;
		}
	}
	return true;
}

/* Expects that the library accepts a length without data, and sends no data. */
static bool length_without_data(void)
{
	struct cm_event request, answer;
	struct conn_pair pair;

	if (!pair_listen(&pair) || !pair_resolve(&pair))
		return false;
	TRY(endpoint_create(&pair.client, PAGE, false));
	if (!pair_request(&pair, NULL, 0, &request))
		return false;
	TRY(sys(rdma_reject(pair.server.id, NULL, 100)));
	if (!expect_cm_event(pair.channel, RDMA_CM_EVENT_REJECTED, &answer))
		return false;
	EXPECT(0, answer.len);
	return true;
}

/* Expects that only a request can be rejected, and only once. */
static bool not_a_request(void)
{
	struct cm_event request, answer;
	struct rdma_conn_param param = {};
	struct conn_pair pair;

	if (!pair_listen(&pair) || !pair_resolve(&pair))
		return false;
	EXPECT(-EINVAL, sys(rdma_reject(pair.listener, NULL, 0)));
	EXPECT(-EINVAL, sys(rdma_reject(pair.client.id, NULL, 0)));
	TRY(endpoint_create(&pair.client, PAGE, false));
	if (!pair_request(&pair, NULL, 0, &request))
		return false;
	TRY(endpoint_create(&pair.server, PAGE, false));
	TRY(sys(rdma_reject(pair.server.id, NULL, 0)));
	EXPECT(-EINVAL, sys(rdma_reject(pair.server.id, NULL, 0)));
	EXPECT(-1, rdma_accept(pair.server.id, &param));
	if (!expect_cm_event(pair.channel, RDMA_CM_EVENT_REJECTED, &answer))
		return false;
	return pair_close(&pair);
}

static bool accept_with(int len)
{
	struct cm_event request;
	uint8_t sent[MAX_DATA], reply[MAX_DATA];
	struct conn_pair pair;

	pattern_fill(sent, sizeof(sent), len);
	pattern_fill(reply, sizeof(reply), 1000 + len);
	if (!pair_listen(&pair) || !pair_resolve(&pair))
		return false;
	TRY(endpoint_create(&pair.client, PAGE, false));
	if (!pair_request(&pair, sent, len, &request) || !is_data(&request, len, len))
		return false;
	TRY(endpoint_create(&pair.server, PAGE, false));
	if (!pair_accept(&pair, reply, len))
		return false;
	TRY(sys(rdma_disconnect(pair.server.id)));
	return pair_is_over(&pair) && pair_close(&pair);
}

static bool accepted(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		if (!accept_with(lengths[i])) {
			printf("# with %d bytes\n", lengths[i]);
			return false;
		}
	}
	return true;
}

/* Destroys the client before the server rejects the client's request. */
static bool client_gone(void)
{
	struct cm_event request;
	struct conn_pair pair;

	if (!pair_listen(&pair) || !pair_resolve(&pair))
		return false;
	TRY(endpoint_create(&pair.client, PAGE, false));
	if (!pair_request(&pair, NULL, 0, &request))
		return false;
	TRY(endpoint_free(&pair.client));
	rdma_reject(pair.server.id, NULL, 0);
	return pair_close(&pair) && connections_work();
}

const struct test reject_tests[] = {
	{ "private data of a request and its rejection", private_data },
	{ "private data of a request and its acceptance", accepted },
	{ "a rejection with a length but no data", length_without_data },
	{ "rejected twice, or not a request", not_a_request },
	{ "a client that is destroyed before the reply", client_gone },
	{ "connections work", connections_work },
	{}
};
