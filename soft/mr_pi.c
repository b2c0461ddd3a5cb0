// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory regions with protection information as verbs objects: allocation, mapping, registration
 * and status.
 *
 * Addresses in such a region count bytes on the wire: those of the data and, if protection
 * information is on the wire, those of the protection information as well.
 */
#include "soft/mr_pi.h"
#include "soft/device.h"
#include "soft/mem.h"
#include "soft/mr.h"
#include "soft/pi.h"

/*
 * Atomic operations and memory windows work on the pages of a region, and a region with protection
 * information has lists instead.
 */
#define RIGHTS_THAT_NEED_PAGES	(IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_MW_BIND)

struct ib_mr *soft_alloc_mr_integrity(struct ib_pd *pd, u32 max_num_data_sg, u32 max_num_meta_sg)
{
	struct soft_mr *mr;

	/* Ask for room for one page, because a region without any would be a DMA region. */
	mr = soft_mr_create(pd, 1);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->mem->pi = soft_pi_alloc(max_num_data_sg, max_num_meta_sg);
	if (!mr->mem->pi) {
		soft_dereg_mr(&mr->base, NULL);
		return ERR_PTR(-ENOMEM);
	}
	mr->mem->fast_reg = true;
	return &mr->base;
}

int soft_map_mr_sg_pi(struct ib_mr *base, struct scatterlist *data_sg, int data_sg_nents,
		      unsigned int *data_sg_offset, struct scatterlist *meta_sg, int meta_sg_nents,
		      unsigned int *meta_sg_offset)
{
	const struct soft_pi_sg data = {
		data_sg,
		data_sg_nents,
		data_sg_offset ? *data_sg_offset : 0,
	};
	const struct soft_pi_sg meta = {
		meta_sg,
		meta_sg_nents,
		meta_sg_offset ? *meta_sg_offset : 0,
	};
	struct soft_pi *pi = to_soft_mr(base)->mem->pi;
	u64 len;
	int ret;

	ret = soft_pi_map(pi, &data, &meta);
	if (ret)
		return ret;
	len = soft_pi_mapped_len(pi, base->sig_attrs);
	if (!len)
		return -EINVAL;
	base->iova = (uintptr_t)pi->data.segs[0].at;
	base->length = len;
	if (data_sg_offset)
		*data_sg_offset = 0;
	if (meta_sg_offset)
		*meta_sg_offset = 0;
	return 0;
}

int soft_mr_pi_register(const struct ib_pd *pd, struct ib_mr *base, u32 key, int access)
{
	struct soft_mem *mem = to_soft_mr(base)->mem;
	int ret;

	if (!mem->pi)
		return -EINVAL;
	ret = soft_mr_may_register(mem, pd, key, access, RIGHTS_THAT_NEED_PAGES);
	if (ret)
		return ret;

	/* Copies may still be in progress if the peer has invalidated the region just now. */
	soft_mem_wait_for_copies(mem);
	ret = soft_pi_register(mem->pi, base->sig_attrs, base->length);
	if (ret)
		return ret;
	soft_mr_set_registered(mem, base, key, access);
	return 0;
}

int soft_check_mr_status(struct ib_mr *base, u32 check_mask, struct ib_mr_status *status)
{
	if (soft_pi_take_error(to_soft_mr(base)->mem->pi, &status->sig_err))
		status->fail_status = IB_MR_CHECK_SIG_STATUS;
	return 0;
}
