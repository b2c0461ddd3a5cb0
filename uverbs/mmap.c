// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory that a process and a provider share.
 *
 * A mapping keeps its entry, whatever the provider does meanwhile; pages come when they are
 * touched. When the device goes, mappings lose their entries and pages, and the process sees blank
 * memory there: it finds nothing new in its queues, and gets errors from all that it calls.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "uverbs/uverbs.h"

/* No offset is 0, nor SIW_INVAL_UOBJ_KEY, which libsiw takes for "none". */
#define FIRST_PGOFF	0x1000

/**
 * struct uverbs_map - an mmap() of a process
 * @vmas: how many areas it is in; forks and splits make more. Guarded by ib_uverbs_file.maps_lock
 * @entry: in ib_uverbs_file.maps
 * @file: the file
 * @mapped: what is mapped, referenced; NULL: it has gone
 */
struct uverbs_map {
	unsigned int			vmas;
	struct list_head		entry;
	struct ib_uverbs_file		*file;
	struct rdma_user_mmap_entry	*mapped;
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
 * Offsets are a device's own, not a context's: all areas of the node that show one are those of its
 * owner and can be found by it. There are enough for never using one again.
 */
static unsigned long next_pgoff(size_t npages)
{
	static atomic_long_t next = ATOMIC_LONG_INIT(FIRST_PGOFF);

	return atomic_long_fetch_add(npages, &next);
}

int rdma_user_mmap_entry_insert(struct ib_ucontext *ucontext, struct rdma_user_mmap_entry *entry,
				size_t length)
{
	if (!length)
		return -EINVAL;
	kref_init(&entry->ref);
	entry->ucontext = ucontext;
	entry->npages = PFN_UP(length);
	entry->start_pgoff = next_pgoff(entry->npages);
	return xa_insert(&ucontext->mmap_entries, entry->start_pgoff, entry, GFP_KERNEL_ACCOUNT);
}
EXPORT_SYMBOL(rdma_user_mmap_entry_insert);

void rdma_user_mmap_entry_remove(struct rdma_user_mmap_entry *entry)
{
	if (!entry)
		return;
	xa_erase(&entry->ucontext->mmap_entries, entry->start_pgoff);
	WRITE_ONCE(entry->driver_removed, true);
	rdma_user_mmap_entry_put(entry);
}
EXPORT_SYMBOL(rdma_user_mmap_entry_remove);

struct rdma_user_mmap_entry *rdma_user_mmap_entry_get_pgoff(struct ib_ucontext *ucontext,
							    unsigned long pgoff)
{
	struct rdma_user_mmap_entry *entry;

	/* Who removes it does so under the same lock, and drops its reference after. */
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
	/* A part of it, or more than it. */
	rdma_user_mmap_entry_put(entry);
	return NULL;
}
EXPORT_SYMBOL(rdma_user_mmap_entry_get);

/* --- mappings --- */

static void vma_open(struct vm_area_struct *vma)
{
	struct uverbs_map *map = vma->vm_private_data;

	mutex_lock(&map->file->maps_lock);
	map->vmas++;
	mutex_unlock(&map->file->maps_lock);
}

static void close(struct vm_area_struct *vma)
{
	struct uverbs_map *map = vma->vm_private_data;
	struct ib_uverbs_file *file = map->file;
	struct rdma_user_mmap_entry *mapped;
	bool last;

	mutex_lock(&file->maps_lock);
	last = !--map->vmas;
	mapped = last ? map->mapped : NULL;
	if (last)
		list_del(&map->entry);
	/* Under the lock: the device cannot go while its provider is told. */
	if (mapped)
		rdma_user_mmap_entry_put(mapped);
	mutex_unlock(&file->maps_lock);
	if (last)
		kfree(map);
}

/* Referenced; ERR_PTR(-EFAULT): beyond the end, or -ENOMEM. */
static struct page *get_page_at(const struct uverbs_map *map, unsigned long pgoff)
{
	const struct rdma_user_mmap_entry *mapped = map->mapped;
	struct page *page;

