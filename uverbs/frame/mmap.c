// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory that a process and a provider share.
 *
 * A mapping holds a reference to the entry (struct rdma_user_mmap_entry) of the memory. The
 * reference keeps the memory allocated, even if the provider removes the entry. Pages of memory are
 * mapped when they are first touched; registers of a device are mapped at once.
 *
 * Most drivers of Linux 6.1 map memory without telling the core. There they may do so, because the
 * removal of a device waits for the processes that use the device. A mapping of this kind has no
 * entry, but also ends when the device is removed. A driver that counts the users of its memory
 * sets vm_ops with open() and close(). ib_uverbs then counts the areas in place of the driver, and
 * calls close() only once: when the last area is closed, or when the mapping ends, because after
 * the end the driver may be gone.
 *
 * When the device is removed, mappings lose their entries and pages, and the process sees
 * zero-filled memory in the mappings: its queues seem to stay empty, and all its calls fail.
 */
#include "uverbs/frame/mmap.h"

#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "uverbs/frame/call.h"
#include "uverbs/frame/umem.h"
#include "uverbs/frame/uverbs.h"

/*
 * Lowest offset, in pages. Offsets are larger than 0, and larger than SIW_INVAL_UOBJ_KEY, which
 * libsiw takes for "none".
 */
#define FIRST_PGOFF	0x1000
/*
 * Highest offset, in pages. mmap() takes the offset in bytes, as a loff_t; vm_pgoff holds it in
 * pages, as an unsigned long.
 */
#define LAST_PGOFF	min_t(u64, ULONG_MAX, LLONG_MAX >> PAGE_SHIFT)

/**
 * struct uverbs_map - a mapping of a process
 * @vmas: number of areas of the mapping; a fork or a split of an area adds one
 * @placed: uverbs_mmap_end() need not wait for the end of the mmap() call: either
 *	uverbs_mmap_end() has waited already, or mmap() itself maps no pages, and the page faults
 *	that map them check @ended
 * @ended: uverbs_mmap_end() has ended the mapping
 * @foreign: the driver has mapped the memory itself: @pfn and @prot are not known
 * @entry: in ib_uverbs_file.maps
 * @file: the file that the process has mapped
 * @mm: memory of the process that has called mmap(), referenced by mm_count
 * @mapped: the entry that is mapped, referenced; NULL: none, or the mapping has ended
 * @driver_ops: vm_ops of a driver that counts the users of its memory; NULL: the driver has set
 *	none, or ib_uverbs has called the driver's close() already
 * @driver_data: what the driver has set vm_private_data to
 * @start: with @driver_ops: where the area began when it was mapped
 * @flags: with @driver_ops: vm_flags of the area when it was mapped
 * @pgoff: offset of the mapping in the file, in pages
 * @npages: number of pages
 * @pfn: registers of a device: number of the first page
 * @prot: registers of a device: page protection of the area
 * @zero: registers of a device: the page that the process sees when the mapping has ended, or NULL
 *
 * Protected by ib_uverbs_file.maps_lock.
 */
struct uverbs_map {
	unsigned int			vmas;
	bool				placed;
	bool				ended;
	bool				foreign;
	struct list_head		entry;
	struct ib_uverbs_file		*file;
	struct mm_struct		*mm;
	struct rdma_user_mmap_entry	*mapped;
	const struct vm_operations_struct *driver_ops;
	void				*driver_data;
	unsigned long			start;
	unsigned long			flags;
	unsigned long			pgoff;
	unsigned long			npages;
	unsigned long			pfn;
	pgprot_t			prot;
	struct page			*zero;
};

/* --- entries --- */

static void free_entry(struct kref *ref)
{
	struct rdma_user_mmap_entry *entry = container_of(ref, struct rdma_user_mmap_entry, ref);

	entry->ucontext->device->ops.mmap_free(entry);
}

void rdma_user_mmap_entry_put(struct rdma_user_mmap_entry *entry)
{
	kref_put(&entry->ref, free_entry);
}
EXPORT_SYMBOL(rdma_user_mmap_entry_put);

