// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Work queues and indirection tables of processes.
 */
#include "uverbs/object/wq.h"

#include <linux/mm.h>

#include "uverbs/frame/event_object.h"
#include "uverbs/frame/umem.h"
#include "uverbs/frame/uverbs.h"
#include "uverbs/object/cq.h"
#include "uverbs/object/pd.h"

/**
 * struct ib_uwq_object - handle of a process's WQ
 * @event_object: the handle, and the WQ's asynchronous events
 */
struct ib_uwq_object {
	struct uverbs_event_object	event_object;
};

static int wq_destroy(struct ib_uobject *uobj, struct ib_udata *udata)
{
	return ib_destroy_wq_user(uobj->object, udata);
}

const struct uverbs_object_type uverbs_wq_type = {
	.id = UVERBS_OBJECT_WQ,
	.size = sizeof(struct ib_uwq_object),
	.destroy = wq_destroy,
	.release = uverbs_event_object_release,
};

int uverbs_create_wq(struct uverbs_attr_bundle *call, struct uverbs_wq_args *args,
		     struct ib_wq **wq)
{
	struct ib_wq_init_attr attr = {
		.event_handler = uverbs_event_object_handler,
		.wq_type = args->type,
		.max_wr = args->max_wr,
		.max_sge = args->max_sge,
		.create_flags = args->flags,
	};
	struct uverbs_event_object *uwq;
	struct ib_pd *pd;

	uwq = uverbs_event_object_new(call, &uverbs_wq_type, args->user_handle, args->async);
	if (IS_ERR(uwq))
		return PTR_ERR(uwq);
	if (!call->ibdev->ops.create_wq)
		return -EOPNOTSUPP;
	pd = uverbs_get(call, pd, args->pd);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	attr.cq = uverbs_get(call, cq, args->cq);
	if (IS_ERR(attr.cq))
		return PTR_ERR(attr.cq);
	attr.wq_context = uwq;
	*wq = ib_create_wq_user(pd, &attr, container_of(uwq, struct ib_uwq_object, event_object),
				&call->driver_udata);
	if (IS_ERR(*wq))
		return PTR_ERR(*wq);
	args->max_wr = attr.max_wr;
	args->max_sge = attr.max_sge;
	uwq->uobj.object = *wq;
	return 0;
}

int uverbs_modify_wq(struct uverbs_attr_bundle *call, u32 handle, struct ib_wq_attr *attr, u32 mask)
{
	struct ib_wq *wq = uverbs_get(call, wq, handle);
	int ret = PTR_ERR_OR_ZERO(wq) ?: uverbs_udata_prepare(call);

	return ret ?: ib_modify_wq_user(wq, attr, mask, &call->driver_udata);
}

int uverbs_destroy_wq(struct uverbs_attr_bundle *call, u32 handle, u32 *events_reported)
{
	return uverbs_event_object_destroy(call, &uverbs_wq_type, handle, events_reported);
}

static int rwq_ind_table_destroy(struct ib_uobject *uobj, struct ib_udata *udata)
{
	return ib_destroy_rwq_ind_table(uobj->object);
}

const struct uverbs_object_type uverbs_rwq_ind_table_type = {
	.id = UVERBS_OBJECT_RWQ_IND_TBL,
	.size = sizeof(struct ib_uobject),
	.destroy = rwq_ind_table_destroy,
};

static int get_wqs(struct uverbs_attr_bundle *call, struct ib_wq **to, const u32 *handles, u32 num)
{
	u32 i;

	for (i = 0; i < num; i++) {
		to[i] = uverbs_get(call, wq, handles[i]);
		if (IS_ERR(to[i]))
			return PTR_ERR(to[i]);
	}
	return 0;
}

int uverbs_create_rwq_ind_table(struct uverbs_attr_bundle *call, u32 log_size, const u32 *wqs,
				struct ib_rwq_ind_table **table)
{
	struct ib_rwq_ind_table_init_attr attr = { .log_ind_tbl_size = log_size };
	u32 num = BIT(log_size);
	struct ib_uobject *uobj;
	int ret;

	if (!call->ibdev->ops.create_rwq_ind_table)
		return -EOPNOTSUPP;
	ret = uverbs_objects_reserve(call, num);
	if (ret)
		return ret;
	uobj = uverbs_object_new(call, &uverbs_rwq_ind_table_type);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	attr.ind_tbl = kvcalloc(num, sizeof(*attr.ind_tbl), GFP_KERNEL_ACCOUNT);
	if (!attr.ind_tbl)
		return -ENOMEM;
	ret = get_wqs(call, attr.ind_tbl, wqs, num);
	if (ret)
		goto free;
	*table = ib_create_rwq_ind_table_user(call->ibdev, &attr, uobj, &call->driver_udata);
	if (IS_ERR(*table)) {
		ret = PTR_ERR(*table);
		goto free;
	}
	uobj->object = *table;
	return 0;

free:
	kvfree(attr.ind_tbl);
	return ret;
}

int uverbs_destroy_rwq_ind_table(struct uverbs_attr_bundle *call, u32 handle)
{
	return uverbs_object_destroy(call, &uverbs_rwq_ind_table_type, handle);
}
