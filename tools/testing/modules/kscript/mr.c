// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kscript: memory and memory regions.
 */
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "tools/testing/modules/kscript/kscript.h"

#define MAX_SIZE	(4u << 20)
#define MAX_PEEK	4096
#define MAX_PIECES	8

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

static int destroy_mr(struct ks_obj *obj)
{
	struct ks_mr *mr = to_ks_mr(obj);
	int ret = ib_dereg_mr(mr->mr);

	if (!ret)
		ks_buf_put(mr->buf);
	return ret;
}

/* Arguments of the command "mr". */
struct mr_attr {
	u32 size;
	u32 skew;
	u32 pages;
	bool filled;
	bool has_gaps;
	u32 seed;
	struct ib_pd *pd;
	const char *qp;
	int access;
};

static int parse_mr_attr(struct ks_session *s, struct ks_args *args, struct mr_attr *attr)
{
	attr->pd = ks_pd(s, args);
	attr->size = ks_needs_number(args, "size");
	attr->skew = ks_number(args, "skew", 0);
	attr->pages = ks_number(args, "pages", 0);
	attr->filled = ks_arg(args, "fill");
	attr->seed = ks_number(args, "fill", 0);
	attr->has_gaps = ks_flag(args, "gaps");
	attr->qp = ks_arg(args, "qp");
	attr->access = ks_access(args, "access");
	if (ks_args_end(args) || IS_ERR(attr->pd) || !attr->size || attr->size > MAX_SIZE ||
	    attr->skew >= PAGE_SIZE)
		return -EINVAL;
	if (!attr->pages)
		attr->pages = PAGE_ALIGN(attr->size + attr->skew) >> PAGE_SHIFT;
	return 0;
}

static struct ks_mr *new_mr(struct ks_session *s, const char *name, const struct mr_attr *attr)
{
	struct ks_mr *mr = ks_obj_new(sizeof(*mr), s, KS_MR, destroy_mr, name);
	int ret;

	if (IS_ERR(mr))
		return mr;
	mr->buf = ks_buf_new(s->base.dev, attr->size, attr->skew);
	if (IS_ERR(mr->buf)) {
		ret = PTR_ERR(mr->buf);
		goto free_mr;
	}
	if (attr->filled)
		fill(mr->buf->mem, attr->size, attr->seed);
	mr->mr = ib_alloc_mr(attr->pd, attr->has_gaps ? IB_MR_TYPE_SG_GAPS : IB_MR_TYPE_MEM_REG,
			     attr->pages);
	if (IS_ERR(mr->mr)) {
		ret = PTR_ERR(mr->mr);
		goto put_buf;
	}
	ret = ks_obj_add(&mr->obj);
	if (ret)
		goto dereg;
	return mr;

dereg:
	ib_dereg_mr(mr->mr);
put_buf:
	ks_buf_put(mr->buf);
free_mr:
	kfree(mr);
	return ERR_PTR(ret);
}

/*
 * Maps @num pieces of the buffer. If @addr is not 0, it becomes the IOVA, otherwise the IOVA is the
 * DMA address.
 */
static int map_sg(struct ks_mr *mr, struct scatterlist *sg, int num, u64 addr)
{
	int n;

	n = ib_dma_map_sg(mr->buf->dev, sg, num, DMA_BIDIRECTIONAL);
	if (n != num)
		return -EIO;
	n = ib_map_mr_sg(mr->mr, sg, num, NULL, PAGE_SIZE);
	ib_dma_unmap_sg(mr->buf->dev, sg, num, DMA_BIDIRECTIONAL);
	if (n == num && addr)
		mr->mr->iova = addr;
	return n == num ? 0 : n < 0 ? n : -EINVAL;
}

static int map(struct ks_mr *mr, u32 off, u32 len, u64 addr)
{
	struct scatterlist sg;

	sg_init_one(&sg, mr->buf->mem + off, len);
	return map_sg(mr, &sg, 1, addr);
}

/*
 * Registers what is mapped, with @key as the low byte of the rkey. A negative @key selects the next
 * key.
 */
