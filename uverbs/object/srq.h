/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Shared receive queues of processes: operations for write() and ioctl(). Each returns 0 or an
 * errno.
 */
#ifndef _KRDMA_UVERBS_OBJECT_SRQ_H_
#define _KRDMA_UVERBS_OBJECT_SRQ_H_

#include "uverbs/frame/object.h"

struct ib_srq;
struct ib_srq_attr;
struct uverbs_channel;

extern const struct uverbs_object_type uverbs_srq_type;

/**
 * struct uverbs_srq_args - attributes of a new SRQ
 * @user_handle: name that the process gives to the SRQ
 * @pd: handle of the protection domain
 * @max_wr: least capacity for receive requests; is set to the capacity of the new SRQ
 * @max_sge: least number of SGEs that a receive request may have; is set to the number that the new
 *	SRQ allows
 * @limit: number of receive requests below which a limit event is reported; 0: no event is reported
 * @type: &enum ib_uverbs_srq_type
 * @xrcd: XRC: handle of the XRC domain
 * @cq: XRC and tag matching: handle of the CQ that requests complete into
 * @max_num_tags: tag matching: least number of tags
 * @number: is set to the number by which peers name an XRC SRQ; 0 for other types
 * @async: channel for asynchronous events; uverbs_create_srq() takes over the reference, even if it
 *	fails. NULL: the default channel
 */
struct uverbs_srq_args {
	u64			user_handle;
	u32			pd;
	u32			max_wr;
	u32			max_sge;
	u32			limit;
	u32			type;
	u32			xrcd;
	u32			cq;
	u32			max_num_tags;
	u32			number;
	struct uverbs_channel	*async;
};

int uverbs_create_srq(struct uverbs_attr_bundle *call, struct uverbs_srq_args *args,
		      struct ib_srq **srq);
int uverbs_modify_srq(struct uverbs_attr_bundle *call, u32 handle, u32 mask, u32 max_wr, u32 limit);
int uverbs_query_srq(struct uverbs_attr_bundle *call, u32 handle, struct ib_srq_attr *attr);
int uverbs_destroy_srq(struct uverbs_attr_bundle *call, u32 handle, u32 *events_reported);

#endif /* _KRDMA_UVERBS_OBJECT_SRQ_H_ */
