// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Handles: the numbers by which a process names its objects, from creation to destruction.
 *
 * ib_uobject.users counts the calls that use an object. A call that destroys or re-registers the
 * object has exclusive use of it (UVERBS_EXCLUSIVE). No call waits for another one: if a process
 * uses an object in two calls at a time, and one of them needs exclusive use, one of the calls
 * fails with -EBUSY.
 *
 * A new object is entered into the file's list before the process gets its handle
 * (UVERBS_UNPUBLISHED). The removal of the device finds the object there, and destroys it.
 */
#include "uverbs/object.h"

#include <linux/mm.h>
#include <linux/slab.h>

#include "uverbs/uverbs.h"

static void free_uobject(struct kref *ref)
{
	kfree_rcu(container_of(ref, struct ib_uobject, ref), rcu);
}

void uverbs_object_put(struct ib_uobject *uobj)
{
	kref_put(&uobj->ref, free_uobject);
}

struct ib_uobject *uverbs_object_new(struct uverbs_attr_bundle *call,
				     const struct uverbs_object_type *type)
{
	struct ib_uobject *uobj;
	int ret;

	might_sleep();
	lockdep_assert_uverbs_device(call->ufile);
	uobj = kzalloc(type->size, GFP_KERNEL_ACCOUNT);
	if (!uobj)
		return ERR_PTR(-ENOMEM);
	kref_init(&uobj->ref);
	atomic_set(&uobj->users, UVERBS_UNPUBLISHED);
	INIT_LIST_HEAD(&uobj->entry);
	uobj->ufile = call->ufile;
	uobj->context = call->context;
	uobj->type = type;

	ret = ib_rdmacg_try_charge(&uobj->cg_obj, call->context->device,
				   RDMACG_RESOURCE_HCA_OBJECT);
	if (ret)
		goto free;
	/* This reserves the number; look-ups find NULL under it until uverbs_object_publish(). */
	ret = xa_alloc(&call->ufile->objects, &uobj->id, NULL, xa_limit_32b, GFP_KERNEL_ACCOUNT);
	if (ret)
		goto uncharge;
	kref_get(&uobj->ref); /* for call->uobject */
	call->uobject = uobj;
	return uobj;

uncharge:
	ib_rdmacg_uncharge(&uobj->cg_obj, call->context->device, RDMACG_RESOURCE_HCA_OBJECT);
free:
	uverbs_object_put(uobj);
	return ERR_PTR(ret);
}

/*
 * Removes a handle whose object was destroyed, or was never created. The caller drops the table's
 * reference to the handle.
 */
static void del_uobject(struct ib_uobject *uobj)
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

void uverbs_object_created(struct ib_uobject *uobj)
{
	struct ib_uverbs_file *file = uobj->ufile;

	lockdep_assert_uverbs_device(file);
	spin_lock(&file->list_lock);
	list_add(&uobj->entry, &file->list);
	spin_unlock(&file->list_lock);
}

void uverbs_object_publish(struct ib_uobject *uobj)
{
	lockdep_assert_uverbs_device(uobj->ufile);
	atomic_set_release(&uobj->users, 0);
	/* This cannot fail, because uverbs_object_new() has reserved the number. */
	xa_store(&uobj->ufile->objects, uobj->id, uobj, GFP_KERNEL_ACCOUNT);
}

void uverbs_object_abort(struct ib_uobject *uobj, struct ib_udata *udata)
{
	lockdep_assert_uverbs_device(uobj->ufile);
	if (uobj->object && uobj->type->destroy(uobj, udata)) {
		/*
		 * No call has used the object, but its keys are valid: a process that has read the
		 * lkey of a region in a part of the answer can bind a window to the region before
		 * the rest of the answer fails.
		 */
		if (list_empty(&uobj->entry))
			uverbs_object_created(uobj);
		return;
	}
	del_uobject(uobj);
	uverbs_object_put(uobj);
}

/*
 * Returns the handle's structure, referenced; ERR_PTR: -ENOENT: no object has this handle; -EINVAL:
 * the object is of another type.
 */
