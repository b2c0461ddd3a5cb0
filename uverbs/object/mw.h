/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory windows of processes: operations for write() and ioctl(). Each returns 0 or an errno.
 * Windows are bound by requests that the provider's library posts.
 */
#ifndef _KRDMA_UVERBS_OBJECT_MW_H_
#define _KRDMA_UVERBS_OBJECT_MW_H_

#include "uverbs/frame/object.h"

struct ib_mw;

extern const struct uverbs_object_type uverbs_mw_type;

int uverbs_alloc_mw(struct uverbs_attr_bundle *call, u32 pd, u8 type, struct ib_mw **mw);
int uverbs_dealloc_mw(struct uverbs_attr_bundle *call, u32 handle);

#endif /* _KRDMA_UVERBS_OBJECT_MW_H_ */
