// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Fast memory regions, which the provider allocates and frees.
 */
#include "core/registry.h"
#include "verbs/verbs.h"

struct ib_fmr *ib_alloc_fmr(struct ib_pd *pd, int mr_access_flags, struct ib_fmr_attr *fmr_attr)
{
	struct ib_device *dev = pd->device;
	struct ib_fmr *fmr;
	int ret;

	might_sleep();
	if (!dev->ops.alloc_fmr)
		return ERR_PTR(-EOPNOTSUPP);
	if (fmr_attr->max_pages < 1 || fmr_attr->max_maps < 1 ||
	    fmr_attr->page_shift >= BITS_PER_TYPE(u64))
		return ERR_PTR(-EINVAL);
	ret = ib_check_mr_access(dev, mr_access_flags);
	if (ret)
		return ERR_PTR(ret);
	if (!ib_core_device_usable(dev))
		return ERR_PTR(-ENODEV);

	fmr = dev->ops.alloc_fmr(pd, mr_access_flags, fmr_attr);
	if (IS_ERR(fmr))
		return fmr;
	fmr->device = dev;
	fmr->pd = pd;
	INIT_LIST_HEAD(&fmr->list);
	atomic_inc(&pd->usecnt);
	return fmr;
}
EXPORT_SYMBOL(ib_alloc_fmr);

int ib_map_phys_fmr(struct ib_fmr *fmr, u64 *page_list, int list_len, u64 iova)
{
	return fmr->device->ops.map_phys_fmr(fmr, page_list, list_len, iova);
}
EXPORT_SYMBOL(ib_map_phys_fmr);

int ib_unmap_fmr(struct list_head *fmr_list)
{
	struct ib_device *dev = NULL;
	struct ib_fmr *fmr;

	might_sleep();
	list_for_each_entry(fmr, fmr_list, list) {
		if (dev && fmr->device != dev)
			return -EINVAL;
		dev = fmr->device;
	}
	return dev ? dev->ops.unmap_fmr(fmr_list) : 0;
}
EXPORT_SYMBOL(ib_unmap_fmr);

int ib_dealloc_fmr(struct ib_fmr *fmr)
{
	struct ib_pd *pd = fmr->pd;
	int ret;

	might_sleep();
	ret = fmr->device->ops.dealloc_fmr(fmr);
	if (!ret)
		atomic_dec(&pd->usecnt);
	return ret;
}
EXPORT_SYMBOL(ib_dealloc_fmr);
