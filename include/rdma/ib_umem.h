/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory of processes, pinned for a provider.
 */
#ifndef IB_UMEM_H
#define IB_UMEM_H

#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>

/**
 * struct ib_umem - pinned memory of a process
 * @ibdev: the device that it is pinned for
 * @owning_mm: the process's address space, which it is accounted to; referenced
 * @iova: first address as work requests name it; the provider may set it, 0 at first
 * @length: bytes
 * @address: first address in the process
 * @writable: the device may write to it
 * @is_odp: on-demand paging; always false
 * @is_dmabuf: of a DMA-BUF
 * @sgt_append: the pages, mapped for the device's DMA
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
 * ib_umem_get - pin memory of the calling process
 * @device: device that is to use it
 * @addr: first address
 * @size: bytes, > 0
 * @access: &enum ib_access_flags; without a right to write the pages are pinned for reading
 *
 * Process context. Accounted as pinned memory, which RLIMIT_MEMLOCK limits where the process lacks
 * CAP_IPC_LOCK.
 *
 * Return: the memory, for ib_umem_release(); or ERR_PTR: -EINVAL the range is empty or wraps;
 * -EFAULT a part of it is not mapped, or not writable; -EOPNOTSUPP on-demand paging; -ENOMEM also
 * if the limit is reached; -EINTR a fatal signal.
 */
struct ib_umem *ib_umem_get(struct ib_device *device, unsigned long addr, size_t size, int access);

/**
 * ib_umem_release - unpin memory
 * @umem: of ib_umem_get(), or NULL
 *
 * Process context, of any process. Pages that the device may have written are marked dirty.
 */
void ib_umem_release(struct ib_umem *umem);

/**
 * ib_umem_copy_from - read pinned memory
 * @dst: gets it
 * @umem: the memory
 * @offset: first byte
 * @length: bytes
 *
 * Return: 0, or -EINVAL: beyond the end.
 */
int ib_umem_copy_from(void *dst, struct ib_umem *umem, size_t offset, size_t length);

#endif /* IB_UMEM_H */
