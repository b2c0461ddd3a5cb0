/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef KRDMA_COMPAT_LINUX_MM_H
#define KRDMA_COMPAT_LINUX_MM_H

#include <krdma/has.h>
#include <linux/version.h>
#include_next <linux/mm.h>

#if !KRDMA_HAS_VM_FLAGS_SET
static inline void vm_flags_set(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_init(struct vm_area_struct *vma, unsigned long flags)
{
	vma->vm_flags = flags;
}
#endif

/* The name in older kernels, where it unmaps page numbers only (VM_PFNMAP), not VM_MIXEDMAP. */
#if KRDMA_HAS_ZAP_VMA_PTES
#define zap_special_vma_range	zap_vma_ptes
#endif

/* In newer kernels, the pages of a range of physical memory always have consecutive structures. */
#ifndef nth_page
#define nth_page(page, n)	((page) + (n))
#endif

/* krdma_set_page_pgmap() makes a page belong to the memory of a device, which @pgmap describes. */
static inline void krdma_set_page_pgmap(struct page *page, struct dev_pagemap *pgmap)
{
#if KRDMA_HAS_PAGE_PGMAP
	page->pgmap = pgmap;
#else
	page_folio(page)->pgmap = pgmap;
#endif
}

/*
 * KRDMA_FOLL_READ are the flags with which pages are pinned for as long as a device reads them. The
 * pages must be the process's own, not pages that it shares until either side writes. Older kernels
 * unshare them only if the pin is for writing; FOLL_FORCE makes that pin possible where the process
 * may not write. Newer kernels unshare them for each long pin, and refuse FOLL_FORCE for shared
 * mappings of files.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define KRDMA_FOLL_READ		(FOLL_LONGTERM | FOLL_WRITE | FOLL_FORCE)
#else
#define KRDMA_FOLL_READ		FOLL_LONGTERM
#endif

#endif
