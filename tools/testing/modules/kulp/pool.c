// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Receives that all connections of a server, or of one run of a client, take from one SRQ.
 */
#include <linux/slab.h>

#include "tools/testing/modules/kulp/kulp.h"

void kulp_pool_free(struct kulp_pool *pool)
{
	int i;

	if (!pool)
		return;
	if (!IS_ERR_OR_NULL(pool->srq))
		ib_destroy_srq(pool->srq);
	for (i = 0; i < pool->num_slots; i++)
		kulp_buf_free(&pool->slots[i].buf);
	kvfree(pool->slots);
	if (!IS_ERR_OR_NULL(pool->pd))
		ib_dealloc_pd(pool->pd);
	kfree(pool);
}

static int make_srq(struct kulp_pool *pool, struct ib_device *dev, int max_wr)
{
	struct ib_srq_init_attr attr = {
		.attr = {
			.max_wr = max_wr,
			.max_sge = min(KULP_MAX_CHUNKS, dev->attrs.max_srq_sge),
		},
	};

	pool->pd = ib_alloc_pd(dev, 0);
	if (IS_ERR(pool->pd))
		return PTR_ERR(pool->pd);
	pool->srq = ib_create_srq(pool->pd, &attr);
	return PTR_ERR_OR_ZERO(pool->srq);
}

struct kulp_pool *kulp_pool_make(struct ib_device *dev, const struct kulp_args *args,
				 void (*on_recv)(struct ib_cq *cq, struct ib_wc *wc))
{
	u32 size = max_t(u32, args->size, sizeof(struct kulp_msg));
	struct kulp_pool *pool;
	int n, ret = 0;

	if (!(args->flags & KULP_F_SRQ))
		return NULL;
	pool = kzalloc(sizeof(*pool), GFP_KERNEL);
	if (!pool)
		return ERR_PTR(-ENOMEM);
	pool->share = kulp_num_slots(size, args->depth);
	n = pool->share * args->qps;
	pool->slots = kvcalloc(n, sizeof(*pool->slots), GFP_KERNEL);
	if (!pool->slots)
		ret = -ENOMEM;
	if (!ret)
		ret = make_srq(pool, dev, n);
	while (!ret && pool->num_slots < n) {
		struct kulp_slot *slot = &pool->slots[pool->num_slots];

		ret = kulp_buf_alloc(&slot->buf, dev, size);
		if (ret)
			break;
		slot->pool = pool;
		slot->cqe.done = on_recv;
		pool->num_slots++;
		ret = kulp_post_recv(slot);
	}
	if (!ret)
		return pool;
	kulp_pool_free(pool);
	return ERR_PTR(ret);
}
