// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: completion events and asynchronous events: when they come, how often, and which
 * destroy calls wait for their acknowledgment.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_verbs.h>

#include "tools/testing/lib/command.h"
#include "verbs_test.h"

#define LEN	1000
#define QUIET_MS	200
/* The longest period of moderation, in microseconds. */
#define PERIOD_US	65535

/* Returns 1 if @fd is readable, 0 on timeout. */
static int readable(int fd, int timeout_ms)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, timeout_ms);
}

/*
 * Fetches the channel's next event, and expects that it is for the CQ of @ep. The caller
 * acknowledges the event.
 */
static bool next_cq_event(struct endpoint *ep)
{
	struct ibv_cq *cq;
	void *context;

	EXPECT(1, readable(ep->channel->fd, patience_ms()));
	TRY(sys(ibv_get_cq_event(ep->channel, &cq, &context)));
	EXPECT(1, cq == ep->cq);
	EXPECT(1, context == ep);
	return true;
}

static bool no_event(struct endpoint *ep)
{
	EXPECT(0, readable(ep->channel->fd, QUIET_MS * slow_factor));
	return true;
}

/* Sends a message, and leaves the completion of the receive in the server's CQ. */
static bool send_one(struct conn_pair *pair, int flags)
{
	struct ibv_sge sge = sge_of(&pair->client, 0, LEN);
	struct ibv_send_wr wr = {
		.wr_id = 2, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED | flags,
	};
	struct ibv_wc wc;

	TRY(post_recv(&pair->server, 1, 0, LEN));
	TRY(post_request(&pair->client, &wr));
	return completes(&pair->client, 2, IBV_WC_SUCCESS, &wc);
}

static bool poll_recv(struct conn_pair *pair)
{
	struct ibv_wc wc;

	return completes(&pair->server, 1, IBV_WC_SUCCESS, &wc);
}

/* Expects that arming a CQ yields one event, even if several completions follow. */
static bool one_shot(void)
{
	struct conn_pair pair;

	if (!pair_open(&pair, LEN, false) || !send_one(&pair, 0) || !poll_recv(&pair) ||
	    !no_event(&pair.server))
		return false;
	for (int i = 0; i < 3; i++) {
		TRY(verbs(ibv_req_notify_cq(pair.server.cq, 0)));
		if (!send_one(&pair, 0) || !next_cq_event(&pair.server) || !poll_recv(&pair))
			return false;
		if (!send_one(&pair, 0) || !poll_recv(&pair) || !no_event(&pair.server))
			return false;
	}
	ibv_ack_cq_events(pair.server.cq, 3);
	return pair_close(&pair);
}

static bool solicited(void)
{
	struct conn_pair pair;

	if (!pair_open(&pair, LEN, false))
		return false;
	TRY(verbs(ibv_req_notify_cq(pair.server.cq, 1)));
	if (!send_one(&pair, 0) || !poll_recv(&pair) || !no_event(&pair.server) ||
	    !send_one(&pair, IBV_SEND_SOLICITED) || !next_cq_event(&pair.server) ||
	    !poll_recv(&pair))
		return false;
	ibv_ack_cq_events(pair.server.cq, 1);
	return pair_close(&pair);
}

/*
 * Expects that a completion with an error causes an event even if the consumer has asked only for
 * events of solicited completions.
 */
static bool failures_are_solicited(void)
{
	struct ibv_wc wc;
	struct conn_pair pair;

	if (!pair_open(&pair, LEN, false))
		return false;
	TRY(post_recv(&pair.server, 1, 0, LEN));
	TRY(verbs(ibv_req_notify_cq(pair.server.cq, 1)));
	TRY(sys(rdma_disconnect(pair.client.id)));
	if (!pair_is_over(&pair) || !next_cq_event(&pair.server) ||
	    !completes(&pair.server, 1, IBV_WC_WR_FLUSH_ERR, &wc))
		return false;
	ibv_ack_cq_events(pair.server.cq, 1);
	return pair_close(&pair);
}

