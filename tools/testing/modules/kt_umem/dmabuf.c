// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of parts of DMA-BUFs, with an exporter whose mapping has the elements that a test chooses.
 */
#include "kt_umem.h"

#include <linux/dma-buf.h>
#include <linux/dma-resv.h>
#include <linux/fcntl.h>
#include <linux/fdtable.h>
#include <linux/slab.h>

/* What MODULE_IMPORT_NS() is in all kernels; newer ones give it a string. */
MODULE_INFO(import_ns, "DMA_BUF");

#define BASE	0x40000000ULL
#define NENTS	3

/* Older kernels without this option pin a DMA-BUF while it is mapped; newer kernels never do. */
#define PINS_OF_MAPPING	(!KRDMA_HAS_DMA_BUF_INVALIDATE && !IS_ENABLED(CONFIG_DMABUF_MOVE_NOTIFY))

/**
 * struct exporter - a DMA-BUF of three elements, which are apart: 4 KiB, 8 KiB and 4 KiB
 * @dmabuf: the DMA-BUF
 * @fd: its file descriptor
 * @maps: number of mappings
 * @pins: number of pins
 * @attached: number of attachments
 * @short_by: bytes that the last element lacks in the next mapping
 * @fail: errno with which the next mapping fails, or 0
 * @direction: direction of the last mapping
 */
struct exporter {
	struct dma_buf *dmabuf;
	int fd;
	int maps, pins, attached;
	u32 short_by;
	int fail;
	enum dma_data_direction direction;
};

static int exp_attach(struct dma_buf *dmabuf, struct dma_buf_attachment *attach)
{
	struct exporter *exp = dmabuf->priv;

	exp->attached++;
	return 0;
}

static void exp_detach(struct dma_buf *dmabuf, struct dma_buf_attachment *attach)
{
	struct exporter *exp = dmabuf->priv;

	exp->attached--;
}

static int exp_pin(struct dma_buf_attachment *attach)
{
	struct exporter *exp = attach->dmabuf->priv;

	exp->pins++;
	return 0;
}

static void exp_unpin(struct dma_buf_attachment *attach)
{
	struct exporter *exp = attach->dmabuf->priv;

	exp->pins--;
}

static struct sg_table *exp_map(struct dma_buf_attachment *attach,
				enum dma_data_direction direction)
{
	static const u32 lengths[NENTS] = { SZ_4K, SZ_8K, SZ_4K };
	struct exporter *exp = attach->dmabuf->priv;
	struct scatterlist *sg;
	struct sg_table *table;
	int i, err;

	exp->direction = direction;
	if (exp->fail)
		return ERR_PTR(exp->fail);
	table = kzalloc(sizeof(*table), GFP_KERNEL);
	if (!table)
		return ERR_PTR(-ENOMEM);
	err = sg_alloc_table(table, NENTS, GFP_KERNEL);
	if (err) {
		kfree(table);
		return ERR_PTR(err);
	}
	for_each_sgtable_dma_sg(table, sg, i) {
		sg_dma_address(sg) = BASE + i * SZ_1M;
		sg_dma_len(sg) = lengths[i] - (i == NENTS - 1 ? exp->short_by : 0);
	}
	exp->maps++;
	return table;
}

static void exp_unmap(struct dma_buf_attachment *attach, struct sg_table *table,
		      enum dma_data_direction direction)
{
	struct exporter *exp = attach->dmabuf->priv;

	exp->maps--;
	sg_free_table(table);
	kfree(table);
}

static void exp_release(struct dma_buf *dmabuf)
{
}

static const struct dma_buf_ops exp_ops = {
	.attach = exp_attach,
	.detach = exp_detach,
	.pin = exp_pin,
	.unpin = exp_unpin,
	.map_dma_buf = exp_map,
	.unmap_dma_buf = exp_unmap,
	.release = exp_release,
};

static bool start_dmabuf(struct ktap *t, struct exporter *exp, struct fakedev **fd, bool real_dma)
{
	const struct fakedev_config config = { .real_dma = real_dma };
	DEFINE_DMA_BUF_EXPORT_INFO(info);

	memset(exp, 0, sizeof(*exp));
	*fd = fakedev_create(&config);
	if (!KT_EXPECT_ERR(t, *fd, 0))
		return false;
	info.ops = &exp_ops;
	info.size = SZ_16K;
	info.flags = O_RDWR | O_CLOEXEC;
	info.priv = exp;
	exp->dmabuf = dma_buf_export(&info);
	if (!KT_EXPECT_ERR(t, exp->dmabuf, 0)) {
		fakedev_destroy(*fd);
		return false;
	}
	/* The file descriptor is that of the process that loads this module. */
	exp->fd = dma_buf_fd(exp->dmabuf, O_CLOEXEC);
	if (KT_EXPECT(t, exp->fd >= 0))
		return true;
	dma_buf_put(exp->dmabuf);
	fakedev_destroy(*fd);
	return false;
}