/*
 * Finds the lowest @npages successive offsets from @min to @max that are free. xa_for_each() visits
 * the entries in the order of their offsets. Returns false if there is no room.
 */
static bool find_pgoff(struct ib_ucontext *ucontext, unsigned long npages, unsigned long min,
		       unsigned long max, unsigned long *pgoff)
{
	struct rdma_user_mmap_entry *other;
	unsigned long index;

	lockdep_assert_held(&ucontext->mmap_lock);
	xa_for_each(&ucontext->mmap_entries, index, other) {
		if (index + other->npages <= min)
			continue;
		if (index > min && index - min >= npages)
			break;
		min = index + other->npages;
	}
	*pgoff = min;
	return min <= max && max - min >= npages - 1;
}

static void init_entry(struct rdma_user_mmap_entry *entry, struct ib_ucontext *ucontext,
		       size_t length)
{
	kref_init(&entry->ref);
	entry->ucontext = ucontext;
	entry->npages = PFN_UP(length);
}

static int insert_in_range(struct ib_ucontext *ucontext, struct rdma_user_mmap_entry *entry,
			   unsigned long min, unsigned long max)
{
	lockdep_assert_held(&ucontext->mmap_lock);
	if (!find_pgoff(ucontext, entry->npages, min, max, &entry->start_pgoff))
		return -ENOMEM;
	return xa_insert(&ucontext->mmap_entries, entry->start_pgoff, entry, GFP_KERNEL_ACCOUNT);
}

int rdma_user_mmap_entry_insert_range(struct ib_ucontext *ucontext,
				      struct rdma_user_mmap_entry *entry, size_t length,
				      u32 min_pgoff, u32 max_pgoff)
{
	int ret;

	if (!length)
		return -EINVAL;
	init_entry(entry, ucontext, length);
	mutex_lock(&ucontext->mmap_lock);
	ucontext->mmap_ranges = true;
	ret = insert_in_range(ucontext, entry, min_pgoff, max_pgoff);
	mutex_unlock(&ucontext->mmap_lock);
	return ret;
}
EXPORT_SYMBOL(rdma_user_mmap_entry_insert_range);

/*
 * Takes @npages offsets that no context has had, and returns the first of them. Returns 0, which is
 * never a valid offset, if the offsets are used up. On 32-bit machines, that happens after 2^32
 * pages.
 */
static unsigned long take_pgoff(unsigned long npages)
{
	static atomic_long_t next_pgoff = ATOMIC_LONG_INIT(FIRST_PGOFF);
	long next = atomic_long_read(&next_pgoff);

	do {
		if (npages > LAST_PGOFF - (unsigned long)next)
			return 0;
	} while (!atomic_long_try_cmpxchg(&next_pgoff, &next, next + npages));
	return next;
}

/*
 * Offsets are unique among all contexts, because unmap_mapping_range() finds areas by node and
 * offset, and would also unmap areas of other contexts at the same offset. In two cases, an offset
 * only has to be free in the context: when the unique offsets are used up, and when the provider
 * chooses offsets for the context.
 */
int rdma_user_mmap_entry_insert(struct ib_ucontext *ucontext, struct rdma_user_mmap_entry *entry,
				size_t length)
{
	unsigned long pgoff = 0;
	int ret;

	if (!length)
		return -EINVAL;
	init_entry(entry, ucontext, length);
	mutex_lock(&ucontext->mmap_lock);
	if (!ucontext->mmap_ranges)
		pgoff = take_pgoff(entry->npages);
	if (pgoff) {
		entry->start_pgoff = pgoff;
		ret = xa_insert(&ucontext->mmap_entries, pgoff, entry, GFP_KERNEL_ACCOUNT);
	} else {
		ret = insert_in_range(ucontext, entry, FIRST_PGOFF, U32_MAX);
	}
	mutex_unlock(&ucontext->mmap_lock);
	return ret;
}
EXPORT_SYMBOL(rdma_user_mmap_entry_insert);

