/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_LINUX_SKBUFF_H
#define KRDMA_COMPAT_LINUX_SKBUFF_H

#include_next <linux/skbuff.h>

#include <krdma/has.h>

#if !KRDMA_HAS_SKB_FRAGS_READABLE
/* Older kernels have no socket buffers with memory that the CPU cannot read. */
static inline bool skb_frags_readable(const struct sk_buff *skb)
{
	return true;
}
#endif

#endif
