// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: asynchronous events. Both endpoints may be on one device, whose events come through
 * one queue, so expect_async() keeps events of the other endpoint for later calls.
 */
#include <poll.h>
#include <stdio.h>

#include "verbs_test.h"

#define MAX_KEPT 64

static struct ibv_async_event kept[MAX_KEPT];
static int num_kept;

int next_async(struct ibv_context *context, struct ibv_async_event *event, int timeout_ms)
{
	struct pollfd pollfd = { .fd = context->async_fd, .events = POLLIN };
	int ret = poll(&pollfd, 1, timeout_ms);

	if (ret != 1)
		return ret ? -errno : -ETIMEDOUT;
	ret = sys(ibv_get_async_event(context, event));
	if (!ret)
		ibv_ack_async_event(event);
	return ret;
}

static bool is_of(const struct ibv_async_event *event, struct endpoint *ep,
		  enum ibv_event_type type)
{
	return event->event_type == type && event->element.qp == ep->id->qp;
}

static bool was_kept(struct endpoint *ep, enum ibv_event_type type)
{
	for (int i = 0; i < num_kept; i++) {
		if (!is_of(&kept[i], ep, type))
			continue;
		kept[i] = kept[--num_kept];
		return true;
	}
	return false;
}

bool expect_async(struct endpoint *ep, enum ibv_event_type type)
{
	struct ibv_async_event event;
	int64_t end = now_ms() + patience_ms();

	if (was_kept(ep, type))
		return true;
	while (now_ms() < end) {
		if (next_async(ep->id->verbs, &event, end - now_ms()))
			break;
		if (is_of(&event, ep, type))
			return true;
		if (num_kept < MAX_KEPT)
			kept[num_kept++] = event;
	}
	printf("# no event %s", ibv_event_type_str(type));
	for (int i = 0; i < num_kept; i++)
		printf(", but event %s", ibv_event_type_str(kept[i].event_type));
	printf("\n");
	return false;
}
