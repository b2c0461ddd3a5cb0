// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory of processes, pinned for a provider.
 *
 * The scatter table has whole pages. The memory begins ib_umem_offset() bytes after the start of
 * the first page, and may end before the end of the last one. Contiguous pages share an element.
 *
 * A page that the device may have written to is marked as dirty under the page's lock. A file
 * system may hold that lock for any time, for example while a FUSE server answers. The release of
 * memory must not wait for the lock, because the removal of a device also releases memory. Instead,
 * the page stays pinned, and a work item tries again until it can mark the page.
 */
#include "uverbs/frame/umem.h"

#include <linux/overflow.h>
#include <linux/pagemap.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>
#include <rdma/ib_umem.h>
#include <rdma/uverbs_ioctl.h>

#include "uverbs/frame/pin.h"
#include "uverbs/frame/umem_dmabuf.h"

/* How long a work item waits before it tries again to unpin pages that others have locked. */
#define UNPIN_RETRY	msecs_to_jiffies(100)

/* Unpins pages that others have locked; lives as long as the module. */
static struct workqueue_struct *unpin_wq;
/* Number of umems that were released and have a page that is still pinned. */
static atomic_t num_pinned_late = ATOMIC_INIT(0);

/* Number of pages that are pinned at a time: pointers to them fill one page. */
#define BATCH	(PAGE_SIZE / sizeof(struct page *))

static enum dma_data_direction umem_direction(const struct ib_umem *umem)
{
	return umem->writable ? DMA_BIDIRECTIONAL : DMA_TO_DEVICE;
}

/*
 * Returns -EINVAL if the range is empty, or if it includes the last page of the address space,
 * because then its end wraps to 0. Also returns -EINVAL if the range has more than INT_MAX pages,
 * because the table counts its elements in an int.
 */
static int check_range(unsigned long addr, size_t size)
{
	unsigned long end;

	if (!size || check_add_overflow(addr, size, &end) || !PAGE_ALIGN(end))
		return -EINVAL;
	return (PAGE_ALIGN(end) - (addr & PAGE_MASK)) >> PAGE_SHIFT > INT_MAX ? -EINVAL : 0;
}

static void umem_unaccount(struct ib_umem *umem)
{
	atomic64_sub(ib_umem_num_pages(umem), &umem->owning_mm->pinned_vm);
}

/* Accounts the pages before they are pinned, so that concurrent calls count each other's pages. */
static int umem_account(struct ib_umem *umem)
{
	u64 limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	u64 pinned;

	pinned = atomic64_add_return(ib_umem_num_pages(umem), &umem->owning_mm->pinned_vm);
	if (pinned <= limit || capable(CAP_IPC_LOCK))
		return 0;
	umem_unaccount(umem);
	return -ENOMEM;
}

/* Pins up to BATCH of the @left pages from @addr on. Returns the number pinned, or an errno. */
static int umem_pin_batch(struct ib_umem *umem, unsigned int max_segment, unsigned long addr,
			  unsigned long left, struct page **pages)
{
	unsigned int flags = umem->writable ? FOLL_LONGTERM | FOLL_WRITE : KRDMA_FOLL_READ;
	int pinned, err;

	pinned = pin_user_pages_fast(addr, min(left, BATCH), flags, pages);
	if (pinned <= 0)
		return pinned ?: -EFAULT;
	err = sg_alloc_append_table_from_pages(&umem->sgt_append, pages, pinned, 0,
					       (unsigned long)pinned << PAGE_SHIFT,
					       max_segment, left - pinned, GFP_KERNEL_ACCOUNT);
	if (err) {
		/* No page was added to the table. */
		unpin_user_pages(pages, pinned);
		return err;
	}
	return pinned;
}

/* Pins the range. On failure, the pages that are already pinned are in the umem's table. */
static int umem_pin(struct ib_umem *umem, unsigned int max_segment)
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
		ret = fatal_signal_pending(current) ?
		      -EINTR : umem_pin_batch(umem, max_segment, addr, left, pages);
		if (ret > 0) {
			addr += (unsigned long)ret << PAGE_SHIFT;
			left -= ret;
		}
	}
	free_page((unsigned long)pages);
	return min(ret, 0);
}

