// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Becomes the end of arch/um/kernel/tlb.c.
 *
 * Each change of a process's mappings costs a user-mode kernel a round trip to that process, and a
 * fork makes hundreds of changes. A process uses its mappings only when it runs again, so a change
 * only extends the recorded range, and the whole range is updated before the process runs. A new
 * process starts without mappings, and gets them by page faults.
 */
static void mark_changed(struct mm_struct *mm, unsigned long from, unsigned long to)
{
	mm_context_t *context = &mm->context;

	if (context->changed_from == context->changed_to) {
		context->changed_from = from;
		context->changed_to = to;
		return;
	}
	context->changed_from = min(context->changed_from, from);
	context->changed_to = max(context->changed_to, to);
}

void flush_tlb_page(struct vm_area_struct *vma, unsigned long address)
{
	address &= PAGE_MASK;
	mark_changed(vma->vm_mm, address, address + PAGE_SIZE);
}

void flush_tlb_range(struct vm_area_struct *vma, unsigned long start, unsigned long end)
{
	if (!vma->vm_mm)
		flush_tlb_kernel_range_common(start, end);
	else
		mark_changed(vma->vm_mm, start, end);
}
EXPORT_SYMBOL(flush_tlb_range);

void flush_tlb_mm_range(struct mm_struct *mm, unsigned long start, unsigned long end)
{
	mark_changed(mm, start, end);
}

void flush_tlb_mm(struct mm_struct *mm)
{
	mark_changed(mm, 0, TASK_SIZE);
}

/*
 * Called before the current process runs. Needs no lock: with one processor, nobody else changes
 * its page tables now.
 */
void make_changes(void)
{
	struct mm_struct *mm = current->mm;
	unsigned long from = mm->context.changed_from;
	unsigned long to = mm->context.changed_to;

	if (from == to)
		return;
	mm->context.changed_from = mm->context.changed_to;
	fix_range(mm, from, to, 0);
}
