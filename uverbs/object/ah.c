// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Address handles of processes.
 */
#include "uverbs/object/ah.h"

#include "uverbs/frame/uverbs.h"
#include "uverbs/object/pd.h"

static int ah_destroy(struct ib_uobject *uobj, struct ib_udata *udata)
{
	return rdma_destroy_ah_user(uobj->object, RDMA_DESTROY_AH_SLEEPABLE, udata);
}

const struct uverbs_object_type uverbs_ah_type = {
	.id = UVERBS_OBJECT_AH,
	.size = sizeof(struct ib_uobject),
	.destroy = ah_destroy,
};

int uverbs_create_ah(struct uverbs_attr_bundle *call, u64 user_handle, u32 pd,
		     struct rdma_ah_attr *attr, u32 *handle)
{
	struct ib_uobject *uobj;
	struct ib_pd *parent;
	struct ib_ah *ah;

	if (!call->ibdev->ops.create_user_ah)
		return -EOPNOTSUPP;
	uobj = uverbs_object_new(call, &uverbs_ah_type);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	parent = uverbs_get(call, pd, pd);
	if (IS_ERR(parent))
		return PTR_ERR(parent);
	ah = rdma_create_user_ah(parent, attr, &call->driver_udata);
	if (IS_ERR(ah))
		return PTR_ERR(ah);
	uobj->user_handle = user_handle;
	uobj->object = ah;
	*handle = uobj->id;
	return 0;
}

int uverbs_destroy_ah(struct uverbs_attr_bundle *call, u32 handle)
{
	return uverbs_object_destroy(call, &uverbs_ah_type, handle);
}
