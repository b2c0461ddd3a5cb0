// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory regions, and copies between pieces of them.
 */
#include <linux/slab.h>
#include <rdma/ib_umem.h>

#include "internal.h"
#include "pi.h"

/*
 * The first numbers of regions are not used, so that the key of a region is never local_dma_lkey.
 */
#define FIRST_NUMBER	0x1000
#define LAST_NUMBER	0xffffff

static void free_entry(struct memdev_mr *mr)
{
	kvfree(mr->pages);
	kvfree(mr->next_pages);
	ib_umem_release(mr->umem);
	memdev_pi_free(mr->pi);
	kfree(mr);
}

struct memdev_mr *memdev_make_mr(struct ib_pd *pd, u32 max_pages)
{
	struct memdev_mr *mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	u32 number;
	int ret;

	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->pd = pd;
	mr->max_pages = max_pages;
	mr->pages = kvcalloc(max_pages, sizeof(*mr->pages), GFP_KERNEL);
	mr->next_pages = kvcalloc(max_pages, sizeof(*mr->next_pages), GFP_KERNEL);
	if (max_pages && (!mr->pages || !mr->next_pages)) {
		free_entry(mr);
		return ERR_PTR(-ENOMEM);
	}
	mutex_lock(&memdev_fabric.mutex);
	ret = xa_alloc(&to_memdev(pd->device)->mrs, &number, mr,
		       XA_LIMIT(FIRST_NUMBER, LAST_NUMBER), GFP_KERNEL);
	if (!ret) {
		mr->key = number << 8;
		mr->ibmr.lkey = mr->key;
		mr->ibmr.rkey = mr->key;
	}
	mutex_unlock(&memdev_fabric.mutex);
	if (!ret)
		return mr;
	free_entry(mr);
	return ERR_PTR(ret);
}

int memdev_free_mr(struct memdev_mr *mr)
{
	int ret = 0;

	mutex_lock(&memdev_fabric.mutex);
	if (mr->nr_windows)
		ret = -EBUSY;
	else
		xa_erase(&to_memdev(mr->pd->device)->mrs, mr->key >> 8);
	mutex_unlock(&memdev_fabric.mutex);
	if (!ret)
		free_entry(mr);
	return ret;
}

static struct ib_mr *get_dma_mr(struct ib_pd *pd, int access)
{
	struct memdev_mr *mr;
	int ret;

	ret = fakedev_count_call(pd->device, FAKEDEV_GET_DMA_MR);
	if (ret)
		return ERR_PTR(ret);
	mr = memdev_make_mr(pd, 0);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mutex_lock(&memdev_fabric.mutex);
	mr->all_memory = true;
	mr->access = access;
	mr->valid = true;
	mutex_unlock(&memdev_fabric.mutex);
	return &mr->ibmr;
}

static struct ib_mr *alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg)
{
	struct memdev_mr *mr;
	int ret;

	ret = fakedev_count_call(pd->device, FAKEDEV_ALLOC_MR);
	if (ret)
		return ERR_PTR(ret);
	mr = memdev_make_mr(pd, max_num_sg);
	return IS_ERR(mr) ? ERR_CAST(mr) : &mr->ibmr;
}

static int dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	return fakedev_count_call(ibmr->device, FAKEDEV_DEREG_MR) ?:
	       memdev_free_mr(to_memdev_mr(ibmr));
}

static int set_page(struct ib_mr *ibmr, u64 addr)
{
	struct memdev_mr *mr = to_memdev_mr(ibmr);

	if (mr->nr_next == mr->max_pages)
		return -ENOMEM;
	mr->next_pages[mr->nr_next++] = addr;
	return 0;
}

static int map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents, unsigned int *offset)
{
	int ret;

	ret = fakedev_count_call(ibmr->device, FAKEDEV_MAP_MR_SG);
	if (ret)
		return ret;
	to_memdev_mr(ibmr)->nr_next = 0;
	return ib_sg_to_pages(ibmr, sg, nents, offset, set_page);
}

bool memdev_register(struct ib_pd *pd, const struct memdev_wqe *wqe)
{
	struct memdev_mr *mr = xa_load(&to_memdev(pd->device)->mrs, wqe->key >> 8);
	bool with_pi = wqe->wr.opcode == IB_WR_REG_MR_INTEGRITY;

	if (!mr || &mr->ibmr != wqe->mr || mr->pd != pd || mr->valid || !mr->pi == with_pi)
		return false;
	if (with_pi) {
		/* Atomic operations and windows work on pages. */
		if (wqe->access & (IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_MW_BIND) ||
		    !memdev_pi_register(mr->pi, mr->ibmr.sig_attrs, mr->ibmr.length, wqe->key))
			return false;
	} else {
		if (!mr->nr_next)
			return false;
		swap(mr->pages, mr->next_pages);
		mr->nr_next = 0;
		mr->page_size = mr->ibmr.page_size;
	}
	mr->iova = mr->ibmr.iova;
	mr->length = mr->ibmr.length;
	mr->key = wqe->key;
	mr->access = wqe->access;
	mr->valid = true;
	return true;
}

struct memdev_mr *memdev_find_mr(struct ib_pd *pd, u32 key)
{
	struct memdev_mr *mr = xa_load(&to_memdev(pd->device)->mrs, key >> 8);

	lockdep_assert_held(&memdev_fabric.mutex);
	/* The last mapping of an FMR becomes the present one. */
	spin_lock_irq(&memdev_fabric.lock);
	if (mr && mr->is_fmr && mr->nr_next) {
		swap(mr->pages, mr->next_pages);
		mr->key = mr->next_key;
		mr->iova = mr->next_iova;
		mr->length = (u64)mr->nr_next * mr->page_size;
		mr->valid = true;
		mr->nr_next = 0;
	}
	spin_unlock_irq(&memdev_fabric.lock);
	return mr && mr->valid && mr->key == key && mr->pd == pd ? mr : NULL;
}

