// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory regions of processes: pinned, and accessed by their addresses in the kernel's mapping.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/sched.h>
#include <rdma/ib_umem.h>

#include "soft/user_mr.h"
#include "soft/device.h"
#include "soft/mem.h"
#include "soft/mr.h"

struct soft_mr *soft_mr_create_user(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr,
				    int access)
{
	struct sg_page_iter iter;
	struct ib_umem *umem;
	struct soft_mem *mem;
	struct soft_mr *mr;
	struct page *page;
	int ret;

	ret = soft_mr_check_access(pd, access);
	if (ret)
		return ERR_PTR(ret);
	umem = ib_umem_get(pd->device, start, length, access);
	if (IS_ERR(umem))
		return ERR_CAST(umem);
	mr = soft_mr_create(pd, ib_umem_num_pages(umem));
	if (IS_ERR(mr)) {
		ib_umem_release(umem);
		return mr;
	}
	mr->umem = umem; /* soft_dereg_mr() releases it */

	/*
	 * The core makes sure that @virt_addr and @start have the same offset in a page, so that
	 * words that are aligned for the peer are aligned in memory, too.
	 */
	mem = mr->mem;
	mem->page_shift = PAGE_SHIFT;
	mem->first_offset = ib_umem_offset(umem);
	mem->va = virt_addr;
	mem->len = umem->length;
	mem->access = access;
	/*
	 * A page's kernel address has to stay valid as long as the region exists. A page in high
	 * memory is refused, because the page has no such address: a mapping by kmap_local_page()
	 * is temporary, and copies are made in contexts in which kmap() is not possible.
	 */
	for_each_sgtable_page(&umem->sgt_append.sgt, &iter, 0) {
		page = sg_page_iter_page(&iter);
		if (PageHighMem(page)) {
			soft_dereg_mr(&mr->base, NULL);
			return ERR_PTR(-EOPNOTSUPP);
		}
		mem->pages[mem->num_pages++] = (uintptr_t)page_address(page);
	}
	return mr;
}

/*
 * If the MR gets other memory, or its memory is pinned anew, a new region is made, whose STag no
 * peer knows yet. The core then destroys the old region. The process learns the new lkey and rkey
 * from the core's response.
 */
struct ib_mr *soft_rereg_user_mr(struct ib_mr *base, int flags, u64 start, u64 length,
				 u64 virt_addr, int access, struct ib_pd *pd,
				 struct ib_udata *udata)
{
	struct soft_mr *mr = to_soft_mr(base);
	struct ib_umem *umem = mr->umem;
	int ret;

	if (!(flags & IB_MR_REREG_ACCESS))
		access = mr->mem->access;
	ret = soft_mr_check_access(pd, access);
	if (ret)
		return ERR_PTR(ret);
	if (!(flags & IB_MR_REREG_TRANS)) {
		if (umem->writable || !ib_access_writable(access)) {
			ret = soft_mem_change(mr->mem, pd, access);
			return ret ? ERR_PTR(ret) : NULL;
		}
		/* In a process other than the owner, umem->address names other memory. */
		if (umem->owning_mm != current->mm)
			return ERR_PTR(-EPERM);
		start = umem->address;
		length = umem->length;
		virt_addr = mr->mem->va;
	}
	mr = soft_mr_create_user(pd, start, length, virt_addr, access);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	soft_mem_set_valid(mr->mem);
	return &mr->base;
}