static void end_dmabuf(struct ktap *t, struct exporter *exp, struct fakedev *fd)
{
	KT_EXPECT_EQ(t, exp->maps, 0);
	KT_EXPECT_EQ(t, exp->pins, 0);
	KT_EXPECT_EQ(t, exp->attached, 0);
	/* Nobody else holds a reference: the DMA-BUF ends here. */
	KT_EXPECT_EQ(t, file_count(exp->dmabuf->file), 1);
	close_fd(exp->fd);
	fakedev_destroy(fd);
}

/* A part, and the elements that the umem's table has for it. */
struct part {
	unsigned long offset;
	size_t size;
	unsigned int nents;
	u64 addr[NENTS];
	u32 len[NENTS];
};

static const struct part parts[] = {
	{ 0, SZ_16K, 3, { BASE, BASE + SZ_1M, BASE + 2 * SZ_1M }, { SZ_4K, SZ_8K, SZ_4K } },
	{ 0, 1, 1, { BASE }, { SZ_4K } },
	{ 0x10, SZ_4K, 2, { BASE, BASE + SZ_1M }, { SZ_4K, SZ_4K } },
	{ SZ_4K, SZ_8K, 1, { BASE + SZ_1M }, { SZ_8K } },
	{ SZ_8K + 1, SZ_4K - 2, 1, { BASE + SZ_1M + SZ_4K }, { SZ_4K } },
	{ SZ_8K + 0x800, SZ_4K, 2, { BASE + SZ_1M + SZ_4K, BASE + 2 * SZ_1M }, { SZ_4K, SZ_4K } },
	{ SZ_16K - 1, 1, 1, { BASE + 2 * SZ_1M }, { SZ_4K } },
};

static void check_part(struct ktap *t, const struct part *part, struct ib_umem *umem)
{
	struct scatterlist *sg;
	unsigned int i;

	KT_EXPECT(t, umem->is_dmabuf);
	KT_EXPECT_EQ(t, umem->length, part->size);
	KT_EXPECT_EQ(t, ib_umem_offset(umem), part->offset & ~PAGE_MASK);
	if (!KT_EXPECT_EQ(t, umem->sgt_append.sgt.nents, part->nents))
		return;
	for_each_sgtable_dma_sg(&umem->sgt_append.sgt, sg, i) {
		KT_EXPECT_EQ(t, sg_dma_address(sg), part->addr[i]);
		KT_EXPECT_EQ(t, sg_dma_len(sg), part->len[i]);
	}
}

static void test_parts(struct ktap *t)
{
	struct ib_umem_dmabuf *umem_dmabuf;
	struct exporter exp;
	struct fakedev *fd;
	unsigned int i;
	u8 byte;

	if (PAGE_SIZE != SZ_4K) {
		ktap_skip(t, "the parts are those of pages of 4 KiB");
		return;
	}
	if (!start_dmabuf(t, &exp, &fd, true))
		return;
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		umem_dmabuf = ib_umem_dmabuf_get_pinned(&fd->ibdev, parts[i].offset, parts[i].size,
							exp.fd, IB_ACCESS_LOCAL_WRITE);
		if (!KT_EXPECT_ERR(t, umem_dmabuf, 0))
			break;
		check_part(t, &parts[i], &umem_dmabuf->umem);
		KT_EXPECT_EQ(t, exp.direction, DMA_BIDIRECTIONAL);
		KT_EXPECT_EQ(t, exp.maps, 1);
		KT_EXPECT_EQ(t, exp.pins, 1 + PINS_OF_MAPPING);
		KT_EXPECT_EQ(t, ib_umem_copy_from(&byte, &umem_dmabuf->umem, 0, 1), -EINVAL);
		ib_umem_release(&umem_dmabuf->umem);
		KT_EXPECT_EQ(t, exp.maps, 0);
	}
	end_dmabuf(t, &exp, fd);
}

static void ignore_move(struct dma_buf_attachment *attach)
{
}

