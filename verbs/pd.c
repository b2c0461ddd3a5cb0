// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Protection domains, and the L_Keys and R_Keys of the PDs that ULPs make.
 */
#include "core/registry.h"
#include "verbs/mr.h"
#include "verbs/track.h"
#include "verbs/verbs.h"

/*
 * Sets the PD's L_Key and R_Key. Makes a region of all memory unless the device's L_Key is enough.
 */
static int add_keys(struct ib_pd *pd, const char *caller)
{
	bool needs_lkey = !(pd->device->attrs.kernel_cap_flags & IBK_LOCAL_DMA_LKEY);
	bool needs_rkey = pd->flags & IB_PD_UNSAFE_GLOBAL_RKEY;
	int access = IB_ACCESS_LOCAL_WRITE;
	struct ib_mr *mr;

	pd->local_dma_lkey = pd->device->local_dma_lkey;
	if (!needs_lkey && !needs_rkey)
		return 0;

	if (needs_rkey)
		access |= IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ;
	mr = verbs_dma_mr_get(pd, access, caller);
	if (IS_ERR(mr))
		return PTR_ERR(mr);

	pd->__internal_mr = mr;
	if (needs_lkey)
		pd->local_dma_lkey = mr->lkey;
	if (needs_rkey) {
		pd->unsafe_global_rkey = mr->rkey;
		ibdev_warn(pd->device, "%s lets peers read and write all memory of this host\n",
			   caller);
	}
	return 0;
}

static int drop_keys(struct ib_pd *pd)
{
	int ret;

	if (!pd->__internal_mr)
		return 0;

	ret = verbs_dma_mr_put(pd->__internal_mr);
	if (ret)
		return ret;
	pd->__internal_mr = NULL;
	pd->unsafe_global_rkey = 0;
	return 0;
}

/*
 * Allocates a PD, and has the provider initialise the provider's part. The PD has no keys, and is
 * not in the resource table yet.
 */
static struct ib_pd *pd_init(struct ib_device *device, unsigned int flags,
			     struct ib_uobject *uobject, struct ib_udata *udata)
{
	struct ib_pd *pd;
	int ret;

	if (!device->ops.alloc_pd)
		return ERR_PTR(-EOPNOTSUPP);
	if (!ib_core_device_usable(device))
		return ERR_PTR(-ENODEV);

	pd = verbs_zalloc(device, ib_pd, uobject);
	if (!pd)
		return ERR_PTR(-ENOMEM);
	pd->device = device;
	pd->flags = flags;
	pd->uobject = uobject;
	atomic_set(&pd->usecnt, 0);

	ret = device->ops.alloc_pd(pd, udata);
	if (ret) {
		kfree(pd);
		return ERR_PTR(ret);
	}
	return pd;
}

static void pd_cleanup(struct ib_pd *pd, struct ib_udata *udata)
{
	pd->device->ops.dealloc_pd(pd, udata);
	kfree(pd);
}

struct ib_pd *__ib_alloc_pd(struct ib_device *device, unsigned int flags, const char *caller)
{
	struct ib_pd *pd;
	int ret;

	if (flags & ~IB_PD_UNSAFE_GLOBAL_RKEY)
		return ERR_PTR(-EINVAL);
	pd = pd_init(device, flags, NULL, NULL);
	if (IS_ERR(pd))
		return pd;

	ret = add_keys(pd, caller);
	if (ret)
		goto err_cleanup;
	ret = verbs_track(device, &pd->res, RDMA_RESTRACK_PD, caller);
	if (ret)
		goto err_keys;
	return pd;

err_keys:
	drop_keys(pd);
err_cleanup:
	pd_cleanup(pd, NULL);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL(__ib_alloc_pd);

struct ib_pd *ib_alloc_pd_user(struct ib_device *device, struct ib_uobject *uobject,
			       struct ib_udata *udata)
{
	struct ib_pd *pd;
	int ret;

	pd = pd_init(device, 0, uobject, udata);
	if (IS_ERR(pd))
		return pd;

	ret = verbs_track(device, &pd->res, RDMA_RESTRACK_PD, NULL);
	if (ret) {
		pd_cleanup(pd, udata);
		return ERR_PTR(ret);
	}
	return pd;
}
EXPORT_SYMBOL(ib_alloc_pd_user);

int ib_dealloc_pd_user(struct ib_pd *pd, struct ib_udata *udata)
{
	bool has_region = pd->__internal_mr;
	const char *caller = pd->res.kern_name;
	struct ib_device *device = pd->device;
	struct task_struct *owner;
	int ret;

	might_sleep();
	if (atomic_read(&pd->usecnt))
		return -EBUSY;

	owner = verbs_untrack(device, &pd->res);
	ret = drop_keys(pd);
	if (!ret)
		ret = device->ops.dealloc_pd(pd, udata);
	/*
	 * Providers do not free a PD that has a region, so drop_keys() had to destroy the PD's
	 * region before dealloc_pd() was called. If the PD was not freed, make a new region for it.
	 */
	if (ret && has_region && !pd->__internal_mr && add_keys(pd, caller))
		ibdev_err(device, "a PD of %s, which could not be freed, has lost its keys\n",
			  caller);
	verbs_untrack_end(device, &pd->res, owner, ret);
	if (!ret)
		kfree(pd);
	return ret;
}
EXPORT_SYMBOL(ib_dealloc_pd_user);

void ib_dealloc_pd(struct ib_pd *pd)
{
	int ret = ib_dealloc_pd_user(pd, NULL);

	WARN_ONCE(ret, "PD destroyed while in use: %d\n", ret);
}
EXPORT_SYMBOL(ib_dealloc_pd);
