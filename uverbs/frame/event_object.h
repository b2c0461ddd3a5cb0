/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Objects with asynchronous events: CQs, QPs, SRQs.
 */
#ifndef _KRDMA_UVERBS_FRAME_EVENT_OBJECT_H_
#define _KRDMA_UVERBS_FRAME_EVENT_OBJECT_H_

#include "uverbs/frame/channel.h"
#include "uverbs/frame/object.h"

/**
 * struct uverbs_event_object - a handle of an object that has asynchronous events
 * @uobj: the handle
 * @events: the object's asynchronous events
 */
struct uverbs_event_object {
	struct ib_uobject	uobj;
	struct uverbs_event_source	events;
};

/**
 * uverbs_event_object_new - allocate the handle of an object that has asynchronous events
 * @call: the call
 * @type: type of the object that the caller goes on to create
 * @user_handle: name that the process gives to the object
 * @async: channel for the object's events; the function takes over the reference, even if it fails.
 *	NULL: the process's default channel
 *
 * Return: as uverbs_object_new().
 */
struct uverbs_event_object *
uverbs_event_object_new(struct uverbs_attr_bundle *call, const struct uverbs_object_type *type,
			u64 user_handle, struct uverbs_channel *async);

/* Implements uverbs_object_type.release. */
void uverbs_event_object_release(struct ib_uobject *uobj);

/*
 * The event handler of an object. @context: the object's struct uverbs_event_object. Called in any
 * context.
 */
void uverbs_event_object_handler(struct ib_event *event, void *context);

/**
 * uverbs_event_object_destroy - destroy an object and its handle
 * @call: the call
 * @type: type that the object has to have
 * @handle: the object's handle
 * @events_reported: is set to the number of the object's events that the process has read
 *
 * May sleep.
 *
 * Return: 0, or an errno of uverbs_object_remove().
 */
int uverbs_event_object_destroy(struct uverbs_attr_bundle *call,
				const struct uverbs_object_type *type,
				u32 handle, u32 *events_reported);

#endif /* _KRDMA_UVERBS_FRAME_EVENT_OBJECT_H_ */