bool memdev_in_bounds(const struct memdev_mr *mr, u64 addr, u64 length)
{
	return mr->all_memory ||
	       (addr >= mr->iova && length <= mr->length && addr - mr->iova <= mr->length - length);
}

static struct memdev_piece *add_piece(struct memdev_span *span, const struct memdev_mr *mr,
				      u64 addr, u32 length)
{
	struct memdev_piece *piece = &span->pieces[span->nr_pieces++];

	*piece = (struct memdev_piece) { .mr = mr, .addr = addr, .length = length };
	span->length += length;
	return piece;
}

/*
 * Adds a part of a region, or of a window: only peers use windows, and one of type 2 by the QP that
 * has bound it. @qp is the QP of the peer's message, or NULL.
 */
static int add_region(struct memdev_span *span, const struct memdev_qp *qp, struct ib_pd *pd,
		      u32 key, u64 addr, u32 length, int access)
{
	bool writes = access & (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE);
	const struct memdev_mr *mr = memdev_find_mr(pd, key);
	struct memdev_piece *piece;

	if (!mr || (access & ~mr->access) || !memdev_in_bounds(mr, addr, length))
		return -EACCES;
	if (mr->window && (!qp || (mr->window != IB_MW_TYPE_1 && mr->qp != qp)))
		return -EACCES;
	/* The addresses of a window are those of its region. */
	if (mr->parent)
		mr = mr->parent;
	if (!mr->pi) {
		add_piece(span, mr->all_memory ? NULL : mr, addr, length);
		return 0;
	}
	/*
	 * Bytes on the wire of a region with protection information are made now if they are read,
	 * and stored by memdev_copy() if they are written.
	 */
	addr -= mr->iova;
	if (!writes)
		memdev_pi_copy(mr->pi, addr, length, false);
	piece = add_piece(span, NULL, (uintptr_t)memdev_pi_wire(mr->pi, addr), length);
	if (writes) {
		piece->pi = mr->pi;
		piece->stored = piece->addr;
	}
	return 0;
}

int memdev_span_local(struct memdev_span *span, struct ib_pd *pd, const struct ib_sge *sge, int nr,
		      int access)
{
	int i, ret = 0;

	*span = (struct memdev_span) {};
	for (i = 0; i < nr && !ret; i++) {
		if (!sge[i].length)
			continue;
		if (sge[i].lkey == pd->device->local_dma_lkey)
			add_piece(span, NULL, sge[i].addr, sge[i].length);
		else
			ret = add_region(span, NULL, pd, sge[i].lkey, sge[i].addr, sge[i].length,
					 access);
	}
	return ret;
}

int memdev_span_remote(struct memdev_span *span, const struct memdev_qp *qp, struct ib_pd *pd,
		       u64 addr, u64 length, u32 rkey, int access)
{
	*span = (struct memdev_span) {};
	/* The key of a message without data is not looked at. */
	return length ? add_region(span, qp, pd, rkey, addr, length, access) : 0;
}

void memdev_span_kernel(struct memdev_span *span, void *data, u64 length)
{
	*span = (struct memdev_span) {};
	if (length)
		add_piece(span, NULL, (uintptr_t)data, length);
}

/* Returns the address of the first byte, and in @length the number of contiguous bytes. */
static void *first_bytes(const struct memdev_span *span, u64 *length)
{
	const struct memdev_piece *piece = &span->pieces[span->first];
	const struct memdev_mr *mr = piece->mr;
	u64 offset, in_page;

	*length = piece->length;
	if (!mr)
		return (void *)(uintptr_t)piece->addr;
	/* The first byte of the region is @iova modulo @page_size bytes into the first page. */
	offset = piece->addr - mr->iova + (mr->iova & (mr->page_size - 1));
	in_page = offset & (mr->page_size - 1);
	*length = min_t(u64, *length, mr->page_size - in_page);
	return (void *)(uintptr_t)(mr->pages[offset >> ilog2(mr->page_size)] + in_page);
}

/* Passes over bytes of the first piece. */
static void pass(struct memdev_span *span, u32 length)
{
	struct memdev_piece *piece = &span->pieces[span->first];

	piece->addr += length;
	piece->length -= length;
	span->length -= length;
	if (!piece->length)
		span->first++;
}

void memdev_copy(struct memdev_span *to, struct memdev_span *from, u64 length)
{
	struct memdev_piece *piece;
	u64 some, room;
	void *dest, *src;

	for (; length; length -= some) {
		dest = first_bytes(to, &room);
		src = first_bytes(from, &some);
		some = min3(some, room, length);
		memmove(dest, src, some);
		pass(to, some);
		pass(from, some);
		cond_resched();
	}
	/* Store what was written to regions with protection information. */
	for (piece = to->pieces; piece < to->pieces + to->nr_pieces; piece++) {
		if (!piece->pi || piece->stored == piece->addr)
			continue;
		memdev_pi_copy(piece->pi, piece->stored - (uintptr_t)memdev_pi_wire(piece->pi, 0),
			       piece->addr - piece->stored, true);
		piece->stored = piece->addr;
	}
}

const struct ib_device_ops memdev_mem_ops = {
	.alloc_mr = alloc_mr,
	.dereg_mr = dereg_mr,
	.get_dma_mr = get_dma_mr,
	.map_mr_sg = map_mr_sg,
};
