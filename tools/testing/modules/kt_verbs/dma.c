// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of DMA mapping, on a device that uses kernel virtual addresses and on one with a DMA
 * device.
 */
#include <linux/gfp.h>
#include <linux/slab.h>

#include "kt_verbs.h"

#define NR_PAGES 3

static bool get_pages(struct sg_table *table, struct page **pages)
{
	int i;

	for (i = 0; i < NR_PAGES; i++) {
		pages[i] = alloc_page(GFP_KERNEL);
		if (!pages[i])
			return false;
	}
	return !sg_alloc_table_from_pages(table, pages, NR_PAGES, 16, NR_PAGES * PAGE_SIZE - 16,
					  GFP_KERNEL);
}

static void put_pages(struct sg_table *table, struct page **pages)
{
	int i;

	sg_free_table(table);
	for (i = 0; i < NR_PAGES; i++)
		if (pages[i])
			__free_page(pages[i]);
}

static void check_single(struct ktap *t, struct ib_device *dev)
{
	void *mem = kmalloc(256, GFP_KERNEL);
	u64 addr;

	if (!KT_EXPECT(t, mem))
		return;
	addr = ib_dma_map_single(dev, mem, 256, DMA_BIDIRECTIONAL);
	KT_EXPECT(t, !ib_dma_mapping_error(dev, addr));
	if (ib_uses_virt_dma(dev))
		KT_EXPECT(t, addr == (uintptr_t)mem);
	ib_dma_sync_single_for_cpu(dev, addr, 256, DMA_BIDIRECTIONAL);
	ib_dma_sync_single_for_device(dev, addr, 256, DMA_BIDIRECTIONAL);
	ib_dma_unmap_single(dev, addr, 256, DMA_BIDIRECTIONAL);

	addr = ib_dma_map_page(dev, virt_to_page(mem), offset_in_page(mem), 256, DMA_TO_DEVICE);
	KT_EXPECT(t, !ib_dma_mapping_error(dev, addr));
	if (ib_uses_virt_dma(dev))
		KT_EXPECT(t, addr == (uintptr_t)mem);
	ib_dma_unmap_page(dev, addr, 256, DMA_TO_DEVICE);
	kfree(mem);
}

static void check_list(struct ktap *t, struct ib_device *dev)
{
	struct page *pages[NR_PAGES] = { };
	struct sg_table table = { };
	struct scatterlist *sg;
	u64 total = 0;
	int i, n;

	if (!KT_EXPECT(t, get_pages(&table, pages)))
		goto out;
	n = ib_dma_map_sg(dev, table.sgl, table.orig_nents, DMA_FROM_DEVICE);
	KT_EXPECT(t, n > 0 && n <= table.orig_nents);
	for_each_sg(table.sgl, sg, n, i) {
		total += ib_sg_dma_len(dev, sg);
		KT_EXPECT(t, ib_sg_dma_address(dev, sg) == sg_dma_address(sg));
		if (ib_uses_virt_dma(dev))
			KT_EXPECT(t, sg_dma_address(sg) == (uintptr_t)sg_virt(sg));
	}
	KT_EXPECT_EQ(t, total, NR_PAGES * PAGE_SIZE - 16);
	ib_dma_unmap_sg(dev, table.sgl, table.orig_nents, DMA_FROM_DEVICE);

	KT_EXPECT(t, ib_dma_map_sg_attrs(dev, table.sgl, table.orig_nents, DMA_FROM_DEVICE,
					 DMA_ATTR_SKIP_CPU_SYNC) > 0);
	ib_dma_unmap_sg_attrs(dev, table.sgl, table.orig_nents, DMA_FROM_DEVICE,
			      DMA_ATTR_SKIP_CPU_SYNC);

	KT_EXPECT_EQ(t, ib_dma_map_sgtable_attrs(dev, &table, DMA_TO_DEVICE, 0), 0);
	KT_EXPECT(t, table.nents > 0 && table.nents <= table.orig_nents);
	ib_dma_unmap_sgtable_attrs(dev, &table, DMA_TO_DEVICE, 0);
out:
	put_pages(&table, pages);
}

static void check_coherent(struct ktap *t, struct ib_device *dev)
{
	dma_addr_t addr;
	char *mem;

	mem = ib_dma_alloc_coherent(dev, 3 * PAGE_SIZE, &addr, GFP_KERNEL);
	if (!KT_EXPECT(t, mem))
		return;
	KT_EXPECT(t, IS_ALIGNED((uintptr_t)mem, PAGE_SIZE));
	KT_EXPECT(t, !memchr_inv(mem, 0, 3 * PAGE_SIZE));
	if (ib_uses_virt_dma(dev))
		KT_EXPECT(t, addr == (uintptr_t)mem);
	ib_dma_free_coherent(dev, 3 * PAGE_SIZE, mem, addr);
	/* The memory always has an address in the kernel. */
	mem = ib_dma_alloc_coherent(dev, PAGE_SIZE, &addr, GFP_KERNEL | __GFP_HIGHMEM);
	if (KT_EXPECT(t, mem))
		ib_dma_free_coherent(dev, PAGE_SIZE, mem, addr);
	KT_EXPECT(t, !ib_dma_alloc_coherent(dev, 0, &addr, GFP_KERNEL));
}

static void test_virtual(struct ktap *t)
{
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	KT_EXPECT(t, ib_uses_virt_dma(env.dev));
	KT_EXPECT(t, !ib_dma_pci_p2p_dma_supported(env.dev));
	KT_EXPECT_EQ(t, ib_dma_max_seg_size(env.dev), UINT_MAX);
	check_single(t, env.dev);
	check_list(t, env.dev);
	check_coherent(t, env.dev);
	kt_end(t, &env);
}

static void test_real(struct ktap *t)
{
	const struct fakedev_config config = { .real_dma = true };
	struct kt_env env;

	if (!kt_start_with(t, &env, &config))
		return;
	KT_EXPECT(t, !ib_uses_virt_dma(env.dev));
	KT_EXPECT(t, env.dev->dma_device == &env.fd->platform->dev);
	KT_EXPECT_EQ(t, ib_dma_max_seg_size(env.dev),
		     dma_get_max_seg_size(&env.fd->platform->dev));
	check_single(t, env.dev);
	check_list(t, env.dev);
	check_coherent(t, env.dev);
	kt_end(t, &env);
}

static const struct ktap_case dma_cases[] = {
	{ "a device that uses kernel virtual addresses", test_virtual,
	  COVERS(ib_dma_mapping_error ib_dma_map_single ib_dma_unmap_single ib_dma_map_page
		 ib_dma_unmap_page ib_dma_map_sg ib_dma_unmap_sg ib_dma_sync_single_for_cpu
		 ib_dma_sync_single_for_device ib_dma_alloc_coherent ib_dma_free_coherent
		 dma_data_direction dma_addr_t gfp_t) },
	{ "a device with a DMA device", test_real,
	  COVERS(ib_dma_mapping_error ib_dma_map_single ib_dma_unmap_single ib_dma_map_page
		 ib_dma_unmap_page ib_dma_map_sg ib_dma_unmap_sg ib_dma_sync_single_for_cpu
		 ib_dma_sync_single_for_device ib_dma_alloc_coherent ib_dma_free_coherent) },
};

KTAP_SUITE(kt_dma_suite, "dma", dma_cases);
