/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The commands of write() on QPs. Each function is a uverbs_command.run.
 */
#ifndef _KRDMA_UVERBS_WRITE_QP_H_
#define _KRDMA_UVERBS_WRITE_QP_H_

struct uverbs_attr_bundle;

int uverbs_write_create_qp(struct uverbs_attr_bundle *call);
int uverbs_write_create_qp_ex(struct uverbs_attr_bundle *call);
int uverbs_write_modify_qp(struct uverbs_attr_bundle *call);
int uverbs_write_modify_qp_ex(struct uverbs_attr_bundle *call);
int uverbs_write_query_qp(struct uverbs_attr_bundle *call);
int uverbs_write_destroy_qp(struct uverbs_attr_bundle *call);

#endif /* _KRDMA_UVERBS_WRITE_QP_H_ */
