// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory regions: creation and destruction. The provider allocates and frees them, the core fills
 * in the common part.
 */
#include "verbs/mr.h"

#include <trace/events/ib_core.h>

#include "core/registry.h"
#include "verbs/track.h"
#include "verbs/verbs.h"

/*
 * Fills in the common part of a region, and enters the region into the resource table. Does not
 * count the region as a user of the PD. On error deregisters the region.
 */
static struct ib_mr *mr_init_common(struct ib_mr *mr, struct ib_pd *pd, enum ib_mr_type type,
				    struct ib_udata *udata, const char *caller)
{
	int ret;

	mr->device = pd->device;
	mr->pd = pd;
	mr->type = type;
	mr->need_inval = false;
	mr->sig_attrs = NULL;
	mr->dm = NULL;
	memset(&mr->res, 0, sizeof(mr->res));

	ret = verbs_track(pd->device, &mr->res, RDMA_RESTRACK_MR, caller);
	if (ret) {
		pd->device->ops.dereg_mr(mr, udata);
		return ERR_PTR(ret);
	}
	trace_rdma_mr_alloc(mr);
	return mr;
}

struct ib_mr *verbs_mr_init(struct ib_mr *mr, struct ib_pd *pd, enum ib_mr_type type,
			    struct ib_udata *udata, const char *caller)
{
	mr = mr_init_common(mr, pd, type, udata, caller);
	if (!IS_ERR(mr))
		atomic_inc(&pd->usecnt);
	return mr;
}

struct ib_mr *ib_alloc_mr(struct ib_pd *pd, enum ib_mr_type mr_type, u32 max_num_sg)
{
	struct ib_device *dev = pd->device;
	struct ib_mr *mr;

	if (!max_num_sg || verbs_exceeds(max_num_sg, dev->attrs.max_fast_reg_page_list_len))
		return ERR_PTR(-EINVAL);
	if (mr_type != IB_MR_TYPE_MEM_REG && mr_type != IB_MR_TYPE_SG_GAPS)
		return ERR_PTR(-EINVAL);
	if (!dev->ops.alloc_mr)
		return ERR_PTR(-EOPNOTSUPP);
	if (mr_type == IB_MR_TYPE_SG_GAPS && !(dev->attrs.kernel_cap_flags & IBK_SG_GAPS_REG))
		return ERR_PTR(-EOPNOTSUPP);
	if (!ib_core_device_usable(dev))
		return ERR_PTR(-ENODEV);

	mr = dev->ops.alloc_mr(pd, mr_type, max_num_sg);
	if (IS_ERR(mr))
		return mr;
	return verbs_mr_init(mr, pd, mr_type, NULL, pd->res.kern_name);
}
EXPORT_SYMBOL(ib_alloc_mr);

/*
 * Destroys a region, but does not change the PD's use count. On error the region still exists.
 */
static int mr_destroy(struct ib_mr *mr, struct ib_udata *udata)
{
	struct ib_sig_attrs *attrs = mr->sig_attrs;
	struct ib_dm *dm = mr->dm;
	struct ib_device *dev = mr->device;
	struct task_struct *owner;
	int ret;

	might_sleep();
	trace_rdma_mr_dereg(mr);
	owner = verbs_untrack(dev, &mr->res);
	ret = dev->ops.dereg_mr(mr, udata);
	verbs_untrack_end(dev, &mr->res, owner, ret);
	if (ret)
		return ret;
	kfree(attrs);
	if (dm)
		atomic_dec(&dm->usecnt);
	return 0;
}

int ib_dereg_mr_user(struct ib_mr *mr, struct ib_udata *udata)
{
	struct ib_pd *pd = mr->pd;
	int ret;

	ret = mr_destroy(mr, udata);
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

struct ib_mr *verbs_dma_mr_get(struct ib_pd *pd, int access, const char *caller)
{
	struct ib_device *dev = pd->device;
	struct ib_mr *mr;

	if (!dev->ops.get_dma_mr)
		return ERR_PTR(-EOPNOTSUPP);
	mr = dev->ops.get_dma_mr(pd, access);
	if (IS_ERR(mr))
		return mr;
	return mr_init_common(mr, pd, IB_MR_TYPE_DMA, NULL, caller);
}

int verbs_dma_mr_put(struct ib_mr *mr)
{
	return mr_destroy(mr, NULL);
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