void rdma_user_mmap_entry_remove(struct rdma_user_mmap_entry *entry)
{
	struct xarray *entries;

	/* Error paths of drivers remove a zeroed entry, which was never inserted. */
	if (!entry || !entry->ucontext)
		return;
	entries = &entry->ucontext->mmap_entries;
	/* An entry that was removed before, or could not be inserted, has no reference to drop. */
	if (xa_cmpxchg(entries, entry->start_pgoff, entry, NULL, 0) != entry)
		return;
	WRITE_ONCE(entry->driver_removed, true);
	rdma_user_mmap_entry_put(entry);
}
EXPORT_SYMBOL(rdma_user_mmap_entry_remove);

struct rdma_user_mmap_entry *rdma_user_mmap_entry_get_pgoff(struct ib_ucontext *ucontext,
							    unsigned long pgoff)
{
	struct rdma_user_mmap_entry *entry;

	/*
	 * rdma_user_mmap_entry_remove() first erases the entry under this lock, and then drops the
	 * provider's reference. Therefore an entry that is found under the lock still has that
	 * reference.
	 */
	xa_lock(&ucontext->mmap_entries);
	entry = xa_load(&ucontext->mmap_entries, pgoff);
	if (entry)
		kref_get(&entry->ref);
	xa_unlock(&ucontext->mmap_entries);
	return entry;
}
EXPORT_SYMBOL(rdma_user_mmap_entry_get_pgoff);

struct rdma_user_mmap_entry *rdma_user_mmap_entry_get(struct ib_ucontext *ucontext,
						      struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry = NULL;

	if (vma->vm_flags & VM_SHARED)
		entry = rdma_user_mmap_entry_get_pgoff(ucontext, vma->vm_pgoff);
	if (!entry || vma_pages(vma) == entry->npages)
		return entry;
	/* An entry can only be mapped as a whole. */
	rdma_user_mmap_entry_put(entry);
	return NULL;
}
EXPORT_SYMBOL(rdma_user_mmap_entry_get);

/* --- mappings --- */

static void free_map(struct uverbs_map *map)
{
	if (map->zero)
		__free_page(map->zero);
	mmdrop(map->mm);
	kfree(map);
}

/*
 * Calls the driver's close(), if the driver counts the users of its memory, because the process no
 * longer uses the memory. The driver gets an area that is built from @map, because the real areas
 * may have been moved or split, or may belong to another process after a fork.
 */
static void close_by_driver(struct uverbs_map *map)
{
	struct vm_area_struct vma = {
		.vm_mm = map->mm,
		.vm_start = map->start,
		.vm_end = map->start + (map->npages << PAGE_SHIFT),
		.vm_pgoff = map->pgoff,
		.vm_ops = map->driver_ops,
		.vm_private_data = map->driver_data,
	};

	lockdep_assert_held(&map->file->maps_lock);
	if (!map->driver_ops)
		return;
	vm_flags_init(&vma, map->flags);
	if (map->driver_ops->close)
		map->driver_ops->close(&vma);
	map->driver_ops = NULL;
}

static void vma_open(struct vm_area_struct *vma)
{
	struct uverbs_map *map = vma->vm_private_data;

	mutex_lock(&map->file->maps_lock);
	map->vmas++;
	mutex_unlock(&map->file->maps_lock);
}

static void vma_close(struct vm_area_struct *vma)
{
	struct uverbs_map *map = vma->vm_private_data;
	struct ib_uverbs_file *file = map->file;
	bool last;

	mutex_lock(&file->maps_lock);
	last = !--map->vmas;
	if (last) {
		list_del(&map->entry);
		/*
		 * Dropping the reference may call mmap_free(). uverbs_mmap_end() waits for
		 * maps_lock, which is held here. Therefore the device is not removed, and the
		 * context not destroyed, before mmap_free() and the driver's close() have returned.
		 */
		if (map->mapped)
			rdma_user_mmap_entry_put(map->mapped);
		close_by_driver(map);
	}
	mutex_unlock(&file->maps_lock);
	if (last)
		free_map(map);
}

