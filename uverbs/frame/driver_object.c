// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Types of the objects that a driver defines.
 */
#include "uverbs/frame/driver_object.h"

#include <linux/container_of.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/uverbs_types.h>

#include "uverbs/frame/object.h"

/**
 * struct driver_type - a type that a driver has defined
 * @type: what the other parts of ib_uverbs use
 * @driver: the driver's description; valid while the device is not removed
 */
struct driver_type {
	struct uverbs_object_type type;
	const struct uverbs_obj_type *driver;
};

static const struct uverbs_obj_idr_type *to_idr(const struct uverbs_obj_type *type)
{
	return container_of(type, struct uverbs_obj_idr_type, type);
}

static const struct uverbs_obj_fd_type *to_fd(const struct uverbs_obj_type *type)
{
	return container_of(type, struct uverbs_obj_fd_type, type);
}

static int driver_destroy(struct ib_uobject *uobj, struct ib_udata *udata)
{
	struct driver_type *type = container_of(uobj->type, struct driver_type, type);
	struct uverbs_attr_bundle *call = rdma_udata_to_uverbs_attr_bundle(udata);

	if (!type->driver->is_file)
		return to_idr(type->driver)->destroy_object(uobj, call->why, call);
	to_fd(type->driver)->destroy_object(uobj, call->why);
	return 0;
}

static bool is_whole(const struct uverbs_obj_type *driver)
{
	if (!driver->is_file)
		return to_idr(driver)->destroy_object;
	return to_fd(driver)->destroy_object && to_fd(driver)->fops && to_fd(driver)->name &&
	       to_fd(driver)->fops->release == uverbs_uobject_fd_release;
}

struct uverbs_object_type *uverbs_driver_type_new(u16 id, const struct uverbs_obj_type *driver)
{
	struct driver_type *type;

	if (!is_whole(driver))
		return ERR_PTR(-EINVAL);
	type = kzalloc(sizeof(*type), GFP_KERNEL);
	if (!type)
		return NULL;
	type->driver = driver;
	type->type.id = id;
	type->type.size = driver->obj_size;
	type->type.destroy = driver_destroy;
	if (driver->is_file) {
		type->type.fops = to_fd(driver)->fops;
		type->type.name = to_fd(driver)->name;
		type->type.flags = to_fd(driver)->flags;
	}
	return &type->type;
}

void uverbs_driver_type_free(struct uverbs_object_type *type)
{
	if (type)
		kfree(container_of(type, struct driver_type, type));
}
