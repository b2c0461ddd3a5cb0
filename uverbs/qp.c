// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queue pairs of processes.
 */
#include "uverbs/qp.h"

#include "uverbs/cq.h"
#include "uverbs/event_object.h"
#include "uverbs/pd.h"
#include "uverbs/srq.h"
#include "uverbs/uverbs.h"

static int qp_destroy(struct ib_uobject *uobj, struct ib_udata *udata)
{
	return ib_destroy_qp_user(uobj->object, udata);
}

const struct uverbs_object_type uverbs_qp_type = {
	.id = UVERBS_OBJECT_QP,
	.size = sizeof(struct uverbs_event_object),
	.destroy = qp_destroy,
	.release = uverbs_event_object_release,
};

/* Looks up the PD, the CQs and the SRQ for a new QP. */
static int get_qp_parents(struct uverbs_attr_bundle *call, const struct uverbs_qp_args *args,
			  struct ib_qp_init_attr *attr, struct ib_pd **pd)
{
	*pd = uverbs_get(call, pd, args->pd);
	if (IS_ERR(*pd))
		return PTR_ERR(*pd);
	attr->send_cq = uverbs_get(call, cq, args->send_cq);
	if (IS_ERR(attr->send_cq))
		return PTR_ERR(attr->send_cq);
	attr->recv_cq = uverbs_get(call, cq, args->recv_cq);
	if (IS_ERR(attr->recv_cq))
		return PTR_ERR(attr->recv_cq);
	if (args->has_srq)
		attr->srq = uverbs_get(call, srq, args->srq);
	return IS_ERR(attr->srq) ? PTR_ERR(attr->srq) : 0;
}

int uverbs_create_qp(struct uverbs_attr_bundle *call, struct uverbs_qp_args *args,
		     struct ib_qp **qp)
{
	struct ib_qp_init_attr attr = {
		.event_handler = uverbs_event_object_handler,
		.sq_sig_type = args->signal_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR,
		.qp_type = args->type,
		.create_flags = args->flags,
	};
	struct uverbs_event_object *uqp;
	struct ib_pd *pd;
	int ret;

	uqp = uverbs_event_object_new(call, &uverbs_qp_type, args->user_handle, args->async);
	if (IS_ERR(uqp))
		return PTR_ERR(uqp);
	/* These types are for processes. The provider refuses those that it does not support. */
	if (args->type != IB_UVERBS_QPT_RC && args->type != IB_UVERBS_QPT_UC &&
	    args->type != IB_UVERBS_QPT_UD && args->type != IB_UVERBS_QPT_DRIVER)
		return -EOPNOTSUPP;
	attr.qp_context = uqp;
	IB_USER_COPY_QP_CAP(&attr.cap, &args->cap);
	ret = get_qp_parents(call, args, &attr, &pd);
	if (ret)
		return ret;
	*qp = ib_create_qp_user(pd->device, pd, &attr, &call->driver_udata, &uqp->uobj, NULL);
	if (IS_ERR(*qp))
		return PTR_ERR(*qp);
	IB_USER_COPY_QP_CAP(&args->cap, &attr.cap);
	uqp->uobj.object = *qp;
	return 0;
}

int uverbs_modify_qp(struct uverbs_attr_bundle *call, u32 handle, struct ib_qp_attr *attr, int mask)
{
	struct ib_qp *qp = uverbs_get(call, qp, handle);

	if (IS_ERR(qp))
		return PTR_ERR(qp);
	return ib_modify_qp_with_udata(qp, attr, mask, &call->driver_udata);
}

int uverbs_query_qp(struct uverbs_attr_bundle *call, u32 handle, int mask, struct ib_qp_attr *attr,
		    struct ib_qp_init_attr *init)
{
	struct ib_qp *qp = uverbs_get(call, qp, handle);

	return IS_ERR(qp) ? PTR_ERR(qp) : ib_query_qp(qp, attr, mask, init);
}

int uverbs_destroy_qp(struct uverbs_attr_bundle *call, u32 handle, u32 *events_reported)
{
	return uverbs_event_object_destroy(call, &uverbs_qp_type, handle, events_reported);
}

void uverbs_qps_fail(struct ib_uverbs_file *file)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	struct ib_uobject *uobj;

	lockdep_assert_held(&file->empty_lock);
	/* Errors are ignored: a QP that cannot be moved is destroyed in its present state. */
	list_for_each_entry(uobj, &file->list, entry)
		if (uobj->type == &uverbs_qp_type)
			ib_modify_qp(uobj->object, &attr, IB_QP_STATE);
}
