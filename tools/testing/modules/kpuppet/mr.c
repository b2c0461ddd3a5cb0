// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kpuppet: memory and memory regions.
 */
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "tools/testing/modules/kpuppet/kpuppet.h"

#define MAX_SIZE	(4u << 20)
#define MAX_PEEK	4096

static struct kp_mr *to_mr(struct kp_obj *obj)
{
	return container_of(obj, struct kp_mr, obj);
}

static void free_buf(struct kref *ref)
{
	struct kp_buf *buf = container_of(ref, struct kp_buf, ref);

	ib_dma_unmap_single(buf->dev, buf->dma, buf->size, DMA_BIDIRECTIONAL);
	free_pages_exact(buf->pages, buf->room);
	kfree(buf);
}

void kp_buf_put(struct kp_buf *buf)
{
	kref_put(&buf->ref, free_buf);
}

static struct kp_buf *new_buf(struct ib_device *dev, u32 size, u32 skew)
{
	struct kp_buf *buf = kzalloc(sizeof(*buf), GFP_KERNEL);

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

static u8 pattern(u32 i, u32 seed)
{
	return seed + i + (i >> 8);
}

static void fill(u8 *mem, u32 len, u32 seed)
{
	u32 i;

	for (i = 0; i < len; i++)
		mem[i] = pattern(i, seed);
}

void kp_mr_free(struct kp_obj *obj)
{
	kfree(to_mr(obj));
}

int kp_mr_destroy(struct kp_obj *obj)
{
	struct kp_mr *mr = to_mr(obj);
	int ret = ib_dereg_mr(mr->mr);

	if (!ret)
		kp_buf_put(mr->buf);
	return ret;
}

/* What "mr" asks for. */
struct wish {
	u32 size;
	u32 skew;
	u32 pages;
	bool filled;
	u32 seed;
	struct ib_pd *pd;
	const char *qp;
	int access;
};

static int parse_wish(struct kp_session *s, struct kp_args *args, struct wish *wish)
{
	wish->pd = kp_pd(s, args);
	wish->size = kp_needs_number(args, "size");
	wish->skew = kp_number(args, "skew", 0);
	wish->pages = kp_number(args, "pages", 0);
	wish->filled = kp_arg(args, "fill");
	wish->seed = kp_number(args, "fill", 0);
	wish->qp = kp_arg(args, "qp");
	wish->access = kp_access(args, "access");
	if (kp_args_end(args) || IS_ERR(wish->pd) || !wish->size || wish->size > MAX_SIZE ||
	    wish->skew >= PAGE_SIZE)
		return -EINVAL;
	if (!wish->pages)
		wish->pages = PAGE_ALIGN(wish->size + wish->skew) >> PAGE_SHIFT;
	return 0;
}

static struct kp_mr *new_mr(struct kp_session *s, const char *name, const struct wish *wish)
{
	struct kp_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	int ret;

	if (!mr)
		return ERR_PTR(-ENOMEM);
	ret = kp_obj_init(&mr->obj, s, KP_MR, name);
	if (ret)
		goto free_mr;
	mr->buf = new_buf(s->dev, wish->size, wish->skew);
	if (IS_ERR(mr->buf)) {
		ret = PTR_ERR(mr->buf);
		goto free_mr;
	}
	if (wish->filled)
		fill(mr->buf->mem, wish->size, wish->seed);
	mr->mr = ib_alloc_mr(wish->pd, IB_MR_TYPE_MEM_REG, wish->pages);
	if (IS_ERR(mr->mr)) {
		ret = PTR_ERR(mr->mr);
		goto put_buf;
	}
	ret = kp_obj_add(&mr->obj);
	if (ret)
		goto dereg;
	return mr;

dereg:
	ib_dereg_mr(mr->mr);
put_buf:
	kp_buf_put(mr->buf);
free_mr:
	kfree(mr);
	return ERR_PTR(ret);
}

static int map(struct kp_mr *mr, u32 len)
{
	struct scatterlist sg;
	int n;

	sg_init_one(&sg, mr->buf->mem, len);
	n = ib_dma_map_sg(mr->buf->dev, &sg, 1, DMA_BIDIRECTIONAL);
	if (n != 1)
		return -EIO;
	n = ib_map_mr_sg(mr->mr, &sg, 1, NULL, PAGE_SIZE);
	ib_dma_unmap_sg(mr->buf->dev, &sg, 1, DMA_BIDIRECTIONAL);
	return n == 1 ? 0 : n < 0 ? n : -EINVAL;
}

/* @key: < 0: the next one. @addr: where peers see it, 0: as it is mapped. */
static int reg(struct kp_session *s, struct kp_mr *mr, const char *qp_name, int access, s32 key,
	       u64 addr, u32 len)
{
	struct kp_obj *obj = kp_obj_get(s, KP_QP, qp_name);
	int ret;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	ret = map(mr, len);
	if (ret)
		goto out;
	if (addr)
		mr->mr->iova = addr;
	ib_update_fast_reg_key(mr->mr, key < 0 ? ib_inc_rkey(mr->mr->rkey) : key);
	ret = kp_wr_reg(container_of(obj, struct kp_qp, obj), mr->mr, mr->mr->rkey, access);
	if (!ret)
		kp_report(s, "mr %s stag=0x%08x addr=0x%llx size=%u", mr->obj.name, mr->mr->rkey,
			  mr->mr->iova, len);
out:
	kp_obj_put(obj);
	return ret;
}

int kp_cmd_mr(struct kp_session *s, struct kp_args *args)
{
	struct wish wish;
	struct kp_mr *mr;
	int ret = parse_wish(s, args, &wish);

	if (ret)
		return ret;
	mr = new_mr(s, args->name, &wish);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	if (wish.qp)
		ret = reg(s, mr, wish.qp, wish.access, -1, 0, wish.size);
	else
		kp_report(s, "mr %s stag=0x%08x addr=0x%llx size=%u", args->name,
			  s->pd->unsafe_global_rkey, mr->buf->dma, wish.size);
	kref_get(&mr->obj.ref);
	kp_obj_put(&mr->obj);
	if (ret)
		kp_obj_destroy(&mr->obj);
	kp_obj_unfind(&mr->obj);
	return ret;
}

int kp_cmd_reg(struct kp_session *s, struct kp_args *args)
{
	const char *qp = kp_arg(args, "qp");
	int access = kp_access(args, "access");
	s32 key = kp_number(args, "key", -1);
	u64 addr = kp_number(args, "addr", 0);
	u32 len = kp_number(args, "len", 0);
	struct kp_obj *obj;
	struct kp_mr *mr;
	int ret;

	if (kp_args_end(args) || key > 255)
		return -EINVAL;
	obj = kp_obj_get(s, KP_MR, args->name);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	mr = to_mr(obj);
	ret = len > mr->buf->size ? -ERANGE :
	      reg(s, mr, qp, access, key, addr, len ?: mr->buf->size);
	kp_obj_put(obj);
	return ret;
}

/* The part of a buffer that off= and len= name; to be given back with kp_obj_put(). */
static struct kp_mr *get_part(struct kp_session *s, struct kp_args *args, u32 *off, u32 *len)
{
	struct kp_obj *obj;
	u64 from, length;
	u32 size;

