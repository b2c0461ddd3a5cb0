// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Times of single operations. The command-line tool computes quantiles from them.
 */
#include "tools/testing/modules/kulp/kulp.h"

void kulp_samples_add(struct kulp_samples *samples, u64 nsec)
{
	if (samples->num < samples->room)
		samples->nsec[samples->num++] = nsec;
}
