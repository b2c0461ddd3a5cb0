/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory of processes, pinned for a provider.
 */
#ifndef _KRDMA_IB_UMEM_H_
#define _KRDMA_IB_UMEM_H_

#ifdef IB_UMEM_H
#error "the kernel's <rdma/ib_umem.h> was included before krdma's"
#endif
#define IB_UMEM_H

#include <linux/dma-buf.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

/**
 * struct ib_umem - pinned memory of a process
 * @ibdev: device for which the memory is pinned
 * @owning_mm: address space of the process, to which the memory is accounted; referenced. NULL for
 *	a DMA-BUF
 * @iova: address by which work requests name the first byte; @address until
 *	ib_umem_find_best_pgsz() or the provider sets it
 * @length: length in bytes
 * @address: first address in the process; of a DMA-BUF, offset of the first byte
 * @writable: the device may write to the memory
 * @is_odp: the memory is paged on demand; always 0
 * @is_dmabuf: the memory is a DMA-BUF's, see &struct ib_umem_dmabuf
 * @sgt_append: the pages, mapped for the device's DMA
 * @unpin_work: core: unpins pages whose locks others held when the memory was released
 */
struct ib_umem {
	struct ib_device       *ibdev;
	struct mm_struct       *owning_mm;
	u64			iova;
	size_t			length;
	unsigned long		address;
	u32			writable : 1;
	u32			is_odp : 1;
	u32			is_dmabuf : 1;
	struct sg_append_table	sgt_append;
	struct delayed_work	unpin_work;
};

/**
 * ib_umem_offset - where in its first page the memory begins, in bytes
 * @umem: the memory
 */
static inline int ib_umem_offset(const struct ib_umem *umem)
{
	return umem->address & ~PAGE_MASK;
}

/**
 * ib_umem_num_pages - number of pages that the memory touches
 * @umem: the memory
 */
static inline size_t ib_umem_num_pages(const struct ib_umem *umem)
{
	return (ib_umem_offset(umem) + umem->length + PAGE_SIZE - 1) >> PAGE_SHIFT;
}

/**
 * ib_umem_dma_offset - where in its first block the memory begins, in bytes
 * @umem: the memory
 * @pgsz: size of a block in bytes, a power of two
 */
static inline unsigned long ib_umem_dma_offset(struct ib_umem *umem, unsigned long pgsz)
{
	return (sg_dma_address(umem->sgt_append.sgt.sgl) + ib_umem_offset(umem)) & (pgsz - 1);
}

/**
 * ib_umem_num_dma_blocks - number of blocks that the memory touches, aligned by &ib_umem.iova
 * @umem: the memory
 * @pgsz: size of a block in bytes, a power of two
 */
static inline size_t ib_umem_num_dma_blocks(struct ib_umem *umem, unsigned long pgsz)
{
	return ((umem->iova & (pgsz - 1)) + umem->length + pgsz - 1) / pgsz;
}

/**
 * ib_umem_find_best_pgsz - find the largest page size with which a device can map a memory
 * @umem: the memory
 * @pgsz_bitmap: sizes that the device supports: bit n stands for 2^n bytes
 * @virt: address by which work requests name the first byte; becomes &ib_umem.iova
 *
 * Any context. In blocks of the returned size, a byte has the same offset whether its address is
 * counted from @virt or is its DMA address. Only the first and the last block have bytes that are
 * not the memory's. The result is not larger than the smallest size with which one block would
 * suffice.
 *
 * Return: the size in bytes; 0 if none of the sizes is possible, for example because @virt and the
 * memory have different offsets in their pages.
 */
unsigned long ib_umem_find_best_pgsz(struct ib_umem *umem, unsigned long pgsz_bitmap,
				     unsigned long virt);

/**
 * ib_umem_find_best_pgoff - as ib_umem_find_best_pgsz(), for devices that are told only an offset
 * @umem: the memory
 * @pgsz_bitmap: sizes that the device supports: bit n stands for 2^n bytes
 * @pgoff_bitmask: the bits of an offset in the first block that the device can be told
 *
 * Any context. &ib_umem.iova, the address of the first byte, becomes the bits of its DMA address
 * that are in @pgoff_bitmask.
 *
 * Return: the size in bytes; 0 if none of the sizes is possible.
 */
