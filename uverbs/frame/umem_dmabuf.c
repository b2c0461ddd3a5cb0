// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Parts of DMA-BUFs, mapped for a device.
 *
 * The exporter maps the whole DMA-BUF, and owns the table of that mapping. The umem has a table of
 * its own, which describes the pages that the part touches by their DMA addresses only.
 *
 * An exporter may take any time to move the memory; fences in the DMA-BUF's reservation say when
 * the move is done. The removal of a device waits for the operations of its provider. An operation
 * that finds a fence therefore waits FENCE_WAIT at most, and then fails with -EAGAIN. The call of
 * the process then waits without holding up the removal, and runs the operation again.
 */
#include "uverbs/frame/umem_dmabuf.h"

#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>
#include <rdma/uverbs_ioctl.h>

#include "uverbs/frame/pin.h"

/*
 * How long an operation waits for a fence, and how long a call waits before its next run finds out
 * whether the device was removed.
 */
#define FENCE_WAIT	msecs_to_jiffies(100)

/*
 * MODULE_IMPORT_NS() is written out, because the macro takes a string in newer kernels and a name
 * in older ones.
 */
MODULE_INFO(import_ns, "DMA_BUF");

static enum dma_data_direction dmabuf_direction(const struct ib_umem_dmabuf *umem_dmabuf)
{
	return umem_dmabuf->umem.writable ? DMA_BIDIRECTIONAL : DMA_TO_DEVICE;
}

/*
 * Finds the part of the bytes [@pos, @pos + @len) of the DMA-BUF that lies in the umem's pages.
 * Sets @skip to the number of bytes before the part, and @part to its length. Returns false if
 * there is no such part.
 */
static bool clip(const struct ib_umem *umem, u64 pos, u64 len, u64 *skip, u64 *part)
{
	u64 begin = max(pos, (u64)umem->address & PAGE_MASK);
	u64 end = min(pos + len, PAGE_ALIGN((u64)umem->address + umem->length));

	if (begin >= end)
		return false;
	*skip = begin - pos;
	*part = end - begin;
	return true;
}

/* Fills the umem's table with the umem's part of the exporter's mapping. */
static int cut_table(struct ib_umem *umem, struct sg_table *whole)
{
	struct sg_table *table = &umem->sgt_append.sgt;
	u64 pos = 0, found = 0, skip, part;
	struct scatterlist *sg, *out;
	unsigned int i, nents = 0;
	int err;

	for_each_sgtable_dma_sg(whole, sg, i) {
		if (clip(umem, pos, sg_dma_len(sg), &skip, &part)) {
			nents++;
			found += part;
		}
		pos += sg_dma_len(sg);
	}
	if (found < ib_umem_offset(umem) + umem->length)
		return -EINVAL;
	err = sg_alloc_table(table, nents, GFP_KERNEL_ACCOUNT);
	if (err)
		return err;
	out = table->sgl;
	pos = 0;
	for_each_sgtable_dma_sg(whole, sg, i) {
		if (clip(umem, pos, sg_dma_len(sg), &skip, &part)) {
			sg_dma_address(out) = sg_dma_address(sg) + skip;
			sg_dma_len(out) = part;
			out = sg_next(out);
		}
		pos += sg_dma_len(sg);
	}
	return 0;
}

/* Makes the call wait for a DMA-BUF, and run again. Returns -EAGAIN. */
static int want_dmabuf(struct uverbs_pin *pin, struct dma_buf *dmabuf)
{
	if (!pin->dmabuf) {
		get_dma_buf(dmabuf);
		pin->dmabuf = dmabuf;
	}
	return -EAGAIN;
}

/*
 * Returns -EAGAIN if an operation of a call would have to wait. There are two reasons to wait:
 * somebody else holds the reservation lock, which attaching and detaching take; or the exporter is
 * moving the memory. If such a reason arises only after this check, the operation does wait.
 */