/* Marks @num pages as dirty. Returns false if somebody else has locked one of them. */
static bool mark_dirty(struct page *first, unsigned long num)
{
	struct folio *folio;
	struct page *page;
	unsigned long i;

	for (i = 0; i < num; i += folio_nr_pages(folio) - folio_page_idx(folio, page)) {
		page = nth_page(first, i);
		folio = page_folio(page);
		if (folio_test_dirty(folio))
			continue;
		if (!folio_trylock(folio))
			return false;
		folio_mark_dirty(folio);
		folio_unlock(folio);
	}
	return true;
}

/*
 * Unpins the pages. If @written is set, the device may have written to them, so they are first
 * marked as dirty. Skips an element with a page that somebody else has locked: its pages stay
 * pinned. Returns whether all pages are unpinned. May be called again, because elements whose pages
 * are unpinned have the length 0.
 */
static bool umem_unpin(struct ib_umem *umem, bool written)
{
	struct scatterlist *sg;
	unsigned long num;
	bool all = true;
	unsigned int i;

	for_each_sgtable_sg(&umem->sgt_append.sgt, sg, i) {
		num = sg->length >> PAGE_SHIFT;
		if (!num)
			continue;
		if (written && !mark_dirty(sg_page(sg), num)) {
			all = false;
			continue;
		}
		unpin_user_page_range_dirty_lock(sg_page(sg), num, false);
		sg->length = 0;
		cond_resched();
	}
	return all;
}

static void free_umem(struct ib_umem *umem)
{
	sg_free_append_table(&umem->sgt_append);
	mmdrop(umem->owning_mm);
	kfree(umem);
}

static void unpin_late(struct work_struct *work)
{
	struct ib_umem *umem = container_of(to_delayed_work(work), struct ib_umem, unpin_work);

	if (!umem_unpin(umem, true)) {
		queue_delayed_work(unpin_wq, &umem->unpin_work, UNPIN_RETRY);
		return;
	}
	umem_unaccount(umem);
	free_umem(umem);
	if (atomic_dec_and_test(&num_pinned_late))
		wake_up_var(&num_pinned_late);
}

int uverbs_umem_init(void)
{
	unpin_wq = alloc_workqueue("ib_uverbs_unpin", WQ_UNBOUND, 0);
	return unpin_wq ? 0 : -ENOMEM;
}

void uverbs_umem_exit(void)
{
	wait_var_event(&num_pinned_late, !atomic_read(&num_pinned_late));
	destroy_workqueue(unpin_wq);
}

/* Pins memory of the calling process, but does not map it for DMA. */
static struct ib_umem *umem_create(unsigned long addr, size_t size, bool writable,
				   unsigned int max_segment)
{
	struct ib_umem *umem;
	int err;

	if (WARN_ON_ONCE(pagefault_disabled()))
		return ERR_PTR(-EFAULT);
	umem = kzalloc(sizeof(*umem), GFP_KERNEL_ACCOUNT);
	if (!umem)
		return ERR_PTR(-ENOMEM);
	umem->address = addr;
	umem->length = size;
	umem->writable = writable;
	umem->owning_mm = current->mm;
	mmgrab(umem->owning_mm);

	err = umem_account(umem);
	if (err)
		goto err_free;
	err = umem_pin(umem, max_segment);
	if (!err)
		return umem;
	umem_unpin(umem, false);
	umem_unaccount(umem);
err_free:
	free_umem(umem);
	return ERR_PTR(err);
}

static bool same_range(const struct uverbs_pin_range *a, const struct uverbs_pin_range *b)
{
	return a->addr == b->addr && a->size == b->size && a->writable == b->writable;
}

/*
 * Returns the index in @pin->umem of the memory that the call has pinned for @range; -1 if there is
 * none yet. Memory that is pinned for writing also serves a device that only reads it.
 */
