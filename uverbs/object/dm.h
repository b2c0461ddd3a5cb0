/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Device memory, which processes allocate. Each function returns 0 or an errno.
 */
#ifndef _KRDMA_UVERBS_OBJECT_DM_H_
#define _KRDMA_UVERBS_OBJECT_DM_H_

#include "uverbs/frame/object.h"

struct ib_dm_alloc_attr;

extern const struct uverbs_object_type uverbs_dm_type;

int uverbs_alloc_dm(struct uverbs_attr_bundle *call, struct ib_dm_alloc_attr *attr);
int uverbs_free_dm(struct uverbs_attr_bundle *call, u32 handle);

#endif /* _KRDMA_UVERBS_OBJECT_DM_H_ */
