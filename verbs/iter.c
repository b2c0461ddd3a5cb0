// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Walks through memory that is mapped for DMA.
 */
#include <rdma/iter.h>

#include <linux/export.h>

void __rdma_block_iter_start(struct ib_block_iter *biter, struct scatterlist *sglist,
			     unsigned int nents, unsigned long pgsz)
{
	*biter = (struct ib_block_iter) {
		.sg = sglist,
		.nents = nents,
		.pgsz = pgsz,
		.left = SIZE_MAX,
	};
}
EXPORT_SYMBOL(__rdma_block_iter_start);

bool __rdma_block_iter_next(struct ib_block_iter *biter)
{
	while (biter->nents && biter->offset >= sg_dma_len(biter->sg)) {
		biter->sg = sg_next(biter->sg);
		biter->nents--;
		biter->offset = 0;
	}
	if (!biter->nents || !biter->left)
		return false;
	biter->dma_addr = ALIGN_DOWN(sg_dma_address(biter->sg) + biter->offset,
				     (dma_addr_t)biter->pgsz);
	biter->offset = biter->dma_addr + biter->pgsz - sg_dma_address(biter->sg);
	biter->left--;
	return true;
}
EXPORT_SYMBOL(__rdma_block_iter_next);
