// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Becomes part of arch/um/kernel/trap.c.
 *
 * Each page fault of a process costs a user-mode kernel three changes of context between the two,
 * 50 us, and a shell has 500 before it does anything. What is in the page tables around a fault is
 * made known to the process in one go, and what the process writes it is given a few pages ahead.
 */
#define FAULT_AROUND	(16 * PAGE_SIZE)

/* Called with the mmap lock held, when the page at ADDRESS is there. */
static void fault_around(struct vm_area_struct *vma, unsigned long address, unsigned int flags)
{
	unsigned long from = max(round_down(address, FAULT_AROUND), vma->vm_start);
	unsigned long to = min(round_down(address, FAULT_AROUND) + FAULT_AROUND, vma->vm_end);
	pmd_t *pmd = pmd_off(vma->vm_mm, address);
	unsigned long at;

	if (!(flags & FAULT_FLAG_WRITE) ||
	    vma->vm_flags & (VM_SHARED | VM_IO | VM_PFNMAP | VM_MIXEDMAP))
		goto tell;
	flags &= ~(FAULT_FLAG_ALLOW_RETRY | FAULT_FLAG_KILLABLE);
	for (at = from; at < to; at += PAGE_SIZE)
		if (!pte_write(*pte_offset_kernel(pmd, at)) &&
		    handle_mm_fault(vma, at, flags, NULL) & VM_FAULT_ERROR)
			break;
tell:
	flush_tlb_range(vma, from, to);
}
