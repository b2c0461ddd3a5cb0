// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Objects that tell their process of asynchronous events: CQs, QPs, SRQs.
 */
#include "uverbs/uverbs.h"

static struct uverbs_evented *to_evented(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uverbs_evented, uobj);
}

struct uverbs_evented *uverbs_evented_new(struct uverbs_attr_bundle *call,
					  const struct uverbs_object_type *type, u64 user_handle,
					  struct uverbs_queue *async)
{
	struct ib_uobject *uobj = uverbs_object_new(call, type);

	if (IS_ERR(uobj)) {
		if (async)
			uverbs_queue_put(async);
		return ERR_CAST(uobj);
	}
	uobj->user_handle = user_handle;
	uverbs_source_init(&to_evented(uobj)->events, uverbs_async_of(call, async), user_handle);
	return to_evented(uobj);
}

void uverbs_evented_release(struct ib_uobject *uobj)
{
	uverbs_source_end(&to_evented(uobj)->events);
}

void uverbs_evented_tell(struct ib_event *event, void *context)
{
	struct uverbs_evented *evented = context;

	uverbs_source_event(&evented->events, event->event);
}

int uverbs_evented_destroy(struct uverbs_attr_bundle *call, const struct uverbs_object_type *type,
			   u32 handle, u32 *events_reported)
{
	struct ib_uobject *uobj = uverbs_object_remove(call, type, handle);

	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	*events_reported = to_evented(uobj)->events.reported;
	uverbs_object_put(uobj);
	return 0;
}
