// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shared receive queues of processes.
 */
#include "uverbs/object/srq.h"

#include "uverbs/frame/event_object.h"
#include "uverbs/frame/umem.h"
#include "uverbs/frame/uverbs.h"
#include "uverbs/object/cq.h"
#include "uverbs/object/pd.h"
#include "uverbs/object/xrcd.h"

/**
 * struct uverbs_srq - handle of a process's SRQ
 * @event_object: the handle, and the SRQ's asynchronous events
 * @xrcd: for an XRC SRQ: handle of its XRC domain; otherwise NULL
 */
struct uverbs_srq {
	struct uverbs_event_object	event_object;
	struct uverbs_xrcd		*xrcd;
};

static struct uverbs_srq *to_usrq(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uverbs_srq, event_object.uobj);
}

static int srq_destroy(struct ib_uobject *uobj, struct ib_udata *udata)
{
	return ib_destroy_srq_user(uobj->object, udata);
}

static void srq_release(struct ib_uobject *uobj)
{
	uverbs_xrcd_unuse(to_usrq(uobj)->xrcd);
	uverbs_event_object_release(uobj);
}

const struct uverbs_object_type uverbs_srq_type = {
	.id = UVERBS_OBJECT_SRQ,
	.size = sizeof(struct uverbs_srq),
	.destroy = srq_destroy,
	.release = srq_release,
};

/*
 * Checks the type. The core refuses SRQs that match tags, and all SRQs of a device that has none.
 */
static int check_srq_type(const struct ib_device *dev, u32 type)
{
	if (type == IB_UVERBS_SRQT_XRC)
		return dev->ops.alloc_xrcd ? 0 : -EOPNOTSUPP;
	return type <= IB_UVERBS_SRQT_TM ? 0 : -EINVAL;
}

/* Sets the attributes that only some types of SRQ have: XRC domain, CQ, and number of tags. */
static int get_srq_ext(struct uverbs_attr_bundle *call, const struct uverbs_srq_args *args,
		       struct ib_srq_init_attr *attr, struct uverbs_xrcd **uxrcd)
{
	if (args->type == IB_UVERBS_SRQT_XRC) {
		*uxrcd = uverbs_xrcd_get(call, args->xrcd, &attr->ext.xrc.xrcd);
		if (IS_ERR(*uxrcd))
			return PTR_ERR(*uxrcd);
	} else if (args->type == IB_UVERBS_SRQT_TM) {
		attr->ext.tag_matching.max_num_tags = args->max_num_tags;
	}
	if (ib_srq_has_cq(attr->srq_type))
		attr->ext.cq = uverbs_get(call, cq, args->cq);
	return PTR_ERR_OR_ZERO(attr->ext.cq);
}

int uverbs_create_srq(struct uverbs_attr_bundle *call, struct uverbs_srq_args *args,
		      struct ib_srq **srq)
{
	struct ib_srq_init_attr attr = {
		.event_handler = uverbs_event_object_handler,
		.attr.max_wr = args->max_wr,
		.attr.max_sge = args->max_sge,
		.attr.srq_limit = args->limit,
		.srq_type = args->type,
	};
	struct uverbs_xrcd *uxrcd = NULL;
	struct uverbs_event_object *usrq;
	struct ib_pd *pd;
	int ret;

	usrq = uverbs_event_object_new(call, &uverbs_srq_type, args->user_handle, args->async);
	if (IS_ERR(usrq))
		return PTR_ERR(usrq);
	ret = check_srq_type(call->ibdev, args->type);
	if (ret)
		return ret;
	ret = get_srq_ext(call, args, &attr, &uxrcd);
	if (ret)
		return ret;
	pd = uverbs_get(call, pd, args->pd);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	attr.srq_context = usrq;
	*srq = ib_create_srq_user(pd, &attr, &usrq->uobj, &call->driver_udata);
	if (IS_ERR(*srq))
		return PTR_ERR(*srq);
	args->max_wr = attr.attr.max_wr;
	args->max_sge = attr.attr.max_sge;
	args->number = args->type == IB_UVERBS_SRQT_XRC ? (*srq)->ext.xrc.srq_num : 0;
	if (uxrcd)
		uverbs_xrcd_use(uxrcd);
	to_usrq(&usrq->uobj)->xrcd = uxrcd;
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
	int ret;

	if (IS_ERR(srq))
		return PTR_ERR(srq);
	ret = uverbs_udata_prepare(call);
	return ret ?: ib_modify_srq_user(srq, &attr, mask, &call->driver_udata);
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
