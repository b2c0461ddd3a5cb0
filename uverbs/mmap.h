/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory that a process and a provider share. The functions for providers are declared in
 * <rdma/verbs/user.h>.
 */
#ifndef _KRDMA_UVERBS_MMAP_H_
#define _KRDMA_UVERBS_MMAP_H_

struct file;
struct ib_ucontext;
struct ib_uverbs_file;
struct vm_area_struct;

/* Implements file_operations.mmap. */
int uverbs_mmap(struct file *filp, struct vm_area_struct *vma);

/**
 * uverbs_mmap_end - end the mappings of a context that is about to be destroyed
 * @file: the file
 * @context: its context
 *
 * After this call the process sees zero-filled memory in its mappings. The function drops the
 * mappings' references to their entries, removes the entries that the provider has not removed, and
 * thereby calls the provider's mmap_free() for every entry that was left. The caller ensures that
 * the device is not removed during the call. May sleep.
 */
void uverbs_mmap_end(struct ib_uverbs_file *file, struct ib_ucontext *context);

#endif /* _KRDMA_UVERBS_MMAP_H_ */
