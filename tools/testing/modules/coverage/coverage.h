/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The coverage that krdma_cov.ko counts. */
#ifndef KRDMA_COVERAGE_H
#define KRDMA_COVERAGE_H

#include <linux/types.h>

/* Called by code that was compiled with -fsanitize-coverage=trace-pc, in each basic block. */
void __sanitizer_cov_trace_pc(void);

/* Counts that the block at @address runs. */
void krdma_cov_block(unsigned long address);

/*
 * Returns the number of different blocks, and of different edges between two blocks, that have been
 * run since the module was loaded, or since the number was set to 0.
 */
u32 krdma_cov_edges(void);

#endif /* KRDMA_COVERAGE_H */