	/* One of its own each time: what is written to one queue shall not be found in another. */
	if (!mapped)
		return alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO) ?: ERR_PTR(-ENOMEM);
	if (pgoff - mapped->start_pgoff >= mapped->npages)
		return ERR_PTR(-EFAULT);
	page = vmalloc_to_page(mapped->kaddr + ((pgoff - mapped->start_pgoff) << PAGE_SHIFT));
	get_page(page);
	return page;
}

/* A page may come too late, when its memory has gone: nobody else has it then. */
static vm_fault_t fault(struct vm_fault *vmf)
{
	struct uverbs_map *map = vmf->vma->vm_private_data;
	struct page *page;

	mutex_lock(&map->file->maps_lock);
	page = get_page_at(map, vmf->pgoff);
	mutex_unlock(&map->file->maps_lock);
	if (IS_ERR(page))
		return PTR_ERR(page) == -ENOMEM ? VM_FAULT_OOM : VM_FAULT_SIGBUS;
	vmf->page = page;
	return 0;
}

static const struct vm_operations_struct vm_ops = {
	.open = vma_open,
	.close = close,
	.fault = fault,
};

/* Takes over the reference to @mapped. */
static int map_pages(struct ib_uverbs_file *file, struct vm_area_struct *vma,
		     struct rdma_user_mmap_entry *mapped)
{
	struct uverbs_map *map = kzalloc(sizeof(*map), GFP_KERNEL_ACCOUNT);

	if (!map) {
		rdma_user_mmap_entry_put(mapped);
		return -ENOMEM;
	}
	map->vmas = 1;
	map->file = file;
	map->mapped = mapped;
	vma->vm_private_data = map;
	vma->vm_ops = &vm_ops;
	vma->vm_flags |= VM_DONTEXPAND | VM_DONTDUMP;
	mutex_lock(&file->maps_lock);
	list_add(&map->entry, &file->maps);
	mutex_unlock(&file->maps_lock);
	return 0;
}

static int map_entry(struct uverbs_attr_bundle *call, void *arg)
{
	struct rdma_user_mmap_entry *mapped;
	struct vm_area_struct *vma = arg;
	int ret;

	ret = uverbs_call_needs_context(call);
	if (ret)
		return ret;
	mapped = rdma_user_mmap_entry_get(call->context, vma);
	if (mapped && mapped->kaddr)
		return map_pages(call->ufile, vma, mapped);
	if (mapped)
		rdma_user_mmap_entry_put(mapped);
	if (!call->context->device->ops.mmap)
		return -EINVAL;
	return call->context->device->ops.mmap(call->context, vma);
}

int uverbs_mmap(struct ib_uverbs_file *file, struct vm_area_struct *vma)
{
	struct uverbs_attr_bundle call = {};

	return uverbs_call(file, &call, map_entry, vma);
}

/* From here on the provider is not asked; what was mapped is unmapped and comes back blank. */
static void take_from_maps(struct ib_uverbs_file *file)
{
	struct uverbs_map *map;

	lockdep_assert_held(&file->maps_lock);
	list_for_each_entry(map, &file->maps, entry) {
		struct rdma_user_mmap_entry *mapped = map->mapped;

		if (!mapped)
			continue;
		map->mapped = NULL;
		unmap_mapping_range(file->mapping, (loff_t)mapped->start_pgoff << PAGE_SHIFT,
				    (loff_t)mapped->npages << PAGE_SHIFT, 1);
		rdma_user_mmap_entry_put(mapped);
	}
}

void uverbs_mmap_end(struct ib_uverbs_file *file, struct ib_ucontext *context)
{
	struct rdma_user_mmap_entry *entry;
	unsigned long index;

	mutex_lock(&file->maps_lock);
	take_from_maps(file);
	mutex_unlock(&file->maps_lock);
	xa_for_each(&context->mmap_entries, index, entry)
		rdma_user_mmap_entry_remove(entry);
}
