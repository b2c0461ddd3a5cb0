// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The commands of write() on QPs.
 */
#include "uverbs/write/commands.h"

#include "uverbs/frame/uverbs.h"
#include "uverbs/object/path.h"
#include "uverbs/object/qp.h"
#include "uverbs/write/write.h"

static void put_created(struct ib_uverbs_create_qp_resp *resp, const struct ib_qp *qp, u32 handle,
			const struct ib_uverbs_qp_cap *cap)
{
	resp->qp_handle = handle;
	resp->qpn = qp->qp_num;
	IB_USER_COPY_QP_CAP(resp, cap);
}

/* The arguments for a new QP, from fields that the plain and the extended command both have. */
#define QP_ARGS(cmd) {								\
	.user_handle = (cmd).user_handle,					\
	.pd = (cmd).pd_handle,							\
	.send_cq = (cmd).send_cq_handle,					\
	.recv_cq = (cmd).recv_cq_handle,					\
	.srq = (cmd).srq_handle,						\
	.has_srq = (cmd).is_srq,						\
	.type = (cmd).qp_type,							\
	.signal_all = (cmd).sq_sig_all,						\
	.cap = {								\
		.max_send_wr = (cmd).max_send_wr,				\
		.max_recv_wr = (cmd).max_recv_wr,				\
		.max_send_sge = (cmd).max_send_sge,				\
		.max_recv_sge = (cmd).max_recv_sge,				\
		.max_inline_data = (cmd).max_inline_data,			\
	},									\
}

int uverbs_write_create_qp(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_create_qp_resp resp = {};
	struct ib_uverbs_create_qp cmd;
	struct uverbs_qp_args args;
	struct ib_qp *qp;
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	args = (struct uverbs_qp_args)QP_ARGS(cmd);
	ret = uverbs_create_qp(call, &args, &qp);
	if (ret)
		return ret;
	put_created(&resp, qp, call->uobject->id, &args.cap);
	return RESPOND(call, resp);
}

/* Flags that a process may set; the rest of enum ib_qp_create_flags is for kernel consumers. */
#define QP_WRITE_FLAGS									\
	(IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK | IB_QP_CREATE_CROSS_CHANNEL |		\
	 IB_QP_CREATE_MANAGED_SEND | IB_QP_CREATE_MANAGED_RECV | IB_QP_CREATE_SCATTER_FCS |	\
	 IB_QP_CREATE_CVLAN_STRIPPING | IB_QP_CREATE_SOURCE_QPN |			\
	 IB_QP_CREATE_PCI_WRITE_END_PADDING)

int uverbs_write_create_qp_ex(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_ex_create_qp_resp resp = {};
	struct ib_uverbs_ex_create_qp cmd;
	struct uverbs_qp_args args;
	struct ib_qp *qp;
	int ret;

	ret = uverbs_request(call, &cmd, offsetofend(struct ib_uverbs_ex_create_qp, comp_mask),
			     sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.reserved || cmd.comp_mask & ~IB_UVERBS_CREATE_QP_SUP_COMP_MASK ||
	    cmd.create_flags & ~QP_WRITE_FLAGS)
		return -EINVAL;
	args = (struct uverbs_qp_args)QP_ARGS(cmd);
	args.flags = cmd.create_flags;
	args.source_qpn = cmd.source_qpn;
	args.has_table = cmd.comp_mask & IB_UVERBS_CREATE_QP_MASK_IND_TABLE;
	args.table = cmd.rwq_ind_tbl_handle;
	ret = uverbs_create_qp(call, &args, &qp);
	if (ret)
		return ret;
	put_created(&resp.base, qp, call->uobject->id, &args.cap);
	resp.response_length = uverbs_response_length(call, sizeof(resp));
	return RESPOND(call, resp);
}

static int modify_qp(struct uverbs_attr_bundle *call, const struct ib_uverbs_modify_qp *cmd,
		     u32 rate_limit, u32 supported)
{
	struct ib_device *dev = call->context->device;
	struct ib_qp_attr attr = { .rate_limit = rate_limit };

	if (cmd->attr_mask & ~supported)
		return -EOPNOTSUPP;
	IB_USER_COPY_QP_ATTR(&attr, cmd);
	attr.en_sqd_async_notify = cmd->en_sqd_async_notify;
	if (cmd->attr_mask & IB_QP_AV)
		uverbs_path_get(dev, &attr.ah_attr, &cmd->dest);
	if (cmd->attr_mask & IB_QP_ALT_PATH)
		uverbs_path_get(dev, &attr.alt_ah_attr, &cmd->alt_dest);
	return uverbs_modify_qp(call, cmd->qp_handle, &attr, cmd->attr_mask);
}

int uverbs_write_modify_qp(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_modify_qp cmd;
	int ret;

	ret = REQUEST(call, cmd);
	return ret ?: modify_qp(call, &cmd, 0, IB_QP_ATTR_STANDARD_BITS);
}

int uverbs_write_modify_qp_ex(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_ex_modify_qp_resp resp = {};
	struct ib_uverbs_ex_modify_qp cmd;
	int ret;

	ret = uverbs_request(call, &cmd, offsetofend(struct ib_uverbs_ex_modify_qp, base),
			     sizeof(cmd));
	if (ret)
		return ret;
	ret = modify_qp(call, &cmd.base, cmd.rate_limit,
			IB_QP_ATTR_STANDARD_BITS | IB_QP_RATE_LIMIT);
	if (ret)
		return ret;
	resp.response_length = uverbs_response_length(call, sizeof(resp));
	return RESPOND(call, resp);
}

int uverbs_write_query_qp(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_query_qp_resp resp = {};
	struct ib_qp_init_attr init = {};
	struct ib_uverbs_query_qp cmd;
	struct ib_qp_attr attr = {};
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	ret = uverbs_query_qp(call, cmd.qp_handle, cmd.attr_mask, &attr, &init);
	if (ret)
		return ret;
	IB_USER_COPY_QP_ATTR(&resp, &attr);
	resp.sq_draining = attr.sq_draining;
	uverbs_path_put(&resp.dest, &attr.ah_attr);
	uverbs_path_put(&resp.alt_dest, &attr.alt_ah_attr);
	IB_USER_COPY_QP_CAP(&resp, &init.cap);
	resp.sq_sig_all = init.sq_sig_type == IB_SIGNAL_ALL_WR;
	return RESPOND(call, resp);
}

int uverbs_write_destroy_qp(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_destroy_qp_resp resp = {};
	struct ib_uverbs_destroy_qp cmd;
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	ret = uverbs_destroy_qp(call, cmd.qp_handle, &resp.events_reported);
	return ret ?: RESPOND(call, resp);
}

int uverbs_write_open_qp(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_create_qp_resp resp = {};
	struct ib_uverbs_open_qp cmd;
	struct ib_qp *qp;
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	/* The field pd_handle has the handle of the XRC domain. */
	ret = uverbs_open_qp(call, &(struct uverbs_open_qp_args) {
		.user_handle = cmd.user_handle,
		.xrcd = cmd.pd_handle,
		.number = cmd.qpn,
		.type = cmd.qp_type,
	}, &qp);
	if (ret)
		return ret;
	resp.qp_handle = call->uobject->id;
	resp.qpn = qp->qp_num;
	return RESPOND(call, resp);
}
