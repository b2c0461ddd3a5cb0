/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What reasm.c uses of the kernel, for user space. A socket buffer is a list of pieces, of which
 * one may be unreadable.
 */
#ifndef UNIT_KERNEL_SKB_H
#define UNIT_KERNEL_SKB_H

#include <errno.h>
#include <stdlib.h>

#include "crc32c.h"
#include "compat/port.h"

#define PAGE_SIZE		4096u
#define GFP_ATOMIC		0
#define __GFP_NOWARN		0
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define unlikely(x)		(x)
#define min(a, b)		((a) < (b) ? (a) : (b))
#define max_t(type, a, b)	((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define clamp_t(type, x, low, high)	max_t(type, low, min_t(type, x, high))

typedef unsigned int gfp_t;

static const unsigned long jiffies = 1;

static inline unsigned long __get_free_page(gfp_t gfp)
{
	(void)gfp;
	return (unsigned long)malloc(PAGE_SIZE);
}

static inline void free_page(unsigned long page)
{
	free((void *)page);
}

#define SKB_PIECES_MAX	8

struct sk_buff {
	unsigned int num;
	struct {
		const u8 *at;
		u32 len;
		bool unreadable;
	} piece[SKB_PIECES_MAX];
};

struct skb_seq_state {
	const struct sk_buff *skb;
	u32 from;
	u32 to;
};

void skb_prepare_seq_read(struct sk_buff *skb, unsigned int from, unsigned int to,
			  struct skb_seq_state *seq);
unsigned int skb_seq_read(unsigned int consumed, const u8 **data, struct skb_seq_state *seq);
void skb_abort_seq_read(struct skb_seq_state *seq);
int skb_copy_bits(const struct sk_buff *skb, int offset, void *to, int len);

#endif /* UNIT_KERNEL_SKB_H */
