/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Handles of a process's objects.
 */
#ifndef _KRDMA_UVERBS_OBJECT_H_
#define _KRDMA_UVERBS_OBJECT_H_

#include <linux/err.h>
#include <linux/types.h>
#include <rdma/verbs/user.h>

struct uverbs_attr_bundle;

/* Value of ib_uobject.users while one call has the object for itself. */
#define UVERBS_EXCLUSIVE	(-1)

/**
 * struct uverbs_object_type - a type of object
 * @id: of &enum uverbs_default_objects
 * @size: of the structure that begins with the struct ib_uobject
 * @destroy: destroys the object; if it fails, the object is unchanged
 * @release: releases what else the handle refers to, when the object is gone or was never created;
 *	or NULL
 */
struct uverbs_object_type {
	u16			id;
	size_t			size;
	int			(*destroy)(struct ib_uobject *uobj, struct ib_udata *udata);
	void			(*release)(struct ib_uobject *uobj);
};

/**
 * uverbs_object_new - allocate a handle and reserve its number
 * @call: the call; becomes the owner of the handle, by call->uobject
 * @type: type of the object that the caller goes on to create
 *
 * The process cannot use the number before the call has ended with success. May sleep.
 *
 * Return: the handle; ERR_PTR: -ENOMEM, -EBUSY no number is left, or -EAGAIN the limit of the
 * process's RDMA cgroup.
 */
struct ib_uobject *uverbs_object_new(struct uverbs_attr_bundle *call,
				     const struct uverbs_object_type *type);

/**
 * uverbs_object_commit - let the process use a new object
 * @uobj: of uverbs_object_new(); with its object
 */
void uverbs_object_commit(struct ib_uobject *uobj);

/**
 * uverbs_object_abort - destroy a new object, and its handle
 * @uobj: of uverbs_object_new(); with or without an object
 * @udata: of the call
 */
void uverbs_object_abort(struct ib_uobject *uobj, struct ib_udata *udata);

/**
 * uverbs_object_get - look up an object that a call uses
 * @call: the call; keeps the object until it ends
 * @type: type that the object has to have
 * @id: its handle
 *
 * Return: the handle's structure; ERR_PTR: -ENOENT no such handle, -EINVAL of another type, -EBUSY
 * it is being destroyed.
 */
struct ib_uobject *uverbs_object_get(struct uverbs_attr_bundle *call,
				     const struct uverbs_object_type *type, u32 id);

/* As uverbs_object_get(), but returns the object itself: uverbs_get(call, pd, id). */
#define uverbs_get(call, kind, id) ({						\
	struct ib_uobject *__uobj = uverbs_object_get((call), &uverbs_##kind##_type, (id));	\
	IS_ERR(__uobj) ? ERR_CAST(__uobj) : (struct ib_##kind *)__uobj->object;	\
})

/**
 * uverbs_objects_release - drop the objects that a call has used
 * @call: the call
 */
void uverbs_objects_release(struct uverbs_attr_bundle *call);

/**
 * uverbs_object_remove - destroy an object, and keep its handle's structure
 * @call: the call
 * @type: type that the object has to have
 * @id: its handle, which becomes invalid
 *
 * For callers that read from the structure what the process is to know last. May sleep.
 *
 * Return: the structure, for uverbs_object_put(); ERR_PTR: as uverbs_object_get(), -EBUSY also if a
 * call uses the object, or what @type->destroy returned.
 */
struct ib_uobject *uverbs_object_remove(struct uverbs_attr_bundle *call,
					const struct uverbs_object_type *type, u32 id);
void uverbs_object_put(struct ib_uobject *uobj);

/**
 * uverbs_object_destroy - destroy an object and its handle
 * @call: the call
 * @type: type that the object has to have
 * @id: its handle
 *
 * May sleep.
 *
 * Return: 0, or an errno as of uverbs_object_remove().
 */
int uverbs_object_destroy(struct uverbs_attr_bundle *call, const struct uverbs_object_type *type,
			  u32 id);

/**
 * uverbs_objects_destroy_all - destroy all objects of a file, the youngest first
 * @file: the file; no call by it is running, and none can begin
 * @context: its context
 *
 * Called with the device kept from being removed. May sleep.
 */
void uverbs_objects_destroy_all(struct ib_uverbs_file *file, struct ib_ucontext *context);

/**
 * uverbs_objects_list - list the handles of a type
 * @file: the file
 * @type: of &enum uverbs_default_objects
 * @ids: is filled with handles
 * @room: most that fit into @ids
 *
 * Return: how many handles there are, which may be more than @room.
 */
u32 uverbs_objects_list(struct ib_uverbs_file *file, u16 type, u32 *ids, u32 room);

#endif /* _KRDMA_UVERBS_OBJECT_H_ */
