/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Each provider has tracepoints of its own, under its own name. The queues call some of them, by
 * soft_provider.traced_post(), traced_flush() and traced_complete(). The provider declares these
 * tracepoints with TRACE_EVENT_FN(), soft_trace_begin() and soft_trace_end(). The queues then
 * call the provider only while at least one of these tracepoints is enabled.
 */
#ifndef SOFT_TRACE_H
#define SOFT_TRACE_H

#include <linux/jump_label.h>

#include "soft/device.h"

/* Enabled while a tracepoint that the queues call is enabled. */
DECLARE_STATIC_KEY_FALSE(soft_traced);

/* Called when a tracepoint that the queues call is enabled, and when it is disabled. */
int soft_trace_begin(void);
void soft_trace_end(void);

/* Calls the provider's traced_@event() while a tracepoint that the queues call is enabled. */
#define soft_trace(ibdev, event, ...)						\
do {										\
	if (static_branch_unlikely(&soft_traced))				\
		to_soft_dev(ibdev)->provider->traced_##event(__VA_ARGS__);	\
} while (0)

#endif /* SOFT_TRACE_H */
