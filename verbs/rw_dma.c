// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * DMA mapping of the lists of rdma_rw contexts.
 */
#include <linux/memremap.h>

#include "verbs/rw_dma.h"

/* Returns whether the list has memory of a PCI device, which only PCI devices can reach by DMA. */
static bool has_p2p_page(struct scatterlist *sgl, u32 sg_cnt)
{
	struct scatterlist *sg;
	u32 i;

	if (!IS_ENABLED(CONFIG_PCI_P2PDMA))
		return false;
	for_each_sg(sgl, sg, sg_cnt, i)
		if (is_pci_p2pdma_page(sg_page(sg)))
			return true;
	return false;
}

int verbs_rw_map(struct ib_device *dev, struct scatterlist *sg, u32 sg_cnt,
		 enum dma_data_direction dir)
{
	struct sg_table table = { .sgl = sg, .orig_nents = sg_cnt };
	int ret;

	if (!sg_cnt)
		return -EINVAL;
	if (ib_uses_virt_dma(dev) && has_p2p_page(sg, sg_cnt))
		return -EREMOTEIO;
	ret = ib_dma_map_sgtable_attrs(dev, &table, dir, 0);
	return ret ?: table.nents;
}
