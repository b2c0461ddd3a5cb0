// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Device memory, which processes allocate.
 */
#include "uverbs/object/dm.h"

#include "uverbs/frame/uverbs.h"

static int dm_destroy(struct ib_uobject *uobj, struct ib_udata *udata)
{
	return ib_dealloc_dm_user(uobj->object, rdma_udata_to_uverbs_attr_bundle(udata));
}

const struct uverbs_object_type uverbs_dm_type = {
	.id = UVERBS_OBJECT_DM,
	.size = sizeof(struct ib_uobject),
	.destroy = dm_destroy,
};

int uverbs_alloc_dm(struct uverbs_attr_bundle *call, struct ib_dm_alloc_attr *attr)
{
	struct ib_uobject *uobj;
	struct ib_dm *dm;

	uobj = uverbs_object_new(call, &uverbs_dm_type);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	dm = ib_alloc_dm_user(call->ibdev, call->context, attr, uobj, call);
	if (IS_ERR(dm))
		return PTR_ERR(dm);
	uobj->object = dm;
	return 0;
}

int uverbs_free_dm(struct uverbs_attr_bundle *call, u32 handle)
{
	return uverbs_object_destroy(call, &uverbs_dm_type, handle);
}
