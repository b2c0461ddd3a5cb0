// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Protection information of a region.
 */
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "pi.h"
#include "tools/testing/unit/dif_model.h"

#define PI_BYTES	8

struct part {
	u8 *addr;
	u32 length;
};

struct list {
	struct part *parts;
	u32 nr;
	u64 length;
};

/**
 * struct memdev_pi - protection information of a region
 * @data: data of the registration
 * @meta: protection information in memory
 * @next_data: data that was mapped last
 * @next_meta: the same of protection information
 * @is_mapped: the lists were mapped after the last registration
 * @max_data: room for data in pages, and in elements of a list
 * @max_meta: the same of protection information
 * @model: rules of the registration; its memory is a copy of what the lists have
 * @wire: bytes on the wire
 * @room: number of bytes at @wire
 * @key: key of the region
 * @lock: protects @failed and @err
 * @failed: an error was not reported yet
 * @err: the first error
 */
struct memdev_pi {
	struct list data, meta;
	struct list next_data, next_meta;
	bool is_mapped;
	u32 max_data, max_meta;
	struct dif_model model;
	u8 *wire;
	u64 room;
	u32 key;
	spinlock_t lock;	/* protects @failed and @err */
	bool failed;
	struct ib_sig_err err;
};

struct memdev_pi *memdev_pi_alloc(u32 max_data, u32 max_meta)
{
	struct memdev_pi *pi = kzalloc(sizeof(*pi), GFP_KERNEL);

	if (!pi)
		return NULL;
	spin_lock_init(&pi->lock);
	pi->max_data = max_data;
	pi->max_meta = max_meta;
	pi->room = (u64)(max_data + max_meta) * PAGE_SIZE;
	pi->data.parts = kcalloc(max_data, sizeof(struct part), GFP_KERNEL);
	pi->meta.parts = kcalloc(max_meta, sizeof(struct part), GFP_KERNEL);
	pi->next_data.parts = kcalloc(max_data, sizeof(struct part), GFP_KERNEL);
	pi->next_meta.parts = kcalloc(max_meta, sizeof(struct part), GFP_KERNEL);
	pi->model.data = kvcalloc(max_data, PAGE_SIZE, GFP_KERNEL);
	pi->model.meta = kvcalloc(max_meta, PAGE_SIZE, GFP_KERNEL);
	pi->wire = kvcalloc(max_data + max_meta, PAGE_SIZE, GFP_KERNEL);
	if (pi->data.parts && pi->meta.parts && pi->next_data.parts && pi->next_meta.parts &&
	    pi->model.data && pi->model.meta && pi->wire)
		return pi;
	memdev_pi_free(pi);
	return NULL;
}

void memdev_pi_free(struct memdev_pi *pi)
{
	if (!pi)
		return;
	kfree(pi->data.parts);
	kfree(pi->meta.parts);
	kfree(pi->next_data.parts);
	kfree(pi->next_meta.parts);
	kvfree(pi->model.data);
	kvfree(pi->model.meta);
	kvfree(pi->wire);
	kfree(pi);
}

/* Returns false if the list has more than @max elements or pages, or less than the offset. */
static bool fill(struct list *list, u32 max, const struct memdev_sg *from)
{
	unsigned int skip = from->offset;
	struct scatterlist *sg;
	int i;

	list->nr = 0;
	list->length = 0;
	for_each_sg(from->sg, sg, from->nents, i) {
		if (skip > sg_dma_len(sg) || list->nr == max)
			return false;
		list->parts[list->nr++] = (struct part) {
			.addr = (u8 *)(uintptr_t)sg_dma_address(sg) + skip,
			.length = sg_dma_len(sg) - skip,
		};
		list->length += sg_dma_len(sg) - skip;
		skip = 0;
	}
	return list->length <= (u64)max * PAGE_SIZE;
}

static bool domain_valid(const struct ib_sig_domain *domain)
{
	return domain->sig_type == IB_SIG_TYPE_NONE ||
	       (domain->sig_type == IB_SIG_TYPE_T10_DIF && domain->sig.dif.pi_interval &&
		(domain->sig.dif.bg_type == IB_T10DIF_CRC ||
		 domain->sig.dif.bg_type == IB_T10DIF_CSUM));
}

