/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Types of the objects that a driver defines.
 */
#ifndef _KRDMA_UVERBS_FRAME_DRIVER_OBJECT_H_
#define _KRDMA_UVERBS_FRAME_DRIVER_OBJECT_H_

#include <linux/types.h>

struct uverbs_obj_type;
struct uverbs_object_type;

/**
 * uverbs_driver_type_new - make the type of a driver's objects
 * @id: number of the type
 * @driver: the driver's description, which is used until the device is removed
 *
 * Return: the type, for uverbs_driver_type_free(); NULL: no memory; ERR_PTR: -EINVAL: the
 * description is incomplete. Each type needs a function that destroys an object. A type of files
 * also needs a name, and file operations whose release() is uverbs_uobject_fd_release().
 */
struct uverbs_object_type *uverbs_driver_type_new(u16 id, const struct uverbs_obj_type *driver);
/* @type: from uverbs_driver_type_new(), or NULL. */
void uverbs_driver_type_free(struct uverbs_object_type *type);

#endif /* _KRDMA_UVERBS_FRAME_DRIVER_OBJECT_H_ */