static bool not_blocking(void)
{
	struct ibv_cq *cq;
	void *context;
	struct conn_pair pair;
	int fd;

	if (!pair_open(&pair, LEN, false))
		return false;
	fd = pair.server.channel->fd;
	TRY(sys(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK)));
	EXPECT(-EAGAIN, sys(ibv_get_cq_event(pair.server.channel, &cq, &context)));
	TRY(verbs(ibv_req_notify_cq(pair.server.cq, 0)));
	if (!send_one(&pair, 0) || !next_cq_event(&pair.server) || !poll_recv(&pair))
		return false;
	EXPECT(-EAGAIN, sys(ibv_get_cq_event(pair.server.channel, &cq, &context)));
	ibv_ack_cq_events(pair.server.cq, 1);
	fd = pair.server.id->verbs->async_fd;
	EXPECT(0, readable(fd, 0));
	return pair_close(&pair);
}

/* Expects that a consumer that polls only after events gets every completion. */
static bool event_per_completion(void)
{
	struct conn_pair pair;
	int rounds = 50;

	if (!pair_open(&pair, LEN, false))
		return false;
	for (int i = 0; i < rounds; i++) {
		TRY(verbs(ibv_req_notify_cq(pair.server.cq, 0)));
		pattern_fill(pair.client.mem, LEN, i);
		if (!send_one(&pair, 0) || !next_cq_event(&pair.server) || !poll_recv(&pair) ||
		    !pattern_matches(pair.server.mem, LEN, i))
			return false;
	}
	ibv_ack_cq_events(pair.server.cq, rounds);
	return pair_close(&pair);
}

/* --- destroy calls wait for acknowledgments --- */

static atomic_bool destroyed;

static void *destroy(void *argument)
{
	struct conn_pair *pair = argument;
	bool good;

	good = pair_close(pair);
	destroyed = true;
	return good ? pair : NULL;
}

/* Acknowledges @event, or, if that is NULL, the event of the server's CQ. */
static bool destruction_waits_for(struct conn_pair *pair, struct ibv_async_event *event)
{
	struct ibv_cq *cq = pair->server.cq;
	pthread_t thread;
	void *good;

	destroyed = false;
	EXPECT(0, pthread_create(&thread, NULL, destroy, pair));
	usleep(QUIET_MS * 1000 * slow_factor);
	EXPECT(false, destroyed);
	if (event)
		ibv_ack_async_event(event);
	else
		ibv_ack_cq_events(cq, 1);
	EXPECT(0, pthread_join(thread, &good));
	EXPECT(1, !!good);
	return true;
}

static bool cq_waits(void)
{
	struct conn_pair pair;

	if (!pair_open(&pair, LEN, false))
		return false;
	TRY(verbs(ibv_req_notify_cq(pair.server.cq, 0)));
	if (!send_one(&pair, 0) || !next_cq_event(&pair.server) || !poll_recv(&pair))
		return false;
	return destruction_waits_for(&pair, NULL);
}

/* A message that finds no posted receive causes an event of the server's QP. */
static bool qp_waits(void)
{
	struct ibv_async_event event;
	struct ibv_context *context;
	struct conn_pair pair;

	if (!pair_open(&pair, LEN, false))
		return false;
	context = pair.server.id->verbs;
	TRY(post_send(&pair.client, 1, 0, LEN));
	do {
		EXPECT(1, readable(context->async_fd, patience_ms()));
		TRY(sys(ibv_get_async_event(context, &event)));
		if (event.element.qp != pair.server.id->qp)
			ibv_ack_async_event(&event);
	} while (event.element.qp != pair.server.id->qp);
	EXPECT(IBV_EVENT_QP_REQ_ERR, event.event_type);
	if (!pair_is_over(&pair))
		return false;
	return destruction_waits_for(&pair, &event);
}

/* --- a shared receive queue --- */

