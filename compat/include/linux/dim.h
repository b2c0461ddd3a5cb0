/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_LINUX_DIM_H
#define KRDMA_COMPAT_LINUX_DIM_H

#include_next <linux/dim.h>

/* A kernel has the DIM library only if its configuration includes a driver that needs it. */
#define KRDMA_HAS_DIM	IS_ENABLED(CONFIG_DIMLIB)
#if !KRDMA_HAS_DIM
#define rdma_dim(dim, completions)	((void)(dim), (void)(completions))
#endif

#endif
