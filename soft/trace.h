/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Tracepoints: a provider has its own, under its own name. The provider declares those that the
 * queues reach by TRACE_EVENT_FN() with soft_trace_begin() and soft_trace_end(), so that
 * soft_provider.traced_post() and the like are called only while one of them is enabled.
 */
#ifndef SOFT_TRACE_H
#define SOFT_TRACE_H

#include <linux/jump_label.h>

#include "soft/device.h"

/* Enabled while a tracepoint that the queues reach is enabled. */
DECLARE_STATIC_KEY_FALSE(soft_traced);

/* Called when a tracepoint is enabled and disabled. soft_trace_begin() returns 0. */
int soft_trace_begin(void);
void soft_trace_end(void);

/* Calls a function of the provider of @ibdev, a struct ib_device, if it may be traced. */
#define soft_trace(ibdev, event, ...)						\
do {										\
	if (static_branch_unlikely(&soft_traced))				\
		to_soft_dev(ibdev)->provider->traced_##event(__VA_ARGS__);	\
} while (0)

#endif /* SOFT_TRACE_H */
