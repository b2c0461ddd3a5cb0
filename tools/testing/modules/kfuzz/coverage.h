/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The coverage that siw_cov.ko counts. */
#ifndef KFUZZ_COVERAGE_H
#define KFUZZ_COVERAGE_H

#include <linux/types.h>

/* Called by code that was compiled with -fsanitize-coverage=trace-pc, in each basic block. */
void __sanitizer_cov_trace_pc(void);

/* Returns the number of different edges that have been run since the module was loaded. */
u32 siw_cov_edges(void);

#endif /* KFUZZ_COVERAGE_H */
