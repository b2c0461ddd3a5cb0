// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory regions: creation and destruction. The provider allocates them, the core fills the common
 * part.
 */
#include <trace/events/ib_core.h>

#include "verbs/verbs.h"

static void fill_common(struct ib_mr *mr, struct ib_pd *pd, enum ib_mr_type type)
{
	mr->device = pd->device;
	mr->pd = pd;
	mr->type = type;
	mr->need_inval = false;
	mr->sig_attrs = NULL;
	memset(&mr->res, 0, sizeof(mr->res));
}

static int check_allocation(const struct ib_device *dev, enum ib_mr_type type, u32 max_num_sg)
{
	if (!max_num_sg || verbs_exceeds(max_num_sg, dev->attrs.max_fast_reg_page_list_len))
		return -EINVAL;
	if (type != IB_MR_TYPE_MEM_REG && type != IB_MR_TYPE_SG_GAPS)
		return -EINVAL;
	if (!dev->ops.alloc_mr)
		return -EOPNOTSUPP;
	if (type == IB_MR_TYPE_SG_GAPS && !(dev->attrs.kernel_cap_flags & IBK_SG_GAPS_REG))
		return -EOPNOTSUPP;
	return ib_core_device_usable(dev) ? 0 : -ENODEV;
}

struct ib_mr *ib_alloc_mr(struct ib_pd *pd, enum ib_mr_type mr_type, u32 max_num_sg)
{
	struct ib_device *dev = pd->device;
	struct ib_mr *mr;
	int ret;

	ret = check_allocation(dev, mr_type, max_num_sg);
	if (ret)
		return ERR_PTR(ret);
	mr = dev->ops.alloc_mr(pd, mr_type, max_num_sg);
	if (IS_ERR(mr))
		return mr;

	fill_common(mr, pd, mr_type);
	ret = verbs_track(dev, &mr->res, RDMA_RESTRACK_MR, pd->res.kern_name);
	if (ret) {
		dev->ops.dereg_mr(mr, NULL);
		return ERR_PTR(ret);
	}
	atomic_inc(&pd->usecnt);
	trace_rdma_mr_alloc(mr);
	return mr;
}
EXPORT_SYMBOL(ib_alloc_mr);

/* Ends a region; on failure nothing has changed. */
static int end_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	struct ib_device *dev = mr->device;
	int ret;

	trace_rdma_mr_dereg(mr);
	verbs_untrack(dev, &mr->res);
	ret = dev->ops.dereg_mr(mr, udata);
	if (ret)
		verbs_retrack(dev, &mr->res);
	return ret;
}

int ib_dereg_mr_user(struct ib_mr *mr, struct ib_udata *udata)
{
	struct ib_pd *pd = mr->pd;
	int ret;

	ret = end_mr(mr, udata);
	if (!ret)
		atomic_dec(&pd->usecnt);
	return ret;
}
EXPORT_SYMBOL(ib_dereg_mr_user);

int ib_dereg_mr(struct ib_mr *mr)
{
	return ib_dereg_mr_user(mr, NULL);
}
EXPORT_SYMBOL(ib_dereg_mr);

/* A region that is all of memory, for the PD's own keys: it does not count as a user of the PD. */
struct ib_mr *verbs_dma_mr_get(struct ib_pd *pd, int access, const char *caller)
{
	struct ib_device *dev = pd->device;
	struct ib_mr *mr;
	int ret;

	if (!dev->ops.get_dma_mr)
		return ERR_PTR(-EOPNOTSUPP);
	mr = dev->ops.get_dma_mr(pd, access);
	if (IS_ERR(mr))
		return mr;

	fill_common(mr, pd, IB_MR_TYPE_DMA);
	ret = verbs_track(dev, &mr->res, RDMA_RESTRACK_MR, caller);
	if (ret) {
		dev->ops.dereg_mr(mr, NULL);
		return ERR_PTR(ret);
	}
	trace_rdma_mr_alloc(mr);
	return mr;
}

int verbs_dma_mr_put(struct ib_mr *mr)
{
	return end_mr(mr, NULL);
}

int ib_check_mr_access(struct ib_device *ib_dev, unsigned int flags)
{
	bool remote_changes = flags & (IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC);

	if (flags & ~IB_ACCESS_SUPPORTED)
		return -EINVAL;
	if (remote_changes && !(flags & IB_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	if ((flags & IB_ACCESS_ON_DEMAND) &&
	    !(ib_dev->attrs.kernel_cap_flags & IBK_ON_DEMAND_PAGING))
		return -EOPNOTSUPP;
	return 0;
}
EXPORT_SYMBOL(ib_check_mr_access);
