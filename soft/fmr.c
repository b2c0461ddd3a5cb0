// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Fast memory regions: a map call publishes a list of pages under a new key, at once.
 */
#include <linux/bottom_half.h>
#include <linux/preempt.h>
#include <linux/slab.h>

#include "soft/fmr.h"
#include "soft/device.h"
#include "soft/mem.h"
#include "soft/mr.h"

/**
 * struct soft_fmr - fast memory region
 * @base: the verbs object
 * @mem: entry of the region in the STag table; lookups may hold references that outlive the region
 * @max_maps: largest number of mappings from one unmap to the next
 * @num_maps: number of mappings since the last unmap
 */
struct soft_fmr {
	struct ib_fmr base;
	struct soft_mem *mem;
	int max_maps;
	int num_maps;
};

static struct soft_fmr *to_soft_fmr(struct ib_fmr *base)
{
	return container_of(base, struct soft_fmr, base);
}

struct ib_fmr *soft_alloc_fmr(struct ib_pd *pd, int access, struct ib_fmr_attr *attr)
{
	struct soft_device *dev = to_soft_dev(pd->device);
	struct soft_fmr *fmr;
	int ret;

	if (attr->max_pages > pd->device->attrs.max_fast_reg_page_list_len ||
	    attr->max_maps > SOFT_MAX_FMR_MAPS || attr->page_shift < PAGE_SHIFT ||
	    access & IB_ACCESS_MW_BIND)
		return ERR_PTR(-EINVAL);
	ret = soft_mr_check_access(pd, access);
	if (ret)
		return ERR_PTR(ret);
	ret = -ENOMEM;
	if (atomic_inc_return(&dev->num_mr) > dev->base.attrs.max_mr)
		goto uncount;
	fmr = kzalloc(sizeof(*fmr), GFP_KERNEL);
	if (!fmr)
		goto uncount;
	fmr->mem = soft_mem_alloc(dev, pd, attr->max_pages);
	if (IS_ERR(fmr->mem)) {
		ret = PTR_ERR(fmr->mem);
		kfree(fmr);
		goto uncount;
	}
	fmr->mem->page_shift = attr->page_shift;
	fmr->mem->access = access;
	fmr->max_maps = attr->max_maps;
	fmr->base.lkey = fmr->mem->stag;
	fmr->base.rkey = fmr->mem->stag;
	return &fmr->base;

uncount:
	atomic_dec(&dev->num_mr);
	return ERR_PTR(ret);
}

static int fmr_check_map(const struct soft_fmr *fmr, const u64 *page_list, int list_len, u64 iova)
{
	u64 in_page = (1ULL << fmr->mem->page_shift) - 1;
	int i;

	if (list_len < 1 || list_len > fmr->mem->max_pages || iova & in_page ||
	    fmr->num_maps == fmr->max_maps)
		return -EINVAL;
	for (i = 0; i < list_len; i++)
		if (page_list[i] & in_page)
			return -EINVAL;
	return 0;
}

/*
 * Ends the mapping, and waits for copies. Does not wait in a hard interrupt, because the interrupt
 * may have stopped a copy on this CPU. If any copy is in progress, returns -EAGAIN and keeps the
 * mapping. Clears mem->valid only if there is none: a copy that finds the mapping invalid ends its
 * stream. Until this is decided, mem->changing makes new copies wait.
 */
static int fmr_end_mapping(struct soft_mem *mem)
{
	bool idle;

	if (!in_hardirq()) {
		WRITE_ONCE(mem->valid, false);
		soft_mem_wait_for_copies(mem);
		return 0;
	}
	WRITE_ONCE(mem->changing, true);
	smp_mb(); /* pairs with mem_hold(), which begins a copy */
	idle = !atomic_read_acquire(&mem->copies);
	if (idle)
		WRITE_ONCE(mem->valid, false);
	smp_store_release(&mem->changing, false); /* pairs with mem_hold() */
	return idle ? 0 : -EAGAIN;
}

int soft_map_phys_fmr(struct ib_fmr *base, u64 *page_list, int list_len, u64 iova)
{
	struct soft_fmr *fmr = to_soft_fmr(base);
	struct soft_mem *mem = fmr->mem;
	u32 stag = ib_inc_rkey(mem->stag);
	bool bh = !in_hardirq() && !irqs_disabled();
	int ret;

	ret = fmr_check_map(fmr, page_list, list_len, iova);
	if (ret)
		return ret;
	/* soft_mem_wait_for_copies() needs BHs off. */
	if (bh)
		local_bh_disable();
	ret = fmr_end_mapping(mem);
	if (!ret) {
		memcpy(mem->pages, page_list, list_len * sizeof(*page_list));
		mem->num_pages = list_len;
		mem->va = iova;
		mem->len = (u64)list_len << mem->page_shift;
		WRITE_ONCE(mem->stag, stag);
		soft_mem_set_valid(mem);
		fmr->num_maps++;
		base->lkey = stag;
		base->rkey = stag;
	}
	if (bh)
		local_bh_enable();
	return ret;
}

int soft_unmap_fmr(struct list_head *list)
{
	struct soft_fmr *fmr;

	/* End all mappings before the first wait, so that the waits for their copies overlap. */
	list_for_each_entry(fmr, list, base.list)
		WRITE_ONCE(fmr->mem->valid, false);
	list_for_each_entry(fmr, list, base.list) {
		local_bh_disable();
		soft_mem_wait_for_copies(fmr->mem);
		local_bh_enable();
		fmr->num_maps = 0;
	}
	return 0;
}

int soft_dealloc_fmr(struct ib_fmr *base)
{
	struct soft_fmr *fmr = to_soft_fmr(base);
	struct soft_device *dev = fmr->mem->dev;

	/* This cannot fail, because no window can be bound to an FMR. */
	soft_mem_remove(fmr->mem);
	atomic_dec(&dev->num_mr);
	kfree(fmr);
	return 0;
}
