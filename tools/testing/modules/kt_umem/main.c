// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_umem.ko: tests of what ib_uverbs offers to drivers of RDMA devices. This file has those of
 * blocks: the sizes that a device's pages of a memory can have, and the walk through the pages. The
 * memory has DMA addresses only, because the functions read nothing else. One more test is that of
 * memory that cannot be pinned.
 */
#include "kt_umem.h"

#include <linux/mman.h>
#include <linux/pagemap.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include <rdma/krdma.h>

KRDMA_NEEDS_IB_CORE;

#define MOST	4

/* The elements of a table; an element of length 0 ends the table. */
struct element {
	u64 addr;
	u32 len;
};

static unsigned int fill_list(struct scatterlist *sg, const struct element *elements)
{
	unsigned int n, i;

	for (n = 0; n < MOST && elements[n].len; n++)
		;
	sg_init_table(sg, max(n, 1U));
	for (i = 0; i < n; i++) {
		sg_dma_address(&sg[i]) = elements[i].addr;
		sg_dma_len(&sg[i]) = elements[i].len;
	}
	return n;
}

/* --- the walk --- */

struct walk {
	const char *name;
	struct element sg[MOST];
	unsigned long pgsz;
	unsigned int nr_blocks;
	u64 blocks[8];
};

static const struct walk walks[] = {
	{ "no element", {}, SZ_4K, 0 },
	{ "one block", { { 0x10000, SZ_4K } }, SZ_4K, 1, { 0x10000 } },
	{ "an element of several blocks", { { 0x10000, SZ_8K + SZ_4K } }, SZ_4K, 3,
	  { 0x10000, 0x11000, 0x12000 } },
	{ "several elements", { { 0x10000, SZ_4K }, { 0x50000, SZ_8K }, { 0x20000, SZ_4K } }, SZ_4K,
	  4, { 0x10000, 0x50000, 0x51000, 0x20000 } },
	{ "blocks that are smaller than a page", { { 0x10000, SZ_4K } }, SZ_1K, 4,
	  { 0x10000, 0x10400, 0x10800, 0x10c00 } },
	{ "an element that begins and ends inside of blocks", { { 0x10ff0, 0x1020 } }, SZ_4K, 3,
	  { 0x10000, 0x11000, 0x12000 } },
	{ "an element inside of a block", { { 0x10ff0, 0x10 } }, SZ_64K, 1, { 0x10000 } },
	{ "elements of one block each yield it", { { 0x10000, SZ_4K }, { 0x11000, SZ_4K } }, SZ_64K,
	  2, { 0x10000, 0x10000 } },
	{ "addresses above 4 GiB", { { 0x7fff00200000, SZ_4M } }, SZ_2M, 2,
	  { 0x7fff00200000, 0x7fff00400000 } },
};

static void test_walk(struct ktap *t)
{
	struct scatterlist sg[MOST];
	struct ib_block_iter biter;
	unsigned int i, n, nents;

	for (i = 0; i < ARRAY_SIZE(walks); i++) {
		const struct walk *w = &walks[i];

		nents = fill_list(sg, w->sg);
		n = 0;
		rdma_for_each_block(sg, &biter, nents, w->pgsz) {
			if (n < w->nr_blocks &&
			    rdma_block_iter_dma_address(&biter) != w->blocks[n])
				ktap_fail(t, "%s: block %u is at %llx", w->name, n,
					  (u64)rdma_block_iter_dma_address(&biter));
			n++;
		}
		if (n != w->nr_blocks)
			ktap_fail(t, "%s: %u blocks", w->name, n);
		KT_EXPECT(t, !__rdma_block_iter_next(&biter));
	}
}

/* --- the size of pages --- */

/* A memory, and the best of the sizes in @sizes. */
struct best {
	const char *name;
	struct element sg[MOST];
	unsigned long address, virt;
	size_t length;
	unsigned long sizes;
	unsigned long best;
	size_t nr_blocks;
	u64 first;
};

#define SIZES_4K_2M_1G	(SZ_4K | SZ_2M | SZ_1G)
#define EVERY_SIZE	(~0UL << 12)

