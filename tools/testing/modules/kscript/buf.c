// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* kscript: memory that MRs and work requests use. */
#include <linux/mm.h>
#include <linux/slab.h>

#include "tools/testing/modules/kscript/kscript.h"

struct ks_buf *ks_buf_new(struct ib_device *dev, u32 size, u32 skew)
{
	struct ks_buf *buf = kzalloc(sizeof(*buf), GFP_KERNEL);

	if (!buf)
		return ERR_PTR(-ENOMEM);
	kref_init(&buf->ref);
	buf->dev = dev;
	buf->size = size;
	buf->room = PAGE_ALIGN(size + skew);
	buf->pages = alloc_pages_exact(buf->room, GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	if (!buf->pages)
		goto free_buf;
	buf->mem = buf->pages + skew;
	buf->dma = ib_dma_map_single(dev, buf->mem, size, DMA_BIDIRECTIONAL);
	if (ib_dma_mapping_error(dev, buf->dma))
		goto free_pages;
	return buf;

free_pages:
	free_pages_exact(buf->pages, buf->room);
free_buf:
	kfree(buf);
	return ERR_PTR(-ENOMEM);
}

static void free_buf(struct kref *ref)
{
	struct ks_buf *buf = container_of(ref, struct ks_buf, ref);

	ib_dma_unmap_single(buf->dev, buf->dma, buf->size, DMA_BIDIRECTIONAL);
	free_pages_exact(buf->pages, buf->room);
	kfree(buf);
}

void ks_buf_put(struct ks_buf *buf)
{
	kref_put(&buf->ref, free_buf);
}
