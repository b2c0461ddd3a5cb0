// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion queues of processes.
 */
#include "uverbs/object/cq.h"

#include "uverbs/frame/event_object.h"
#include "uverbs/frame/umem.h"
#include "uverbs/frame/uverbs.h"

/**
 * struct uverbs_cq - handle of a process's CQ
 * @event_object: the handle, and the CQ's asynchronous events
 * @completions: the CQ's completion events; zeroed if the CQ was created without a channel for them
 */
struct uverbs_cq {
	struct uverbs_event_object	event_object;
	struct uverbs_event_source	completions;
};

static struct uverbs_cq *to_ucq(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uverbs_cq, event_object.uobj);
}

static int cq_destroy(struct ib_uobject *uobj, struct ib_udata *udata)
{
	return ib_destroy_cq_user(uobj->object, udata);
}

static void cq_release(struct ib_uobject *uobj)
{
	uverbs_event_source_end(&to_ucq(uobj)->completions);
	uverbs_event_object_release(uobj);
}

const struct uverbs_object_type uverbs_cq_type = {
	.id = UVERBS_OBJECT_CQ,
	.size = sizeof(struct uverbs_cq),
	.destroy = cq_destroy,
	.release = cq_release,
};

/* Queues a completion event for the process. Called in any context. */
static void cq_comp_handler(struct ib_cq *cq, void *context)
{
	struct uverbs_cq *ucq = context;

	uverbs_event_source_completed(&ucq->completions);
}

/* Queues an asynchronous event for the process. Called in any context. */
static void cq_event_handler(struct ib_event *event, void *context)
{
	struct uverbs_cq *ucq = context;

	uverbs_event_object_handler(event, &ucq->event_object);
}

int uverbs_create_cq(struct uverbs_attr_bundle *call, const struct uverbs_cq_args *args,
		     struct ib_cq **cq)
{
	struct ib_cq_init_attr attr = {
		.cqe = args->cqe,
		.comp_vector = args->comp_vector,
		.flags = args->flags,
	};
	struct uverbs_event_object *event_object;
	struct uverbs_channel *channel;
	struct uverbs_cq *ucq;

	event_object = uverbs_event_object_new(call, &uverbs_cq_type, args->user_handle,
					       args->async);
	if (IS_ERR(event_object))
		return PTR_ERR(event_object);
	ucq = to_ucq(&event_object->uobj);
	if (args->channel >= 0) {
		channel = uverbs_channel_get(call->ufile, args->channel, true);
		if (IS_ERR(channel))
			return PTR_ERR(channel);
		uverbs_event_source_init(&ucq->completions, channel, args->user_handle);
	}
	*cq = ib_create_cq_user(call->context->device, cq_comp_handler, cq_event_handler, ucq,
				&attr, &event_object->uobj, &call->driver_udata);
	if (IS_ERR(*cq))
		return PTR_ERR(*cq);
	event_object->uobj.object = *cq;
	return 0;
}

int uverbs_resize_cq(struct uverbs_attr_bundle *call, u32 handle, u32 cqe, u32 *got)
{
	struct ib_cq *cq = uverbs_get(call, cq, handle);
	int ret;

	if (IS_ERR(cq))
		return PTR_ERR(cq);
	if (cqe > INT_MAX)
		return -EINVAL;
	ret = uverbs_udata_prepare(call);
	if (ret)
		return ret;
	ret = ib_resize_cq_user(cq, cqe, &call->driver_udata);
	if (!ret)
		*got = cq->cqe;
	return ret;
}

int uverbs_modify_cq(struct uverbs_attr_bundle *call, u32 handle, u16 count, u16 period)
{
	struct ib_cq *cq = uverbs_get(call, cq, handle);

	return IS_ERR(cq) ? PTR_ERR(cq) : rdma_set_cq_moderation(cq, count, period);
}

int uverbs_destroy_cq(struct uverbs_attr_bundle *call, u32 handle,
		      struct ib_uverbs_destroy_cq_resp *resp)
{
	struct ib_uobject *uobj = uverbs_object_remove(call, &uverbs_cq_type, handle);

	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	resp->comp_events_reported = to_ucq(uobj)->completions.reported;
	resp->async_events_reported = to_ucq(uobj)->event_object.events.reported;
	uverbs_object_put(uobj);
	return 0;
}
