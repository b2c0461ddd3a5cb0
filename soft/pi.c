// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Protection information of a region.
 *
 * Each list of memory exists twice, for the current registration and for a new mapping, because a
 * ULP may map a region while the current registration is still in use.
 */
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "soft/pi.h"
#include "soft/dif.h"

static int alloc_segs(struct soft_dif_list *list, u32 max)
{
	list->segs = kvcalloc(max, sizeof(*list->segs), GFP_KERNEL);
	return list->segs ? 0 : -ENOMEM;
}

struct soft_pi *soft_pi_alloc(u32 max_data, u32 max_meta)
{
	struct soft_pi *pi = kzalloc(sizeof(*pi), GFP_KERNEL);

	if (!pi)
		return NULL;
	spin_lock_init(&pi->lock);
	pi->max_data = max_data;
	pi->max_meta = max_meta;
	if (!alloc_segs(&pi->dif.data, max_data) && !alloc_segs(&pi->data, max_data) &&
	    !alloc_segs(&pi->dif.meta, max_meta) && !alloc_segs(&pi->meta, max_meta))
		return pi;
	soft_pi_free(pi);
	return NULL;
}

void soft_pi_free(struct soft_pi *pi)
{
	if (!pi)
		return;
	kvfree(pi->dif.data.segs);
	kvfree(pi->dif.meta.segs);
	kvfree(pi->data.segs);
	kvfree(pi->meta.segs);
	kfree(pi);
}

static int map_list(struct soft_dif_list *list, u32 max, const struct soft_pi_sg *from)
{
	unsigned int skip = from->offset;
	struct scatterlist *sg;
	u64 end = 0;
	int i;

	list->num = 0;
	for_each_sg(from->sg, sg, from->nents, i) {
		if (skip > sg_dma_len(sg))
			return -EINVAL;
		if (skip < sg_dma_len(sg)) {
			if (list->num == max)
				return -EINVAL;
			end += sg_dma_len(sg) - skip;
			list->segs[list->num++] = (struct soft_dif_seg) {
				.at = (u8 *)(uintptr_t)(sg_dma_address(sg) + skip),
				.end = end,
			};
		}
		skip = 0;
	}
	return 0;
}

int soft_pi_map(struct soft_pi *pi, const struct soft_pi_sg *data, const struct soft_pi_sg *meta)
{
	int ret;

	pi->is_mapped = true;
	ret = map_list(&pi->data, pi->max_data, data);
	if (!ret)
		ret = map_list(&pi->meta, pi->max_meta, meta);
	if (!ret && !pi->data.num)
		ret = -EINVAL;
	if (ret)
		pi->data.num = 0;
	return ret;
}

u64 soft_pi_mapped_len(const struct soft_pi *pi, const struct ib_sig_attrs *attrs)
{
	u64 data_len = soft_dif_list_len(&pi->data), meta_len = soft_dif_list_len(&pi->meta);
	struct soft_dif dif = {.data = pi->data, .meta = pi->meta};
	/* An interval has at most U32_MAX bytes, so only invalid @attrs make this length 0. */
	bool valid = soft_dif_wire_len(attrs, U32_MAX);

	/*
	 * The NVMe host maps a region before it fills in @attrs, which are then all zero or those
	 * of the last registration. In this case all bytes that it maps, data and protection
	 * information, go over the wire.
	 */
	if (valid && meta_len &&
	    (!memchr_inv(attrs, 0, sizeof(*attrs)) || soft_dif_register(&dif, attrs)))
		return data_len + meta_len;
	return soft_dif_wire_len(attrs, data_len);
}

int soft_pi_register(struct soft_pi *pi, const struct ib_sig_attrs *attrs, u64 len)
{
	struct soft_dif next = pi->dif;
	unsigned long flags;
	int ret;

	if (pi->is_mapped) {
		next.data = pi->data;
		next.meta = pi->meta;
	}
	ret = soft_dif_register(&next, attrs);
	if (ret)
		return ret;
	if (next.wire_len != len)
		return -EINVAL;

	if (pi->is_mapped) {
		pi->data = pi->dif.data;
		pi->meta = pi->dif.meta;
		pi->is_mapped = false;
	}
	pi->dif = next;
	spin_lock_irqsave(&pi->lock, flags);
	pi->failed = false;
	spin_unlock_irqrestore(&pi->lock, flags);
	return 0;
}

void soft_pi_copy(struct soft_pi *pi, u32 key, struct soft_dif_cursor *cursor, u64 offset,
		  void *wire, u32 len, bool in)
{
	struct ib_sig_err err;
	unsigned long flags;

	if (likely(!soft_dif_copy(&pi->dif, cursor, offset, wire, len, in, &err)))
		return;
	err.key = key;
	spin_lock_irqsave(&pi->lock, flags);
	if (!pi->failed)
		pi->err = err;
	pi->failed = true;
	spin_unlock_irqrestore(&pi->lock, flags);
}

bool soft_pi_take_error(struct soft_pi *pi, struct ib_sig_err *err)
{
	unsigned long flags;
	bool failed;

	spin_lock_irqsave(&pi->lock, flags);
	failed = pi->failed;
	if (failed)
		*err = pi->err;
	pi->failed = false;
	spin_unlock_irqrestore(&pi->lock, flags);
	return failed;
}
