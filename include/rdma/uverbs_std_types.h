/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Functions by which a driver's methods of ioctl() use standard objects. */
#ifndef _RDMA_UVERBS_STD_TYPES_H_
#define _RDMA_UVERBS_STD_TYPES_H_

#ifdef _UVERBS_STD_TYPES__
#error "the kernel's <rdma/uverbs_std_types.h> was included before krdma's"
#endif
#define _UVERBS_STD_TYPES__

#include <rdma/uverbs_ioctl.h>
#include <rdma/uverbs_types.h>
#include <uapi/rdma/ib_user_ioctl_verbs.h>

/**
 * uobj_get_object_id - the number of an object's kind
 * @uobj: an object that the call uses
 *
 * Any context. Needed for an attribute with UVERBS_IDR_ANY_OBJECT.
 *
 * Return: UVERBS_OBJECT_PD and so on, or the driver's own number.
 */
u16 uobj_get_object_id(struct ib_uobject *uobj);

#endif /* _RDMA_UVERBS_STD_TYPES_H_ */
