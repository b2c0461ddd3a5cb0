// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory regions as verbs objects: allocation, page lists, and the REG_MR request.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>

#include "drivers/siw/mr.h"
#include "drivers/siw/mem.h"
#include "drivers/siw/siw.h"

struct siw_mr *siw_mr_create(struct ib_pd *pd, u32 max_pages)
{
	struct siw_device *dev = to_siw_dev(pd->device);
	struct siw_mr *mr;
	int ret;

	if (atomic_inc_return(&dev->num_mr) > SIW_MAX_MR) {
		ret = -ENOMEM;
		goto uncount;
	}
	mr = kzalloc(sizeof(*mr), siw_gfp(pd->uobject));
	if (!mr) {
		ret = -ENOMEM;
		goto uncount;
	}
	mr->mem = siw_mem_alloc(dev, pd, max_pages);
	if (IS_ERR(mr->mem)) {
		ret = PTR_ERR(mr->mem);
		goto free_mr;
	}
	mr->base.lkey = mr->mem->stag;
	mr->base.rkey = mr->mem->stag;
	return mr;

free_mr:
	kfree(mr);
uncount:
	atomic_dec(&dev->num_mr);
	return ERR_PTR(ret);
}

/* The flag for huge pages needs nothing, because a region may have any pages, and is accepted. */
int siw_mr_check_access(const struct ib_pd *pd, int access)
{
	return access & IB_ZERO_BASED ? -EOPNOTSUPP : ib_check_mr_access(pd->device, access);
}

struct ib_mr *siw_get_dma_mr(struct ib_pd *pd, int access)
{
	struct siw_mr *mr;
	int ret;

	ret = siw_mr_check_access(pd, access);
	if (ret)
		return ERR_PTR(ret);
	mr = siw_mr_create(pd, 0);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->mem->access = access;
	mr->mem->len = U64_MAX;
	siw_mem_set_valid(mr->mem);
	return &mr->base;
}

int siw_dereg_mr(struct ib_mr *base, struct ib_udata *udata)
{
	struct siw_mr *mr = to_siw_mr(base);
	struct siw_device *dev = mr->mem->dev;
	int ret;

	ret = siw_mem_remove(mr->mem);
	if (ret)
		return ret;
	atomic_dec(&dev->num_mr);
	/* siw_mem_remove() has waited for copies, and none begins any more. */
	ib_umem_release(mr->umem);
	kvfree(mr->mapped);
	kfree(mr);
	return 0;
}

struct ib_mr *siw_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg)
{
	struct siw_mr *mr;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_num_sg || max_num_sg > SIW_MAX_PAGE_LIST)
		return ERR_PTR(-EINVAL);

	mr = siw_mr_create(pd, max_num_sg);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	/* Allocate this list now, because siw_map_mr_sg() may not sleep, and must not fail then. */
	mr->mapped = kvcalloc(max_num_sg, sizeof(*mr->mapped), GFP_KERNEL);
	if (!mr->mapped) {
		siw_dereg_mr(&mr->base, NULL);
		return ERR_PTR(-ENOMEM);
	}
	mr->mem->fast_reg = true;
	return &mr->base;
}

static int mr_set_page(struct ib_mr *base, u64 addr)
{
	struct siw_mr *mr = to_siw_mr(base);

	if (mr->num_mapped == mr->mem->max_pages)
		return -ENOMEM;
	mr->mapped[mr->num_mapped++] = addr;
	return 0;
}

int siw_map_mr_sg(struct ib_mr *base, struct scatterlist *sg, int sg_nents, unsigned int *sg_offset)
{
	struct siw_mr *mr = to_siw_mr(base);

	if (!mr->mapped || !is_power_of_2(base->page_size))
		return -EINVAL;
	mr->is_mapped = true;
	mr->num_mapped = 0;
	return ib_sg_to_pages(base, sg, sg_nents, sg_offset, mr_set_page);
}

int siw_mr_register(const struct ib_pd *pd, struct ib_mr *base, u32 key, int access)
{
	struct siw_mr *mr = to_siw_mr(base);
	struct siw_mem *mem = mr->mem;
	u32 num_pages = mr->is_mapped ? mr->num_mapped : mem->num_pages;
	u32 in_page = base->iova & (base->page_size - 1);

	if (mem->pd != pd)
		return -EPERM;
	if (!mem->fast_reg || !siw_stag_is_key_of(key, mem->stag))
		return -EINVAL;
	if (siw_mr_check_access(pd, access))
		return -EINVAL;
	if (READ_ONCE(mem->valid))
		return -EBUSY;
	if (!num_pages || in_page + base->length > (u64)num_pages * base->page_size)
		return -EINVAL;

	/* The peer may have invalidated the region just now, during copies that have not ended. */
	siw_mem_wait_for_copies(mem);
	if (mr->is_mapped) {
		swap(mem->pages, mr->mapped);
		mr->is_mapped = false;
	}
	mem->num_pages = num_pages;
	mem->page_shift = ilog2(base->page_size);
	mem->first_offset = in_page;
	mem->va = base->iova;
	mem->len = base->length;
	mem->access = access;
	WRITE_ONCE(mem->stag, key);
	siw_mem_set_valid(mem);
	return 0;
}
