// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Part of each module that is compiled for coverage: reports each block to krdma_cov.ko. The
 * definition is the module's own, because a kernel with KCOV exports a function of this name.
 */
#include <linux/kernel.h>

#include "tools/testing/modules/coverage/coverage.h"

void notrace __sanitizer_cov_trace_pc(void)
{
	krdma_cov_block(_RET_IP_);
}
