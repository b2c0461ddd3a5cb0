// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory windows of processes.
 */
#include "uverbs/object/mw.h"

#include "uverbs/frame/uverbs.h"
#include "uverbs/object/pd.h"

static int mw_destroy(struct ib_uobject *uobj, struct ib_udata *udata)
{
	return ib_dealloc_mw(uobj->object);
}

const struct uverbs_object_type uverbs_mw_type = {
	.id = UVERBS_OBJECT_MW,
	.size = sizeof(struct ib_uobject),
	.destroy = mw_destroy,
};

int uverbs_alloc_mw(struct uverbs_attr_bundle *call, u32 handle, u8 type, struct ib_mw **mw)
{
	struct ib_pd *pd = uverbs_get(call, pd, handle);
	struct ib_uobject *uobj;

	if (IS_ERR(pd))
		return PTR_ERR(pd);
	uobj = uverbs_object_new(call, &uverbs_mw_type);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	*mw = ib_alloc_mw_user(pd, type, uobj, &call->driver_udata);
	if (IS_ERR(*mw))
		return PTR_ERR(*mw);
	uobj->object = *mw;
	return 0;
}

int uverbs_dealloc_mw(struct uverbs_attr_bundle *call, u32 handle)
{
	return uverbs_object_destroy(call, &uverbs_mw_type, handle);
}
