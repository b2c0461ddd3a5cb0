/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory that a process and a provider share. The functions for providers are declared in
 * <rdma/verbs/user.h>.
 */
#ifndef _KRDMA_UVERBS_FRAME_MMAP_H_
#define _KRDMA_UVERBS_FRAME_MMAP_H_

struct ib_ucontext;
struct ib_uverbs_file;
struct uverbs_attr_bundle;
struct vm_area_struct;

/*
 * Maps the memory that the offset of @vma names. If the context's table has an entry with this
 * offset, and the entry has a kernel address, ib_uverbs maps the memory of the entry. Otherwise the
 * driver maps the memory. Called by mmap(), for a process that has a context. Returns 0 or an
 * errno.
 */
int uverbs_mmap_area(struct uverbs_attr_bundle *call, struct vm_area_struct *vma);

/**
 * uverbs_mmap_end - end the mappings of a file whose context is about to be destroyed
 * @file: the file
 *
 * After this call the process sees zero-filled memory in its mappings. The function drops the
 * mappings' references to their entries, and so calls the provider's mmap_free() for entries that
 * the provider has removed already. The other entries stay in the context's table. The caller
 * ensures that the device is not removed during the call. May sleep.
 */
void uverbs_mmap_end(struct ib_uverbs_file *file);

/**
 * uverbs_mmap_remove_entries - remove the entries that the provider has left in a context's table
 * @context: a context without mappings, for which dealloc_ucontext() has returned
 *
 * A provider may remove the entries of a context in dealloc_ucontext(), or leave them to this
 * function, which calls the provider's mmap_free() for each entry. May sleep.
 */
void uverbs_mmap_remove_entries(struct ib_ucontext *context);

#endif /* _KRDMA_UVERBS_FRAME_MMAP_H_ */