/* Fills in the intervals. Returns the length on the wire, or 0 if the lists do not fit. */
static u64 divide(struct dif_model *model, const struct ib_sig_attrs *attrs,
		  const struct list *data, const struct list *meta)
{
	const struct ib_sig_domain *mem = &attrs->mem, *wire = &attrs->wire;
	u32 interval = data->length;

	if (!domain_valid(mem) || !domain_valid(wire) || !data->length)
		return 0;
	if (mem->sig_type && wire->sig_type &&
	    mem->sig.dif.pi_interval != wire->sig.dif.pi_interval)
		return 0;
	if (mem->sig_type || wire->sig_type)
		interval = (mem->sig_type ? mem : wire)->sig.dif.pi_interval;
	if (data->length % interval)
		return 0;
	model->attrs = *attrs;
	model->interval = interval;
	model->num = data->length / interval;
	if (mem->sig_type && meta->length < (u64)model->num * PI_BYTES)
		return 0;
	return (u64)model->num * model_stride(model);
}

u64 memdev_pi_map(struct memdev_pi *pi, const struct memdev_sg *data, const struct memdev_sg *meta,
		  const struct ib_sig_attrs *attrs, u64 *addr)
{
	struct dif_model model;
	u64 length = 0;

	pi->is_mapped = true;
	if (!fill(&pi->next_data, pi->max_data, data) ||
	    !fill(&pi->next_meta, pi->max_meta, meta)) {
		pi->next_data.length = 0;
		return 0;
	}
	/* Without rules yet, the wire will have all that is mapped. */
	if (pi->next_meta.length && !memchr_inv(attrs, 0, sizeof(*attrs)))
		length = pi->next_data.length + pi->next_meta.length;
	else
		length = divide(&model, attrs, &pi->next_data, &pi->next_meta);
	*addr = (uintptr_t)pi->next_data.parts[0].addr;
	return length <= pi->room ? length : 0;
}

bool memdev_pi_register(struct memdev_pi *pi, const struct ib_sig_attrs *attrs, u64 length, u32 key)
{
	const struct list *data = pi->is_mapped ? &pi->next_data : &pi->data;
	const struct list *meta = pi->is_mapped ? &pi->next_meta : &pi->meta;
	struct dif_model model = pi->model;

	if (divide(&model, attrs, data, meta) != length || length > pi->room || !length)
		return false;
	if (pi->is_mapped) {
		swap(pi->data, pi->next_data);
		swap(pi->meta, pi->next_meta);
		pi->is_mapped = false;
	}
	pi->model = model;
	pi->key = key;
	memdev_pi_take_error(pi, &(struct ib_sig_err) {});
	return true;
}

void *memdev_pi_wire(struct memdev_pi *pi, u64 offset)
{
	return pi->wire + offset;
}

/* Copies between the elements of a list and flat memory. */
static void transfer(const struct list *list, u8 *flat, bool to_list)
{
	const struct part *part;

	for (part = list->parts; part < list->parts + list->nr; flat += part++->length)
		if (to_list)
			memcpy(part->addr, flat, part->length);
		else
			memcpy(flat, part->addr, part->length);
}

void memdev_pi_copy(struct memdev_pi *pi, u64 offset, u32 length, bool in)
{
	struct ib_sig_err err;
	unsigned long flags;

	transfer(&pi->data, pi->model.data, false);
	transfer(&pi->meta, pi->model.meta, false);
	if (model_copy(&pi->model, offset, pi->wire + offset, length, in, &err)) {
		err.key = pi->key;
		spin_lock_irqsave(&pi->lock, flags);
		if (!pi->failed)
			pi->err = err;
		pi->failed = true;
		spin_unlock_irqrestore(&pi->lock, flags);
	}
	if (!in)
		return;
	transfer(&pi->data, pi->model.data, true);
	if (pi->model.attrs.mem.sig_type)
		transfer(&pi->meta, pi->model.meta, true);
}

bool memdev_pi_take_error(struct memdev_pi *pi, struct ib_sig_err *err)
{
	unsigned long flags;
	bool failed;

	spin_lock_irqsave(&pi->lock, flags);
	failed = pi->failed;
	pi->failed = false;
	if (failed)
		*err = pi->err;
	spin_unlock_irqrestore(&pi->lock, flags);
	return failed;
}
