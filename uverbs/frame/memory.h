/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory that a driver gets from _uverbs_alloc() while it handles a call of a process, and that is
 * freed when the call ends.
 */
#ifndef _KRDMA_UVERBS_FRAME_MEMORY_H_
#define _KRDMA_UVERBS_FRAME_MEMORY_H_

struct uverbs_attr_bundle;

/* Frees all memory that was allocated for the call. */
void uverbs_memory_free(struct uverbs_attr_bundle *call);

#endif /* _KRDMA_UVERBS_FRAME_MEMORY_H_ */