static const struct best bests[] = {
	{ "one page", { { 0x10000, SZ_4K } }, 0x5000, 0x5000, SZ_4K, EVERY_SIZE, SZ_4K, 1,
	  0x10000 },
	{ "a part of a page", { { 0x10000, SZ_4K } }, 0x5123, 0x9123, 0x20, EVERY_SIZE, SZ_4K, 1,
	  0x10000 },
	{ "pages that are apart", { { 0x10000, SZ_4K }, { 0x30000, SZ_4K } }, 0x5000, 0x5000, SZ_8K,
	  EVERY_SIZE, SZ_4K, 2, 0x10000 },
	{ "a huge page", { { 0x40000000, SZ_2M } }, 0x7f0000200000, 0x7f0000200000, SZ_2M,
	  SIZES_4K_2M_1G, SZ_2M, 1, 0x40000000 },
	{ "two huge pages that are apart", { { 0x40000000, SZ_2M }, { 0x80000000, SZ_2M } },
	  0x7f0000200000, 0x7f0000200000, SZ_4M, SIZES_4K_2M_1G, SZ_2M, 2, 0x40000000 },
	{ "the middle of huge pages", { { 0x401ff000, SZ_2M + SZ_8K } }, 0x7f00003ff800,
	  0x7f00003ff800, SZ_2M + SZ_4K, SIZES_4K_2M_1G, SZ_2M, 3, 0x40000000 },
	{ "adjacent huge pages make a larger one", { { 0x40000000, SZ_4M } }, 0x7f0000400000,
	  0x7f0000400000, SZ_4M, EVERY_SIZE, SZ_4M, 1, 0x40000000 },
	{ "not larger than one page needs", { { 0x40000000, SZ_8K } }, 0x7f0040000000,
	  0x7f0040000000, SZ_8K, EVERY_SIZE, SZ_8K, 1, 0x40000000 },
	{ "one byte more than a page", { { 0x40000000, SZ_8K } }, 0x7f0040000000, 0x7f0040000000,
	  SZ_4K + 1, EVERY_SIZE, SZ_8K, 1, 0x40000000 },
	{ "across a boundary of the largest size", { { 0x3ffff000, SZ_8K } }, 0x7f003ffff000,
	  0x7f003ffff000, SZ_8K, SIZES_4K_2M_1G, SZ_1G, 2, 0 },
	{ "another address than on the device", { { 0x40001000, SZ_2M } }, 0x7f0000200000,
	  0x7f0000200000, SZ_2M, SIZES_4K_2M_1G, SZ_4K, 512, 0x40001000 },
	{ "the provider's address differs from the process's", { { 0x40001000, SZ_2M } },
	  0x7f0000200000, 0x1000, SZ_2M, SIZES_4K_2M_1G, SZ_1G, 1, 0x40000000 },
	{ "an element that ends inside of a huge page", { { 0x40000000, SZ_1M },
	  { 0x60100000, SZ_1M } }, 0x7f0000200000, 0x7f0000200000, SZ_2M, SIZES_4K_2M_1G, SZ_4K,
	  512, 0x40000000 },
	{ "an element that ends inside of a page of 64 KiB", { { 0x40000000, SZ_32K },
	  { 0x60008000, SZ_32K } }, 0x7f0000200000, 0x7f0000200000, SZ_64K, EVERY_SIZE, SZ_32K, 2,
	  0x40000000 },
	{ "a size that is smaller than a page", { { 0x10000, SZ_4K } }, 0x5c40, 0x5c40, 0x300,
	  SZ_1K, SZ_1K, 1, 0x10c00 },
	{ "a size that is smaller than a page, and bytes behind", { { 0x10000, SZ_4K } }, 0x5440,
	  0x5440, 0x500, SZ_1K, SZ_1K, 2, 0x10400 },
	{ "another offset in the page", { { 0x10000, SZ_4K } }, 0x5100, 0x5200, 0x20, EVERY_SIZE, 0,
	  0, 0 },
	{ "no size that is small enough", { { 0x10000, SZ_4K }, { 0x30000, SZ_4K } }, 0x5000,
	  0x5000, SZ_8K, SZ_64K | SZ_2M, 0, 0, 0 },
	{ "no size", { { 0x10000, SZ_4K } }, 0x5000, 0x5000, SZ_4K, 0, 0, 0, 0 },
};

static void fill_umem(struct ib_umem *umem, struct scatterlist *sg, const struct best *b)
{
	memset(umem, 0, sizeof(*umem));
	umem->address = b->address;
	umem->length = b->length;
	umem->sgt_append.sgt.sgl = sg;
	umem->sgt_append.sgt.nents = fill_list(sg, b->sg);
	umem->sgt_append.sgt.orig_nents = umem->sgt_append.sgt.nents;
}

