// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Fast memory regions. They are mapped in any context, in which the mutex cannot be taken, so a
 * mapping waits in the region until a request looks the region up.
 */
#include <linux/slab.h>

#include "internal.h"

struct memdev_fmr {
	struct ib_fmr ibfmr;
	struct memdev_mr *mr;
	int max_maps;
	int nr_maps;	/* since it was unmapped last; with memdev_fabric.lock held */
};

static struct memdev_fmr *to_memdev_fmr(struct ib_fmr *ibfmr)
{
	return container_of(ibfmr, struct memdev_fmr, ibfmr);
}

static struct ib_fmr *alloc_fmr(struct ib_pd *pd, int access, struct ib_fmr_attr *attr)
{
	struct memdev_fmr *fmr;
	int ret;

	ret = fakedev_count_call(pd->device, FAKEDEV_ALLOC_FMR);
	if (ret)
		return ERR_PTR(ret);
	if (attr->page_shift < PAGE_SHIFT || attr->page_shift > 30 ||
	    attr->max_pages > MEMDEV_MAX_PAGES || (access & IB_ACCESS_MW_BIND))
		return ERR_PTR(-EINVAL);
	fmr = kzalloc(sizeof(*fmr), GFP_KERNEL);
	if (!fmr)
		return ERR_PTR(-ENOMEM);
	fmr->mr = memdev_make_mr(pd, attr->max_pages);
	if (IS_ERR(fmr->mr)) {
		ret = PTR_ERR(fmr->mr);
		kfree(fmr);
		return ERR_PTR(ret);
	}
	fmr->mr->is_fmr = true;
	fmr->mr->access = access;
	fmr->mr->page_size = 1U << attr->page_shift;
	fmr->max_maps = attr->max_maps;
	fmr->ibfmr.lkey = fmr->mr->key;
	fmr->ibfmr.rkey = fmr->mr->key;
	return &fmr->ibfmr;
}

static int map_phys_fmr(struct ib_fmr *ibfmr, u64 *pages, int nr, u64 iova)
{
	struct memdev_fmr *fmr = to_memdev_fmr(ibfmr);
	struct memdev_mr *mr = fmr->mr;
	u64 in_page = mr->page_size - 1;
	unsigned long flags;
	int i, ret;

	ret = fakedev_count_call(ibfmr->device, FAKEDEV_MAP_FMR);
	if (ret)
		return ret;
	if (nr < 1 || nr > mr->max_pages || (iova & in_page))
		return -EINVAL;
	for (i = 0; i < nr; i++)
		if (pages[i] & in_page)
			return -EINVAL;
	spin_lock_irqsave(&memdev_fabric.lock, flags);
	if (fmr->nr_maps < fmr->max_maps) {
		fmr->nr_maps++;
		memcpy(mr->next_pages, pages, nr * sizeof(*pages));
		mr->nr_next = nr;
		mr->next_iova = iova;
		mr->next_key = ib_inc_rkey(ibfmr->rkey);
		ibfmr->lkey = mr->next_key;
		ibfmr->rkey = mr->next_key;
	} else {
		ret = -EINVAL;
	}
	spin_unlock_irqrestore(&memdev_fabric.lock, flags);
	return ret;
}

/* With the mutex, no request uses a region when this returns. */
static int unmap_fmr(struct list_head *list)
{
	struct memdev_fmr *fmr;
	int ret;

	fmr = list_first_entry(list, struct memdev_fmr, ibfmr.list);
	ret = fakedev_count_call(fmr->ibfmr.device, FAKEDEV_UNMAP_FMR);
	if (ret)
		return ret;
	mutex_lock(&memdev_fabric.mutex);
	spin_lock_irq(&memdev_fabric.lock);
	list_for_each_entry(fmr, list, ibfmr.list) {
		fmr->nr_maps = 0;
		fmr->mr->nr_next = 0;
		fmr->mr->valid = false;
	}
	spin_unlock_irq(&memdev_fabric.lock);
	mutex_unlock(&memdev_fabric.mutex);
	return 0;
}

static int dealloc_fmr(struct ib_fmr *ibfmr)
{
	struct memdev_fmr *fmr = to_memdev_fmr(ibfmr);
	int ret;

	ret = fakedev_count_call(ibfmr->device, FAKEDEV_DEALLOC_FMR);
	if (ret)
		return ret;
	ret = memdev_free_mr(fmr->mr);
	if (!ret)
		kfree(fmr);
	return ret;
}

const struct ib_device_ops memdev_fmr_ops = {
	.alloc_fmr = alloc_fmr,
	.dealloc_fmr = dealloc_fmr,
	.map_phys_fmr = map_phys_fmr,
	.unmap_fmr = unmap_fmr,
};
