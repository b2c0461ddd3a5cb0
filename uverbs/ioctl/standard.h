/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The standard objects of ioctl(), which all devices have.
 */
#ifndef _KRDMA_UVERBS_IOCTL_STANDARD_H_
#define _KRDMA_UVERBS_IOCTL_STANDARD_H_

#include <linux/types.h>

struct uverbs_method;
struct uverbs_object_type;

/* Returns whether @object is the number of a standard object. */
bool uverbs_is_standard(u16 object);

/**
 * uverbs_standard_method - look up a method of a standard object
 * @object: number of the object
 * @number: number of the method
 *
 * Return: the method; ERR_PTR: -EPROTONOSUPPORT: no standard object or method has the number;
 * -EOPNOTSUPP: the method is known, but not offered.
 */
const struct uverbs_method *uverbs_standard_method(u16 object, u16 number);

/* Returns the type of a standard object's handles; NULL: it has no handles, or is unknown. */
const struct uverbs_object_type *uverbs_standard_type(u16 object);

#endif /* _KRDMA_UVERBS_IOCTL_STANDARD_H_ */
