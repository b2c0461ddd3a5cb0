// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Counters of processes.
 */
#include "uverbs/object/counters.h"

#include "uverbs/frame/uverbs.h"

static int counters_destroy(struct ib_uobject *uobj, struct ib_udata *udata)
{
	return ib_destroy_counters(uobj->object);
}

const struct uverbs_object_type uverbs_counters_type = {
	.id = UVERBS_OBJECT_COUNTERS,
	.size = sizeof(struct ib_uobject),
	.destroy = counters_destroy,
};

int uverbs_create_counters(struct uverbs_attr_bundle *call)
{
	struct ib_counters *counters;
	struct ib_uobject *uobj;

	uobj = uverbs_object_new(call, &uverbs_counters_type);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	counters = ib_create_counters_user(call->ibdev, uobj, call);
	if (IS_ERR(counters))
		return PTR_ERR(counters);
	uobj->object = counters;
	return 0;
}

int uverbs_read_counters(struct uverbs_attr_bundle *call, u32 handle,
			 struct ib_counters_read_attr *attr)
{
	struct ib_counters *counters = uverbs_get(call, counters, handle);

	return IS_ERR(counters) ? PTR_ERR(counters) : ib_read_counters(counters, attr, call);
}

int uverbs_destroy_counters(struct uverbs_attr_bundle *call, u32 handle)
{
	return uverbs_object_destroy(call, &uverbs_counters_type, handle);
}
