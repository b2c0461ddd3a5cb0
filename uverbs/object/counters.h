/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Counters objects (struct ib_counters), which processes create, read and destroy.
 */
#ifndef _KRDMA_UVERBS_OBJECT_COUNTERS_H_
#define _KRDMA_UVERBS_OBJECT_COUNTERS_H_

#include "uverbs/frame/object.h"

struct ib_counters_read_attr;

extern const struct uverbs_object_type uverbs_counters_type;

/* Each returns 0 or an errno. */
int uverbs_create_counters(struct uverbs_attr_bundle *call);
int uverbs_read_counters(struct uverbs_attr_bundle *call, u32 handle,
			 struct ib_counters_read_attr *attr);
int uverbs_destroy_counters(struct uverbs_attr_bundle *call, u32 handle);

#endif /* _KRDMA_UVERBS_OBJECT_COUNTERS_H_ */
