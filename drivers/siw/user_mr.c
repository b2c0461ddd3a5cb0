// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Regions of processes' memory: pinned, and reached by the kernel's own addresses.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <rdma/ib_umem.h>
#include <uapi/rdma/siw-abi.h>

#include "drivers/siw/mem.h"
#include "drivers/siw/mr.h"
#include "drivers/siw/siw.h"
#include "drivers/siw/user.h"

/* Pages that the kernel has no lasting address of cannot be copied to where nobody may sleep. */
static int fill_pages(struct siw_mem *mem, struct ib_umem *umem)
{
	struct sg_page_iter iter;

	for_each_sgtable_page(&umem->sgt_append.sgt, &iter, 0) {
		struct page *page = sg_page_iter_page(&iter);

		if (PageHighMem(page))
			return -EOPNOTSUPP;
		mem->pages[mem->num_pages++] = (uintptr_t)page_address(page);
	}
	return 0;
}

/* The core sees to it that @virt_addr is as far into a page as the memory: words stay aligned. */
static void user_mr_init(struct siw_mem *mem, const struct ib_umem *umem, u64 virt_addr, int access)
{
	mem->page_shift = PAGE_SHIFT;
	mem->first_offset = ib_umem_offset(umem);
	mem->va = virt_addr;
	mem->len = umem->length;
	mem->access = access;
}

static int respond(const struct siw_mr *mr, struct ib_udata *udata)
{
	const struct siw_uresp_reg_mr resp = { .stag = mr->mem->stag };

	return siw_respond(udata, &resp, sizeof(resp));
}

/* The region of @umem, which is its own from here on. */
static struct siw_mr *create(struct ib_pd *pd, struct ib_umem *umem)
{
	struct siw_mr *mr = siw_mr_create(pd, ib_umem_num_pages(umem));

	if (IS_ERR(mr))
		ib_umem_release(umem);
	else
		mr->umem = umem;
	return mr;
}

struct ib_mr *siw_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access,
			      struct ib_udata *udata)
{
	struct ib_umem *umem;
	struct siw_mr *mr;
	int ret;

	ret = siw_mr_check_access(pd, access);
	if (ret)
		return ERR_PTR(ret);
	if (length > SIW_MAX_MR_SIZE)
		return ERR_PTR(-EINVAL);
	umem = ib_umem_get(pd->device, start, length, access);
	if (IS_ERR(umem))
		return ERR_CAST(umem);
	mr = create(pd, umem);
	if (IS_ERR(mr))
		return ERR_CAST(mr);

	user_mr_init(mr->mem, umem, virt_addr, access);
	ret = fill_pages(mr->mem, umem);
	if (!ret)
		ret = respond(mr, udata);
	if (ret) {
		siw_dereg_mr(&mr->base, udata);
		return ERR_PTR(ret);
	}
	siw_mem_publish(mr->mem);
	return &mr->base;
}
