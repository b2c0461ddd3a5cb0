// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory regions of processes.
 */
#include "uverbs/mr.h"

#include "uverbs/dm.h"
#include "uverbs/pd.h"
#include "uverbs/uverbs.h"

static int mr_destroy(struct ib_uobject *uobj, struct ib_udata *udata)
{
	return ib_dereg_mr_user(uobj->object, udata);
}

const struct uverbs_object_type uverbs_mr_type = {
	.id = UVERBS_OBJECT_MR,
	.size = sizeof(struct ib_uobject),
	.destroy = mr_destroy,
};

int uverbs_reg_mr(struct uverbs_attr_bundle *call, const struct uverbs_mr_args *args,
		  struct ib_mr **mr)
{
	struct ib_pd *pd = uverbs_get(call, pd, args->pd);
	struct ib_uobject *uobj;

	if (IS_ERR(pd))
		return PTR_ERR(pd);
	uobj = uverbs_object_new(call, &uverbs_mr_type);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	if (args->fd >= 0)
		*mr = ib_reg_mr_dmabuf_user(pd, args->start, args->length, args->iova, args->fd,
					    args->access, uobj, &call->driver_udata);
	else
		*mr = ib_reg_mr_user(pd, args->start, args->length, args->iova, args->access, uobj,
				     &call->driver_udata);
	if (IS_ERR(*mr))
		return PTR_ERR(*mr);
	uobj->object = *mr;
	return 0;
}

int uverbs_reg_dm_mr(struct uverbs_attr_bundle *call, u32 pd, u32 dm, struct ib_dm_mr_attr *attr,
		     struct ib_mr **mr)
{
	struct ib_uobject *uobj;
	struct ib_pd *parent;
	struct ib_dm *memory;

	if (!call->ibdev->ops.reg_dm_mr)
		return -EOPNOTSUPP;
	parent = uverbs_get(call, pd, pd);
	if (IS_ERR(parent))
		return PTR_ERR(parent);
	memory = uverbs_get(call, dm, dm);
	if (IS_ERR(memory))
		return PTR_ERR(memory);
	uobj = uverbs_object_new(call, &uverbs_mr_type);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	*mr = ib_reg_dm_mr_user(parent, memory, attr, uobj, call);
	if (IS_ERR(*mr))
		return PTR_ERR(*mr);
	uobj->object = *mr;
	return 0;
}

int uverbs_rereg_mr(struct uverbs_attr_bundle *call, u32 handle, u32 flags,
		    const struct uverbs_mr_args *args, struct ib_mr **mr)
{
	struct ib_uobject *uobj;
	struct ib_pd *pd = NULL;
	int ret;

	uobj = uverbs_object_get(call, &uverbs_mr_type, handle);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	/* Keep other calls from using the region, because the provider may replace it. */
	if (atomic_cmpxchg(&uobj->users, 1, UVERBS_EXCLUSIVE) != 1)
		return -EBUSY;
	if (flags & IB_MR_REREG_PD) {
		pd = uverbs_get(call, pd, args->pd);
		if (IS_ERR(pd)) {
			ret = PTR_ERR(pd);
			goto share;
		}
	}
	*mr = uobj->object;
	ret = ib_rereg_mr_user(mr, flags, args->start, args->length, args->iova, args->access, pd,
			       &call->driver_udata);
	if (!ret)
		uobj->object = *mr;
share:
	atomic_set_release(&uobj->users, 1);
	return ret;
}

int uverbs_dereg_mr(struct uverbs_attr_bundle *call, u32 handle)
{
	return uverbs_object_destroy(call, &uverbs_mr_type, handle);
}