static bool srq_limit(void)
{
	struct ibv_srq_attr attr = { .srq_limit = 3 }, larger = { .max_wr = 2 * QUEUE_DEPTH };
	struct ibv_async_event event;
	struct ibv_wc wc;
	struct conn_pair pair;

	if (!pair_open(&pair, LEN, true))
		return false;
	for (int i = 0; i < 4; i++)
		TRY(post_recv(&pair.server, i, 0, LEN));
	EXPECT(-EOPNOTSUPP, verbs(ibv_modify_srq(pair.server.srq, &larger, IBV_SRQ_MAX_WR)));
	TRY(verbs(ibv_modify_srq(pair.server.srq, &attr, IBV_SRQ_LIMIT)));
	for (int i = 0; i < 2; i++) {
		TRY(post_send(&pair.client, i, 0, LEN));
		if (!completes(&pair.client, i, IBV_WC_SUCCESS, &wc) ||
		    !completes(&pair.server, i, IBV_WC_SUCCESS, &wc))
			return false;
	}
	TRY(next_async(pair.server.id->verbs, &event, patience_ms()));
	EXPECT(IBV_EVENT_SRQ_LIMIT_REACHED, event.event_type);
	EXPECT(1, event.element.srq == pair.server.srq);
	/* Expects no second event, because the first one has switched the limit off. */
	TRY(post_send(&pair.client, 2, 0, LEN));
	if (!completes(&pair.server, 2, IBV_WC_SUCCESS, &wc))
		return false;
	EXPECT(0, readable(pair.server.id->verbs->async_fd, QUIET_MS * slow_factor));
	TRY(sys(rdma_disconnect(pair.client.id)));
	if (!pair_is_over(&pair) || !expect_async(&pair.server, IBV_EVENT_QP_LAST_WQE_REACHED))
		return false;
	return pair_close(&pair);
}

/* --- moderation, for which libsiw has no function --- */

static int modify_cq(struct ibv_cq *cq, uint32_t mask, uint16_t count, uint16_t period)
{
	const struct ib_uverbs_ex_modify_cq cmd = {
		.cq_handle = cq->handle, .attr_mask = mask,
		.attr = { .cq_count = count, .cq_period = period },
	};

	return extended(cq->context->cmd_fd, IB_USER_VERBS_EX_CMD_MODIFY_CQ, &cmd, sizeof(cmd),
			NULL, 0);
}

/* Arms the server's CQ and sends a message. Expects the event, not before @least milliseconds. */
static bool event_after(struct conn_pair *pair, int least)
{
	int64_t start;

	TRY(verbs(ibv_req_notify_cq(pair->server.cq, 0)));
	start = now_ms();
	if (!send_one(pair, 0) || !next_cq_event(&pair->server) || !poll_recv(pair))
		return false;
	EXPECT(1, now_ms() - start >= least);
	return true;
}

/*
 * The event of a single completion waits for the period, that of several ones comes once. The last
 * change lets an event go that waits.
 */
static bool moderated(void)
{
	struct ibv_cq none = { .handle = 1000 };
	struct conn_pair pair;
	struct ibv_cq *cq;

	if (!pair_open(&pair, LEN, false))
		return false;
	cq = pair.server.cq;
	none.context = cq->context;
	command_driver = RDMA_DRIVER_SIW;
	for (int i = 0; i < 2; i++) {
		commands_by_ioctl = i;
		TRY(modify_cq(cq, 1, 100, PERIOD_US));
		if (!event_after(&pair, PERIOD_US / 1000))
			return false;

		TRY(modify_cq(cq, 1, 3, PERIOD_US));
		TRY(verbs(ibv_req_notify_cq(cq, 0)));
		for (int j = 0; j < 3; j++)
			if (!send_one(&pair, 0))
				return false;
		if (!next_cq_event(&pair.server) || !no_event(&pair.server))
			return false;
		for (int j = 0; j < 3; j++)
			if (!poll_recv(&pair))
				return false;

		TRY(modify_cq(cq, 1, 0, 0));
		if (!event_after(&pair, 0))
			return false;
		EXPECT(-EINVAL, modify_cq(cq, 0, 1, 1));
		EXPECT(-EOPNOTSUPP, modify_cq(cq, 2, 1, 1));
		EXPECT(-EOPNOTSUPP, modify_cq(cq, 3, 1, 1));
		EXPECT(-ENOENT, modify_cq(&none, 1, 1, 1));
	}
	commands_by_ioctl = false;
	ibv_ack_cq_events(cq, 6);
	return pair_close(&pair);
}

const struct test events_tests[] = {
	{ "one event each time a CQ is armed", one_shot },
	{ "solicited events", solicited },
	{ "failures are solicited", failures_are_solicited },
	{ "a non-blocking channel", not_blocking },
	{ "an event for every completion", event_per_completion },
	{ "moderated events", moderated },
	{ "destroying a CQ waits for acknowledgments", cq_waits },
	{ "destroying a QP waits for acknowledgments", qp_waits },
	{ "the limit of a shared receive queue", srq_limit },
	{ "connections work", connections_work },
	{}
};
