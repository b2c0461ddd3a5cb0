/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Pools of fast memory regions, which are unmapped many at a time.
 */
#ifndef _RDMA_IB_FMR_POOL_H_
#define _RDMA_IB_FMR_POOL_H_

#include <rdma/ib_verbs.h>

struct ib_fmr_pool;

/**
 * struct ib_fmr_pool_param - properties of a pool
 * @max_pages_per_fmr: largest number of pages in a mapping
 * @page_shift: log2 of the size of a page in bytes
 * @access: rights of each region
 * @pool_size: number of regions
 * @dirty_watermark: number of regions that have to be unmapped before they can be used again, at
 *	which the pool unmaps them
 * @flush_function: called after regions were unmapped, in process context; may be NULL
 * @flush_arg: passed to @flush_function
 * @cache: a mapping of the same pages to the same address is used again, also by several users
 */
struct ib_fmr_pool_param {
	int			max_pages_per_fmr;
	int			page_shift;
	enum ib_access_flags	access;
	int			pool_size;
	int			dirty_watermark;
	void		      (*flush_function)(struct ib_fmr_pool *pool, void *arg);
	void		       *flush_arg;
	unsigned int		cache:1;
};

/**
 * struct ib_pool_fmr - a region of a pool
 * @fmr: the region; its keys are those of the mapping
 * @pool: the pool
 * @list: pool: entry in one of its lists
 * @cache_node: pool: entry in its cache
 * @ref_count: pool: number of users
 * @remap_count: pool: number of mappings since the last unmap
 * @io_virtual_address: address of the mapping, if the pool has a cache
 * @page_list_len: number of entries of @page_list
 * @page_list: pages of the mapping, if the pool has a cache
 */
struct ib_pool_fmr {
	struct ib_fmr	       *fmr;
	struct ib_fmr_pool     *pool;
	struct list_head	list;
	struct hlist_node	cache_node;
	int			ref_count;
	int			remap_count;
	u64			io_virtual_address;
	int			page_list_len;
	u64			page_list[];
};

/**
 * ib_create_fmr_pool - make a pool of fast memory regions
 * @pd: protection domain
 * @params: properties of the pool
 *
 * Process context, may sleep.
 *
 * Return: the pool, to be destroyed with ib_destroy_fmr_pool(); or an ERR_PTR: -EINVAL if the size
 * or the number of pages is not positive, or there is no such size of a page; -ENOMEM; or the errno
 * of ib_alloc_fmr().
 */
struct ib_fmr_pool *ib_create_fmr_pool(struct ib_pd *pd, struct ib_fmr_pool_param *params);

/**
 * ib_destroy_fmr_pool - unmap and free all regions of a pool
 * @pool: the pool; none of its regions is used
 *
 * Process context, may sleep.
 */
void ib_destroy_fmr_pool(struct ib_fmr_pool *pool);

/**
 * ib_flush_fmr_pool - unmap all regions of a pool that are not used
 * @pool: the pool
 *
 * Process context, may sleep. After success, the keys of mappings that ib_fmr_pool_unmap() gave
 * back before the call are not valid any more.
 *
 * Return: 0; or the errno of ib_unmap_fmr(), after which the regions are still mapped.
 */
int ib_flush_fmr_pool(struct ib_fmr_pool *pool);

/**
 * ib_fmr_pool_map_phys - map pages into a region of a pool
 * @pool_handle: the pool
 * @page_list: DMA address of each page
 * @list_len: number of pages
 * @io_virtual_address: address of the first byte in requests
 *
 * Any context.
 *
 * Return: the region, to be given back with ib_fmr_pool_unmap(); or an ERR_PTR: -EINVAL if there
 * are no pages or too many; -EAGAIN if no region is free; or the errno of ib_map_phys_fmr().
 */
struct ib_pool_fmr *ib_fmr_pool_map_phys(struct ib_fmr_pool *pool_handle, u64 *page_list,
					 int list_len, u64 io_virtual_address);

/**
 * ib_fmr_pool_unmap - give a region back to its pool
 * @fmr: the region
 *
 * Any context. The key may stay valid until ib_flush_fmr_pool() has returned.
 *
 * Return: 0.
 */
int ib_fmr_pool_unmap(struct ib_pool_fmr *fmr);

#endif /* _RDMA_IB_FMR_POOL_H_ */
