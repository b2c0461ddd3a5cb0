// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kscript: fast memory regions.
 */
#include <linux/irq_work.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "tools/testing/modules/kscript/kscript.h"

struct ks_fmr {
	struct ks_obj obj;
	struct ib_fmr *fmr;
	struct ks_buf *buf;	/* of the last mapping, with a reference; NULL if never mapped */
};

static struct ks_fmr *to_fmr(struct ks_obj *obj)
{
	return container_of(obj, struct ks_fmr, obj);
}

static int destroy_fmr(struct ks_obj *obj)
{
	struct ks_fmr *fmr = to_fmr(obj);
	int ret = ib_dealloc_fmr(fmr->fmr);

	if (!ret && fmr->buf)
		ks_buf_put(fmr->buf);
	return ret;
}

static void report_fmr(const struct ks_fmr *fmr, u64 addr, u64 size)
{
	ks_report(fmr->obj.s, "mr %s stag=0x%08x addr=0x%llx size=%llu", fmr->obj.name,
		  fmr->fmr->rkey, addr, size);
}

int ks_cmd_fmr(struct ks_session *s, struct ks_args *args)
{
	struct ib_fmr_attr attr = {
		.max_pages = ks_needs_number(args, "pages"),
		.max_maps = ks_number(args, "maps", 32),
		.page_shift = PAGE_SHIFT,
	};
	int access = ks_access(args, "access");
	struct ib_pd *pd = ks_pd(s, args);
	struct ks_fmr *fmr;
	int ret;

	if (ks_args_end(args) || IS_ERR(pd))
		return -EINVAL;
	fmr = ks_obj_new(sizeof(*fmr), s, KS_FMR, destroy_fmr, args->name);
	if (IS_ERR(fmr))
		return PTR_ERR(fmr);
	fmr->fmr = ib_alloc_fmr(pd, access, &attr);
	if (IS_ERR(fmr->fmr)) {
		ret = PTR_ERR(fmr->fmr);
		goto free_fmr;
	}
	ret = ks_obj_add(&fmr->obj);
	if (ret)
		goto dealloc;
	report_fmr(fmr, 0, 0);
	ks_obj_put(&fmr->obj);
	return 0;

dealloc:
	ib_dealloc_fmr(fmr->fmr);
free_fmr:
	kfree(fmr);
	return ret;
}

/* A call of ib_map_phys_fmr() in a hard interrupt. */
struct irq_map {
	struct irq_work work;
	struct ks_fmr *fmr;
	u64 *pages;
	int num;
	u64 addr;
	int ret;
};

static void map_in_irq(struct irq_work *work)
{
	struct irq_map *map = container_of(work, struct irq_map, work);

	map->ret = ib_map_phys_fmr(map->fmr->fmr, map->pages, map->num, map->addr);
}

/* Arguments of the command "fmap". */
struct fmap {
	u64 off;
	u64 len;
	u64 addr;
	bool reverse;
	bool in_irq;
};

static int map_buf(struct ks_fmr *fmr, struct ks_buf *buf, struct fmap *map)
{
	struct irq_map call = { .fmr = fmr, .addr = map->addr };
	int num, i, ret;
	u64 *pages;

	map->len = map->len ?: buf->size - map->off;
	if (map->off > buf->size || map->len > buf->size - map->off)
		return -ERANGE;
	num = map->len >> PAGE_SHIFT;
	pages = kvcalloc(num + 1, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	for (i = 0; i < num; i++)
		pages[map->reverse ? num - 1 - i : i] = buf->dma + map->off + i * PAGE_SIZE;
	call.pages = pages;
	call.num = num;
	if (map->in_irq) {
		call.work = IRQ_WORK_INIT_HARD(map_in_irq);
		irq_work_queue(&call.work);
		irq_work_sync(&call.work);
	} else {
		map_in_irq(&call.work);
	}
	ret = call.ret;
	kvfree(pages);
	if (ret)
		return ret;
	kref_get(&buf->ref);
	if (fmr->buf)
		ks_buf_put(fmr->buf);
	fmr->buf = buf;
	report_fmr(fmr, map->addr, map->len);
	return 0;
}

int ks_cmd_fmap(struct ks_session *s, struct ks_args *args)
{
	const char *mr_name = ks_arg(args, "mr");
	struct fmap map = {
		.off = ks_number(args, "off", 0),
		.len = ks_number(args, "len", 0),
		.addr = ks_number(args, "addr", 0x10000),
		.reverse = ks_flag(args, "reverse"),
		.in_irq = ks_flag(args, "irq"),
	};
	struct ks_obj *fmr, *mr;
	int ret;

	if (ks_args_end(args))
		return -EINVAL;
	fmr = ks_obj_get(s, KS_FMR, args->name);
	if (IS_ERR(fmr))
		return PTR_ERR(fmr);
	mr = ks_obj_get(s, KS_MR, mr_name);
	ret = PTR_ERR_OR_ZERO(mr);
	if (!ret) {
		ret = map_buf(to_fmr(fmr), to_ks_mr(mr)->buf, &map);
		ks_obj_put(mr);
	}
	ks_obj_put(fmr);
	return ret;
}

int ks_cmd_funmap(struct ks_session *s, struct ks_args *args)
{
	const char *and = ks_arg(args, "and");
	struct ks_obj *one, *two = NULL;
	LIST_HEAD(list);
	int ret;

	/* Objects of a kind are locked in the order of their names. */
	if (ks_args_end(args) || (and && args->name && strcmp(args->name, and) >= 0))
		return -EINVAL;
	one = ks_obj_get(s, KS_FMR, args->name);
	if (IS_ERR(one))
		return PTR_ERR(one);
	if (and)
		two = ks_obj_get_second(s, KS_FMR, and);
	ret = PTR_ERR_OR_ZERO(two);
	if (!ret) {
		list_add_tail(&to_fmr(one)->fmr->list, &list);
		if (two)
			list_add_tail(&to_fmr(two)->fmr->list, &list);
		ret = ib_unmap_fmr(&list);
		if (two)
			list_del_init(&to_fmr(two)->fmr->list);
		list_del_init(&to_fmr(one)->fmr->list);
	}
	if (!IS_ERR_OR_NULL(two))
		ks_obj_put(two);
	ks_obj_put(one);
	return ret;
}
