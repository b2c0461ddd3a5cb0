// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Counts the enabled tracepoints, among those that the queues call.
 */
#include "soft/trace.h"

DEFINE_STATIC_KEY_FALSE(soft_traced);

int soft_trace_begin(void)
{
	static_branch_inc(&soft_traced);
	return 0;
}

void soft_trace_end(void)
{
	static_branch_dec(&soft_traced);
}
