// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory windows.
 */
#include "core/registry.h"
#include "verbs/verbs.h"

struct ib_mw *ib_alloc_mw_user(struct ib_pd *pd, enum ib_mw_type type, struct ib_uobject *uobject,
			       struct ib_udata *udata)
{
	struct ib_device *dev = pd->device;
	struct ib_mw *mw;
	int ret;

	might_sleep();
	if (type != IB_MW_TYPE_1 && type != IB_MW_TYPE_2)
		return ERR_PTR(-EINVAL);
	if (!dev->ops.alloc_mw)
		return ERR_PTR(-EOPNOTSUPP);
	if (!ib_core_device_usable(dev))
		return ERR_PTR(-ENODEV);

	mw = verbs_zalloc(dev, ib_mw, uobject);
	if (!mw)
		return ERR_PTR(-ENOMEM);
	mw->device = dev;
	mw->pd = pd;
	mw->uobject = uobject;
	mw->type = type;
	ret = dev->ops.alloc_mw(mw, udata);
	if (ret) {
		kfree(mw);
		return ERR_PTR(ret);
	}
	atomic_inc(&pd->usecnt);
	return mw;
}
EXPORT_SYMBOL(ib_alloc_mw_user);

int ib_dealloc_mw(struct ib_mw *mw)
{
	struct ib_pd *pd = mw->pd;
	int ret;

	might_sleep();
	ret = mw->device->ops.dealloc_mw(mw);
	if (ret)
		return ret;
	atomic_dec(&pd->usecnt);
	kfree(mw);
	return 0;
}
EXPORT_SYMBOL(ib_dealloc_mw);
