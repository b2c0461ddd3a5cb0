// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Mapping a scatter/gather list into a memory region.
 */
#include <linux/log2.h>

#include <trace/events/ib_core.h>

#include "verbs/verbs.h"

int ib_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int sg_nents,
		 unsigned int *sg_offset, unsigned int page_size)
{
	int mapped;

	if (sg_nents < 1 || !is_power_of_2(page_size))
		return -EINVAL;
	if (!mr->device->ops.map_mr_sg)
		return -EOPNOTSUPP;

	mr->page_size = page_size;
	mapped = mr->device->ops.map_mr_sg(mr, sg, sg_nents, sg_offset);
	trace_rdma_mr_map(mr, sg_nents, mapped);
	return mapped;
}
EXPORT_SYMBOL(ib_map_mr_sg);

int ib_map_mr_sg_zbva(struct ib_mr *mr, struct scatterlist *sg, int sg_nents,
		      unsigned int *sg_offset, unsigned int page_size)
{
	int mapped;

	mapped = ib_map_mr_sg(mr, sg, sg_nents, sg_offset, page_size);
	if (mapped >= 0)
		mr->iova &= (u64)page_size - 1;
	return mapped;
}
EXPORT_SYMBOL(ib_map_mr_sg_zbva);

/* The state of a walk along a scatter/gather list. */
struct walk {
	struct ib_mr *mr;
	int (*set_page)(struct ib_mr *mr, u64 addr);
	u64 end;	/* address after the last byte mapped so far */
};

/*
 * Passes the pages of [start, start + len) to set_page(), and adds the number of bytes mapped to
 * the region's length. @first is true for the first element of the list. If a later element starts
 * inside a page, set_page() has already got this page with the previous element, so the page is
 * skipped. Returns 0 or the error of set_page(). On error the region ends before the page that
 * set_page() has refused.
 */
static int map_range(struct walk *walk, u64 start, u64 len, bool first)
{
	struct ib_mr *mr = walk->mr;
	u64 end = start + len;
	u64 page = first ? ALIGN_DOWN(start, mr->page_size) : ALIGN(start, mr->page_size);
	int ret = 0;

	for (; page < end; page += mr->page_size) {
		ret = walk->set_page(mr, page);
		if (ret) {
			end = max(page, start);
			break;
		}
	}
	mr->length += end - start;
	walk->end = end;
	return ret;
}

int ib_sg_to_pages(struct ib_mr *mr, struct scatterlist *sgl, int sg_nents,
		   unsigned int *sg_offset, int (*set_page)(struct ib_mr *, u64))
{
	struct walk walk = { .mr = mr, .set_page = set_page };
	unsigned int skip = sg_offset ? *sg_offset : 0, partial = 0;
	struct scatterlist *sg;
	int i, ret;
	u64 start;

	if (sg_nents < 1 || skip > sg_dma_len(sgl))
		return -EINVAL;

	mr->iova = sg_dma_address(sgl) + skip;
	mr->length = 0;
	for_each_sg(sgl, sg, sg_nents, i) {
		start = sg_dma_address(sg) + skip;
		/*
		 * The element may start right behind the region's last byte. If the element starts
		 * anywhere else, there is a gap between the region and the element. A gap inside a
		 * page cannot be mapped, so the region must end at the end of a page, and the
		 * element must start at the begin of a page.
		 */
		if (i && start != walk.end &&
		    !(IS_ALIGNED(start, mr->page_size) && IS_ALIGNED(walk.end, mr->page_size)))
			break;
		ret = map_range(&walk, start, sg_dma_len(sg) - skip, i == 0);
		if (ret && !mr->length)
			return ret;
		if (ret) {
			partial = walk.end - sg_dma_address(sg);
			break;
		}
		skip = 0;
	}
	if (sg_offset)
		*sg_offset = partial;
	return i;
}
EXPORT_SYMBOL(ib_sg_to_pages);