static int reg(struct ks_session *s, struct ks_mr *mr, const char *qp_name, int access, s32 key)
{
	struct ks_obj *obj = ks_obj_get(s, KS_QP, qp_name);
	int ret;

	if (IS_ERR(obj))
		return PTR_ERR(obj);
	ib_update_fast_reg_key(mr->mr, key < 0 ? ib_inc_rkey(mr->mr->rkey) : key);
	ret = ks_wr_reg(to_ks_qp(obj), mr->mr, mr->mr->rkey, access);
	if (!ret)
		ks_report(s, "mr %s stag=0x%08x addr=0x%llx size=%llu", mr->obj.name, mr->mr->rkey,
			  mr->mr->iova, mr->mr->length);
	ks_obj_put(obj);
	return ret;
}

/* Returns the first address after the kernel's memory at which virt_addr_valid() says no. */
static u64 end_of_memory(void)
{
	void *end = (void *)PAGE_ALIGN((unsigned long)high_memory);

	while (virt_addr_valid(end))
		end += PAGE_SIZE;
	return (uintptr_t)end;
}

int ks_cmd_mr(struct ks_session *s, struct ks_args *args)
{
	struct mr_attr attr;
	struct ks_mr *mr;
	int ret = parse_mr_attr(s, args, &attr);

	if (ret)
		return ret;
	mr = new_mr(s, args->name, &attr);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	if (attr.qp)
		ret = map(mr, 0, attr.size, 0) ?: reg(s, mr, attr.qp, attr.access, -1);
	else
		ks_report(s, "mr %s stag=0x%08x addr=0x%llx size=%u end=0x%llx", args->name,
			  s->pd->unsafe_global_rkey, mr->buf->dma, attr.size, end_of_memory());
	kref_get(&mr->obj.ref);
	ks_obj_put(&mr->obj);
	if (ret)
		ks_obj_destroy(&mr->obj);
	ks_obj_unref(&mr->obj);
	return ret;
}

int ks_cmd_reg(struct ks_session *s, struct ks_args *args)
{
	const char *qp = ks_arg(args, "qp");
	int access = ks_access(args, "access");
	s32 key = ks_number(args, "key", -1);
	u64 addr = ks_number(args, "addr", 0);
	u32 len = ks_number(args, "len", 0);
	bool mapped = ks_flag(args, "mapped");
	struct ks_obj *obj;
	struct ks_mr *mr;
	int ret = 0;

	if (ks_args_end(args) || key > 255 || (mapped && (addr || len)))
		return -EINVAL;
	obj = ks_obj_get(s, KS_MR, args->name);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	mr = to_ks_mr(obj);
	if (!mapped)
		ret = len > mr->buf->size ? -ERANGE : map(mr, 0, len ?: mr->buf->size, addr);
	ret = ret ?: reg(s, mr, qp, access, key);
	ks_obj_put(obj);
	return ret;
}

/*
 * Returns the MR, which the caller releases by ks_obj_put(), or ERR_PTR. Sets @off and @len to the
 * part of the MR's buffer that off= and len= select.
 */
static struct ks_mr *get_part(struct ks_session *s, struct ks_args *args, u32 *off, u32 *len)
{
	struct ks_obj *obj;
	u64 from, length;
	u32 size;

	from = ks_number(args, "off", 0);
	ks_number(args, "len", 0);
	if (ks_args_end(args))
		return ERR_PTR(-EINVAL);
	obj = ks_obj_get(s, KS_MR, args->name);
	if (IS_ERR(obj))
		return ERR_CAST(obj);
	size = to_ks_mr(obj)->buf->size;
	length = ks_number(args, "len", from < size ? size - from : 0);
	if (from > size || length > size - from) {
		ks_obj_put(obj);
		return ERR_PTR(-ERANGE);
	}
	*off = from;
	*len = length;
	return to_ks_mr(obj);
}