static struct ib_uobject *find_uobject(struct ib_uverbs_file *file,
				       const struct uverbs_object_type *type, u32 id)
{
	struct ib_uobject *uobj;

	rcu_read_lock();
	uobj = xa_load(&file->objects, id);
	if (uobj && !kref_get_unless_zero(&uobj->ref))
		uobj = NULL;
	rcu_read_unlock();
	if (!uobj)
		return ERR_PTR(-ENOENT);
	if (uobj->type == type)
		return uobj;
	uverbs_object_put(uobj);
	return ERR_PTR(-EINVAL);
}

int uverbs_objects_reserve(struct uverbs_attr_bundle *call, u32 more)
{
	struct ib_uobject **held;

	if (!more)
		return 0;
	WARN_ON_ONCE(call->num_held);
	held = kvmalloc_array((size_t)more + UVERBS_MAX_HELD, sizeof(*held), GFP_KERNEL_ACCOUNT);
	if (!held)
		return -ENOMEM;
	call->held = held;
	call->max_held = more + UVERBS_MAX_HELD;
	return 0;
}

struct ib_uobject *uverbs_object_get(struct uverbs_attr_bundle *call,
				     const struct uverbs_object_type *type, u32 id)
{
	struct ib_uobject *uobj;

	lockdep_assert_uverbs_device(call->ufile);
	if (!call->max_held) {
		call->held = call->few_held;
		call->max_held = UVERBS_MAX_HELD;
	}
	if (WARN_ON_ONCE(call->num_held == call->max_held))
		return ERR_PTR(-EINVAL);
	uobj = find_uobject(call->ufile, type, id);
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
	if (call->held != call->few_held)
		kvfree(call->held);
	call->held = NULL;
	call->max_held = 0;
}

struct ib_uobject *uverbs_object_remove(struct uverbs_attr_bundle *call,
					const struct uverbs_object_type *type, u32 id)
{
	struct ib_uobject *uobj;
	int ret;

	might_sleep();
	lockdep_assert_uverbs_device(call->ufile);
	uobj = find_uobject(call->ufile, type, id);
	if (IS_ERR(uobj))
		return uobj;
	if (atomic_cmpxchg(&uobj->users, 0, UVERBS_EXCLUSIVE)) {
		ret = -EBUSY;
		goto put;
	}
	ret = type->destroy(uobj, &call->driver_udata);
	if (ret) {
		atomic_set_release(&uobj->users, 0);
		goto put;
	}
	del_uobject(uobj);
	/* Drop the table's reference to the handle. The caller gets the one from the look-up. */
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

void uverbs_objects_destroy_all(struct ib_uverbs_file *file, struct ib_ucontext *context)
{
	struct uverbs_attr_bundle call = {
		.ufile = file,
		.context = context,
	};
	struct ib_uobject *uobj, *next;
	bool again;

	might_sleep();
	lockdep_assert_uverbs_device(file);
	/*
	 * An object cannot be destroyed while other objects depend on it. The loop repeats until no
	 * further object can be destroyed.
	 */
	do {
		again = false;
		list_for_each_entry_safe(uobj, next, &file->list, entry) {
			if (uobj->type->abandon)
				uobj->type->abandon(uobj);
			if (uobj->type->destroy(uobj, &call.driver_udata))
				continue;
			del_uobject(uobj);
			uverbs_object_put(uobj);
			again = true;
			cond_resched();
		}
	} while (again);
	WARN_ONCE(!list_empty(&file->list), "objects of a process cannot be destroyed, and leak\n");
}

u32 uverbs_objects_list(struct ib_uverbs_file *file, u16 type, u32 *ids, u32 room)
{
	struct ib_uobject *uobj;
	u32 count = 0;

	spin_lock(&file->list_lock);
	list_for_each_entry(uobj, &file->list, entry) {
		if (uobj->type->id != type || atomic_read(&uobj->users) == UVERBS_UNPUBLISHED)
			continue;
		if (count < room)
			ids[count] = uobj->id;
		count++;
	}
	spin_unlock(&file->list_lock);
	return count;
}
