// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory regions as verbs objects: allocation, page lists, and the REG_MR request.
 */
#include <linux/log2.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>

#include "soft/mr.h"
#include "soft/device.h"
#include "soft/mem.h"
#include "soft/pi.h"

struct soft_mr *soft_mr_create(struct ib_pd *pd, u32 max_pages)
{
	struct soft_device *dev = to_soft_dev(pd->device);
	struct soft_mr *mr;
	int ret;

	if (atomic_inc_return(&dev->num_mr) > dev->base.attrs.max_mr) {
		ret = -ENOMEM;
		goto uncount;
	}
	mr = kzalloc(sizeof(*mr), soft_gfp(pd->uobject));
	if (!mr) {
		ret = -ENOMEM;
		goto uncount;
	}
	mr->mem = soft_mem_alloc(dev, pd, max_pages);
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

/* Accepts IB_ACCESS_HUGETLB, which changes nothing, because a region may have pages of any size. */
int soft_mr_check_access(const struct ib_pd *pd, int access)
{
	return access & IB_ZERO_BASED ? -EOPNOTSUPP : ib_check_mr_access(pd->device, access);
}

struct ib_mr *soft_get_dma_mr(struct ib_pd *pd, int access)
{
	struct soft_mr *mr;

	/* The core chooses the rights, so they need no check. */
	mr = soft_mr_create(pd, 0);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->mem->access = access;
	mr->mem->len = U64_MAX;
	soft_mem_set_valid(mr->mem);
	return &mr->base;
}

int soft_dereg_mr(struct ib_mr *base, struct ib_udata *udata)
{
	struct soft_mr *mr = to_soft_mr(base);
	struct soft_device *dev = mr->mem->dev;
	struct soft_pi *pi = mr->mem->pi;
	int ret;

	ret = soft_mem_remove(mr->mem);
	if (ret)
		return ret;
	atomic_dec(&dev->num_mr);
	/* soft_mem_remove() has waited for copies, and none begins any more. */
	ib_umem_release(mr->umem);
	soft_pi_free(pi);
	kvfree(mr->mapped);
	kfree(mr);
	return 0;
}

struct ib_mr *soft_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg)
{
	bool has_gaps = type == IB_MR_TYPE_SG_GAPS;
	struct soft_mr *mr;
	u32 words;

	words = has_gaps ? SOFT_GAPS_WORDS(max_num_sg) : max_num_sg;
	mr = soft_mr_create(pd, words);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	/* Allocate the list of mapped pages now, because soft_map_mr_sg() may not sleep. */
	mr->mapped = kvcalloc(words, sizeof(*mr->mapped), GFP_KERNEL);
	if (!mr->mapped) {
		soft_dereg_mr(&mr->base, NULL);
		return ERR_PTR(-ENOMEM);
	}
	mr->mem->fast_reg = true;
	mr->mem->has_gaps = has_gaps;
	return &mr->base;
}

static int mr_set_page(struct ib_mr *base, u64 addr)
{
	struct soft_mr *mr = to_soft_mr(base);

	if (mr->num_mapped == mr->mem->max_pages)
		return -ENOMEM;
	mr->mapped[mr->num_mapped++] = addr;
	return 0;
}

/* Maps a list of any shape, element by element, as long as there is room. */
static int mr_map_gaps(struct soft_mr *mr, struct scatterlist *sgl, int sg_nents,
		       unsigned int *sg_offset)
{
	u32 skip = sg_offset ? *sg_offset : 0, num = 0;
	struct scatterlist *sg;
	u64 length = 0;
	int i;

	if (skip > sg_dma_len(sgl))
		return -EINVAL;
	mr->base.iova = sg_dma_address(sgl) + skip;
	for_each_sg(sgl, sg, sg_nents, i) {
		if (SOFT_GAPS_WORDS(num + 1) > mr->mem->max_pages)
			break;
		mr->mapped[2 * num] = sg_dma_address(sg) + skip;
		mr->mapped[2 * num + 1] = length;
		length += sg_dma_len(sg) - skip;
		/* An element without a byte is mapped, but not stored. */
		num += sg_dma_len(sg) > skip;
		skip = 0;
	}
	mr->mapped[2 * num + 1] = length;
	mr->num_mapped = num;
	mr->base.length = length;
	if (sg_offset)
		*sg_offset = 0;
	return i;
}

int soft_map_mr_sg(struct ib_mr *base, struct scatterlist *sg, int sg_nents,
		   unsigned int *sg_offset)
{
	struct soft_mr *mr = to_soft_mr(base);

	if (!mr->mapped)
		return -EINVAL;
	mr->is_mapped = true;
	mr->num_mapped = 0;
	if (mr->mem->has_gaps)
		return mr_map_gaps(mr, sg, sg_nents, sg_offset);
	return ib_sg_to_pages(base, sg, sg_nents, sg_offset, mr_set_page);
}

/*
 * Returns how many bytes can be registered: the bytes of the new mapping or, if there is no new
 * mapping, the bytes that were registered last.
 */
static u64 mr_room(const struct soft_mr *mr, u32 num, u32 in_page)
{
	const u64 *list = mr->is_mapped ? mr->mapped : mr->mem->pages;

	if (mr->mem->has_gaps)
		return soft_gaps_end(list, num);
	return (u64)num * mr->base.page_size - in_page;
}

int soft_mr_may_register(const struct soft_mem *mem, const struct ib_pd *pd, u32 key, int access,
			 int refused)
{
	if (mem->pd != pd)
		return -EPERM;
	if (!mem->fast_reg || !soft_stag_is_key_of(key, mem->stag))
		return -EINVAL;
	if (soft_mr_check_access(pd, access) || access & refused)
		return -EINVAL;
	return READ_ONCE(mem->valid) ? -EBUSY : 0;
}

void soft_mr_set_registered(struct soft_mem *mem, const struct ib_mr *base, u32 key, int access)
{
	mem->va = base->iova;
	mem->len = base->length;
	mem->access = access;
	WRITE_ONCE(mem->stag, key);
	soft_mem_set_valid(mem);
}

int soft_mr_register(const struct ib_pd *pd, struct ib_mr *base, u32 key, int access)
{
	struct soft_mr *mr = to_soft_mr(base);
	struct soft_mem *mem = mr->mem;
	u32 num_pages = mr->is_mapped ? mr->num_mapped : mem->num_pages;
	u32 in_page = base->iova & (base->page_size - 1);
	int ret;

	ret = soft_mr_may_register(mem, pd, key, access,
				   mem->has_gaps ? IB_ACCESS_REMOTE_ATOMIC : 0);
	if (ret)
		return ret;
	if (!num_pages || base->length > mr_room(mr, num_pages, in_page))
		return -EINVAL;

	/* Copies may still be in progress if the peer has invalidated the region just now. */
	soft_mem_wait_for_copies(mem);
	if (mr->is_mapped) {
		swap(mem->pages, mr->mapped);
		mr->is_mapped = false;
	}
	mem->num_pages = num_pages;
	mem->page_shift = ilog2(base->page_size);
	mem->first_offset = in_page;
	soft_mr_set_registered(mem, base, key, access);
	return 0;
}
