// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The common start of a run's connections. */
#include "tools/testing/modules/kulp/kulp.h"

void kulp_start_arrive(struct kulp_start **start)
{
	if (*start && atomic_dec_and_test(&(*start)->missing))
		complete_all(&(*start)->all);
	*start = NULL;
}

ktime_t kulp_begin(struct kulp_start **start)
{
	struct kulp_start *common = *start;
	unsigned long begin = jiffies;

	kulp_start_arrive(start);
	while (common && !wait_for_completion_timeout(&common->all, HZ / 20)) {
		if (READ_ONCE(*common->stop) || time_after(jiffies, begin + common->limit))
			break;
	}
	return ktime_get();
}