static inline unsigned long ib_umem_find_best_pgoff(struct ib_umem *umem,
						    unsigned long pgsz_bitmap, u64 pgoff_bitmask)
{
	dma_addr_t first = sg_dma_address(umem->sgt_append.sgt.sgl) + ib_umem_offset(umem);

	return ib_umem_find_best_pgsz(umem, pgsz_bitmap, first & pgoff_bitmask);
}

/**
 * ib_umem_get - get pinned memory of the calling process
 * @device: device that is to use the memory
 * @addr: first address
 * @size: number of bytes
 * @access: &enum ib_access_flags; without a right to write, the device may only read the memory
 *
 * Called in the context of the process. In an operation that the provider performs for ib_uverbs,
 * memory is not pinned while the operation runs, because the removal of the device waits for the
 * operation, and pinning may wait for the process: the first call for a range of memory fails with
 * -EAGAIN. The operation then has to undo what it has done, and to fail. After that, ib_uverbs pins
 * the range, and performs the operation again. An operation can use up to three ranges. The memory
 * of reg_user_mr() and rereg_user_mr() is pinned before these run. For a kernel user
 * (ib_reg_user_mr()), the memory is pinned at once.
 *
 * The pages are accounted as pinned memory, which RLIMIT_MEMLOCK limits unless the process has
 * CAP_IPC_LOCK. The process gets -EFAULT if a part of the memory is not mapped, if the device may
 * write and a part is not writable, or if a part belongs to a shared mapping that is not writable;
 * -ENOMEM if there is no memory, or the limit is reached; -EINTR if a fatal signal is pending.
 *
 * Return: the memory, for ib_umem_release(); ERR_PTR: -EINVAL: the range is empty, wraps, or has
 * more than INT_MAX pages, or the caller is a kernel thread; -EOPNOTSUPP: @access has
 * IB_ACCESS_ON_DEMAND; -EAGAIN: the memory is not pinned yet; or an error of the DMA mapping.
 */
struct ib_umem *ib_umem_get(struct ib_device *device, unsigned long addr, size_t size, int access);

/**
 * ib_umem_release - unpin memory
 * @umem: memory that ib_umem_get() returned, or that of a DMA-BUF, or NULL
 *
 * Called in the context of any process. Pages to which the device may have written are marked
 * dirty. A page that somebody else has locked is marked and unpinned later.
 */
void ib_umem_release(struct ib_umem *umem);

/**
 * ib_umem_copy_from - read pinned memory
 * @dst: is filled with the bytes
 * @umem: the memory
 * @offset: offset of the first byte, from the beginning of the memory
 * @length: number of bytes
 *
 * Return: 0; -EINVAL: a part of the range is beyond the end of the memory, or the memory is a
 * DMA-BUF's.
 */
int ib_umem_copy_from(void *dst, struct ib_umem *umem, size_t offset, size_t length);

/**
 * struct ib_umem_dmabuf - a part of a DMA-BUF, mapped for a device
 * @umem: the memory
 * @attach: the device's attachment to the DMA-BUF
 * @sgt: the exporter's mapping of the whole DMA-BUF; NULL: not mapped. Protected by the DMA-BUF's
 *	reservation lock
 * @private: for the provider
 * @pinned: core: the exporter does not move the memory
 */
struct ib_umem_dmabuf {
	struct ib_umem			umem;
	struct dma_buf_attachment	*attach;
	struct sg_table			*sgt;
	void				*private;
	u8				pinned : 1;
};

static inline struct ib_umem_dmabuf *to_ib_umem_dmabuf(struct ib_umem *umem)
{
	return container_of(umem, struct ib_umem_dmabuf, umem);
}

#ifdef CONFIG_DMA_SHARED_BUFFER

