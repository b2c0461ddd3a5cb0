// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Device memory, which processes allocate and register.
 */
#include <rdma/uverbs_ioctl.h>

#include "core/registry.h"
#include "verbs/mr.h"
#include "verbs/verbs.h"

struct ib_dm *ib_alloc_dm_user(struct ib_device *device, struct ib_ucontext *context,
			       struct ib_dm_alloc_attr *attr, struct ib_uobject *uobject,
			       struct uverbs_attr_bundle *attrs)
{
	struct ib_dm *dm;

	might_sleep();
	if (!device->ops.alloc_dm)
		return ERR_PTR(-EOPNOTSUPP);
	if (!ib_core_device_usable(device))
		return ERR_PTR(-ENODEV);
	dm = device->ops.alloc_dm(device, context, attr, attrs);
	if (IS_ERR(dm))
		return dm;
	dm->device = device;
	dm->length = attr->length;
	dm->flags = attr->flags;
	dm->uobject = uobject;
	atomic_set(&dm->usecnt, 0);
	return dm;
}
EXPORT_SYMBOL(ib_alloc_dm_user);

int ib_dealloc_dm_user(struct ib_dm *dm, struct uverbs_attr_bundle *attrs)
{
	might_sleep();
	if (atomic_read(&dm->usecnt))
		return -EBUSY;
	return dm->device->ops.dealloc_dm(dm, attrs);
}
EXPORT_SYMBOL(ib_dealloc_dm_user);

static int check_dm_region(const struct ib_pd *pd, const struct ib_dm *dm,
			   const struct ib_dm_mr_attr *attr)
{
	if (dm->device != pd->device || !(attr->access_flags & IB_ZERO_BASED))
		return -EINVAL;
	if (attr->offset > dm->length || attr->length > dm->length - attr->offset)
		return -EINVAL;
	return ib_check_mr_access(pd->device, attr->access_flags);
}

struct ib_mr *ib_reg_dm_mr_user(struct ib_pd *pd, struct ib_dm *dm, struct ib_dm_mr_attr *attr,
				struct ib_uobject *uobject, struct uverbs_attr_bundle *attrs)
{
	struct ib_device *dev = pd->device;
	struct ib_mr *mr;
	int ret;

	might_sleep();
	if (!dev->ops.reg_dm_mr)
		return ERR_PTR(-EOPNOTSUPP);
	ret = check_dm_region(pd, dm, attr);
	if (ret)
		return ERR_PTR(ret);
	if (!ib_core_device_usable(dev))
		return ERR_PTR(-ENODEV);
	mr = dev->ops.reg_dm_mr(pd, dm, attr, attrs);
	if (IS_ERR(mr))
		return mr;
	mr->iova = 0;
	mr->length = attr->length;
	mr->uobject = uobject;
	mr = verbs_mr_init(mr, pd, IB_MR_TYPE_DM, &attrs->driver_udata, NULL);
	if (IS_ERR(mr))
		return mr;
	mr->dm = dm;
	atomic_inc(&dm->usecnt);
	return mr;
}
EXPORT_SYMBOL(ib_reg_dm_mr_user);
