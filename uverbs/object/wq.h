/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Work queues and indirection tables of processes: operations for write() and ioctl(). Each returns
 * 0 or an errno.
 */
#ifndef _KRDMA_UVERBS_OBJECT_WQ_H_
#define _KRDMA_UVERBS_OBJECT_WQ_H_

#include "uverbs/frame/object.h"

struct ib_rwq_ind_table;
struct ib_wq;
struct ib_wq_attr;
struct uverbs_channel;

extern const struct uverbs_object_type uverbs_wq_type, uverbs_rwq_ind_table_type;

/**
 * struct uverbs_wq_args - attributes of a new WQ
 * @user_handle: name that the process gives to the WQ
 * @pd: handle of the protection domain
 * @cq: handle of the CQ that requests complete into
 * @type: &enum ib_uverbs_wq_type
 * @max_wr: least capacity for requests; is set to the capacity of the new WQ
 * @max_sge: least number of SGEs of a request; is set to the number that the new WQ allows
 * @flags: &enum ib_uverbs_wq_flags
 * @async: channel for asynchronous events; uverbs_create_wq() takes over the reference, even if it
 *	fails. NULL: the default channel
 */
struct uverbs_wq_args {
	u64			user_handle;
	u32			pd;
	u32			cq;
	u32			type;
	u32			max_wr;
	u32			max_sge;
	u32			flags;
	struct uverbs_channel	*async;
};

int uverbs_create_wq(struct uverbs_attr_bundle *call, struct uverbs_wq_args *args,
		     struct ib_wq **wq);
int uverbs_modify_wq(struct uverbs_attr_bundle *call, u32 handle, struct ib_wq_attr *attr,
		     u32 mask);
int uverbs_destroy_wq(struct uverbs_attr_bundle *call, u32 handle, u32 *events_reported);

/**
 * uverbs_create_rwq_ind_table - make an indirection table
 * @call: the call
 * @log_size: binary logarithm of the number of WQs, at most IB_USER_VERBS_MAX_LOG_IND_TBL_SIZE
 * @wqs: handles of the WQs
 * @table: is set to the table
 *
 * Return: 0; -ENOMEM; or an errno of uverbs_object_get() or ib_create_rwq_ind_table_user().
 */
int uverbs_create_rwq_ind_table(struct uverbs_attr_bundle *call, u32 log_size, const u32 *wqs,
				struct ib_rwq_ind_table **table);
int uverbs_destroy_rwq_ind_table(struct uverbs_attr_bundle *call, u32 handle);

#endif /* _KRDMA_UVERBS_OBJECT_WQ_H_ */
