/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_LINUX_DMA_BUF_H
#define KRDMA_COMPAT_LINUX_DMA_BUF_H

#include <krdma/has.h>
#include_next <linux/dma-buf.h>

/* The name of the member in older kernels. */
#if !KRDMA_HAS_DMA_BUF_INVALIDATE
#define invalidate_mappings	move_notify
#endif

#endif
