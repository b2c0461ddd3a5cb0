/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Address handles of processes: operations for write() and ioctl(). Each returns 0 or an errno.
 */
#ifndef _KRDMA_UVERBS_OBJECT_AH_H_
#define _KRDMA_UVERBS_OBJECT_AH_H_

#include "uverbs/frame/object.h"

struct rdma_ah_attr;

extern const struct uverbs_object_type uverbs_ah_type;

/*
 * @user_handle: name that the process gives to the address handle. @pd: handle of the PD in which
 * the address handle is made.
 */
int uverbs_create_ah(struct uverbs_attr_bundle *call, u64 user_handle, u32 pd,
		     struct rdma_ah_attr *attr, u32 *handle);
int uverbs_destroy_ah(struct uverbs_attr_bundle *call, u32 handle);

#endif /* _KRDMA_UVERBS_OBJECT_AH_H_ */
