// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Protection domains of processes.
 */
#include "uverbs/object/pd.h"

#include "uverbs/frame/uverbs.h"

static int pd_destroy(struct ib_uobject *uobj, struct ib_udata *udata)
{
	return ib_dealloc_pd_user(uobj->object, udata);
}

const struct uverbs_object_type uverbs_pd_type = {
	.id = UVERBS_OBJECT_PD,
	.size = sizeof(struct ib_uobject),
	.destroy = pd_destroy,
};

int uverbs_alloc_pd(struct uverbs_attr_bundle *call, u32 *handle)
{
	struct ib_uobject *uobj;
	struct ib_pd *pd;

	uobj = uverbs_object_new(call, &uverbs_pd_type);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	pd = ib_alloc_pd_user(call->context->device, uobj, &call->driver_udata);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	uobj->object = pd;
	*handle = uobj->id;
	return 0;
}

int uverbs_dealloc_pd(struct uverbs_attr_bundle *call, u32 handle)
{
	return uverbs_object_destroy(call, &uverbs_pd_type, handle);
}
