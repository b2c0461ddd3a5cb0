/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Handles of a process's objects.
 */
#ifndef _KRDMA_UVERBS_FRAME_OBJECT_H_
#define _KRDMA_UVERBS_FRAME_OBJECT_H_

#include <linux/err.h>
#include <linux/types.h>
#include <rdma/verbs/user.h>

struct file;
struct file_operations;
struct uverbs_attr_bundle;

/* Value of ib_uobject.users while one call has exclusive use of the object. */
#define UVERBS_EXCLUSIVE	(-1)
/* Value of ib_uobject.users until the call that creates the object has been answered. */
#define UVERBS_UNPUBLISHED	(-2)

/**
 * struct uverbs_object_type - a type of object
 * @id: the type's number, of &enum uverbs_default_objects
 * @size: size of the handle's structure, which begins with a struct ib_uobject
 * @destroy: destroys the object; returns 0 or an errno, after which the object is unchanged
 * @abandon: ends uses of the object that the process has not ended, such as a QP's attachment to a
 *	multicast group. Called before each attempt to destroy all objects of the file. May be NULL
 * @release: releases what the handle refers to besides the object. Called after the object was
 *	destroyed, or if the object was never created. May be NULL
 * @fops: file operations of objects that are files; NULL: the objects have numbers instead
 * @name: for files: their name
 * @flags: for files: flags of open()
 */
struct uverbs_object_type {
	u16			id;
	size_t			size;
	int			(*destroy)(struct ib_uobject *uobj, struct ib_udata *udata);
	void			(*abandon)(struct ib_uobject *uobj);
	void			(*release)(struct ib_uobject *uobj);
	const struct file_operations *fops;
	const char		*name;
	int			flags;
};

/**
 * uverbs_object_new - allocate a handle and reserve its number or file descriptor
 * @call: the call; call->uobject is set to the handle, with a reference; for a file, call->new_file
 *	and call->new_fd are set, too. The handle is published or aborted at the end of the call
 * @type: type of the object that the caller goes on to create
 *
 * The process cannot use the number before the call has ended with success. May sleep.
 *
 * Return: the handle; ERR_PTR: -ENOMEM: no memory; -EBUSY: no number is left; -EAGAIN: the limit of
 * the process's RDMA cgroup is reached; -EMFILE: the process has no file descriptor left; -ENFILE:
 * the system has too many files.
 */
struct ib_uobject *uverbs_object_new(struct uverbs_attr_bundle *call,
				     const struct uverbs_object_type *type);

/**
 * uverbs_object_created - let the removal of the device find a new object
 * @uobj: handle that uverbs_object_new() returned; its object exists
 *
 * As soon as the caller releases the device's SRCU, the removal of the device may destroy the
 * object. Then only the handle's structure remains.
 */
void uverbs_object_created(struct ib_uobject *uobj);

/**
 * uverbs_object_publish - let the process use a new object
 * @uobj: handle that was passed to uverbs_object_created(); the device has not been removed
 * @filp: for an object that is a file: the file, whose descriptor the caller goes on to install
 */
void uverbs_object_publish(struct ib_uobject *uobj, struct file *filp);

/**
 * uverbs_object_abort - destroy a new object, and its handle
 * @uobj: handle that uverbs_object_new() returned; its object may not exist
 * @udata: the call's data for the provider
 *
 * If the object cannot be destroyed now, it is left to uverbs_objects_destroy_all(), and its handle
 * stays unknown to the process. The reference to @uobj in call->uobject remains; the caller drops
 * it.
 */
void uverbs_object_abort(struct ib_uobject *uobj, struct ib_udata *udata);

/**
 * uverbs_objects_reserve - let a call use more than UVERBS_MAX_HELD objects
 * @call: the call
 * @more: number of objects beyond UVERBS_MAX_HELD
 *
 * Called at most once in a run of the call, before the call uses an object. May sleep.
 *
 * Return: 0; -ENOMEM: no memory.
 */
int uverbs_objects_reserve(struct uverbs_attr_bundle *call, u32 more);

