/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_KRDMA_LIMIT_H
#define KRDMA_COMPAT_KRDMA_LIMIT_H

#include <krdma/has.h>
#include <linux/types.h>

/*
 * krdma_limit_t is the type of a device's limits. ULPs of a kernel compare the limits with numbers
 * of the type that this kernel has, by min(), which refuses other types.
 */
#if KRDMA_HAS_UNSIGNED_LIMITS
typedef u32 krdma_limit_t;
#else
typedef int krdma_limit_t;
#endif

#endif