static int check_ready(struct dma_buf *dmabuf)
{
	struct uverbs_pin *pin = uverbs_pin_of_current();
	bool ready;

	if (!pin)
		return 0;
	if (!dma_resv_trylock(dmabuf->resv))
		return want_dmabuf(pin, dmabuf);
	ready = dma_resv_test_signaled(dmabuf->resv, DMA_RESV_USAGE_KERNEL);
	dma_resv_unlock(dmabuf->resv);
	return ready ? 0 : want_dmabuf(pin, dmabuf);
}

/*
 * Waits until the exporter has moved the memory. In an operation of a call, waits for FENCE_WAIT at
 * most, and then returns -EAGAIN. Failing without any wait would not do: an exporter may move
 * memory in order to pin it. A failed operation unpins the memory, so the next run would pin the
 * memory again, and each run might find another move.
 */
static int await_move(struct dma_buf *dmabuf)
{
	struct uverbs_pin *pin = uverbs_pin_of_current();
	long left = dma_resv_wait_timeout(dmabuf->resv, DMA_RESV_USAGE_KERNEL, true,
					  pin ? FENCE_WAIT : MAX_SCHEDULE_TIMEOUT);

	if (!left && pin)
		return want_dmabuf(pin, dmabuf);
	return min(left, 0L);
}

int uverbs_dmabuf_wait(struct uverbs_pin *pin)
{
	struct dma_resv *resv = pin->dmabuf->resv;
	long ret = -ERESTARTSYS;

	/*
	 * Check for a signal here, because the functions below check for one only if they have to
	 * wait.
	 */
	if (signal_pending(current) || dma_resv_lock_interruptible(resv, NULL))
		goto put;
	dma_resv_unlock(resv);
	ret = dma_resv_wait_timeout(resv, DMA_RESV_USAGE_KERNEL, true, FENCE_WAIT);
put:
	uverbs_dmabuf_put(pin);
	return min(ret, 0L);
}

void uverbs_dmabuf_put(struct uverbs_pin *pin)
{
	if (pin->dmabuf)
		dma_buf_put(pin->dmabuf);
	pin->dmabuf = NULL;
}

int ib_umem_dmabuf_map_pages(struct ib_umem_dmabuf *umem_dmabuf)
{
	struct dma_buf_attachment *attach = umem_dmabuf->attach;
	struct sg_table *sgt;
	int err;

	dma_resv_assert_held(attach->dmabuf->resv);
	if (!umem_dmabuf->sgt) {
		sgt = dma_buf_map_attachment(attach, dmabuf_direction(umem_dmabuf));
		if (IS_ERR(sgt))
			return PTR_ERR(sgt);
		err = cut_table(&umem_dmabuf->umem, sgt);
		if (err) {
			dma_buf_unmap_attachment(attach, sgt, dmabuf_direction(umem_dmabuf));
			return err;
		}
		umem_dmabuf->sgt = sgt;
	}
	/* The addresses are valid, but the exporter may still be copying the data to them. */
	return await_move(attach->dmabuf);
}
EXPORT_SYMBOL(ib_umem_dmabuf_map_pages);

void ib_umem_dmabuf_unmap_pages(struct ib_umem_dmabuf *umem_dmabuf)
{
	dma_resv_assert_held(umem_dmabuf->attach->dmabuf->resv);
	if (!umem_dmabuf->sgt)
		return;
	sg_free_table(&umem_dmabuf->umem.sgt_append.sgt);
	dma_buf_unmap_attachment(umem_dmabuf->attach, umem_dmabuf->sgt,
				 dmabuf_direction(umem_dmabuf));
	umem_dmabuf->sgt = NULL;
}
EXPORT_SYMBOL(ib_umem_dmabuf_unmap_pages);

