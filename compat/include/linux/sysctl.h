/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_LINUX_SYSCTL_H
#define KRDMA_COMPAT_LINUX_SYSCTL_H

#include_next <linux/sysctl.h>

/*
 * KRDMA_SYSCTL_END ends a table of settings. The macro is an empty entry in older kernels, which do
 * not get the table's size, and nothing in newer ones, which refuse such an entry.
 */
#ifdef register_sysctl
#define KRDMA_SYSCTL_END
#else
#define KRDMA_SYSCTL_END	{ }
#endif

#endif
