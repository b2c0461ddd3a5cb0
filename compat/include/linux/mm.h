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

/*
 * In older kernels, zap_special_vma_range() is called zap_vma_ptes(), and unmaps only areas that
 * have VM_PFNMAP set, not areas with VM_MIXEDMAP.
 */
#if KRDMA_HAS_ZAP_VMA_PTES
#define zap_special_vma_range	zap_vma_ptes
#endif

/* In newer kernels, consecutive pages of physical memory always have consecutive struct pages. */
#ifndef nth_page
#define nth_page(page, n)	((page) + (n))
#endif

/* krdma_set_page_pgmap() makes a page belong to the device memory that @pgmap describes. */
static inline void krdma_set_page_pgmap(struct page *page, struct dev_pagemap *pgmap)
{
#if KRDMA_HAS_PAGE_PGMAP
	page->pgmap = pgmap;
#else
	page_folio(page)->pgmap = pgmap;
#endif
}

/*
 * KRDMA_FOLL_READ are the flags for pinning pages that a device only reads. A copy-on-write page
 * has to be copied before it is pinned, because otherwise the process gets another page when it
 * writes, while the device reads the old one. Older kernels make that copy only for FOLL_WRITE,
 * which needs FOLL_FORCE where the process may not write. Newer kernels make the copy for each
 * FOLL_LONGTERM, and refuse FOLL_FORCE for shared mappings of files.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define KRDMA_FOLL_READ		(FOLL_LONGTERM | FOLL_WRITE | FOLL_FORCE)
#else
#define KRDMA_FOLL_READ		FOLL_LONGTERM
#endif

#endif