/*
 * Finds the page for a page fault in memory of the provider. The caller inserts the page without
 * maps_lock held. By then uverbs_mmap_end() may have unmapped the other pages, and the provider may
 * have freed the memory. In that case the reference that get_page() took keeps the page from being
 * freed, and only this process uses the page.
 */
static vm_fault_t vma_fault(struct vm_fault *vmf)
{
	struct uverbs_map *map = vmf->vma->vm_private_data;
	unsigned long index;
	vm_fault_t ret = 0;

	mutex_lock(&map->file->maps_lock);
	if (map->ended) {
		/*
		 * The mapping has ended. Each fault gets a new zero-filled page, so that what the
		 * process writes to one queue does not appear in another.
		 */
		vmf->page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!vmf->page)
			ret = VM_FAULT_OOM;
		goto unlock;
	}
	index = vmf->pgoff - map->pgoff;
	/* An area cannot grow, because VM_DONTEXPAND is set. */
	if (WARN_ON_ONCE(index >= map->npages)) {
		ret = VM_FAULT_SIGBUS;
		goto unlock;
	}
	vmf->page = vmalloc_to_page(map->mapped->kaddr + (index << PAGE_SHIFT));
	get_page(vmf->page);
unlock:
	mutex_unlock(&map->file->maps_lock);
	return ret;
}

static const struct vm_operations_struct vm_ops = {
	.open = vma_open,
	.close = vma_close,
	.fault = vma_fault,
};

/*
 * Handles a page fault in registers of a device. Such a fault is rare, because registers are mapped
 * before the first access. Either the mapping has ended, or another context's mapping at the same
 * offset has ended, and its end has unmapped pages of this mapping.
 */
static vm_fault_t io_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct uverbs_map *map = vma->vm_private_data;
	vm_fault_t ret = VM_FAULT_OOM;

	mutex_lock(&map->file->maps_lock);
	if (!map->ended && !map->foreign) {
		ret = vmf_insert_pfn_prot(vma, vmf->address, map->pfn + (vmf->pgoff - map->pgoff),
					  map->prot);
		goto unlock;
	}
	if (!map->zero)
		map->zero = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (map->zero)
		ret = vmf_insert_pfn_prot(vma, vmf->address, page_to_pfn(map->zero),
					  vm_get_page_prot(vma->vm_flags));
unlock:
	mutex_unlock(&map->file->maps_lock);
	return ret;
}

static const struct vm_operations_struct io_vm_ops = {
	.open = vma_open,
	.close = vma_close,
	.fault = io_fault,
};

/*
 * Handles a page fault in memory that a driver has mapped itself. Until the mapping ends, a fault
 * is an error, because ib_uverbs cannot map the driver's memory again. After the end, inserts a
 * page of zeros: by its number if the area has VM_PFNMAP set, otherwise with a reference.
 */
static vm_fault_t foreign_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct uverbs_map *map = vma->vm_private_data;

	/*
	 * Once the device is being removed, treat the mapping as ended, even if map->ended is not
	 * set yet. Another context's mapping at the same offset may have ended first, and its end
	 * has unmapped pages of this mapping.
	 */
	if (!READ_ONCE(map->ended) && rcu_access_pointer(map->file->device->ibdev))
		return VM_FAULT_SIGBUS;
	if (vma->vm_flags & VM_PFNMAP) {
		/* A driver may map page numbers into a private area, but a fault handler cannot. */
		if (!(vma->vm_flags & VM_SHARED))
			return VM_FAULT_SIGBUS;
		return io_fault(vmf);
	}
	vmf->page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	return vmf->page ? 0 : VM_FAULT_OOM;
}

static const struct vm_operations_struct foreign_vm_ops = {
	.open = vma_open,
	.close = vma_close,
	.fault = foreign_fault,
};

/*
 * Allocates a mapping, which takes over the reference to @mapped. Returns NULL if there is no
 * memory.
 */
