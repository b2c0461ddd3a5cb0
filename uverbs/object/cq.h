/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completion queues of processes: operations for write() and ioctl(). Each returns 0 or an errno.
 */
#ifndef _KRDMA_UVERBS_OBJECT_CQ_H_
#define _KRDMA_UVERBS_OBJECT_CQ_H_

#include "uverbs/frame/object.h"

struct ib_cq;
struct ib_uverbs_destroy_cq_resp;
struct uverbs_channel;

extern const struct uverbs_object_type uverbs_cq_type;

/**
 * struct uverbs_cq_args - attributes of a new CQ
 * @user_handle: name that the process gives to the CQ
 * @cqe: least number of entries
 * @comp_vector: completion vector
 * @channel: file descriptor of the channel for completion events; negative: none
 * @flags: &enum ib_uverbs_ex_create_cq_flags
 * @async: channel for asynchronous events; uverbs_create_cq() takes over the reference, even if it
 *	fails. NULL: the default channel
 */
struct uverbs_cq_args {
	u64			user_handle;
	u32			cqe;
	u32			comp_vector;
	int			channel;
	u32			flags;
	struct uverbs_channel	*async;
};

int uverbs_create_cq(struct uverbs_attr_bundle *call, const struct uverbs_cq_args *args,
		     struct ib_cq **cq);
/* On success, sets @got to the new number of entries of the CQ. */
int uverbs_resize_cq(struct uverbs_attr_bundle *call, u32 handle, u32 cqe, u32 *got);
/*
 * Sets the moderation of a CQ: the CQ reports an event after @count completions or after @period
 * microseconds, whichever comes first.
 */
int uverbs_modify_cq(struct uverbs_attr_bundle *call, u32 handle, u16 count, u16 period);
int uverbs_destroy_cq(struct uverbs_attr_bundle *call, u32 handle,
		      struct ib_uverbs_destroy_cq_resp *resp);

#endif /* _KRDMA_UVERBS_OBJECT_CQ_H_ */
