/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Protection domains of processes: operations for write() and ioctl(). Each returns 0 or an errno.
 */
#ifndef _KRDMA_UVERBS_OBJECT_PD_H_
#define _KRDMA_UVERBS_OBJECT_PD_H_

#include "uverbs/frame/object.h"

extern const struct uverbs_object_type uverbs_pd_type;

int uverbs_alloc_pd(struct uverbs_attr_bundle *call, u32 *handle);
int uverbs_dealloc_pd(struct uverbs_attr_bundle *call, u32 handle);

#endif /* _KRDMA_UVERBS_OBJECT_PD_H_ */
