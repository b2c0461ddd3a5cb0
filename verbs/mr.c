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

/* What the provider has made becomes a region of @pd that can be found; or it is ended. */
static struct ib_mr *mr_init_kernel(struct ib_mr *mr, struct ib_pd *pd, enum ib_mr_type type,
				    struct ib_udata *udata, const char *caller)
{
	int ret;

	fill_common(mr, pd, type);
	ret = verbs_track(pd->device, &mr->res, RDMA_RESTRACK_MR, caller);
	if (ret) {
		pd->device->ops.dereg_mr(mr, udata);
		return ERR_PTR(ret);
	}
	trace_rdma_mr_alloc(mr);
	return mr;
}

/* The same for regions that count as users of the PD. */
struct ib_mr *verbs_mr_adopt(struct ib_mr *mr, struct ib_pd *pd, enum ib_mr_type type,
			     struct ib_udata *udata, const char *caller)
{
	mr = mr_init_kernel(mr, pd, type, udata, caller);
	if (!IS_ERR(mr))
		atomic_inc(&pd->usecnt);
	return mr;
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
	return verbs_mr_adopt(mr, pd, mr_type, NULL, pd->res.kern_name);
}
EXPORT_SYMBOL(ib_alloc_mr);

/* Ends a region; on failure nothing has changed. */
static int end_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	struct ib_device *dev = mr->device;
	struct task_struct *owner;
	int ret;

	trace_rdma_mr_dereg(mr);
	owner = verbs_untrack(dev, &mr->res);
	ret = dev->ops.dereg_mr(mr, udata);
	verbs_untrack_end(dev, &mr->res, owner, ret);
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

	if (!dev->ops.get_dma_mr)
		return ERR_PTR(-EOPNOTSUPP);
	mr = dev->ops.get_dma_mr(pd, access);
	if (IS_ERR(mr))
		return mr;
	return mr_init_kernel(mr, pd, IB_MR_TYPE_DMA, NULL, caller);
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
