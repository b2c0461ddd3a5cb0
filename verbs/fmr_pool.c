// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Pools of fast memory regions.
 *
 * A region that is given back stays mapped, because unmapping is expensive. The region is free
 * for the next mapping or, in a pool with a cache, for the same mapping once more. After MAX_MAPS
 * mappings it is dirty: it must be unmapped before it can be mapped again. When enough regions
 * are dirty, a work item unmaps them together.
 */
#include <linux/export.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_fmr_pool.h>

#define MAX_MAPS	32
#define CACHE_BITS	8

/**
 * struct ib_fmr_pool - a pool
 * @params: properties of the pool
 * @flushing: serialises flushes; taken before @lock
 * @lock: protects the members below, and the regions; taken with interrupts off
 * @free: regions that can be mapped, in the order in which they were given back
 * @dirty: regions that have to be unmapped before they can be mapped again
 * @num_dirty: number of regions in @dirty
 * @cache: mapped regions that are in use or in @free, hashed by their mapping; empty if the pool
 *	has no cache
 * @flush: work item that unmaps dirty regions
 */
struct ib_fmr_pool {
	struct ib_fmr_pool_param params;
	struct mutex flushing; /* serialises flushes */
	spinlock_t lock; /* protects the members below, and the regions */
	struct list_head free;
	struct list_head dirty;
	int num_dirty;
	DECLARE_HASHTABLE(cache, CACHE_BITS);
	struct work_struct flush;
};

static u32 fmr_hash(u64 first_page, u64 addr)
{
	return jhash_3words(first_page, first_page >> 32, addr, addr >> 32);
}

static struct ib_pool_fmr *fmr_find(struct ib_fmr_pool *pool, const u64 *pages, int num, u64 addr)
{
	struct ib_pool_fmr *fmr;

	lockdep_assert_held(&pool->lock);
	hash_for_each_possible(pool->cache, fmr, cache_node, fmr_hash(pages[0], addr))
		if (fmr->io_virtual_address == addr && fmr->page_list_len == num &&
		    !memcmp(fmr->page_list, pages, num * sizeof(*pages)))
			return fmr;
	return NULL;
}

/* Maps the oldest free region, and takes it off the list. */
static struct ib_pool_fmr *fmr_map_free(struct ib_fmr_pool *pool, u64 *pages, int num, u64 addr)
{
	struct ib_pool_fmr *fmr;
	int ret;

	lockdep_assert_held(&pool->lock);
	fmr = list_first_entry_or_null(&pool->free, struct ib_pool_fmr, list);
	if (!fmr)
		return ERR_PTR(-EAGAIN);
	ret = ib_map_phys_fmr(fmr->fmr, pages, num, addr);
	if (ret)
		return ERR_PTR(ret);
	fmr->remap_count++;
	if (pool->params.cache) {
		hash_del(&fmr->cache_node);
		fmr->io_virtual_address = addr;
		fmr->page_list_len = num;
		memcpy(fmr->page_list, pages, num * sizeof(*pages));
		hash_add(pool->cache, &fmr->cache_node, fmr_hash(pages[0], addr));
	}
	return fmr;
}

struct ib_pool_fmr *ib_fmr_pool_map_phys(struct ib_fmr_pool *pool_handle, u64 *page_list,
					 int list_len, u64 io_virtual_address)
{
	struct ib_fmr_pool *pool = pool_handle;
	struct ib_pool_fmr *fmr = NULL;
	unsigned long flags;

	if (list_len < 1 || list_len > pool->params.max_pages_per_fmr)
		return ERR_PTR(-EINVAL);
	spin_lock_irqsave(&pool->lock, flags);
	if (pool->params.cache)
		fmr = fmr_find(pool, page_list, list_len, io_virtual_address);
	if (!fmr)
		fmr = fmr_map_free(pool, page_list, list_len, io_virtual_address);
	if (!IS_ERR(fmr) && !fmr->ref_count++)
		list_del_init(&fmr->list);
	spin_unlock_irqrestore(&pool->lock, flags);
	return fmr;
}
EXPORT_SYMBOL(ib_fmr_pool_map_phys);

int ib_fmr_pool_unmap(struct ib_pool_fmr *fmr)
{
	struct ib_fmr_pool *pool = fmr->pool;
	unsigned long flags;

	spin_lock_irqsave(&pool->lock, flags);
	if (!--fmr->ref_count) {
		if (fmr->remap_count < MAX_MAPS) {
			list_add_tail(&fmr->list, &pool->free);
		} else {
			/* Take the mapping out of the cache, because a flush will end it. */
			hash_del(&fmr->cache_node);
			list_add_tail(&fmr->list, &pool->dirty);
			if (++pool->num_dirty >= pool->params.dirty_watermark)
				schedule_work(&pool->flush);
		}
	}
	spin_unlock_irqrestore(&pool->lock, flags);
	return 0;
}
EXPORT_SYMBOL(ib_fmr_pool_unmap);