static struct uverbs_map *alloc_map(struct ib_uverbs_file *file, struct vm_area_struct *vma,
				    struct rdma_user_mmap_entry *mapped)
{
	struct uverbs_map *map = kzalloc(sizeof(*map), GFP_KERNEL_ACCOUNT);

	if (!map)
		return NULL;
	map->vmas = 1;
	map->file = file;
	map->mm = vma->vm_mm;
	mmgrab(map->mm);
	map->mapped = mapped;
	map->pgoff = vma->vm_pgoff;
	map->npages = vma_pages(vma);
	return map;
}

static void add_map(struct uverbs_map *map, struct vm_area_struct *vma,
		    const struct vm_operations_struct *ops)
{
	vma->vm_private_data = map;
	vma->vm_ops = ops;
	mutex_lock(&map->file->maps_lock);
	list_add(&map->entry, &map->file->maps);
	mutex_unlock(&map->file->maps_lock);
}

int rdma_user_mmap_io(struct ib_ucontext *ucontext, struct vm_area_struct *vma, unsigned long pfn,
		      unsigned long size, pgprot_t prot, struct rdma_user_mmap_entry *entry)
{
	struct uverbs_map *map;
	int ret;

	if (!(vma->vm_flags & VM_SHARED) || vma->vm_end - vma->vm_start != size)
		return -EINVAL;
	map = alloc_map(ucontext->ufile, vma, entry);
	if (!map)
		return -ENOMEM;
	map->pfn = pfn;
	map->prot = prot;
	vma->vm_page_prot = prot;
	ret = io_remap_pfn_range(vma, vma->vm_start, pfn, size, prot);
	if (ret) {
		free_map(map);
		return ret;
	}
	if (entry)
		kref_get(&entry->ref);
	add_map(map, vma, &io_vm_ops);
	return 0;
}
EXPORT_SYMBOL(rdma_user_mmap_io);

/*
 * Returns whether @ops have no operations except open() and close(), which are the only ones that
 * ib_uverbs can replace.
 */
static bool only_count(const struct vm_operations_struct *ops)
{
	struct vm_operations_struct others = *ops;

	others.open = NULL;
	others.close = NULL;
	return !memchr_inv(&others, 0, sizeof(others));
}

/*
 * Saves the operations that the driver has set for an area, so that ib_uverbs can replace them by
 * its own. Returns 0; -EOPNOTSUPP: ib_uverbs cannot replace one of the operations.
 */
static int take_over(struct uverbs_map *map, struct vm_area_struct *vma)
{
	map->driver_ops = vma->vm_ops;
	map->driver_data = vma->vm_private_data;
	map->start = vma->vm_start;
	map->flags = vma->vm_flags;
	return only_count(vma->vm_ops) ? 0 : -EOPNOTSUPP;
}

/*
 * Undoes what a driver has done to an area whose mmap() fails. Unmaps pages that the driver has
 * mapped by number, because the removal of the device will not find the area, and the driver may
 * free the memory.
 */
static void undo_by_driver(struct uverbs_map *map, struct vm_area_struct *vma)
{
	zap_special_vma_range(vma, vma->vm_start, vma->vm_end - vma->vm_start);
	if (vma->vm_ops == &io_vm_ops)
		vma_close(vma);
	mutex_lock(&map->file->maps_lock);
	close_by_driver(map);
	mutex_unlock(&map->file->maps_lock);
}

/*
 * Lets the driver map the memory, by ops.mmap(), and records the mapping, so that the removal of
 * the device ends it. The struct uverbs_map is allocated first, so that no allocation can fail
 * after the driver has succeeded.
 */
