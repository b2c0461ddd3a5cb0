/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory that a process and a provider share. Providers' part is in <rdma/verbs/user.h>.
 */
#ifndef _KRDMA_UVERBS_MMAP_H_
#define _KRDMA_UVERBS_MMAP_H_

struct file;
struct ib_ucontext;
struct ib_uverbs_file;
struct vm_area_struct;

/* As file_operations.mmap. */
int uverbs_mmap(struct file *filp, struct vm_area_struct *vma);

/**
 * uverbs_mmap_end - end the mappings of a context that is about to be destroyed
 * @file: the file
 * @context: its context
 *
 * The process sees zero-filled memory from here on, and the provider gets back its entries. Called
 * with the device kept from being removed. May sleep.
 */
void uverbs_mmap_end(struct ib_uverbs_file *file, struct ib_ucontext *context);

#endif /* _KRDMA_UVERBS_MMAP_H_ */