/* Moves the dirty regions to @list. If @all, also moves the free regions that are still mapped. */
static void fmr_pool_take(struct ib_fmr_pool *pool, bool all, struct list_head *list)
{
	struct ib_pool_fmr *fmr, *next;

	spin_lock_irq(&pool->lock);
	list_splice_init(&pool->dirty, list);
	pool->num_dirty = 0;
	list_for_each_entry_safe(fmr, next, &pool->free, list) {
		if (!all || !fmr->remap_count)
			continue;
		hash_del(&fmr->cache_node);
		list_move_tail(&fmr->list, list);
	}
	spin_unlock_irq(&pool->lock);
}

static void fmr_pool_give_back(struct ib_fmr_pool *pool, struct list_head *list, bool unmapped)
{
	struct ib_pool_fmr *fmr;

	spin_lock_irq(&pool->lock);
	list_for_each_entry(fmr, list, list) {
		if (unmapped)
			fmr->remap_count = 0;
		else
			pool->num_dirty++;
	}
	list_splice_tail(list, unmapped ? &pool->free : &pool->dirty);
	spin_unlock_irq(&pool->lock);
}

static int fmr_pool_flush(struct ib_fmr_pool *pool, bool all)
{
	struct ib_pool_fmr *fmr;
	LIST_HEAD(taken);
	LIST_HEAD(fmrs);
	int ret;

	mutex_lock(&pool->flushing);
	fmr_pool_take(pool, all, &taken);
	list_for_each_entry(fmr, &taken, list)
		list_add_tail(&fmr->fmr->list, &fmrs);
	ret = ib_unmap_fmr(&fmrs);
	list_for_each_entry(fmr, &taken, list)
		list_del_init(&fmr->fmr->list);
	fmr_pool_give_back(pool, &taken, !ret);
	mutex_unlock(&pool->flushing);
	if (!ret && pool->params.flush_function)
		pool->params.flush_function(pool, pool->params.flush_arg);
	return ret;
}

int ib_flush_fmr_pool(struct ib_fmr_pool *pool)
{
	return fmr_pool_flush(pool, true);
}
EXPORT_SYMBOL(ib_flush_fmr_pool);

static void fmr_pool_flush_work(struct work_struct *work)
{
	/* After an error the regions stay dirty, and the next flush tries again. */
	fmr_pool_flush(container_of(work, struct ib_fmr_pool, flush), false);
}

static int fmr_pool_add(struct ib_fmr_pool *pool, struct ib_pd *pd)
{
	struct ib_fmr_attr attr = {
		.max_pages = pool->params.max_pages_per_fmr,
		.max_maps = MAX_MAPS,
		.page_shift = pool->params.page_shift,
	};
	struct ib_pool_fmr *fmr;

	fmr = kzalloc(struct_size(fmr, page_list, pool->params.cache ? attr.max_pages : 0),
		      GFP_KERNEL);
	if (!fmr)
		return -ENOMEM;
	fmr->fmr = ib_alloc_fmr(pd, pool->params.access, &attr);
	if (IS_ERR(fmr->fmr)) {
		int ret = PTR_ERR(fmr->fmr);

		kfree(fmr);
		return ret;
	}
	fmr->pool = pool;
	INIT_HLIST_NODE(&fmr->cache_node);
	list_add_tail(&fmr->list, &pool->free);
	return 0;
}

struct ib_fmr_pool *ib_create_fmr_pool(struct ib_pd *pd, struct ib_fmr_pool_param *params)
{
	struct ib_fmr_pool *pool;
	int i, ret;

	might_sleep();
	/* ib_fmr_attr.page_shift, which ib_alloc_fmr() gets, has eight bits. */
	if (params->pool_size < 1 || params->max_pages_per_fmr < 1 ||
	    params->page_shift < 0 || params->page_shift > U8_MAX)
		return ERR_PTR(-EINVAL);
	pool = kzalloc(sizeof(*pool), GFP_KERNEL);
	if (!pool)
		return ERR_PTR(-ENOMEM);
	pool->params = *params;
	mutex_init(&pool->flushing);
	spin_lock_init(&pool->lock);
	INIT_LIST_HEAD(&pool->free);
	INIT_LIST_HEAD(&pool->dirty);
	hash_init(pool->cache);
	INIT_WORK(&pool->flush, fmr_pool_flush_work);
	for (i = 0; i < params->pool_size; i++) {
		ret = fmr_pool_add(pool, pd);
		if (ret) {
			ib_destroy_fmr_pool(pool);
			return ERR_PTR(ret);
		}
	}
	return pool;
}
EXPORT_SYMBOL(ib_create_fmr_pool);

void ib_destroy_fmr_pool(struct ib_fmr_pool *pool)
{
	struct ib_pool_fmr *fmr, *next;

	might_sleep();
	cancel_work_sync(&pool->flush);
	list_splice_init(&pool->dirty, &pool->free);
	list_for_each_entry_safe(fmr, next, &pool->free, list) {
		WARN_ON_ONCE(ib_dealloc_fmr(fmr->fmr));
		kfree(fmr);
	}
	kfree(pool);
}
EXPORT_SYMBOL(ib_destroy_fmr_pool);