static int map_by_driver(struct uverbs_attr_bundle *call, struct vm_area_struct *vma)
{
	const struct vm_operations_struct *before = vma->vm_ops;
	struct uverbs_map *map;
	int ret;

	if (!call->ibdev->ops.mmap)
		return -EINVAL;
	map = alloc_map(call->ufile, vma, NULL);
	if (!map)
		return -ENOMEM;
	ret = call->ibdev->ops.mmap(call->context, vma);
	if (ret)
		goto undo;
	/* The driver has called rdma_user_mmap_io(), which has added another struct uverbs_map. */
	if (vma->vm_ops == &io_vm_ops)
		goto free;
	/*
	 * Read the offset again, because ops.mmap() may have changed it: remap_pfn_range() changes
	 * the offset of a private area, and some drivers set the offset themselves.
	 */
	map->pgoff = vma->vm_pgoff;
	map->foreign = true;
	if (vma->vm_ops && vma->vm_ops != before) {
		ret = take_over(map, vma);
		if (ret)
			goto undo;
	}
	/* Keep the area from growing, because the driver has mapped nothing beyond its end. */
	vm_flags_set(vma, VM_DONTEXPAND);
	add_map(map, vma, &foreign_vm_ops);
	return 0;

undo:
	undo_by_driver(map, vma);
	vma->vm_ops = before;
free:
	free_map(map);
	return ret;
}

int uverbs_mmap_area(struct uverbs_attr_bundle *call, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *mapped;
	struct uverbs_map *map;

	mapped = rdma_user_mmap_entry_get(call->context, vma);
	if (!mapped || !mapped->kaddr) {
		if (mapped)
			rdma_user_mmap_entry_put(mapped);
		return map_by_driver(call, vma);
	}
	map = alloc_map(call->ufile, vma, mapped);
	if (!map) {
		rdma_user_mmap_entry_put(mapped);
		return -ENOMEM;
	}
	map->placed = true;
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	add_map(map, vma, &vm_ops);
	return 0;
}

/*
 * Finds a process with mappings that are not @placed yet, and marks all of its mappings as @placed.
 * Returns the mm of the process, referenced, so that the caller can wait for the mmap_lock of the
 * mm; NULL: there is no such process.
 */
static struct mm_struct *mm_to_wait_for(struct ib_uverbs_file *file)
{
	struct mm_struct *mm = NULL;
	struct uverbs_map *map;

	mutex_lock(&file->maps_lock);
	list_for_each_entry(map, &file->maps, entry) {
		if (map->placed || (mm && map->mm != mm))
			continue;
		map->placed = true;
		/* If the mm has no user any more, no call of mmap() is running in it. */
		if (!mm && mmget_not_zero(map->mm))
			mm = map->mm;
	}
	mutex_unlock(&file->maps_lock);
	return mm;
}

/*
 * Waits until unmap_mapping_range() can find all areas in which the driver has mapped pages. mmap()
 * holds mmap_lock, calls uverbs_mmap_area(), and only then adds the area to those that can be
 * found. No new call of mmap() can begin.
 */
static void wait_for_areas(struct ib_uverbs_file *file)
{
	struct mm_struct *mm;

	while ((mm = mm_to_wait_for(file))) {
		mmap_read_lock(mm);
		mmap_read_unlock(mm);
		mmput(mm);
	}
}

void uverbs_mmap_end(struct ib_uverbs_file *file)
{
	struct uverbs_map *map;

	lockdep_assert_uverbs_device(file);
	wait_for_areas(file);
	/* Once maps_lock is released, no mapping has an entry or calls the provider. */
	mutex_lock(&file->maps_lock);
	list_for_each_entry(map, &file->maps, entry) {
		struct rdma_user_mmap_entry *mapped = map->mapped;

		if (map->ended)
			continue;
		WRITE_ONCE(map->ended, true);
		map->mapped = NULL;
		unmap_mapping_range(file->mapping, (loff_t)map->pgoff << PAGE_SHIFT,
				    (loff_t)map->npages << PAGE_SHIFT, 1);
		if (mapped)
			rdma_user_mmap_entry_put(mapped);
		close_by_driver(map);
	}
	mutex_unlock(&file->maps_lock);
}

void uverbs_mmap_remove_entries(struct ib_ucontext *context)
{
	struct rdma_user_mmap_entry *entry;
	unsigned long index;

	xa_for_each(&context->mmap_entries, index, entry)
		rdma_user_mmap_entry_remove(entry);
}
