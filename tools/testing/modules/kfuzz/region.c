// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The regions of the ULP, whose STags a process knows before it renders connections. */
#include <linux/gfp.h>
#include <linux/scatterlist.h>

#include "tools/testing/modules/kfuzz/kfuzz.h"

static const int region_access[KFUZZ_REGIONS] = {
	[KFUZZ_OPEN] = KFUZZ_ALL_RIGHTS,
	[KFUZZ_INVALID] = KFUZZ_ALL_RIGHTS,
	[KFUZZ_PRIVATE] = IB_ACCESS_LOCAL_WRITE,
	[KFUZZ_FOREIGN] = KFUZZ_ALL_RIGHTS,
};

/* The pages are allocated one by one, so that few of them are contiguous. */
static int region_alloc(struct kfuzz *site, enum kfuzz_regions region)
{
	struct ib_pd *pd = region == KFUZZ_FOREIGN ? site->foreign_pd : site->pd;
	struct kfuzz_memory *memory = &site->memory[region];
	struct scatterlist sg[KFUZZ_REGION_PAGES];
	struct ib_mr *mr;
	int i, n;

	mr = ib_alloc_mr(pd, IB_MR_TYPE_MEM_REG, KFUZZ_REGION_PAGES);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	memory->mr = mr;
	sg_init_table(sg, KFUZZ_REGION_PAGES);
	for (i = 0; i < KFUZZ_REGION_PAGES; i++) {
		memory->pages[i] = (void *)get_zeroed_page(GFP_KERNEL);
		if (!memory->pages[i])
			return -ENOMEM;
		sg_set_buf(&sg[i], memory->pages[i], PAGE_SIZE);
	}
	/*
	 * siw's DMA addresses are virtual addresses: the mapping holds no resources, and may end at
	 * once.
	 */
	n = ib_dma_map_sg(site->dev, sg, KFUZZ_REGION_PAGES, DMA_BIDIRECTIONAL);
	if (n != KFUZZ_REGION_PAGES)
		return -EIO;
	n = ib_map_mr_sg(mr, sg, KFUZZ_REGION_PAGES, NULL, PAGE_SIZE);
	ib_dma_unmap_sg(site->dev, sg, KFUZZ_REGION_PAGES, DMA_BIDIRECTIONAL);
	return n == KFUZZ_REGION_PAGES ? 0 : -EINVAL;
}

int kfuzz_regions_alloc(struct kfuzz *site)
{
	int i, ret = 0;

	for (i = 0; i < KFUZZ_REGIONS && !ret; i++)
		ret = region_alloc(site, i);
	return ret;
}

void kfuzz_regions_free(struct kfuzz *site)
{
	int i, page;

	for (i = 0; i < KFUZZ_REGIONS; i++) {
		if (site->memory[i].mr)
			ib_dereg_mr(site->memory[i].mr);
		for (page = 0; page < KFUZZ_REGION_PAGES; page++)
			free_page((unsigned long)site->memory[i].pages[page]);
	}
}

void kfuzz_reg_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kfuzz *site = cq->cq_context;

	site->reg_status = wc->status;
	complete(&site->reg_done);
}

int kfuzz_register(struct kfuzz *site, enum kfuzz_regions region)
{
	struct ib_mr *mr = site->memory[region].mr;
	struct ib_reg_wr wr = {
		.wr.opcode = IB_WR_REG_MR,
		.wr.wr_cqe = &site->reg_cqe,
		.wr.send_flags = IB_SEND_SIGNALED,
		.mr = mr,
		.key = mr->rkey,
		.access = region_access[region],
	};
	struct kfuzz_end *end = site->service[region != KFUZZ_FOREIGN];
	int ret;

	if (!end)
		return -ENOTCONN;
	reinit_completion(&site->reg_done);
	ret = ib_post_send(end->id->qp, &wr.wr, NULL);
	if (ret)
		return ret;
	if (!wait_for_completion_timeout(&site->reg_done, KFUZZ_TIMEOUT))
		return -ETIMEDOUT;
	return site->reg_status == IB_WC_SUCCESS ? 0 : -EIO;
}
