/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * DMA mapping of the lists of rdma_rw contexts.
 */
#ifndef _KRDMA_VERBS_RW_DMA_H_
#define _KRDMA_VERBS_RW_DMA_H_

#include <rdma/ib_verbs.h>

/**
 * verbs_rw_map - map a list for DMA
 * @dev: the device
 * @sg: the list
 * @sg_cnt: number of its elements
 * @dir: direction of the transfer
 *
 * Any context. ib_dma_unmap_sg(), with the same arguments, undoes the mapping.
 *
 * Return: the number of mapped elements; -EINVAL if the list is empty; -EREMOTEIO if the device has
 * no DMA engine and the list has memory of a PCI device; or the error of
 * ib_dma_map_sgtable_attrs().
 */
int verbs_rw_map(struct ib_device *dev, struct scatterlist *sg, u32 sg_cnt,
		 enum dma_data_direction dir);

#endif /* _KRDMA_VERBS_RW_DMA_H_ */
