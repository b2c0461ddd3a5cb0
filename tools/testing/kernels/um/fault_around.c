// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Becomes part of arch/um/kernel/trap.c.
 *
 * Each page fault of a process costs a user-mode kernel three round trips to it, 50 us, and a
 * shell has 500 of them before it does anything. So a fault also maps the present pages around it
 * into the process in one step, and a write fault allocates a few pages ahead. Both stay within
 * one page of the page table.
 */
#define FAULT_AROUND	(256 * PAGE_SIZE)
#define WRITE_AHEAD	(16 * PAGE_SIZE)

/* Called with the mmap lock held, when the page at ADDRESS is there. */
static void fault_around(struct vm_area_struct *vma, unsigned long address, unsigned int flags)
{
	bool write = flags & FAULT_FLAG_WRITE &&
		     !(vma->vm_flags & (VM_SHARED | VM_IO | VM_PFNMAP | VM_MIXEDMAP));
	unsigned long size = write ? WRITE_AHEAD : FAULT_AROUND;
	unsigned long from = max(round_down(address, size), vma->vm_start);
	unsigned long to = min(round_down(address, size) + size, vma->vm_end);
	pte_t *pte = pte_offset_kernel(pmd_off(vma->vm_mm, address), from);
	unsigned long at;

	flags &= ~(FAULT_FLAG_ALLOW_RETRY | FAULT_FLAG_KILLABLE);
	for (at = from; at < to; at += PAGE_SIZE, pte++) {
		if (write && !pte_write(*pte) &&
		    handle_mm_fault(vma, at, flags, NULL) & VM_FAULT_ERROR)
			break;
		/* A fork marks the pages of the new process as old; those would fault once more. */
		if (pte_present(*pte) && !pte_young(*pte))
			*pte = pte_mknewprot(pte_mkyoung(*pte));
	}
	flush_tlb_range(vma, from, to);
}
