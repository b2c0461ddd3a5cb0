/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_LINUX_WORKQUEUE_H
#define KRDMA_COMPAT_LINUX_WORKQUEUE_H

#include <krdma/has.h>
#include_next <linux/workqueue.h>

/* In older kernels, a queue is per CPU unless it has WQ_UNBOUND. */
#if !KRDMA_HAS_WQ_PERCPU
#define WQ_PERCPU	0
#endif

#if !KRDMA_HAS_SYSTEM_DFL_WQ
#define system_dfl_wq	system_unbound_wq
#endif

#if !KRDMA_HAS_SYSTEM_PERCPU_WQ
#define system_percpu_wq	system_wq
#endif

#endif