static int find_pinned(const struct uverbs_pin *pin, const struct uverbs_pin_range *range)
{
	const struct ib_umem *umem;
	int i;

	for (i = 0; i < UVERBS_MAX_PINS; i++) {
		umem = pin->umem[i];
		if (umem && umem->address == range->addr && umem->length == range->size &&
		    umem->writable >= range->writable)
			return i;
	}
	return -1;
}

/* Returns the errno with which pinning @range for the call has failed; 0: it has not failed. */
static int pin_error(const struct uverbs_pin *pin, const struct uverbs_pin_range *range)
{
	return same_range(&pin->range, range) ? pin->error : 0;
}

/* Asks for memory to be pinned before the call is run again. Returns -EAGAIN. */
static int want_pinned(struct uverbs_pin *pin, const struct uverbs_pin_range *range,
		       unsigned int max_segment)
{
	pin->wanted = true;
	pin->required = true;
	pin->error = 0;
	pin->max_segment = max_segment;
	pin->range = *range;
	return -EAGAIN;
}

void uverbs_umem_unpin(struct uverbs_pin *pin)
{
	struct ib_umem *umem;
	unsigned int i;

	uverbs_dmabuf_put(pin);
	for (i = 0; i < UVERBS_MAX_PINS; i++) {
		umem = pin->umem[i];
		if (!umem)
			continue;
		pin->umem[i] = NULL;
		umem_unpin(umem, false);
		umem_unaccount(umem);
		free_umem(umem);
	}
}

int uverbs_umem_prepare(struct uverbs_pin *pin, struct ib_device *device, unsigned long addr,
			size_t size, int access, bool required)
{
	struct uverbs_pin_range range = {
		.addr = addr, .size = size, .writable = ib_access_writable(access),
	};

	/* Pin nothing for a request that ib_umem_get() is going to refuse. */
	if ((access & IB_ACCESS_ON_DEMAND) || check_range(addr, size))
		return 0;
	if (find_pinned(pin, &range) >= 0 || pin_error(pin, &range))
		return 0;
	/* Between two runs, another call may have changed which memory this call needs. */
	if (pin->prepared.size && !same_range(&pin->prepared, &range))
		uverbs_umem_unpin(pin);
	pin->prepared = range;
	want_pinned(pin, &range, ib_dma_max_seg_size(device));
	pin->required = required;
	return -EAGAIN;
}

int uverbs_udata_prepare(struct uverbs_attr_bundle *call)
{
	if (call->udata_present || !(call->driver_udata.inlen || call->driver_udata.outlen))
		return 0;
	call->udata_wanted = true;
	return -EAGAIN;
}

int uverbs_umem_pin(struct uverbs_pin *pin)
{
	struct ib_umem *umem;
	unsigned int i = 0;

	might_sleep();
	if (pin->umem[UVERBS_MAX_PINS - 1])
		return -EBUSY;
	umem = umem_create(pin->range.addr, pin->range.size, pin->range.writable,
			   pin->max_segment);
	if (IS_ERR(umem)) {
		pin->error = PTR_ERR(umem);
		return pin->required ? pin->error : 0;
	}
	while (pin->umem[i])
		i++;
	pin->umem[i] = umem;
	return 0;
}

/* Takes memory that was pinned for the call, or makes the call pin the memory and run again. */
static struct ib_umem *pinned_by_call(struct uverbs_pin *pin, const struct uverbs_pin_range *range,
				      unsigned int max_segment)
{
	int i = find_pinned(pin, range);
	struct ib_umem *umem;

	if (i < 0)
		return ERR_PTR(pin_error(pin, range) ?: want_pinned(pin, range, max_segment));
	umem = pin->umem[i];
	/* Close the gap, because uverbs_umem_pin() fails if the last element is in use. */
	for (; i + 1 < UVERBS_MAX_PINS; i++)
		pin->umem[i] = pin->umem[i + 1];
	pin->umem[i] = NULL;
	return umem;
}

