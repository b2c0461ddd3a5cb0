// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * XRC domains.
 */
#include "core/registry.h"
#include "verbs/verbs.h"

struct ib_xrcd *ib_alloc_xrcd_user(struct ib_device *device, struct inode *inode,
				   struct ib_udata *udata)
{
	struct ib_xrcd *xrcd;
	int ret;

	might_sleep();
	if (!device->ops.alloc_xrcd)
		return ERR_PTR(-EOPNOTSUPP);
	if (!ib_core_device_usable(device))
		return ERR_PTR(-ENODEV);

	xrcd = verbs_zalloc(device, ib_xrcd, udata);
	if (!xrcd)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&xrcd->open_lock);
	xa_init(&xrcd->tgt_qps);
	init_rwsem(&xrcd->tgt_qps_rwsem);
	atomic_set(&xrcd->usecnt, 0);
	xrcd->inode = inode;
	xrcd->device = device;

	ret = device->ops.alloc_xrcd(xrcd, udata);
	if (ret) {
		kfree(xrcd);
		return ERR_PTR(ret);
	}
	return xrcd;
}
EXPORT_SYMBOL(ib_alloc_xrcd_user);

int ib_dealloc_xrcd_user(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	int ret;

	might_sleep();
	if (atomic_read(&xrcd->usecnt))
		return -EBUSY;
	ret = xrcd->device->ops.dealloc_xrcd(xrcd, udata);
	if (ret)
		return ret;
	xa_destroy(&xrcd->tgt_qps);
	kfree(xrcd);
	return 0;
}
EXPORT_SYMBOL(ib_dealloc_xrcd_user);