/**
 * ib_umem_dmabuf_get - attach a device to a DMA-BUF, whose exporter may move the memory
 * @device: device that is to use the memory
 * @offset: offset of the first byte
 * @size: number of bytes
 * @fd: file descriptor of the DMA-BUF, in the calling process
 * @access: &enum ib_access_flags
 * @ops: invalidate_mappings(), which older kernels name move_notify(), is called when the
 *	exporter is going to move the memory, with &dma_buf_attachment.importer_priv = the result
 *	of this function; the provider then stops using it, and calls ib_umem_dmabuf_unmap_pages()
 *
 * Process context. The memory is not mapped yet: see ib_umem_dmabuf_map_pages().
 *
 * Return: the memory, for ib_umem_dmabuf_release(); ERR_PTR: -EINVAL: the range is empty, wraps or
 * is not in the DMA-BUF, @fd is no DMA-BUF, or @ops lacks that function; -EBADF: @fd is not open;
 * -EOPNOTSUPP: the device does no DMA; -EAGAIN: as ib_umem_dmabuf_map_pages(); -ENOMEM; or the
 * exporter's error.
 */
struct ib_umem_dmabuf *ib_umem_dmabuf_get(struct ib_device *device, unsigned long offset,
					  size_t size, int fd, int access,
					  const struct dma_buf_attach_ops *ops);

/**
 * ib_umem_dmabuf_get_pinned - attach a device to a DMA-BUF, pin and map the memory
 * @device: device that is to use the memory
 * @offset: offset of the first byte
 * @size: number of bytes
 * @fd: file descriptor of the DMA-BUF, in the calling process
 * @access: &enum ib_access_flags
 *
 * Process context.
 *
 * Return: the memory, for ib_umem_release(); ERR_PTR: as ib_umem_dmabuf_get(), or the errors of
 * ib_umem_dmabuf_map_pages().
 */
struct ib_umem_dmabuf *ib_umem_dmabuf_get_pinned(struct ib_device *device, unsigned long offset,
						 size_t size, int fd, int access);

/**
 * ib_umem_dmabuf_map_pages - map the memory for the device
 * @umem_dmabuf: the memory; nothing is done if it is mapped
 *
 * Process context, with the reservation lock of the DMA-BUF held. Waits until the exporter has
 * moved the memory; a signal ends the wait. In an operation that the provider performs for
 * ib_uverbs, the function waits for 0.1 s at most, because the removal of the device waits for the
 * operation, and then fails with -EAGAIN. The operation has to undo what it has done, and to fail.
 * ib_uverbs waits, and performs the operation again.
 *
 * Return: 0; -EINVAL if the exporter has mapped less than the DMA-BUF; -ENOMEM; -ERESTARTSYS if a
 * signal is pending; -EAGAIN if the exporter is still moving the memory; or the exporter's error.
 */
int ib_umem_dmabuf_map_pages(struct ib_umem_dmabuf *umem_dmabuf);

/**
 * ib_umem_dmabuf_unmap_pages - undo ib_umem_dmabuf_map_pages()
 * @umem_dmabuf: the memory; nothing is done if it is not mapped
 *
 * Process context, with the reservation lock of the DMA-BUF held.
 */
void ib_umem_dmabuf_unmap_pages(struct ib_umem_dmabuf *umem_dmabuf);

/**
 * ib_umem_dmabuf_release - unmap the memory, and detach the device from the DMA-BUF
 * @umem_dmabuf: the memory
 *
 * Process context. Waits for the reservation lock, because the device must not keep the mapping.
 */
void ib_umem_dmabuf_release(struct ib_umem_dmabuf *umem_dmabuf);

#else

/* The kernel has no DMA-BUFs. */
static inline struct ib_umem_dmabuf *ib_umem_dmabuf_get(struct ib_device *device,
							unsigned long offset, size_t size, int fd,
							int access,
							const struct dma_buf_attach_ops *ops)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline struct ib_umem_dmabuf *ib_umem_dmabuf_get_pinned(struct ib_device *device,
							       unsigned long offset, size_t size,
							       int fd, int access)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline int ib_umem_dmabuf_map_pages(struct ib_umem_dmabuf *umem_dmabuf)
{
	return -EOPNOTSUPP;
}

static inline void ib_umem_dmabuf_unmap_pages(struct ib_umem_dmabuf *umem_dmabuf)
{
}

static inline void ib_umem_dmabuf_release(struct ib_umem_dmabuf *umem_dmabuf)
{
}

#endif

#endif /* _KRDMA_IB_UMEM_H_ */
