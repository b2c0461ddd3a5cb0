/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Fast memory regions: regions that are mapped by a call, in any context, instead of a request.
 */
#ifndef _RDMA_VERBS_FMR_H_
#define _RDMA_VERBS_FMR_H_

#include <linux/list.h>
#include <rdma/verbs/types.h>

/**
 * struct ib_fmr_attr - limits of a fast memory region
 * @max_pages: largest number of pages in a mapping
 * @max_maps: largest number of mappings from one ib_unmap_fmr() to the next
 * @page_shift: log2 of the size of a page in bytes
 */
struct ib_fmr_attr {
	int	max_pages;
	int	max_maps;
	u8	page_shift;
};

/**
 * struct ib_fmr - a fast memory region
 * @device: device of the region
 * @pd: protection domain it belongs to
 * @list: entry in the ULP's list for ib_unmap_fmr()
 * @lkey: key for local access, of the last mapping
 * @rkey: key for peers, of the last mapping
 */
struct ib_fmr {
	struct ib_device       *device;
	struct ib_pd	       *pd;
	struct list_head	list;
	u32			lkey;
	u32			rkey;
};

/**
 * ib_alloc_fmr - make a fast memory region, which is not mapped
 * @pd: protection domain
 * @mr_access_flags: &enum ib_access_flags
 * @fmr_attr: limits of the region
 *
 * Process context, may sleep.
 *
 * Return: the region, to be freed with ib_dealloc_fmr(); or an ERR_PTR: -EOPNOTSUPP if the device
 * has no such regions; -EINVAL if a limit is not positive, or the pages are too large for a 64-bit
 * address; the errno of ib_check_mr_access(); -ENODEV if the device is being unregistered; -ENOMEM;
 * or the provider's error.
 */
struct ib_fmr *ib_alloc_fmr(struct ib_pd *pd, int mr_access_flags, struct ib_fmr_attr *fmr_attr);

/**
 * ib_map_phys_fmr - map pages into a fast memory region
 * @fmr: the region
 * @page_list: DMA address of each page, a multiple of the page size
 * @list_len: number of pages
 * @iova: address of the first byte in requests, a multiple of the page size
 *
 * Any context; one caller at a time for a region. Sets new keys in @fmr. The keys and the pages of
 * the mapping before must not be used any more; the device may access those pages until
 * ib_unmap_fmr() has returned.
 *
 * Return: 0; or the provider's error: -EINVAL if there are no pages or too many, if an address is
 * not a multiple of the page size, or if the region was mapped as often as it may be without being
 * unmapped; -EAGAIN in hard interrupt context, if the device is accessing the present mapping.
 * After an error the mapping is as before.
 */
int ib_map_phys_fmr(struct ib_fmr *fmr, u64 *page_list, int list_len, u64 iova);

/**
 * ib_unmap_fmr - end the mappings of fast memory regions
 * @fmr_list: list of regions, by &ib_fmr.list, all of one device
 *
 * Process context, may sleep. After success the device accesses no page of these regions any more,
 * and they can be mapped again. The list stays as it is.
 *
 * Return: 0, also for an empty list; -EINVAL if the regions are of different devices; or the
 * provider's error.
 */
int ib_unmap_fmr(struct list_head *fmr_list);

/**
 * ib_dealloc_fmr - free a fast memory region, mapped or not
 * @fmr: the region
 *
 * Process context, may sleep. After success the device does not access the region's pages.
 *
 * Return: 0; or the provider's error, after which the region is as before.
 */
int ib_dealloc_fmr(struct ib_fmr *fmr);

#endif /* _RDMA_VERBS_FMR_H_ */
