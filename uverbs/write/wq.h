/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The extended commands of write() on work queues and indirection tables. Each function is a
 * uverbs_command.run.
 */
#ifndef _KRDMA_UVERBS_WRITE_WQ_H_
#define _KRDMA_UVERBS_WRITE_WQ_H_

struct uverbs_attr_bundle;

int uverbs_write_create_wq_ex(struct uverbs_attr_bundle *call);
int uverbs_write_modify_wq_ex(struct uverbs_attr_bundle *call);
int uverbs_write_destroy_wq_ex(struct uverbs_attr_bundle *call);
int uverbs_write_create_rwq_ind_table_ex(struct uverbs_attr_bundle *call);
int uverbs_write_destroy_rwq_ind_table_ex(struct uverbs_attr_bundle *call);

#endif /* _KRDMA_UVERBS_WRITE_WQ_H_ */