struct ib_umem *ib_umem_get(struct ib_device *device, unsigned long addr, size_t size, int access)
{
	struct uverbs_pin_range range = {
		.addr = addr, .size = size, .writable = ib_access_writable(access),
	};
	unsigned int max_segment = ib_dma_max_seg_size(device);
	struct uverbs_pin *pin = uverbs_pin_of_current();
	struct ib_umem *umem;
	int err;

	might_sleep();
	if (access & IB_ACCESS_ON_DEMAND)
		return ERR_PTR(-EOPNOTSUPP);
	err = current->flags & PF_KTHREAD ? -EINVAL : check_range(addr, size);
	if (err)
		return ERR_PTR(err);
	if (pin)
		umem = pinned_by_call(pin, &range, max_segment);
	else
		umem = umem_create(addr, size, range.writable, max_segment);
	if (IS_ERR(umem))
		return umem;
	umem->ibdev = device;
	umem->iova = addr;
	err = ib_dma_map_sgtable_attrs(device, &umem->sgt_append.sgt, umem_direction(umem), 0);
	if (!err)
		return umem;
	umem_unpin(umem, false);
	umem_unaccount(umem);
	free_umem(umem);
	return ERR_PTR(err);
}
EXPORT_SYMBOL(ib_umem_get);

void ib_umem_release(struct ib_umem *umem)
{
	if (!umem)
		return;
	might_sleep();
	if (umem->is_dmabuf) {
		ib_umem_dmabuf_release(to_ib_umem_dmabuf(umem));
		return;
	}
	ib_dma_unmap_sgtable_attrs(umem->ibdev, &umem->sgt_append.sgt, umem_direction(umem), 0);
	if (!umem_unpin(umem, umem->writable)) {
		INIT_DELAYED_WORK(&umem->unpin_work, unpin_late);
		atomic_inc(&num_pinned_late);
		queue_delayed_work(unpin_wq, &umem->unpin_work, UNPIN_RETRY);
		return;
	}
	umem_unaccount(umem);
	free_umem(umem);
}
EXPORT_SYMBOL(ib_umem_release);

/*
 * Returns a mask. A set bit rules out all page sizes that are larger than the value of the bit.
 * @virt is the virtual address of the first byte. Two kinds of bits are set: bits in which the DMA
 * address of an element differs from the element's virtual address; and bits of the virtual
 * addresses at which the elements after the first one begin.
 */
static unsigned long umem_misalignment(struct ib_umem *umem, unsigned long virt)
{
	unsigned long addr = virt - ib_umem_offset(umem);
	unsigned long bits = 0;
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_dma_sg(&umem->sgt_append.sgt, sg, i) {
		bits |= addr ^ (unsigned long)sg_dma_address(sg);
		if (i)
			bits |= addr;
		addr += sg_dma_len(sg);
	}
	return bits;
}

unsigned long ib_umem_find_best_pgsz(struct ib_umem *umem, unsigned long pgsz_bitmap,
				     unsigned long virt)
{
	unsigned long misaligned = umem_misalignment(umem, virt);
	unsigned long span = virt ^ (virt + umem->length - 1);
	unsigned long pgsz, best = 0;
	unsigned int bit;

	umem->iova = virt;
	for_each_set_bit(bit, &pgsz_bitmap, BITS_PER_LONG) {
		pgsz = 1UL << bit;
		if (misaligned & (pgsz - 1))
			break;
		best = pgsz;
		if (pgsz > span)
			break;
	}
	return best;
}
EXPORT_SYMBOL(ib_umem_find_best_pgsz);

int ib_umem_copy_from(void *dst, struct ib_umem *umem, size_t offset, size_t length)
{
	struct sg_table *sgt = &umem->sgt_append.sgt;

	if (umem->is_dmabuf || offset > umem->length || length > umem->length - offset)
		return -EINVAL;
	sg_pcopy_to_buffer(sgt->sgl, sgt->orig_nents, dst, length, ib_umem_offset(umem) + offset);
	return 0;
}
EXPORT_SYMBOL(ib_umem_copy_from);
