/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Walks through memory that is mapped for DMA, in the blocks that a device has for pages.
 */
#ifndef _KRDMA_ITER_H_
#define _KRDMA_ITER_H_

#ifdef _RDMA_ITER_H_
#error "the kernel's <rdma/iter.h> was included before krdma's"
#endif
#define _RDMA_ITER_H_

#include <linux/scatterlist.h>
#include <rdma/ib_umem.h>

/**
 * struct ib_block_iter - state of a walk; read with rdma_block_iter_dma_address()
 * @sg: element that the walk has come to
 * @nents: number of elements from @sg on
 * @pgsz: size of a block in bytes
 * @offset: where in the element the next block begins, in bytes; the first block of an element may
 *	begin before it, that of a &struct ib_umem behind its beginning
 * @left: number of blocks that are still to come, at most
 * @dma_addr: address of the present block
 */
struct ib_block_iter {
	struct scatterlist	*sg;
	unsigned int		nents;
	unsigned long		pgsz;
	dma_addr_t		offset;
	size_t			left;
	dma_addr_t		dma_addr;
};

/**
 * __rdma_block_iter_start - begin a walk; callers use rdma_for_each_block()
 * @biter: out: state of the walk
 * @sglist: elements, mapped for DMA
 * @nents: number of elements, as the mapping has returned it
 * @pgsz: size of a block in bytes, a power of two
 *
 * Any context.
 */
void __rdma_block_iter_start(struct ib_block_iter *biter, struct scatterlist *sglist,
			     unsigned int nents, unsigned long pgsz);

/**
 * __rdma_block_iter_next - go on to the next block; callers use rdma_for_each_block()
 * @biter: state of the walk
 *
 * Any context.
 *
 * Return: false after the last block.
 */
bool __rdma_block_iter_next(struct ib_block_iter *biter);

/**
 * rdma_block_iter_dma_address - get the address of the present block
 * @biter: state of the walk
 *
 * Return: the DMA address, a multiple of the size of a block.
 */
static inline dma_addr_t rdma_block_iter_dma_address(struct ib_block_iter *biter)
{
	return biter->dma_addr;
}

/**
 * rdma_for_each_block - go through the blocks of mapped memory
 * @sglist: elements, mapped for DMA
 * @biter: a struct ib_block_iter
 * @nents: number of elements, as the mapping has returned it
 * @pgsz: size of a block in bytes, a power of two
 *
 * Each element begins a new block. Blocks are aligned to their size: the first and the last block
 * of an element may reach beyond the element.
 */
#define rdma_for_each_block(sglist, biter, nents, pgsz)				\
	for (__rdma_block_iter_start(biter, sglist, nents, pgsz);		\
	     __rdma_block_iter_next(biter);)

/* Begins a walk through the memory of a process; callers use rdma_umem_for_each_dma_block(). */
static inline void __rdma_umem_block_iter_start(struct ib_block_iter *biter, struct ib_umem *umem,
						unsigned long pgsz)
{
	__rdma_block_iter_start(biter, umem->sgt_append.sgt.sgl, umem->sgt_append.sgt.nents, pgsz);
	biter->offset = ib_umem_offset(umem) & ~(pgsz - 1);
	biter->left = ib_umem_num_dma_blocks(umem, pgsz);
}

/**
 * rdma_umem_for_each_dma_block - go through the blocks of a process's memory
 * @umem: the memory
 * @biter: a struct ib_block_iter
 * @pgsz: size of a block in bytes, from ib_umem_find_best_pgsz() or ib_umem_find_best_pgoff()
 *
 * The first block has the first byte of the memory, the last block the last byte: there are
 * ib_umem_num_dma_blocks() blocks.
 */
#define rdma_umem_for_each_dma_block(umem, biter, pgsz)				\
	for (__rdma_umem_block_iter_start(biter, umem, pgsz);			\
	     __rdma_block_iter_next(biter);)

#endif /* _KRDMA_ITER_H_ */