/* Parses "off:len,off:len..." into a list of pieces of the buffer. Returns their number. */
static int parse_pieces(const struct ks_buf *buf, const char *text, struct scatterlist *sg)
{
	unsigned int off, len, num = 0;
	int used;

	sg_init_table(sg, MAX_PIECES);
	do {
		if (num == MAX_PIECES || sscanf(text, "%u:%u%n", &off, &len, &used) != 2)
			return -EINVAL;
		if (off > buf->size || len > buf->size - off)
			return -ERANGE;
		sg_set_buf(&sg[num++], buf->mem + off, len);
		text += used;
	} while (*text++ == ',');
	sg_mark_end(&sg[num - 1]);
	return num;
}

int ks_cmd_map(struct ks_session *s, struct ks_args *args)
{
	const char *pieces = ks_arg(args, "pieces");
	struct scatterlist sg[MAX_PIECES];
	u64 addr = ks_number(args, "addr", 0);
	struct ks_obj *obj;
	struct ks_mr *mr;
	u32 off, len;
	int ret;

	if (pieces) {
		if (ks_args_end(args))
			return -EINVAL;
		obj = ks_obj_get(s, KS_MR, args->name);
		if (IS_ERR(obj))
			return PTR_ERR(obj);
		mr = to_ks_mr(obj);
		ret = parse_pieces(mr->buf, pieces, sg);
		if (ret > 0)
			ret = map_sg(mr, sg, ret, addr);
	} else {
		mr = get_part(s, args, &off, &len);
		if (IS_ERR(mr))
			return PTR_ERR(mr);
		ret = len ? map(mr, off, len, addr) : -EINVAL;
	}
	ks_obj_put(&mr->obj);
	return ret;
}

int ks_cmd_poke(struct ks_session *s, struct ks_args *args)
{
	u64 off = ks_number(args, "off", 0);
	struct ks_obj *obj;
	struct ks_mr *mr;
	u8 *bytes;
	int ret = -EINVAL;
	u32 len;

	bytes = kmalloc(KS_MAX_LINE, GFP_KERNEL);
	if (!bytes)
		return -ENOMEM;
	len = ks_bytes(args, "hex", bytes, KS_MAX_LINE);
	if (ks_args_end(args))
		goto free;
	obj = ks_obj_get(s, KS_MR, args->name);
	ret = PTR_ERR_OR_ZERO(obj);
	if (ret)
		goto free;
	mr = to_ks_mr(obj);
	if (off > mr->buf->size || len > mr->buf->size - off)
		ret = -ERANGE;
	else
		memcpy(mr->buf->mem + off, bytes, len);
	ks_obj_put(obj);
free:
	kfree(bytes);
	return ret;
}

int ks_cmd_fill(struct ks_session *s, struct ks_args *args)
{
	u32 seed = ks_needs_number(args, "seed"), off, len;
	struct ks_mr *mr;

	mr = get_part(s, args, &off, &len);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	fill(mr->buf->mem + off, len, seed);
	ks_obj_put(&mr->obj);
	return 0;
}

int ks_cmd_peek(struct ks_session *s, struct ks_args *args)
{
	struct ks_mr *mr;
	int ret = -EINVAL;
	u32 off, len;

	mr = get_part(s, args, &off, &len);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	if (len <= MAX_PEEK) {
		ret = 0;
		ks_report_bytes(s, "hex", mr->buf->mem + off, len, "bytes %s", mr->obj.name);
	}
	ks_obj_put(&mr->obj);
	return ret;
}

int ks_cmd_check(struct ks_session *s, struct ks_args *args)
{
	u32 seed = ks_needs_number(args, "seed"), off, len, i;
	struct ks_mr *mr;
	int ret = 0;

	mr = get_part(s, args, &off, &len);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	for (i = 0; i < len && mr->buf->mem[off + i] == pattern(i, seed); i++)
		;
	if (i < len) {
		ret = -EBADMSG;
		ks_report(s, "differs %s off=%u want=0x%02x have=0x%02x", mr->obj.name, off + i,
			  pattern(i, seed), mr->buf->mem[off + i]);
	}
	ks_obj_put(&mr->obj);
	return ret;
}
