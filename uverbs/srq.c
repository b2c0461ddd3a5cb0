// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shared receive queues of processes.
 */
#include "uverbs/srq.h"

#include "uverbs/event_object.h"
#include "uverbs/pd.h"
#include "uverbs/uverbs.h"

static int srq_destroy(struct ib_uobject *uobj, struct ib_udata *udata)
{
	return ib_destroy_srq_user(uobj->object, udata);
}

const struct uverbs_object_type uverbs_srq_type = {
	.id = UVERBS_OBJECT_SRQ,
	.size = sizeof(struct uverbs_event_object),
	.destroy = srq_destroy,
	.release = uverbs_event_object_release,
};

int uverbs_create_srq(struct uverbs_attr_bundle *call, struct uverbs_srq_args *args,
		      struct ib_srq **srq)
{
	struct ib_srq_init_attr attr = {
		.event_handler = uverbs_event_object_handler,
		.attr.max_wr = args->max_wr,
		.attr.max_sge = args->max_sge,
		.attr.srq_limit = args->limit,
		.srq_type = IB_SRQT_BASIC,
	};
	struct uverbs_event_object *usrq;
	struct ib_pd *pd;

	usrq = uverbs_event_object_new(call, &uverbs_srq_type, args->user_handle, args->async);
	if (IS_ERR(usrq))
		return PTR_ERR(usrq);
	if (args->type != IB_UVERBS_SRQT_BASIC)
		return -EOPNOTSUPP;
	pd = uverbs_get(call, pd, args->pd);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	attr.srq_context = usrq;
	*srq = ib_create_srq_user(pd, &attr, &usrq->uobj, &call->driver_udata);
	if (IS_ERR(*srq))
		return PTR_ERR(*srq);
	args->max_wr = attr.attr.max_wr;
	args->max_sge = attr.attr.max_sge;
	usrq->uobj.object = *srq;
	return 0;
}

int uverbs_modify_srq(struct uverbs_attr_bundle *call, u32 handle, u32 mask, u32 max_wr, u32 limit)
{
	struct ib_srq *srq = uverbs_get(call, srq, handle);
	struct ib_srq_attr attr = {
		.max_wr = max_wr,
		.srq_limit = limit,
	};

	if (IS_ERR(srq))
		return PTR_ERR(srq);
	return ib_modify_srq_user(srq, &attr, mask, &call->driver_udata);
}

int uverbs_query_srq(struct uverbs_attr_bundle *call, u32 handle, struct ib_srq_attr *attr)
{
	struct ib_srq *srq = uverbs_get(call, srq, handle);

	return IS_ERR(srq) ? PTR_ERR(srq) : ib_query_srq(srq, attr);
}

int uverbs_destroy_srq(struct uverbs_attr_bundle *call, u32 handle, u32 *events_reported)
{
	return uverbs_event_object_destroy(call, &uverbs_srq_type, handle, events_reported);
}
