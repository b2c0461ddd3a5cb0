/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Kinds of a driver's own objects of ioctl(): objects with a handle, and objects that are files.
 */
#ifndef _RDMA_UVERBS_TYPES_H_
#define _RDMA_UVERBS_TYPES_H_

#ifdef _UVERBS_TYPES_
#error "the kernel's <rdma/uverbs_types.h> was included before krdma's"
#endif
#define _UVERBS_TYPES_

#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <rdma/ib_verbs.h>

struct file;
struct file_operations;
struct inode;
struct uverbs_attr_bundle;

/**
 * enum rdma_remove_reason - why an object is destroyed
 * @RDMA_REMOVE_DESTROY: the process destroys the object
 * @RDMA_REMOVE_CLOSE: the process has closed its device file or the object's own, or has ended
 * @RDMA_REMOVE_DRIVER_REMOVE: the device is removed
 * @RDMA_REMOVE_ABORT: the call that has created the object has failed
 */
enum rdma_remove_reason {
	RDMA_REMOVE_DESTROY,
	RDMA_REMOVE_CLOSE,
	RDMA_REMOVE_DRIVER_REMOVE,
	RDMA_REMOVE_ABORT,
};

/**
 * struct uverbs_obj_type - a kind of object; begins one of the structures below
 * @is_file: the structure is a struct uverbs_obj_fd_type
 * @obj_size: length of the driver's structure, which begins with a struct ib_uobject, in bytes
 */
struct uverbs_obj_type {
	bool			is_file;
	size_t			obj_size;
};

/**
 * struct uverbs_obj_idr_type - a kind of object with a handle
 * @type: what all kinds have
 * @destroy_object: destroys the object. Returns 0, or a negative errno, after which the object is
 *	unchanged. The object is not in use. May sleep
 */
struct uverbs_obj_idr_type {
	struct uverbs_obj_type	type;
	int __must_check	(*destroy_object)(struct ib_uobject *uobj,
						  enum rdma_remove_reason why,
						  struct uverbs_attr_bundle *attrs);
};

/**
 * struct uverbs_obj_fd_type - a kind of object that is a file
 * @type: what all kinds have
 * @destroy_object: ends the object: wakes who waits for it, and drops what the driver has for it.
 *	The driver's structure stays until the file is closed. May sleep
 * @fops: operations of the file; file->private_data is the struct ib_uobject, release is
 *	uverbs_uobject_fd_release()
 * @name: name of the file, such as "[name]"
 * @flags: flags of open(), such as O_RDONLY
 */
struct uverbs_obj_fd_type {
	struct uverbs_obj_type	type;
	void			(*destroy_object)(struct ib_uobject *uobj,
						  enum rdma_remove_reason why);
	const struct file_operations *fops;
	const char		*name;
	int			flags;
};

/* Kinds, for DECLARE_UVERBS_NAMED_OBJECT(). @_size: length of the driver's structure, in bytes. */
#define UVERBS_TYPE_ALLOC_IDR_SZ(_size, _destroy_object)				\
	(&((const struct uverbs_obj_idr_type) {						\
		.type.obj_size = (_size) +						\
				 BUILD_BUG_ON_ZERO((_size) < sizeof(struct ib_uobject)), \
		.destroy_object = (_destroy_object),					\
	}).type)
#define UVERBS_TYPE_ALLOC_IDR(_destroy_object)						\
	UVERBS_TYPE_ALLOC_IDR_SZ(sizeof(struct ib_uobject), _destroy_object)
#define UVERBS_TYPE_ALLOC_FD(_size, _destroy_object, _fops, _name, _flags)		\
	(&((const struct uverbs_obj_fd_type) {						\
		.type.is_file = true,							\
		.type.obj_size = (_size) +						\
				 BUILD_BUG_ON_ZERO((_size) < sizeof(struct ib_uobject)), \
		.destroy_object = (_destroy_object),					\
		.fops = (_fops),							\
		.name = (_name),							\
		.flags = (_flags),							\
	}).type)

/**
 * uverbs_uobject_get - take a reference to a driver's structure
 * @uobject: the structure; the caller holds a reference, or ib_uverbs does
 *
 * Any context. The structure stays until the last reference is dropped, and for a grace period of
 * RCU. The object itself may be destroyed before.
 */
void uverbs_uobject_get(struct ib_uobject *uobject);

/**
 * uverbs_uobject_put - drop a reference to a driver's structure
 * @uobject: the structure
 *
 * Any context.
 */
void uverbs_uobject_put(struct ib_uobject *uobject);

/**
 * uverbs_uobject_fd_release - end an object that is a file
 * @inode: inode of the file
 * @filp: the file
 *
 * The &file_operations.release of such objects. Calls &uverbs_obj_fd_type.destroy_object, unless
 * the object was destroyed before.
 *
 * Return: 0.
 */
int uverbs_uobject_fd_release(struct inode *inode, struct file *filp);

#endif /* _RDMA_UVERBS_TYPES_H_ */
