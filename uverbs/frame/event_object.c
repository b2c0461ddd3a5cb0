// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Objects with asynchronous events: CQs, QPs, SRQs.
 */
#include "uverbs/frame/event_object.h"

#include "uverbs/frame/context.h"
#include "uverbs/frame/uverbs.h"

static struct uverbs_event_object *to_event_object(struct ib_uobject *uobj)
{
	return container_of(uobj, struct uverbs_event_object, uobj);
}

struct uverbs_event_object *
uverbs_event_object_new(struct uverbs_attr_bundle *call, const struct uverbs_object_type *type,
			u64 user_handle, struct uverbs_channel *async)
{
	struct ib_uobject *uobj = uverbs_object_new(call, type);

	if (IS_ERR(uobj)) {
		if (async)
			uverbs_channel_put(async);
		return ERR_CAST(uobj);
	}
	uobj->user_handle = user_handle;
	uverbs_event_source_init(&to_event_object(uobj)->events, uverbs_async_of(call, async),
				 user_handle);
	return to_event_object(uobj);
}

void uverbs_event_object_release(struct ib_uobject *uobj)
{
	uverbs_event_source_end(&to_event_object(uobj)->events);
}

void uverbs_event_object_handler(struct ib_event *event, void *context)
{
	struct uverbs_event_object *event_object = context;

	uverbs_event_source_event(&event_object->events, event->event);
}

int uverbs_event_object_destroy(struct uverbs_attr_bundle *call,
				const struct uverbs_object_type *type,
				u32 handle, u32 *events_reported)
{
	struct ib_uobject *uobj = uverbs_object_remove(call, type, handle);

	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	*events_reported = to_event_object(uobj)->events.reported;
	uverbs_object_put(uobj);
	return 0;
}
