// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Handles: the numbers by which a process names its objects, from creation to destruction.
 *
 * ib_uobject.users counts the calls that use an object. A call that destroys or re-registers the
 * object has exclusive use of it (UVERBS_EXCLUSIVE). No call waits for another one: if a process
 * uses an object in two calls at a time, and one of them needs exclusive use, one of the calls
 * fails with -EBUSY.
 *
 * A new object is entered into the file's list before the process gets the object's handle
 * (UVERBS_UNPUBLISHED), so that the removal of the device finds the object, and destroys it.
 *
 * Objects of a driver may be files. Their struct file holds a reference to the handle and to the
 * device file. An object that is a file is destroyed when it is closed. If all objects of the
 * device file are destroyed earlier, only the handle of such an object remains until the close.
 */
#include "uverbs/frame/object.h"

#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/uverbs_std_types.h>

#include "uverbs/frame/file.h"
#include "uverbs/frame/memory.h"
#include "uverbs/frame/umem.h"
#include "uverbs/frame/uverbs.h"

static void free_uobject(struct kref *ref)
{
	kfree_rcu(container_of(ref, struct ib_uobject, ref), rcu);
}

void uverbs_object_put(struct ib_uobject *uobj)
{
	kref_put(&uobj->ref, free_uobject);
}

/* Reserves a number. Look-ups find NULL under the number until uverbs_object_publish(). */
static int reserve_number(struct uverbs_attr_bundle *call, struct ib_uobject *uobj)
{
	struct ib_device *ibdev = call->context->device;
	int ret;

	ret = ib_rdmacg_try_charge(&uobj->cg_obj, ibdev, RDMACG_RESOURCE_HCA_OBJECT);
	if (ret)
		return ret;
	ret = xa_alloc(&call->ufile->objects, &uobj->id, NULL, xa_limit_32b, GFP_KERNEL_ACCOUNT);
	if (ret)
		ib_rdmacg_uncharge(&uobj->cg_obj, ibdev, RDMACG_RESOURCE_HCA_OBJECT);
	return ret;
}

/* Makes the object's file, which uverbs_object_publish() will connect with the object. */
static int reserve_file(struct uverbs_attr_bundle *call, struct ib_uobject *uobj)
{
	const struct uverbs_object_type *type = uobj->type;
	struct file *filp;
	int fd;

	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	filp = anon_inode_getfile(type->name, type->fops, NULL, type->flags);
	if (IS_ERR(filp)) {
		put_unused_fd(fd);
		return PTR_ERR(filp);
	}
	uobj->id = fd;
	call->new_fd = fd;
	call->new_file = filp;
	return 0;
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

	ret = type->fops ? reserve_file(call, uobj) : reserve_number(call, uobj);
	if (ret) {
		uverbs_object_put(uobj);
		return ERR_PTR(ret);
	}
	kref_get(&uobj->ref); /* for call->uobject */
	call->uobject = uobj;
	return uobj;
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
	if (!uobj->type->fops)
		xa_erase(&file->objects, uobj->id);
	spin_lock(&file->list_lock);
	list_del_init(&uobj->entry);
	spin_unlock(&file->list_lock);
	if (!uobj->type->fops)
		ib_rdmacg_uncharge(&uobj->cg_obj, uobj->context->device,
				   RDMACG_RESOURCE_HCA_OBJECT);
}

/* Destroys an object for a call. Returns 0, or the provider's errno. */
static int destroy_object(struct ib_uobject *uobj, struct uverbs_attr_bundle *call,
			  enum rdma_remove_reason why)
{
	int ret;

	call->why = why;
	ret = uobj->type->destroy(uobj, &call->driver_udata);
	call->why = RDMA_REMOVE_DESTROY;
	return ret;
}

void uverbs_object_created(struct ib_uobject *uobj)
{
	struct ib_uverbs_file *file = uobj->ufile;

	lockdep_assert_uverbs_device(file);
	spin_lock(&file->list_lock);
	list_add(&uobj->entry, &file->list);
	spin_unlock(&file->list_lock);
}

