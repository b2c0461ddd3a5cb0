// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory of processes, pinned for a provider.
 *
 * The table holds whole pages: the memory begins ib_umem_offset() bytes behind its start, and may
 * end before its end. Pages that follow each other are one element of it.
 */
#include <linux/overflow.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>

/* Pages at a time: as many as one page has room to name. */
#define BATCH	(PAGE_SIZE / sizeof(struct page *))

static enum dma_data_direction direction(const struct ib_umem *umem)
{
	return umem->writable ? DMA_BIDIRECTIONAL : DMA_TO_DEVICE;
}

/* The end of the last page is an address, and elements are counted by an int. */
static int check_range(unsigned long addr, size_t size)
{
	unsigned long end;

	if (!size || check_add_overflow(addr, size, &end) || !PAGE_ALIGN(end))
		return -EINVAL;
	return (PAGE_ALIGN(end) - (addr & PAGE_MASK)) >> PAGE_SHIFT > INT_MAX ? -EINVAL : 0;
}

static void unaccount(struct ib_umem *umem)
{
	atomic64_sub(ib_umem_num_pages(umem), &umem->owning_mm->pinned_vm);
}

/* Before the pages are pinned: those who pin at the same time see each other's. */
static int account(struct ib_umem *umem)
{
	u64 limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	u64 pinned;

	pinned = atomic64_add_return(ib_umem_num_pages(umem), &umem->owning_mm->pinned_vm);
	if (pinned <= limit || capable(CAP_IPC_LOCK))
		return 0;
	unaccount(umem);
	return -ENOMEM;
}

/*
 * Pages that the device only reads are pinned as if it wrote. On this kernel, a pin for reading
 * leaves a private mapping's page shared with its file or with the zero page: the process's next
 * write would give it a page of its own, and the device would go on reading the old one. A pin for
 * writing makes the process's own page first. FOLL_FORCE has that done also where the process may
 * not write. It gives no right to write to a file: a shared mapping that the process may not write
 * to is refused.
 */
static unsigned int pin_flags(const struct ib_umem *umem)
{
	return FOLL_LONGTERM | FOLL_WRITE | (umem->writable ? 0 : FOLL_FORCE);
}

/* Pins pages from @addr on, of @left that are missing: how many, or an errno. */
static int pin_batch(struct ib_umem *umem, unsigned long addr, unsigned long left,
		     struct page **pages)
{
	int pinned, err;

	pinned = pin_user_pages_fast(addr, min(left, BATCH), pin_flags(umem), pages);
	if (pinned <= 0)
		return pinned ?: -EFAULT;
	err = sg_alloc_append_table_from_pages(&umem->sgt_append, pages, pinned, 0,
					       (unsigned long)pinned << PAGE_SHIFT,
					       ib_dma_max_seg_size(umem->ibdev), left - pinned,
					       GFP_KERNEL_ACCOUNT);
	if (err) {
		/* The table is as before. */
		unpin_user_pages(pages, pinned);
		return err;
	}
	return pinned;
}

/* On failure, what is pinned is in the table. */
static int pin(struct ib_umem *umem)
{
	unsigned long addr = umem->address & PAGE_MASK;
	unsigned long left = ib_umem_num_pages(umem);
	struct page **pages;
	int ret = 0;

	pages = (struct page **)__get_free_page(GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	while (left && ret >= 0) {
		cond_resched();
		ret = fatal_signal_pending(current) ? -EINTR : pin_batch(umem, addr, left, pages);
		if (ret > 0) {
			addr += (unsigned long)ret << PAGE_SHIFT;
			left -= ret;
		}
	}
	free_page((unsigned long)pages);
	return min(ret, 0);
}

static void unpin(struct ib_umem *umem, bool written)
{
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_sg(&umem->sgt_append.sgt, sg, i) {
		unpin_user_page_range_dirty_lock(sg_page(sg), sg->length >> PAGE_SHIFT, written);
		cond_resched();
	}
	sg_free_append_table(&umem->sgt_append);
}

static struct ib_umem *alloc_umem(struct ib_device *device, unsigned long addr, size_t size,
				  int access)
{
	struct ib_umem *umem = kzalloc(sizeof(*umem), GFP_KERNEL_ACCOUNT);

	if (!umem)
		return NULL;
	umem->ibdev = device;
	umem->address = addr;
	umem->length = size;
	umem->writable = ib_access_writable(access);
	umem->owning_mm = current->mm;
	mmgrab(umem->owning_mm);
	return umem;
}

static void free_umem(struct ib_umem *umem)
{
	mmdrop(umem->owning_mm);
	kfree(umem);
}

struct ib_umem *ib_umem_get(struct ib_device *device, unsigned long addr, size_t size, int access)
{
	struct ib_umem *umem;
	int err;

	if (access & IB_ACCESS_ON_DEMAND)
		return ERR_PTR(-EOPNOTSUPP);
	err = check_range(addr, size);
	if (err)
		return ERR_PTR(err);
	umem = alloc_umem(device, addr, size, access);
	if (!umem)
		return ERR_PTR(-ENOMEM);

	err = account(umem);
	if (err)
		goto err_free;
	err = pin(umem);
	if (!err)
		err = ib_dma_map_sgtable_attrs(device, &umem->sgt_append.sgt, direction(umem), 0);
	if (err)
		goto err_unpin;
	return umem;

err_unpin:
	unpin(umem, false);
	unaccount(umem);
err_free:
	free_umem(umem);
	return ERR_PTR(err);
}
EXPORT_SYMBOL(ib_umem_get);

void ib_umem_release(struct ib_umem *umem)
{
	if (!umem)
		return;
	ib_dma_unmap_sgtable_attrs(umem->ibdev, &umem->sgt_append.sgt, direction(umem), 0);
	unpin(umem, umem->writable);
	unaccount(umem);
	free_umem(umem);
}
EXPORT_SYMBOL(ib_umem_release);

int ib_umem_copy_from(void *dst, struct ib_umem *umem, size_t offset, size_t length)
{
	struct sg_table *sgt = &umem->sgt_append.sgt;

	if (offset > umem->length || length > umem->length - offset)
		return -EINVAL;
	sg_pcopy_to_buffer(sgt->sgl, sgt->orig_nents, dst, length, ib_umem_offset(umem) + offset);
	return 0;
}
EXPORT_SYMBOL(ib_umem_copy_from);
