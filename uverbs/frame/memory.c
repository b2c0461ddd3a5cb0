// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory that drivers allocate for a call.
 */
#include "uverbs/frame/memory.h"

#include <linux/export.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <rdma/uverbs_ioctl.h>

/**
 * struct uverbs_memory - a piece of memory
 * @next: piece that was allocated before, or NULL
 * @data: the memory that the driver gets
 */
struct uverbs_memory {
	struct uverbs_memory	*next;
	u64			data[];
};

void *_uverbs_alloc(struct uverbs_attr_bundle *attrs, size_t size, gfp_t flags)
{
	struct uverbs_memory *memory;
	size_t sum;

	if (check_add_overflow(size, sizeof(*memory), &sum))
		return ERR_PTR(-EOVERFLOW);
	memory = kvmalloc(sum, flags | __GFP_ACCOUNT);
	if (!memory)
		return ERR_PTR(-ENOMEM);
	memory->next = attrs->allocated;
	attrs->allocated = memory;
	return memory->data;
}
EXPORT_SYMBOL(_uverbs_alloc);

void uverbs_memory_free(struct uverbs_attr_bundle *call)
{
	struct uverbs_memory *memory;

	while ((memory = call->allocated)) {
		call->allocated = memory->next;
		kvfree(memory);
	}
}