static void test_movable(struct ktap *t)
{
	static const struct dma_buf_attach_ops ops = { .invalidate_mappings = ignore_move };
	struct ib_umem_dmabuf *umem_dmabuf;
	struct exporter exp;
	struct fakedev *fd;

	if (!start_dmabuf(t, &exp, &fd, true))
		return;
	umem_dmabuf = ib_umem_dmabuf_get(&fd->ibdev, 0, SZ_16K, exp.fd, 0, &ops);
	if (!KT_EXPECT_ERR(t, umem_dmabuf, 0))
		goto out;
	KT_EXPECT(t, umem_dmabuf->attach->importer_priv == umem_dmabuf);
	KT_EXPECT_EQ(t, exp.maps, 0);
	dma_resv_lock(exp.dmabuf->resv, NULL);
	KT_EXPECT_EQ(t, ib_umem_dmabuf_map_pages(umem_dmabuf), 0);
	KT_EXPECT_EQ(t, exp.direction, DMA_TO_DEVICE);
	KT_EXPECT_EQ(t, ib_umem_dmabuf_map_pages(umem_dmabuf), 0);
	KT_EXPECT_EQ(t, exp.maps, 1);
	KT_EXPECT_EQ(t, umem_dmabuf->umem.sgt_append.sgt.nents, NENTS);
	ib_umem_dmabuf_unmap_pages(umem_dmabuf);
	ib_umem_dmabuf_unmap_pages(umem_dmabuf);
	KT_EXPECT_EQ(t, exp.maps, 0);
	/* A mapping that is too short, and an exporter that fails, leave nothing mapped. */
	exp.short_by = SZ_4K - 1;
	KT_EXPECT_EQ(t, ib_umem_dmabuf_map_pages(umem_dmabuf), -EINVAL);
	KT_EXPECT_EQ(t, exp.maps, 0);
	exp.short_by = 0;
	exp.fail = -EBUSY;
	KT_EXPECT_EQ(t, ib_umem_dmabuf_map_pages(umem_dmabuf), -EBUSY);
	exp.fail = 0;
	KT_EXPECT_EQ(t, ib_umem_dmabuf_map_pages(umem_dmabuf), 0);
	dma_resv_unlock(exp.dmabuf->resv);
	KT_EXPECT_EQ(t, exp.pins, PINS_OF_MAPPING);
	ib_umem_dmabuf_release(umem_dmabuf);
out:
	end_dmabuf(t, &exp, fd);
}

static void test_refused(struct ktap *t)
{
	static const struct dma_buf_attach_ops move_ops = { .invalidate_mappings = ignore_move };
	static const struct dma_buf_attach_ops no_ops;
	static const struct {
		unsigned long offset;
		size_t size;
	} wrong[] = { { 0, 0 }, { 0, SZ_16K + 1 }, { SZ_16K, 1 }, { ULONG_MAX, 2 } };
	struct exporter exp;
	struct fakedev *fd;
	int i;

	if (!start_dmabuf(t, &exp, &fd, true))
		return;
#define REFUSED(offset, size, fildes, errno)					\
	KT_EXPECT_ERR(t, ib_umem_dmabuf_get_pinned(&fd->ibdev, offset, size, fildes, 0), errno)
	REFUSED(0, 0, exp.fd, -EINVAL);
	REFUSED(0, SZ_16K + 1, exp.fd, -EINVAL);
	REFUSED(SZ_16K, 1, exp.fd, -EINVAL);
	REFUSED(ULONG_MAX, 2, exp.fd, -EINVAL);
	REFUSED(0, SZ_4K, -1, -EBADF);
	exp.fail = -ENODEV;
	REFUSED(0, SZ_4K, exp.fd, -ENODEV);
#undef REFUSED
	/* Memory that may be moved is refused before it is mapped. */
	exp.fail = 0;
	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		KT_EXPECT_ERR(t, ib_umem_dmabuf_get(&fd->ibdev, wrong[i].offset, wrong[i].size,
						    exp.fd, 0, &move_ops), -EINVAL);
	KT_EXPECT_EQ(t, exp.attached, 0);
	KT_EXPECT_ERR(t, ib_umem_dmabuf_get(&fd->ibdev, 0, SZ_4K, exp.fd, 0, &no_ops), -EINVAL);
	end_dmabuf(t, &exp, fd);
}

static void test_virtual(struct ktap *t)
{
	struct exporter exp;
	struct fakedev *fd;

	if (!start_dmabuf(t, &exp, &fd, false))
		return;
	KT_EXPECT_ERR(t, ib_umem_dmabuf_get_pinned(&fd->ibdev, 0, SZ_4K, exp.fd, 0), -EOPNOTSUPP);
	end_dmabuf(t, &exp, fd);
}

static const struct ktap_case dmabuf_cases[] = {
	{ "the pages that a part touches", test_parts },
	{ "memory that the exporter may move", test_movable },
	{ "what is refused", test_refused },
	{ "a device without DMA", test_virtual },
};

KTAP_SUITE(kt_dmabuf_suite, "dmabuf", dmabuf_cases);