void uverbs_object_publish(struct ib_uobject *uobj, struct file *filp)
{
	lockdep_assert_uverbs_device(uobj->ufile);
	atomic_set_release(&uobj->users, 0);
	if (uobj->type->fops) {
		kref_get(&uobj->ufile->ref);
		kref_get(&uobj->ref);
		uobj->object = filp;
		filp->private_data = uobj;
		return;
	}
	/* xa_store() cannot fail, because uverbs_object_new() has reserved the number. */
	xa_store(&uobj->ufile->objects, uobj->id, uobj, GFP_KERNEL_ACCOUNT);
}

void uverbs_object_abort(struct ib_uobject *uobj, struct ib_udata *udata)
{
	struct uverbs_attr_bundle *call = rdma_udata_to_uverbs_attr_bundle(udata);

	lockdep_assert_uverbs_device(uobj->ufile);
	if ((uobj->object || uobj->made) && destroy_object(uobj, call, RDMA_REMOVE_ABORT)) {
		/*
		 * Another object uses this one, although no call can have looked up the handle. An
		 * answer is copied in parts: the process may have bound a window to a new region
		 * after the region's lkey was copied, and before copying a later part failed. Add
		 * the object to the list of the file, so that the object is destroyed when the file
		 * is emptied.
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
 * the object is of another type. If @type is NULL, any type will do.
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
	if (!type || uobj->type == type)
		return uobj;
	uverbs_object_put(uobj);
	return ERR_PTR(-EINVAL);
}

int uverbs_objects_reserve(struct uverbs_attr_bundle *call, u32 more)
{
	size_t num = (size_t)more + UVERBS_MAX_HELD;
	struct ib_uobject **held;

	if (!more)
		return 0;
	if (num > UINT_MAX)
		return -ENOMEM;
	held = kvmalloc_array(num, sizeof(*held), GFP_KERNEL_ACCOUNT);
	if (!held)
		return -ENOMEM;
	call->held = held;
	call->max_held = num;
	return 0;
}

/*
 * Adds an object to the call's list, which takes over the caller's reference to the object. Returns
 * 0; -EBUSY: another call has exclusive use of the object, or @exclusive is set and another call
 * uses the object.
 */
static int hold_object(struct uverbs_attr_bundle *call, struct ib_uobject *uobj, bool exclusive)
{
	if (!call->max_held) {
		call->held = call->few_held;
		call->max_held = UVERBS_MAX_HELD;
	}
	if (WARN_ON_ONCE(call->num_held == call->max_held))
		return -EINVAL;
	if (exclusive ? atomic_cmpxchg(&uobj->users, 0, UVERBS_EXCLUSIVE) :
			!atomic_inc_unless_negative(&uobj->users))
		return -EBUSY;
	call->held[call->num_held++] = uobj;
	return 0;
}

struct ib_uobject *uverbs_object_get_any(struct uverbs_attr_bundle *call,
					 const struct uverbs_object_type *type, u32 id,
					 bool exclusive)
{
	struct ib_uobject *uobj;
	int ret;

	lockdep_assert_uverbs_device(call->ufile);
	uobj = find_uobject(call->ufile, type, id);
	if (IS_ERR(uobj))
		return uobj;
	ret = hold_object(call, uobj, exclusive);
	if (ret) {
		uverbs_object_put(uobj);
		return ERR_PTR(ret);
	}
	return uobj;
}

struct ib_uobject *uverbs_object_get(struct uverbs_attr_bundle *call,
				     const struct uverbs_object_type *type, u32 id)
{
	return uverbs_object_get_any(call, type, id, false);
}

/*
 * The reference to the struct file keeps the file open. While the file is open, the object can be
 * destroyed only together with all objects of the device file, and then no call is running.
 */
struct ib_uobject *uverbs_object_get_file(struct uverbs_attr_bundle *call,
					  const struct uverbs_object_type *type, int fd)
{
	struct file *filp = fget(fd);
	struct ib_uobject *uobj;
	int ret = -EBADF;

	lockdep_assert_uverbs_device(call->ufile);
	if (!filp)
		return ERR_PTR(-EBADF);
	if (filp->f_op != type->fops)
		goto put_file;
	uobj = filp->private_data;
	if (uobj->type != type || uobj->ufile != call->ufile)
		goto put_file;
	kref_get(&uobj->ref);
	ret = hold_object(call, uobj, false);
	if (!ret)
		return uobj;
	uverbs_object_put(uobj);
put_file:
	fput(filp);
	return ERR_PTR(ret);
}

void uverbs_objects_release(struct uverbs_attr_bundle *call)
{
	while (call->num_held) {
		struct ib_uobject *uobj = call->held[--call->num_held];
		struct file *filp = uobj->type->fops ? uobj->object : NULL;

		/* If the object is in exclusive use, this call is the one that uses it. */
		if (atomic_read(&uobj->users) == UVERBS_EXCLUSIVE)
			atomic_set_release(&uobj->users, 0);
		else
			atomic_dec(&uobj->users);
		uverbs_object_put(uobj);
		if (filp)
			fput(filp);
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
	ret = uverbs_udata_prepare(call);
	if (ret)
		return ERR_PTR(ret);
	uobj = find_uobject(call->ufile, type, id);
	if (IS_ERR(uobj))
		return uobj;
	if (atomic_cmpxchg(&uobj->users, 0, UVERBS_EXCLUSIVE)) {
		ret = -EBUSY;
		goto put;
	}
	ret = destroy_object(uobj, call, RDMA_REMOVE_DESTROY);
	if (ret) {
		atomic_set_release(&uobj->users, 0);
		goto put;
	}
	del_uobject(uobj);
	/* Drop the table's reference to the handle. The look-up's reference goes to the caller. */
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
	enum rdma_remove_reason why = rcu_access_pointer(file->device->ibdev) ?
				      RDMA_REMOVE_CLOSE : RDMA_REMOVE_DRIVER_REMOVE;
	struct ib_uobject *uobj, *next;
	bool again;

	might_sleep();
	lockdep_assert_uverbs_device(file);
	mutex_lock(&file->files_lock);
	/*
	 * An object cannot be destroyed while other objects depend on it. The loop repeats until no
	 * further object can be destroyed.
	 */
	do {
		again = false;
		list_for_each_entry_safe(uobj, next, &file->list, entry) {
			if (uobj->type->abandon)
				uobj->type->abandon(uobj);
			if (destroy_object(uobj, &call, why))
				continue;
			del_uobject(uobj);
			uverbs_object_put(uobj);
			again = true;
			cond_resched();
		}
	} while (again);
	mutex_unlock(&file->files_lock);
	uverbs_memory_free(&call);
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

/* --- functions for drivers --- */

u16 uobj_get_object_id(struct ib_uobject *uobj)
{
	return uobj->type->id;
}
EXPORT_SYMBOL(uobj_get_object_id);

void uverbs_uobject_get(struct ib_uobject *uobject)
{
	kref_get(&uobject->ref);
}
EXPORT_SYMBOL(uverbs_uobject_get);

void uverbs_uobject_put(struct ib_uobject *uobject)
{
	uverbs_object_put(uobject);
}
EXPORT_SYMBOL(uverbs_uobject_put);

/* Destroys an object because its file is closed, unless it was destroyed before. */
static void close_object(struct ib_uobject *uobj)
{
	struct ib_uverbs_file *file = uobj->ufile;
	struct uverbs_attr_bundle call = {
		.ufile = file,
		.context = uobj->context,
	};

	lockdep_assert_uverbs_device(file);
	mutex_lock(&file->files_lock);
	if (!list_empty(&uobj->entry)) {
		destroy_object(uobj, &call, RDMA_REMOVE_CLOSE);
		del_uobject(uobj);
		uverbs_object_put(uobj);
	}
	mutex_unlock(&file->files_lock);
}

int uverbs_uobject_fd_release(struct inode *inode, struct file *filp)
{
	struct ib_uobject *uobj = filp->private_data;
	struct ib_uverbs_file *file;
	int srcu;

	/* The call that was to create the object has failed. */
	if (!uobj)
		return 0;
	file = uobj->ufile;
	srcu = srcu_read_lock(&file->device->srcu);
	/* If the device was removed, the removal destroys the object. */
	if (uverbs_ibdev(file->device))
		close_object(uobj);
	srcu_read_unlock(&file->device->srcu, srcu);
	uverbs_object_put(uobj);
	uverbs_file_put(file);
	return 0;
}
EXPORT_SYMBOL(uverbs_uobject_fd_release);
