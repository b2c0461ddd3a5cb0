// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Part of siw_cov.ko: counts the edges between basic blocks of siw that have been run.
 *
 * The compiler inserts a call of __sanitizer_cov_trace_pc() at the beginning of each block. The
 * definition below is linked instead of the kernel's (KCOV), which counts only what a task runs:
 * siw receives in tasklets and work items. The counts have no lock: a user-mode kernel has one CPU,
 * and siw does not run in interrupt handlers.
 */
#include <linux/bitmap.h>
#include <linux/hash.h>
#include <linux/module.h>
#include <linux/preempt.h>

#include "tools/testing/modules/kfuzz/coverage.h"

/* Binary logarithm of the number of edges that are distinguished. */
#define EDGE_BITS	17

static DECLARE_BITMAP(edges_seen, 1 << EDGE_BITS);
static u32 num_edges;
/* The block that ran last: [0] in process context, [1] in softirq context. */
static u32 last_block[2];

void notrace __sanitizer_cov_trace_pc(void)
{
	u32 block = (u32)_RET_IP_;
	u32 *last = &last_block[!!in_serving_softirq()];
	u32 edge = hash_64((u64)*last << 32 | block, EDGE_BITS);

	*last = block;
	if (!test_bit(edge, edges_seen)) {
		__set_bit(edge, edges_seen);
		num_edges++;
	}
}

u32 siw_cov_edges(void)
{
	return READ_ONCE(num_edges);
}
EXPORT_SYMBOL_GPL(siw_cov_edges);