/**
 * uverbs_object_get - look up an object that a call uses
 * @call: the call; no other call can destroy the object until this call ends
 * @type: type that the object has to have
 * @id: the object's handle
 *
 * Return: the handle's structure; ERR_PTR: -ENOENT: no object has this handle; -EINVAL: the object
 * is of another type; -EBUSY: another call destroys or re-registers the object.
 */
struct ib_uobject *uverbs_object_get(struct uverbs_attr_bundle *call,
				     const struct uverbs_object_type *type, u32 id);

/**
 * uverbs_object_get_any - look up an object that a driver's method uses
 * @call: the call
 * @type: type that the object has to have; NULL: any
 * @id: the object's handle
 * @exclusive: true: no other call may use the object until this call ends
 *
 * Return: the handle's structure; ERR_PTR: as for uverbs_object_get(); -EBUSY also if @exclusive is
 * set and another call uses the object.
 */
struct ib_uobject *uverbs_object_get_any(struct uverbs_attr_bundle *call,
					 const struct uverbs_object_type *type, u32 id,
					 bool exclusive);

/**
 * uverbs_object_get_file - look up an object that is a file
 * @call: the call; the file behind @fd is not freed until this call ends
 * @type: type that the object has to have; @type->fops is set
 * @fd: a file descriptor of the process
 *
 * Return: the handle's structure; ERR_PTR: -EBADF: @fd is not open, or is not an object of @type
 * that belongs to the call's device file.
 */
struct ib_uobject *uverbs_object_get_file(struct uverbs_attr_bundle *call,
					  const struct uverbs_object_type *type, int fd);

/*
 * Calls uverbs_object_get(), and returns the object instead of the handle's structure. For example,
 * uverbs_get(call, pd, id) returns a struct ib_pd *.
 */
#define uverbs_get(call, kind, id) ({						\
	struct ib_uobject *__uobj = uverbs_object_get((call), &uverbs_##kind##_type, (id));	\
	IS_ERR(__uobj) ? ERR_CAST(__uobj) : (struct ib_##kind *)__uobj->object;	\
})

/**
 * uverbs_objects_release - end a call's use of the objects that it has looked up
 * @call: the call
 */
void uverbs_objects_release(struct uverbs_attr_bundle *call);

/**
 * uverbs_object_remove - destroy an object, and return its handle's structure
 * @call: the call
 * @type: type that the object has to have
 * @id: the object's handle, which becomes invalid
 *
 * After the object was destroyed, the caller can read from the structure how many events the
 * process has read. May sleep.
 *
 * Return: the structure, for uverbs_object_put(); ERR_PTR: an errno of uverbs_object_get(); -EBUSY:
 * another call uses the object; or the errno of @type->destroy.
 */
struct ib_uobject *uverbs_object_remove(struct uverbs_attr_bundle *call,
					const struct uverbs_object_type *type, u32 id);
void uverbs_object_put(struct ib_uobject *uobj);

/**
 * uverbs_object_destroy - destroy an object and its handle
 * @call: the call
 * @type: type that the object has to have
 * @id: the object's handle
 *
 * May sleep.
 *
 * Return: 0, or an errno of uverbs_object_remove().
 */
int uverbs_object_destroy(struct uverbs_attr_bundle *call, const struct uverbs_object_type *type,
			  u32 id);

/**
 * uverbs_objects_destroy_all - destroy all objects of a file, the youngest first
 * @file: the file; no call by this file is running, and none can begin
 * @context: the context of the file
 *
 * The caller ensures that the device is not removed during the call. May sleep.
 */
void uverbs_objects_destroy_all(struct ib_uverbs_file *file, struct ib_ucontext *context);

/**
 * uverbs_objects_list - list the handles of a file's objects of type @type
 * @file: the file
 * @type: the type's number, of &enum uverbs_default_objects
 * @ids: is filled with handles
 * @room: number of handles that fit into @ids
 *
 * Return: the number of handles of the type, which may be larger than @room.
 */
u32 uverbs_objects_list(struct ib_uverbs_file *file, u16 type, u32 *ids, u32 room);

#endif /* _KRDMA_UVERBS_FRAME_OBJECT_H_ */