	if (kp_args_end(args))
		return ERR_PTR(-EINVAL);
	from = kp_number(args, "off", 0);
	obj = kp_obj_get(s, KP_MR, args->name);
	if (IS_ERR(obj))
		return ERR_CAST(obj);
	size = to_mr(obj)->buf->size;
	length = kp_number(args, "len", from < size ? size - from : 0);
	if (from > size || length > size - from) {
		kp_obj_put(obj);
		return ERR_PTR(-ERANGE);
	}
	*off = from;
	*len = length;
	return to_mr(obj);
}

/* Marks the words that get_part() asks for. */
static void use_part(struct kp_args *args)
{
	kp_number(args, "off", 0);
	kp_number(args, "len", 0);
}

int kp_cmd_poke(struct kp_session *s, struct kp_args *args)
{
	u64 off = kp_number(args, "off", 0);
	struct kp_obj *obj;
	struct kp_mr *mr;
	u8 *bytes;
	int ret = -EINVAL;
	u32 len;

	bytes = kmalloc(KP_MAX_LINE, GFP_KERNEL);
	if (!bytes)
		return -ENOMEM;
	len = kp_bytes(args, "hex", bytes, KP_MAX_LINE);
	if (kp_args_end(args))
		goto free;
	obj = kp_obj_get(s, KP_MR, args->name);
	ret = PTR_ERR_OR_ZERO(obj);
	if (ret)
		goto free;
	mr = to_mr(obj);
	if (off > mr->buf->size || len > mr->buf->size - off)
		ret = -ERANGE;
	else
		memcpy(mr->buf->mem + off, bytes, len);
	kp_obj_put(obj);
free:
	kfree(bytes);
	return ret;
}

int kp_cmd_fill(struct kp_session *s, struct kp_args *args)
{
	u32 seed = kp_needs_number(args, "seed"), off, len;
	struct kp_mr *mr;

	use_part(args);
	mr = get_part(s, args, &off, &len);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	fill(mr->buf->mem + off, len, seed);
	kp_obj_put(&mr->obj);
	return 0;
}

int kp_cmd_peek(struct kp_session *s, struct kp_args *args)
{
	struct kp_mr *mr;
	int ret = -EINVAL;
	u32 off, len;

	use_part(args);
	mr = get_part(s, args, &off, &len);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	if (len <= MAX_PEEK) {
		ret = 0;
		kp_report_bytes(s, "hex", mr->buf->mem + off, len, "bytes %s", mr->obj.name);
	}
	kp_obj_put(&mr->obj);
	return ret;
}

int kp_cmd_check(struct kp_session *s, struct kp_args *args)
{
	u32 seed = kp_needs_number(args, "seed"), off, len, i;
	struct kp_mr *mr;
	int ret = 0;

	use_part(args);
	mr = get_part(s, args, &off, &len);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	for (i = 0; i < len && mr->buf->mem[off + i] == pattern(i, seed); i++)
		;
	if (i < len) {
		ret = -EBADMSG;
		kp_report(s, "differs %s off=%u want=0x%02x have=0x%02x", mr->obj.name, off + i,
			  pattern(i, seed), mr->buf->mem[off + i]);
	}
	kp_obj_put(&mr->obj);
	return ret;
}
