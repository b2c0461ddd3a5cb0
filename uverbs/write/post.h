/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The commands of write() on the data path, for providers that do not share their queues with
 * processes. Each function is a uverbs_command.run of a command that is @bare.
 */
#ifndef _KRDMA_UVERBS_WRITE_POST_H_
#define _KRDMA_UVERBS_WRITE_POST_H_

struct uverbs_attr_bundle;

int uverbs_write_post_send(struct uverbs_attr_bundle *call);
int uverbs_write_post_recv(struct uverbs_attr_bundle *call);
int uverbs_write_post_srq_recv(struct uverbs_attr_bundle *call);
int uverbs_write_poll_cq(struct uverbs_attr_bundle *call);
int uverbs_write_req_notify_cq(struct uverbs_attr_bundle *call);

#endif /* _KRDMA_UVERBS_WRITE_POST_H_ */