struct ib_umem_dmabuf *ib_umem_dmabuf_get(struct ib_device *device, unsigned long offset,
					  size_t size, int fd, int access,
					  const struct dma_buf_attach_ops *ops)
{
	struct ib_umem_dmabuf *umem_dmabuf;
	struct dma_buf_attachment *attach;
	struct dma_buf *dmabuf;
	unsigned long end;
	int err;

	if (!size || check_add_overflow(offset, size, &end) || !ops->invalidate_mappings)
		return ERR_PTR(-EINVAL);
	if (ib_uses_virt_dma(device))
		return ERR_PTR(-EOPNOTSUPP);
	dmabuf = dma_buf_get(fd);
	if (IS_ERR(dmabuf))
		return ERR_CAST(dmabuf);
	err = -EINVAL;
	if (dmabuf->size < end)
		goto err_put;
	err = check_ready(dmabuf);
	if (err)
		goto err_put;
	err = -ENOMEM;
	umem_dmabuf = kzalloc(sizeof(*umem_dmabuf), GFP_KERNEL_ACCOUNT);
	if (!umem_dmabuf)
		goto err_put;
	umem_dmabuf->umem.ibdev = device;
	umem_dmabuf->umem.iova = offset;
	umem_dmabuf->umem.length = size;
	umem_dmabuf->umem.address = offset;
	umem_dmabuf->umem.writable = ib_access_writable(access);
	umem_dmabuf->umem.is_dmabuf = 1;
	attach = dma_buf_dynamic_attach(dmabuf, device->dma_device, ops, umem_dmabuf);
	if (IS_ERR(attach)) {
		err = PTR_ERR(attach);
		goto err_free;
	}
	umem_dmabuf->attach = attach;
	return umem_dmabuf;

err_free:
	kfree(umem_dmabuf);
err_put:
	dma_buf_put(dmabuf);
	return ERR_PTR(err);
}
EXPORT_SYMBOL(ib_umem_dmabuf_get);

/*
 * Warns if the exporter moves memory that is pinned. While the memory is not pinned, the exporter
 * may move it, because no DMA address is in use.
 */
static void pinned_invalidate(struct dma_buf_attachment *attach)
{
	const struct ib_umem_dmabuf *umem_dmabuf = attach->importer_priv;

	dma_resv_assert_held(attach->dmabuf->resv);
	WARN_ON_ONCE(umem_dmabuf->pinned);
}

static const struct dma_buf_attach_ops pinned_ops = {
	.allow_peer2peer = true,
	.invalidate_mappings = pinned_invalidate,
};

struct ib_umem_dmabuf *ib_umem_dmabuf_get_pinned(struct ib_device *device, unsigned long offset,
						 size_t size, int fd, int access)
{
	struct ib_umem_dmabuf *umem_dmabuf;
	struct dma_buf_attachment *attach;
	int err;

	umem_dmabuf = ib_umem_dmabuf_get(device, offset, size, fd, access, &pinned_ops);
	if (IS_ERR(umem_dmabuf))
		return umem_dmabuf;
	attach = umem_dmabuf->attach;
	dma_resv_lock(attach->dmabuf->resv, NULL);
	err = dma_buf_pin(attach);
	if (!err) {
		umem_dmabuf->pinned = 1;
		err = ib_umem_dmabuf_map_pages(umem_dmabuf);
	}
	dma_resv_unlock(attach->dmabuf->resv);
	if (!err)
		return umem_dmabuf;
	ib_umem_dmabuf_release(umem_dmabuf);
	return ERR_PTR(err);
}
EXPORT_SYMBOL(ib_umem_dmabuf_get_pinned);

void ib_umem_dmabuf_release(struct ib_umem_dmabuf *umem_dmabuf)
{
	struct dma_buf_attachment *attach = umem_dmabuf->attach;
	struct dma_buf *dmabuf = attach->dmabuf;

	dma_resv_lock(dmabuf->resv, NULL);
	ib_umem_dmabuf_unmap_pages(umem_dmabuf);
	if (umem_dmabuf->pinned) {
		umem_dmabuf->pinned = 0;
		dma_buf_unpin(attach);
	}
	dma_resv_unlock(dmabuf->resv);
	dma_buf_detach(dmabuf, attach);
	dma_buf_put(dmabuf);
	kfree(umem_dmabuf);
}
EXPORT_SYMBOL(ib_umem_dmabuf_release);
