/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The extended commands of write() on flows. Each returns 0 or an errno.
 */
#ifndef _KRDMA_UVERBS_WRITE_FLOW_H_
#define _KRDMA_UVERBS_WRITE_FLOW_H_

struct uverbs_attr_bundle;

int uverbs_write_create_flow_ex(struct uverbs_attr_bundle *call);
int uverbs_write_destroy_flow_ex(struct uverbs_attr_bundle *call);

#endif /* _KRDMA_UVERBS_WRITE_FLOW_H_ */
