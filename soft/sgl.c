// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Iterators over scatter/gather lists.
 */
#include <linux/string.h>

#include "soft/sgl.h"
#include "soft/device.h"
#include "soft/mem.h"
#include "soft/pi.h"

/*
 * Sets the members one by one, because that costs less than to clear the whole iterator, and each
 * message uses an iterator at both ends.
 */
static void sgl_iter_reset(struct soft_sgl_iter *sgl, struct soft_device *dev,
			   const struct ib_pd *pd, const struct ib_sge *sge, int num, int access)
{
	sgl->dev = dev;
	sgl->pd = pd;
	sgl->qp = NULL;
	sgl->sge = sge;
	sgl->num = num;
	sgl->cur = 0;
	sgl->off = 0;
	sgl->mem = NULL;
	sgl->access = access;
	sgl->cursor.dif = NULL;
}

struct soft_mem *soft_sgl_iter_get_mem(struct soft_sgl_iter *sgl, struct soft_device *dev, u32 stag)
{
	struct soft_mem *mem = sgl->kept;

	/* Do not take an invalid region: it may be gone, and another region may have its STag. */
	if (!mem || READ_ONCE(mem->stag) != stag || !READ_ONCE(mem->valid))
		return soft_mem_get(dev, stag);
	sgl->kept = NULL;
	return mem;
}

/* Makes @mem the region that the iterator keeps, and takes over its reference; @mem may be NULL. */
static void sgl_keep_mem(struct soft_sgl_iter *sgl, struct soft_mem *mem)
{
	if (!mem)
		return;
	if (sgl->kept)
		soft_mem_put(sgl->kept);
	sgl->kept = mem;
}

int soft_sgl_iter_init(struct soft_sgl_iter *sgl, const struct ib_pd *pd, const struct ib_sge *sge,
		       int num, int access)
{
	struct soft_device *dev = to_soft_dev(pd->device);
	const struct ib_sge *end = sge + num;
	struct soft_mem *mem;
	int ret = 0;

	sgl_iter_reset(sgl, dev, pd, sge, num, access);
	for (; sge < end && !ret; sge++) {
		if (!sge->length)
			continue;
		/* The local DMA lkey names all kernel memory, so processes may not use it. */
		if (sge->lkey == SOFT_LOCAL_DMA_LKEY) {
			ret = pd->uobject ? -EPERM : 0;
			continue;
		}
		mem = soft_sgl_iter_get_mem(sgl, dev, sge->lkey);
		if (!mem) {
			ret = -ENOENT;
			break;
		}
		ret = soft_mem_check(mem, pd, sge->addr, sge->length, access);
		/*
		 * The iterator stands at the first entry. Its region becomes the current one, so
		 * that the first copy need not look it up again.
		 */
		if (!ret && sge == sgl->sge)
			sgl->mem = mem;
		else
			sgl_keep_mem(sgl, mem);
	}
	if (ret)
		soft_sgl_iter_exit(sgl);
	return ret;
}

void soft_sgl_iter_init_range(struct soft_sgl_iter *sgl, const struct ib_qp *qp,
			      struct soft_mem *mem, u32 stag, u64 addr, u32 len, int access)
{
	sgl_iter_reset(sgl, mem->dev, qp->pd, &sgl->one, 1, access);
	sgl->qp = qp;
	sgl->mem = mem;
	sgl->one = (struct ib_sge) { .addr = addr, .length = len, .lkey = stag };
}

void soft_sgl_iter_init_empty(struct soft_sgl_iter *sgl)
{
	sgl->mem = NULL;
	sgl->num = 0;
	sgl->cur = 0;
}

void soft_sgl_iter_exit(struct soft_sgl_iter *sgl)
{
	sgl_keep_mem(sgl, sgl->mem);
	sgl->mem = NULL;
	sgl->num = 0;
}

void soft_sgl_iter_free(struct soft_sgl_iter *sgl)
{
	soft_sgl_iter_exit(sgl);
	if (sgl->kept)
		soft_mem_put(sgl->kept);
	sgl->kept = NULL;
}

static void sgl_copy(void *memory, void *wire, u32 len, bool in)
{
	if (in)
		memcpy(memory, wire, len);
	else
		memcpy(wire, memory, len);
}

static int sgl_copy_region(struct soft_sgl_iter *sgl, const struct ib_sge *sge, void *wire, u32 len,
			   bool in)
{
	u64 addr = sge->addr + sgl->off;
	int ret;

	if (!sgl->mem) {
		sgl->mem = soft_sgl_iter_get_mem(sgl, sgl->dev, sge->lkey);
		if (!sgl->mem)
			return -ESTALE;
		/* Check the whole entry: its region may have changed since the first check. */
		if (soft_mem_check(sgl->mem, sgl->pd, sge->addr, sge->length, sgl->access))
			return -ESTALE;
	}
	ret = soft_mem_begin_access(sgl->mem, sge->lkey);
	if (ret)
		return ret;
	/* Check again: the region may have been registered anew, shorter and with the same key. */
	ret = soft_mem_check(sgl->mem, sgl->pd, addr, len, sgl->access);
	if (!ret && !soft_mem_is_for(sgl->mem, sgl->qp))
		ret = -EPERM;
	if (unlikely(sgl->mem->pi) && !ret) {
		soft_pi_copy(sgl->mem->pi, sge->lkey, &sgl->cursor, addr - sgl->mem->va, wire, len,
			     in);
		len = 0;
	}

	while (!ret && len) {
		u32 piece = len;
		void *memory = soft_mem_ptr(sgl->mem, addr, &piece);

		sgl_copy(memory, wire, piece, in);
		wire += piece;
		addr += piece;
		len -= piece;
	}
	soft_mem_end_access(sgl->mem);
	if (ret == -EPERM || ret == -EACCES)
		return ret;
	return ret ? -ESTALE : 0;
}

static int sgl_copy_list(struct soft_sgl_iter *sgl, void *wire, u32 len, bool in)
{
	while (len) {
		const struct ib_sge *sge = &sgl->sge[sgl->cur];
		u32 piece;
		int ret;

		if (sgl->cur == sgl->num)
			return -ERANGE;
		piece = min(len, sge->length - sgl->off);
		if (!piece) {
			sgl_keep_mem(sgl, sgl->mem);
			sgl->mem = NULL;
			sgl->off = 0;
			sgl->cur++;
			continue;
		}

		if (sge->lkey == SOFT_LOCAL_DMA_LKEY) {
			sgl_copy((void *)(uintptr_t)(sge->addr + sgl->off), wire, piece, in);
		} else {
			ret = sgl_copy_region(sgl, sge, wire, piece, in);
			if (ret)
				return ret;
		}
		sgl->off += piece;
		wire += piece;
		len -= piece;
	}
	return 0;
}

int soft_sgl_iter_copy_in(struct soft_sgl_iter *sgl, const void *from, u32 len)
{
	return sgl_copy_list(sgl, (void *)from, len, true);
}

int soft_sgl_iter_copy_out(struct soft_sgl_iter *sgl, void *to, u32 len)
{
	return sgl_copy_list(sgl, to, len, false);
}