static void check_blocks(struct ktap *t, const struct best *b, struct ib_umem *umem)
{
	struct ib_block_iter biter;
	size_t n = 0;
	u64 first = 0;

	rdma_umem_for_each_dma_block(umem, &biter, b->best) {
		if (!n++)
			first = rdma_block_iter_dma_address(&biter);
	}
	if (n != b->nr_blocks || first != b->first)
		ktap_fail(t, "%s: %zu blocks from %llx on", b->name, n, first);
	if (ib_umem_num_dma_blocks(umem, b->best) != b->nr_blocks)
		ktap_fail(t, "%s: %zu blocks expected", b->name,
			  ib_umem_num_dma_blocks(umem, b->best));
	if ((b->virt & (b->best - 1)) != ib_umem_dma_offset(umem, b->best))
		ktap_fail(t, "%s: begins %lx behind its first block", b->name,
			  ib_umem_dma_offset(umem, b->best));
}

static void test_best_size(struct ktap *t)
{
	struct scatterlist sg[MOST];
	struct ib_umem umem;
	unsigned long best;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bests); i++) {
		fill_umem(&umem, sg, &bests[i]);
		best = ib_umem_find_best_pgsz(&umem, bests[i].sizes, bests[i].virt);
		if (best != bests[i].best)
			ktap_fail(t, "%s: the size is %lx", bests[i].name, best);
		else if (best)
			check_blocks(t, &bests[i], &umem);
		KT_EXPECT(t, umem.iova == bests[i].virt);
	}
}

/* A device that is told only an offset of some bits. */
static void test_best_offset(struct ktap *t)
{
	const struct best b = {
		.sg = { { 0x40123000, SZ_64K } }, .address = 0x7f0000005678, .length = SZ_32K,
	};
	struct scatterlist sg[MOST];
	struct ib_umem umem;

	fill_umem(&umem, sg, &b);
	KT_EXPECT_EQ(t, ib_umem_find_best_pgoff(&umem, EVERY_SIZE, SZ_64K - 1), SZ_64K);
	KT_EXPECT_EQ(t, umem.iova, 0x3678);
	KT_EXPECT_EQ(t, ib_umem_num_dma_blocks(&umem, SZ_64K), 1);
	KT_EXPECT_EQ(t, ib_umem_dma_offset(&umem, SZ_64K), 0x3678);
	KT_EXPECT_EQ(t, ib_umem_find_best_pgoff(&umem, EVERY_SIZE, SZ_4K - 1), SZ_4K);
	KT_EXPECT_EQ(t, umem.iova, 0x678);
	KT_EXPECT_EQ(t, ib_umem_num_dma_blocks(&umem, SZ_4K), 9);
	KT_EXPECT_EQ(t, ib_umem_find_best_pgoff(&umem, EVERY_SIZE, 0), 0);
}

/* --- memory that cannot be pinned --- */

/* A work item that tries to pin a page. */
struct attempt {
	struct work_struct work;
	struct ib_device *ibdev;
	unsigned long addr;
	int err;
};

static void try_to_pin(struct work_struct *work)
{
	struct attempt *attempt = container_of(work, struct attempt, work);
	struct ib_umem *umem = ib_umem_get(attempt->ibdev, attempt->addr, PAGE_SIZE, 0);

	attempt->err = PTR_ERR_OR_ZERO(umem);
	if (!IS_ERR(umem))
		ib_umem_release(umem);
}

/* A page of the process can be pinned by the process, but by no thread of the kernel. */
static void try_all(struct ktap *t, struct ib_device *ibdev, unsigned long addr)
{
	struct attempt attempt = { .ibdev = ibdev, .addr = addr };

	INIT_WORK_ONSTACK(&attempt.work, try_to_pin);
	schedule_work(&attempt.work);
	flush_work(&attempt.work);
	KT_EXPECT_EQ(t, attempt.err, -EINVAL);
	try_to_pin(&attempt.work);
	KT_EXPECT_EQ(t, attempt.err, 0);
	destroy_work_on_stack(&attempt.work);
	KT_EXPECT_ERR(t, ib_umem_get(ibdev, addr, PAGE_SIZE, IB_ACCESS_ON_DEMAND), -EOPNOTSUPP);
}

static void test_not_pinned(struct ktap *t)
{
	struct fakedev *fd = fakedev_create(NULL);
	unsigned long addr;

	if (!KT_EXPECT_ERR(t, fd, 0))
		return;
	addr = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (KT_EXPECT(t, !IS_ERR_VALUE(addr))) {
		try_all(t, &fd->ibdev, addr);
		KT_EXPECT_EQ(t, vm_munmap(addr, PAGE_SIZE), 0);
	}
	fakedev_destroy(fd);
}

