// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory regions with protection information: creation, mapping, and the result of the checks.
 */
#include <linux/log2.h>

#include "verbs/mr.h"
#include "core/registry.h"
#include "verbs/verbs.h"

static bool has_integrity(const struct ib_device *dev)
{
	return dev->attrs.kernel_cap_flags & IBK_INTEGRITY_HANDOVER;
}

struct ib_mr *ib_alloc_mr_integrity(struct ib_pd *pd, u32 max_num_data_sg, u32 max_num_meta_sg)
{
	struct ib_device *dev = pd->device;
	struct ib_sig_attrs *attrs;
	struct ib_mr *mr;

	if (!dev->ops.alloc_mr_integrity || !dev->ops.map_mr_sg_pi || !has_integrity(dev))
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_num_data_sg || !max_num_meta_sg ||
	    verbs_exceeds(max_num_data_sg, dev->attrs.max_pi_fast_reg_page_list_len) ||
	    verbs_exceeds(max_num_meta_sg, dev->attrs.max_pi_fast_reg_page_list_len))
		return ERR_PTR(-EINVAL);
	if (!ib_core_device_usable(dev))
		return ERR_PTR(-ENODEV);

	attrs = kzalloc(sizeof(*attrs), GFP_KERNEL);
	if (!attrs)
		return ERR_PTR(-ENOMEM);
	mr = dev->ops.alloc_mr_integrity(pd, max_num_data_sg, max_num_meta_sg);
	if (!IS_ERR(mr))
		mr = verbs_mr_init(mr, pd, IB_MR_TYPE_INTEGRITY, NULL, pd->res.kern_name);
	if (IS_ERR(mr)) {
		kfree(attrs);
		return mr;
	}
	mr->sig_attrs = attrs;
	return mr;
}
EXPORT_SYMBOL(ib_alloc_mr_integrity);

int ib_map_mr_sg_pi(struct ib_mr *mr, struct scatterlist *data_sg, int data_sg_nents,
		    unsigned int *data_sg_offset, struct scatterlist *meta_sg, int meta_sg_nents,
		    unsigned int *meta_sg_offset, unsigned int page_size)
{
	if (!mr->device->ops.map_mr_sg_pi)
		return -EOPNOTSUPP;
	if (mr->type != IB_MR_TYPE_INTEGRITY || data_sg_nents < 1 || meta_sg_nents < 0 ||
	    !is_power_of_2(page_size))
		return -EINVAL;

	mr->page_size = page_size;
	return mr->device->ops.map_mr_sg_pi(mr, data_sg, data_sg_nents, data_sg_offset, meta_sg,
					    meta_sg_nents, meta_sg_offset);
}
EXPORT_SYMBOL(ib_map_mr_sg_pi);

int ib_check_mr_status(struct ib_mr *mr, u32 check_mask, struct ib_mr_status *mr_status)
{
	struct ib_device *dev = mr->device;

	if (!dev->ops.check_mr_status || !has_integrity(dev))
		return -EOPNOTSUPP;
	if (!check_mask || check_mask & ~IB_MR_CHECK_SIG_STATUS || mr->type != IB_MR_TYPE_INTEGRITY)
		return -EINVAL;

	*mr_status = (struct ib_mr_status) {};
	return dev->ops.check_mr_status(mr, check_mask, mr_status);
}
EXPORT_SYMBOL(ib_check_mr_status);
