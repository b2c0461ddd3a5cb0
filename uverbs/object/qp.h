/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Queue pairs of processes: operations for write() and ioctl(). Each returns 0 or an errno.
 */
#ifndef _KRDMA_UVERBS_OBJECT_QP_H_
#define _KRDMA_UVERBS_OBJECT_QP_H_

#include <uapi/rdma/ib_user_ioctl_verbs.h>

#include "uverbs/frame/object.h"

struct ib_qp;
struct ib_qp_attr;
struct ib_qp_init_attr;
struct ib_uverbs_file;
struct uverbs_channel;
union ib_gid;

extern const struct uverbs_object_type uverbs_qp_type;

/**
 * struct uverbs_qp_args - attributes of a new QP
 * @user_handle: name that the process gives to the QP
 * @pd: handle of the protection domain; for an XRC target QP: handle of the XRC domain
 * @send_cq: handle of the CQ of the send queue
 * @recv_cq: handle of the CQ of the receive queue; ignored for XRC
 * @srq: handle of the SRQ; valid if @has_srq is set
 * @has_srq: the QP takes its receive requests from an SRQ
 * @table: handle of the indirection table; valid if @has_table is set
 * @has_table: the QP has an indirection table instead of a receive queue. @recv_cq is ignored;
 *	@send_cq is ignored if cap.max_send_wr is 0
 * @source_qpn: number of the QP to send from; valid if @flags includes %IB_QP_CREATE_SOURCE_QPN
 * @type: &enum ib_uverbs_qp_type
 * @flags: those of &enum ib_qp_create_flags that a process may set
 * @signal_all: each request of the send queue is signalled
 * @cap: least capacities; is set to those of the new QP
 * @async: channel for asynchronous events; uverbs_create_qp() takes over the reference, even if it
 *	fails. NULL: the default channel
 */
struct uverbs_qp_args {
	u64			user_handle;
	u32			pd;
	u32			send_cq;
	u32			recv_cq;
	u32			srq;
	bool			has_srq;
	u32			table;
	bool			has_table;
	u32			source_qpn;
	u32			type;
	u32			flags;
	bool			signal_all;
	struct ib_uverbs_qp_cap	cap;
	struct uverbs_channel	*async;
};

/**
 * struct uverbs_open_qp_args - attributes of a further handle of an XRC target QP
 * @user_handle: name that the process gives to the handle
 * @xrcd: handle of the XRC domain
 * @number: number of the QP
 * @type: &enum ib_uverbs_qp_type
 */
struct uverbs_open_qp_args {
	u64			user_handle;
	u32			xrcd;
	u32			number;
	u32			type;
};

int uverbs_create_qp(struct uverbs_attr_bundle *call, struct uverbs_qp_args *args,
		     struct ib_qp **qp);
/* Returns the errors of ib_open_qp(); -EOPNOTSUPP if the device has no XRC. */
int uverbs_open_qp(struct uverbs_attr_bundle *call, const struct uverbs_open_qp_args *args,
		   struct ib_qp **qp);
int uverbs_modify_qp(struct uverbs_attr_bundle *call, u32 handle, struct ib_qp_attr *attr,
		     int mask);
int uverbs_query_qp(struct uverbs_attr_bundle *call, u32 handle, int mask, struct ib_qp_attr *attr,
		    struct ib_qp_init_attr *init);
/*
 * Attach a QP to a multicast group, or detach the QP from the group. Return -EOPNOTSUPP if the
 * device does not support multicast groups.
 */
int uverbs_attach_mcast(struct uverbs_attr_bundle *call, u32 handle, union ib_gid *gid, u16 lid);
int uverbs_detach_mcast(struct uverbs_attr_bundle *call, u32 handle, union ib_gid *gid, u16 lid);
int uverbs_destroy_qp(struct uverbs_attr_bundle *call, u32 handle, u32 *events_reported);

/**
 * uverbs_qps_fail - move all QPs of a file to the error state
 * @file: the file; no call by this file is running, and none can begin
 *
 * Called with ib_uverbs_file.empty_lock held. May sleep.
 */
void uverbs_qps_fail(struct ib_uverbs_file *file);

#endif /* _KRDMA_UVERBS_OBJECT_QP_H_ */
