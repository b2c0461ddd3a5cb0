// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The functions of DMA mapping that are not inline in <rdma/verbs/dma.h>.
 */
#include <linux/gfp.h>

#include "verbs/verbs.h"

int ib_dma_virt_map_sg(struct ib_device *dev, struct scatterlist *sg, int nents)
{
	struct scatterlist *s;
	int i;

	for_each_sg(sg, s, nents, i) {
		if (!page_address(sg_page(s)))
			return 0;
		sg_dma_address(s) = (uintptr_t)sg_virt(s);
		sg_dma_len(s) = s->length;
	}
	return nents;
}
EXPORT_SYMBOL(ib_dma_virt_map_sg);

void *ib_dma_alloc_coherent(struct ib_device *dev, size_t size, dma_addr_t *dma_handle, gfp_t flag)
{
	void *mem;

	if (!size)
		return NULL;
	if (!ib_uses_virt_dma(dev))
		return dma_alloc_coherent(dev->dma_device, size, dma_handle, flag);

	mem = alloc_pages_exact(size, (flag & ~__GFP_HIGHMEM) | __GFP_ZERO);
	if (mem)
		*dma_handle = (uintptr_t)mem;
	return mem;
}
EXPORT_SYMBOL(ib_dma_alloc_coherent);

void ib_dma_free_coherent(struct ib_device *dev, size_t size, void *cpu_addr, dma_addr_t dma_handle)
{
	if (ib_uses_virt_dma(dev))
		free_pages_exact(cpu_addr, size);
	else
		dma_free_coherent(dev->dma_device, size, cpu_addr, dma_handle);
}
EXPORT_SYMBOL(ib_dma_free_coherent);
