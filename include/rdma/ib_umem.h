/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory of processes, pinned for a provider.
 */
#ifndef IB_UMEM_H
#define IB_UMEM_H

#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

/**
 * struct ib_umem - pinned memory of a process
 * @ibdev: device for which the memory is pinned
 * @owning_mm: address space of the process, to which the memory is accounted; referenced
 * @iova: address by which work requests name the first byte; 0 until the provider sets it
 * @length: length in bytes
 * @address: first address in the process
 * @writable: the device may write to the memory
 * @is_odp: the memory is paged on demand; always 0
 * @is_dmabuf: the memory is a DMA-BUF's; always 0
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
 * ib_umem_get - get pinned memory of the calling process
 * @device: device that is to use the memory
 * @addr: first address
 * @size: number of bytes
 * @access: &enum ib_access_flags; without a right to write, the device may only read the memory
 *
 * Called by an operation that the provider performs for a process, in the context of that process.
 * The removal of the device waits for the operation, and pinning may wait for the process.
 * Therefore memory is not pinned while an operation runs: the first call for a range of memory
 * fails with -EAGAIN. The operation then has to undo what it has done, and to fail. After that,
 * ib_uverbs pins the range, and performs the operation again. An operation can use up to three
 * ranges.
 *
 * The pages are accounted as pinned memory, which RLIMIT_MEMLOCK limits unless the process has
 * CAP_IPC_LOCK. The process gets -EFAULT if a part of the memory is not mapped, if the device may
 * write and a part is not writable, or if a part belongs to a shared mapping that is not writable;
 * -ENOMEM if there is no memory, or the limit is reached; -EINTR if a fatal signal is pending.
 *
 * Return: the memory, for ib_umem_release(); ERR_PTR: -EINVAL: the range is empty, wraps, or has
 * more than INT_MAX pages, or the caller performs no operation for a process; -EOPNOTSUPP: @access
 * has IB_ACCESS_ON_DEMAND; -EAGAIN: the memory is not pinned yet; or an error of the DMA mapping.
 */
struct ib_umem *ib_umem_get(struct ib_device *device, unsigned long addr, size_t size, int access);

/**
 * ib_umem_release - unpin memory
 * @umem: memory that ib_umem_get() returned, or NULL
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
 * Return: 0; -EINVAL: a part of the range is beyond the end of the memory.
 */
int ib_umem_copy_from(void *dst, struct ib_umem *umem, size_t offset, size_t length);

#endif /* IB_UMEM_H */
