/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_LINUX_DMA_BUF_H
#define KRDMA_COMPAT_LINUX_DMA_BUF_H

#include <krdma/has.h>
#include_next <linux/dma-buf.h>

/* In older kernels, this member of struct dma_buf_attach_ops and this function have other names. */
#if !KRDMA_HAS_DMA_BUF_INVALIDATE
#define invalidate_mappings		move_notify
#define dma_buf_invalidate_mappings	dma_buf_move_notify
#endif

#endif
