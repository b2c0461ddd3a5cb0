// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Handles: the numbers by which a process names its objects, from creation to destruction.
 *
 * Commands that use an object count in ib_uobject.users; who makes or destroys it has it for itself
 * (-1), and nobody waits: a process that does both at a time is told -EBUSY.
 */
#include <linux/slab.h>

#include "uverbs/uverbs.h"

#define EXCLUSIVE	(-1)

static void free_uobject(struct kref *ref)
{
	kfree_rcu(container_of(ref, struct ib_uobject, ref), rcu);
}

void uverbs_object_put(struct ib_uobject *uobj)
{
	kref_put(&uobj->ref, free_uobject);
}

static struct ib_uobject *alloc_uobject(struct uverbs_attr_bundle *call,
					const struct uverbs_object_type *type)
{
	struct ib_uobject *uobj = kzalloc(type->size, GFP_KERNEL_ACCOUNT);

	if (!uobj)
		return NULL;
	kref_init(&uobj->ref);
	atomic_set(&uobj->users, EXCLUSIVE);
	INIT_LIST_HEAD(&uobj->entry);
	uobj->ufile = call->ufile;
	uobj->context = call->context;
	uobj->type = type;
	return uobj;
}

struct ib_uobject *uverbs_object_new(struct uverbs_attr_bundle *call,
				     const struct uverbs_object_type *type)
{
	struct ib_uobject *uobj = alloc_uobject(call, type);
	int ret;

	if (!uobj)
		return ERR_PTR(-ENOMEM);
	ret = ib_rdmacg_try_charge(&uobj->cg_obj, call->context->device,
				   RDMACG_RESOURCE_HCA_OBJECT);
	if (ret)
		goto free;
	/* Its number is taken, but not found. */
	ret = xa_alloc(&call->ufile->objects, &uobj->id, NULL, xa_limit_32b, GFP_KERNEL_ACCOUNT);
	if (ret)
		goto uncharge;
	call->uobject = uobj;
	return uobj;

uncharge:
	ib_rdmacg_uncharge(&uobj->cg_obj, call->context->device, RDMACG_RESOURCE_HCA_OBJECT);
free:
	uverbs_object_put(uobj);
	return ERR_PTR(ret);
}

static void forget(struct ib_uobject *uobj)
{
	struct ib_uverbs_file *file = uobj->ufile;

	if (uobj->type->release)
		uobj->type->release(uobj);
	xa_erase(&file->objects, uobj->id);
	spin_lock(&file->list_lock);
	list_del_init(&uobj->entry);
	spin_unlock(&file->list_lock);
	ib_rdmacg_uncharge(&uobj->cg_obj, uobj->context->device, RDMACG_RESOURCE_HCA_OBJECT);
}

void uverbs_object_commit(struct ib_uobject *uobj)
{
	struct ib_uverbs_file *file = uobj->ufile;

	spin_lock(&file->list_lock);
	list_add(&uobj->entry, &file->list);
	spin_unlock(&file->list_lock);
	atomic_set_release(&uobj->users, 0);
	/* There is room: the number was reserved. */
	xa_store(&file->objects, uobj->id, uobj, GFP_KERNEL_ACCOUNT);
}

void uverbs_object_abort(struct ib_uobject *uobj, struct ib_udata *udata)
{
	/* The process has never seen it: nothing can stand on it. */
	if (uobj->object)
		WARN_ON_ONCE(uobj->type->destroy(uobj, udata));
	forget(uobj);
	uverbs_object_put(uobj);
}

static struct ib_uobject *find_object(struct ib_uverbs_file *file, u32 id)
{
	struct ib_uobject *uobj;

	rcu_read_lock();
	uobj = xa_load(&file->objects, id);
	if (uobj && !kref_get_unless_zero(&uobj->ref))
		uobj = NULL;
	rcu_read_unlock();
	return uobj;
}

static struct ib_uobject *find_of_type(struct ib_uverbs_file *file,
				       const struct uverbs_object_type *type, u32 id)
{
	struct ib_uobject *uobj = find_object(file, id);

	if (!uobj)
		return ERR_PTR(-ENOENT);
	if (uobj->type == type)
		return uobj;
	uverbs_object_put(uobj);
	return ERR_PTR(-EINVAL);
}

struct ib_uobject *uverbs_object_get(struct uverbs_attr_bundle *call,
				     const struct uverbs_object_type *type, u32 id)
{
	struct ib_uobject *uobj;

	if (WARN_ON_ONCE(call->num_held == UVERBS_MAX_HELD))
		return ERR_PTR(-EINVAL);
	uobj = find_of_type(call->ufile, type, id);
	if (IS_ERR(uobj))
		return uobj;
	if (!atomic_inc_unless_negative(&uobj->users)) {
		uverbs_object_put(uobj);
		return ERR_PTR(-EBUSY);
	}
	call->held[call->num_held++] = uobj;
	return uobj;
}

void uverbs_objects_release(struct uverbs_attr_bundle *call)
{
	while (call->num_held) {
		struct ib_uobject *uobj = call->held[--call->num_held];

		atomic_dec(&uobj->users);
		uverbs_object_put(uobj);
	}
}

struct ib_uobject *uverbs_object_remove(struct uverbs_attr_bundle *call,
					const struct uverbs_object_type *type, u32 id)
{
	struct ib_uobject *uobj;
	int ret;

	uobj = find_of_type(call->ufile, type, id);
	if (IS_ERR(uobj))
		return uobj;
	if (atomic_cmpxchg(&uobj->users, 0, EXCLUSIVE)) {
		ret = -EBUSY;
		goto put;
	}
	ret = type->destroy(uobj, &call->driver_udata);
	if (ret) {
		atomic_set_release(&uobj->users, 0);
		goto put;
	}
	forget(uobj);
	/* That of the table; the caller has that of the look-up. */
	uverbs_object_put(uobj);
	return uobj;

put:
	uverbs_object_put(uobj);
	return ERR_PTR(ret);
}

int uverbs_object_destroy(struct uverbs_attr_bundle *call, const struct uverbs_object_type *type,
			  u32 id)
{
	struct ib_uobject *uobj = uverbs_object_remove(call, type, id);

	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	uverbs_object_put(uobj);
	return 0;
}

/* Of those left, all that nothing stands on. */
static bool destroy_some(struct ib_uverbs_file *file, struct ib_udata *udata)
{
	struct ib_uobject *uobj, *next;
	bool any = false;

	list_for_each_entry_safe(uobj, next, &file->list, entry) {
		if (uobj->type->destroy(uobj, udata))
			continue;
		forget(uobj);
		uverbs_object_put(uobj);
		any = true;
	}
	return any;
}

void uverbs_objects_destroy_all(struct ib_uverbs_file *file, struct ib_ucontext *context)
{
	struct uverbs_attr_bundle call = {
		.ufile = file,
		.context = context,
	};

	while (destroy_some(file, &call.driver_udata))
		;
	WARN_ONCE(!list_empty(&file->list), "a process's objects stay for ever\n");
}

u32 uverbs_objects_list(struct ib_uverbs_file *file, u16 type, u32 *ids, u32 room)
{
	struct ib_uobject *uobj;
	u32 count = 0;

	spin_lock(&file->list_lock);
	list_for_each_entry(uobj, &file->list, entry) {
		if (uobj->type->id != type)
			continue;
		if (count < room)
			ids[count] = uobj->id;
		count++;
	}
	spin_unlock(&file->list_lock);
	return count;
}