/* Expects that a page stays locked, and pinned, until who has locked it unlocks it. */
static void end_locked(struct ktap *t, struct ib_umem *umem)
{
	struct folio *folio = page_folio(sg_page(umem->sgt_append.sgt.sgl));

	folio_get(folio);
	folio_lock(folio);
	ib_umem_release(umem);
	KT_EXPECT(t, folio_test_locked(folio));
	/* So long that unpinning is tried again, in vain. */
	msleep(300);
	KT_EXPECT(t, folio_maybe_dma_pinned(folio));
	folio_unlock(folio);
	KT_WAIT(t, !folio_maybe_dma_pinned(folio));
	KT_EXPECT(t, folio_test_dirty(folio));
	folio_put(folio);
}

static void test_locked_page(struct ktap *t)
{
	struct fakedev *fd = fakedev_create(NULL);
	struct ib_umem *umem;
	unsigned long addr;

	if (!KT_EXPECT_ERR(t, fd, 0))
		return;
	addr = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (KT_EXPECT(t, !IS_ERR_VALUE(addr))) {
		umem = ib_umem_get(&fd->ibdev, addr, PAGE_SIZE, IB_ACCESS_LOCAL_WRITE);
		if (KT_EXPECT_ERR(t, umem, 0))
			end_locked(t, umem);
		KT_EXPECT_EQ(t, vm_munmap(addr, PAGE_SIZE), 0);
	}
	fakedev_destroy(fd);
}

/* Expects that 4 bytes from @offset on are read as @wanted, or fail with @error. */
static void expect_bytes(struct ktap *t, struct ib_umem *umem, size_t offset, int error, u32 wanted)
{
	u32 seen = 0;

	KT_EXPECT_EQ(t, ib_umem_copy_from(&seen, umem, offset, sizeof(seen)), error);
	KT_EXPECT_EQ(t, seen, wanted);
}

/* The memory begins and ends inside of pages. */
static void copy_parts(struct ktap *t, struct ib_device *ibdev, unsigned long addr)
{
	const size_t length = PAGE_SIZE + 8;
	struct ib_umem *umem;
	u32 word = 0x11111111;

	KT_EXPECT_EQ(t, put_user(word, (u32 __user *)(addr + 100)), 0);
	KT_EXPECT_EQ(t, put_user(word * 2, (u32 __user *)(addr + 108)), 0);
	KT_EXPECT_EQ(t, put_user(word * 3, (u32 __user *)(addr + 100 + PAGE_SIZE + 4)), 0);
	umem = ib_umem_get(ibdev, addr + 100, length, 0);
	if (!KT_EXPECT_ERR(t, umem, 0))
		return;
	expect_bytes(t, umem, 0, 0, word);
	expect_bytes(t, umem, 8, 0, word * 2);
	expect_bytes(t, umem, length - 4, 0, word * 3);
	expect_bytes(t, umem, length - 3, -EINVAL, 0);
	KT_EXPECT_EQ(t, ib_umem_copy_from(&word, umem, length, 0), 0);
	KT_EXPECT_EQ(t, ib_umem_copy_from(&word, umem, length + 1, 0), -EINVAL);
	ib_umem_release(umem);
}

static void test_copy(struct ktap *t)
{
	struct fakedev *fd = fakedev_create(NULL);
	unsigned long addr;

	if (!KT_EXPECT_ERR(t, fd, 0))
		return;
	addr = vm_mmap(NULL, 0, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, 0);
	if (KT_EXPECT(t, !IS_ERR_VALUE(addr))) {
		copy_parts(t, &fd->ibdev, addr);
		KT_EXPECT_EQ(t, vm_munmap(addr, 2 * PAGE_SIZE), 0);
	}
	fakedev_destroy(fd);
}

static const struct ktap_case main_cases[] = {
	{ "a walk through the blocks of elements", test_walk },
	{ "the largest size that fits, and the blocks of that size", test_best_size },
	{ "the largest size whose offset a device can be told", test_best_offset },
	{ "what no driver can pin", test_not_pinned },
	{ "a page that somebody else has locked", test_locked_page },
	{ "parts of pinned memory are copied", test_copy },
};

KTAP_SUITE(kt_blocks_suite, "blocks", main_cases);

static const struct ktap_suite * const suites[] = {
	&kt_blocks_suite, &kt_mmap_entry_suite,
#ifdef CONFIG_DMA_SHARED_BUFFER
	&kt_dmabuf_suite,
#endif
};

KTAP_MODULE(suites);
