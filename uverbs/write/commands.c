// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The commands of write(), except those of the files write_*.c. Each command decodes its request,
 * calls the operation, and encodes the response. The tables of all commands are at the end.
 */
#include "uverbs/write/write.h"

#include "uverbs/frame/channel.h"
#include "uverbs/frame/context.h"
#include "uverbs/frame/uverbs.h"
#include "uverbs/object/cq.h"
#include "uverbs/object/device.h"
#include "uverbs/object/mr.h"
#include "uverbs/object/mw.h"
#include "uverbs/object/pd.h"
#include "uverbs/object/srq.h"
#include "uverbs/write/flow.h"
#include "uverbs/write/post.h"
#include "uverbs/write/qp.h"
#include "uverbs/write/ud.h"
#include "uverbs/write/wq.h"
#include "uverbs/write/xrc.h"

/* --- context, device, ports --- */

static int write_get_context(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_get_context_resp resp = {};
	int ret;

	ret = uverbs_channel_new(call, false);
	if (ret < 0)
		return ret;
	resp.async_fd = ret;
	resp.num_comp_vectors = call->ibdev->num_comp_vectors;
	ret = uverbs_context_create(call);
	return ret ?: RESPOND(call, resp);
}

static int write_query_device(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_query_device_resp resp = {};
	int ret;

	ret = uverbs_query_device(call, &resp);
	return ret ?: RESPOND(call, resp);
}

static int write_query_device_ex(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_ex_query_device_resp resp = {};
	struct ib_uverbs_ex_query_device cmd;
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	if (cmd.comp_mask || cmd.reserved)
		return -EINVAL;
	ret = uverbs_query_device_ex(call, &resp);
	if (ret)
		return ret;
	resp.response_length = uverbs_response_length(call, sizeof(resp));
	return RESPOND(call, resp);
}

static int write_query_port(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_query_port_resp_ex resp = {};
	struct ib_uverbs_query_port cmd;
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	ret = uverbs_query_port(call, cmd.port_num, &resp);
	return ret ?: RESPOND(call, resp.legacy_resp);
}

/* --- protection domains --- */

static int write_alloc_pd(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_alloc_pd_resp resp = {};
	int ret;

	ret = uverbs_alloc_pd(call, &resp.pd_handle);
	return ret ?: RESPOND(call, resp);
}

static int write_dealloc_pd(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_dealloc_pd cmd;
	int ret;

	ret = REQUEST(call, cmd);
	return ret ?: uverbs_dealloc_pd(call, cmd.pd_handle);
}

/* --- memory regions --- */

/* The arguments, from fields that both commands have under the same names. */
#define MR_ARGS(cmd) {								\
	.pd = (cmd).pd_handle,							\
	.start = (cmd).start,							\
	.length = (cmd).length,							\
	.iova = (cmd).hca_va,							\
	.access = (cmd).access_flags,						\
	.fd = -1,								\
}

static int write_reg_mr(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_reg_mr_resp resp = {};
	struct ib_uverbs_reg_mr cmd;
	struct ib_mr *mr;
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	ret = uverbs_reg_mr(call, &(struct uverbs_mr_args)MR_ARGS(cmd), &mr);
	if (ret)
		return ret;
	resp.mr_handle = call->uobject->id;
	resp.lkey = mr->lkey;
	resp.rkey = mr->rkey;
	return RESPOND(call, resp);
}

static int write_rereg_mr(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_rereg_mr_resp resp = {};
	struct ib_uverbs_rereg_mr cmd;
	struct ib_mr *mr;
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	ret = uverbs_rereg_mr(call, cmd.mr_handle, cmd.flags,
			      &(struct uverbs_mr_args)MR_ARGS(cmd), &mr);
	if (ret)
		return ret;
	resp.lkey = mr->lkey;
	resp.rkey = mr->rkey;
	return RESPOND(call, resp);
}

static int write_dereg_mr(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_dereg_mr cmd;
	int ret;

	ret = REQUEST(call, cmd);
	return ret ?: uverbs_dereg_mr(call, cmd.mr_handle);
}

/* --- memory windows --- */

static int write_alloc_mw(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_alloc_mw_resp resp = {};
	struct ib_uverbs_alloc_mw cmd;
	struct ib_mw *mw;
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	ret = uverbs_alloc_mw(call, cmd.pd_handle, cmd.mw_type, &mw);
	if (ret)
		return ret;
	resp.mw_handle = call->uobject->id;
	resp.rkey = mw->rkey;
	return RESPOND(call, resp);
}

static int write_dealloc_mw(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_dealloc_mw cmd;
	int ret;

	ret = REQUEST(call, cmd);
	return ret ?: uverbs_dealloc_mw(call, cmd.mw_handle);
}

/* --- completion queues --- */

static int write_create_comp_channel(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_create_comp_channel_resp resp = {};
	int fd;

	fd = uverbs_channel_new(call, true);
	if (fd < 0)
		return fd;
	resp.fd = fd;
	return RESPOND(call, resp);
}

static int write_create_cq(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_create_cq_resp resp = {};
	struct ib_uverbs_create_cq cmd;
	struct ib_cq *cq;
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	ret = uverbs_create_cq(call, &(struct uverbs_cq_args) {
		.user_handle = cmd.user_handle,
		.cqe = cmd.cqe,
		.comp_vector = cmd.comp_vector,
		.channel = cmd.comp_channel,
	}, &cq);
	if (ret)
		return ret;
	resp.cq_handle = call->uobject->id;
	resp.cqe = cq->cqe;
	return RESPOND(call, resp);
}

static int write_create_cq_ex(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_ex_create_cq_resp resp = {};
	struct ib_uverbs_ex_create_cq cmd;
	struct ib_cq *cq;
	int ret;

	ret = uverbs_request(call, &cmd, offsetofend(struct ib_uverbs_ex_create_cq, flags),
			     sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask || cmd.reserved)
		return -EINVAL;
	ret = uverbs_create_cq(call, &(struct uverbs_cq_args) {
		.user_handle = cmd.user_handle,
		.cqe = cmd.cqe,
		.comp_vector = cmd.comp_vector,
		.channel = cmd.comp_channel,
		.flags = cmd.flags,
	}, &cq);
	if (ret)
		return ret;
	resp.base.cq_handle = call->uobject->id;
	resp.base.cqe = cq->cqe;
	resp.response_length = uverbs_response_length(call, sizeof(resp));
	return RESPOND(call, resp);
}

static int write_resize_cq(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_resize_cq_resp resp = {};
	struct ib_uverbs_resize_cq cmd;
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	ret = uverbs_resize_cq(call, cmd.cq_handle, cmd.cqe, &resp.cqe);
	return ret ?: RESPOND(call, resp);
}

/* The only bit of attr_mask that is supported: no other attribute of a CQ can be modified. */
#define CQ_MODERATE	BIT(0)

static int write_modify_cq_ex(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_ex_modify_cq cmd;
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	if (cmd.reserved || !cmd.attr_mask)
		return -EINVAL;
	if (cmd.attr_mask != CQ_MODERATE)
		return -EOPNOTSUPP;
	return uverbs_modify_cq(call, cmd.cq_handle, cmd.attr.cq_count, cmd.attr.cq_period);
}

static int write_destroy_cq(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_destroy_cq_resp resp = {};
	struct ib_uverbs_destroy_cq cmd;
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	ret = uverbs_destroy_cq(call, cmd.cq_handle, &resp);
	return ret ?: RESPOND(call, resp);
}

/* --- shared receive queues --- */

static int write_create_srq(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_create_srq_resp resp = {};
	struct ib_uverbs_create_srq cmd;
	struct uverbs_srq_args args;
	struct ib_srq *srq;
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	args = (struct uverbs_srq_args) {
		.user_handle = cmd.user_handle,
		.pd = cmd.pd_handle,
		.max_wr = cmd.max_wr,
		.max_sge = cmd.max_sge,
		.limit = cmd.srq_limit,
		.type = IB_UVERBS_SRQT_BASIC,
	};
	ret = uverbs_create_srq(call, &args, &srq);
	if (ret)
		return ret;
	resp.srq_handle = call->uobject->id;
	resp.max_wr = args.max_wr;
	resp.max_sge = args.max_sge;
	return RESPOND(call, resp);
}

static int write_modify_srq(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_modify_srq cmd;
	int ret;

	ret = REQUEST(call, cmd);
	return ret ?: uverbs_modify_srq(call, cmd.srq_handle, cmd.attr_mask, cmd.max_wr,
					cmd.srq_limit);
}

static int write_query_srq(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_query_srq_resp resp = {};
	struct ib_uverbs_query_srq cmd;
	struct ib_srq_attr attr = {};
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	ret = uverbs_query_srq(call, cmd.srq_handle, &attr);
	if (ret)
		return ret;
	resp.max_wr = attr.max_wr;
	resp.max_sge = attr.max_sge;
	resp.srq_limit = attr.srq_limit;
	return RESPOND(call, resp);
}

static int write_destroy_srq(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_destroy_srq_resp resp = {};
	struct ib_uverbs_destroy_srq cmd;
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	ret = uverbs_destroy_srq(call, cmd.srq_handle, &resp.events_reported);
	return ret ?: RESPOND(call, resp);
}

/* --- tables --- */

#define COMMAND(fn, name)							\
	{ .run = (fn), .req = sizeof(struct ib_uverbs_##name),			\
	  .resp = sizeof(struct ib_uverbs_##name##_resp) }

#define SILENT(fn, name)							\
	{ .run = (fn), .req = sizeof(struct ib_uverbs_##name) }

static const struct uverbs_command commands[] = {
	[IB_USER_VERBS_CMD_GET_CONTEXT] = {
		.run = write_get_context,
		.req = sizeof(struct ib_uverbs_get_context),
		.resp = sizeof(struct ib_uverbs_get_context_resp),
		.without_context = true,
	},
	[IB_USER_VERBS_CMD_QUERY_DEVICE] = COMMAND(write_query_device, query_device),
	[IB_USER_VERBS_CMD_QUERY_PORT] = COMMAND(write_query_port, query_port),
	[IB_USER_VERBS_CMD_ALLOC_PD] = COMMAND(write_alloc_pd, alloc_pd),
	[IB_USER_VERBS_CMD_DEALLOC_PD] = SILENT(write_dealloc_pd, dealloc_pd),
	[IB_USER_VERBS_CMD_CREATE_AH] = COMMAND(uverbs_write_create_ah, create_ah),
	[IB_USER_VERBS_CMD_DESTROY_AH] = SILENT(uverbs_write_destroy_ah, destroy_ah),
	[IB_USER_VERBS_CMD_REG_MR] = COMMAND(write_reg_mr, reg_mr),
	[IB_USER_VERBS_CMD_REREG_MR] = COMMAND(write_rereg_mr, rereg_mr),
	[IB_USER_VERBS_CMD_DEREG_MR] = SILENT(write_dereg_mr, dereg_mr),
	[IB_USER_VERBS_CMD_ALLOC_MW] = COMMAND(write_alloc_mw, alloc_mw),
	[IB_USER_VERBS_CMD_DEALLOC_MW] = SILENT(write_dealloc_mw, dealloc_mw),
	[IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL] =
		COMMAND(write_create_comp_channel, create_comp_channel),
	[IB_USER_VERBS_CMD_CREATE_CQ] = COMMAND(write_create_cq, create_cq),
	[IB_USER_VERBS_CMD_RESIZE_CQ] = {
		.run = write_resize_cq,
		.req = sizeof(struct ib_uverbs_resize_cq),
		/* Older callers have no room for the fields that were added after cqe. */
		.resp = offsetofend(struct ib_uverbs_resize_cq_resp, cqe),
	},
	[IB_USER_VERBS_CMD_DESTROY_CQ] = COMMAND(write_destroy_cq, destroy_cq),
	[IB_USER_VERBS_CMD_POLL_CQ] = {
		.run = uverbs_write_poll_cq,
		.req = sizeof(struct ib_uverbs_poll_cq),
		.resp = sizeof(struct ib_uverbs_poll_cq_resp),
		.bare = true,
	},
	[IB_USER_VERBS_CMD_REQ_NOTIFY_CQ] = {
		.run = uverbs_write_req_notify_cq,
		.req = sizeof(struct ib_uverbs_req_notify_cq),
		.bare = true,
	},
	[IB_USER_VERBS_CMD_CREATE_QP] = COMMAND(uverbs_write_create_qp, create_qp),
	[IB_USER_VERBS_CMD_QUERY_QP] = COMMAND(uverbs_write_query_qp, query_qp),
	[IB_USER_VERBS_CMD_MODIFY_QP] = SILENT(uverbs_write_modify_qp, modify_qp),
	[IB_USER_VERBS_CMD_DESTROY_QP] = COMMAND(uverbs_write_destroy_qp, destroy_qp),
	[IB_USER_VERBS_CMD_POST_SEND] = {
		.run = uverbs_write_post_send,
		.req = sizeof(struct ib_uverbs_post_send),
		.resp = sizeof(struct ib_uverbs_post_send_resp),
		.posts = true,
		.bare = true,
	},
	[IB_USER_VERBS_CMD_POST_RECV] = {
		.run = uverbs_write_post_recv,
		.req = sizeof(struct ib_uverbs_post_recv),
		.resp = sizeof(struct ib_uverbs_post_recv_resp),
		.posts = true,
		.bare = true,
	},
	[IB_USER_VERBS_CMD_ATTACH_MCAST] = SILENT(uverbs_write_attach_mcast, attach_mcast),
	[IB_USER_VERBS_CMD_DETACH_MCAST] = SILENT(uverbs_write_detach_mcast, detach_mcast),
	[IB_USER_VERBS_CMD_CREATE_SRQ] = COMMAND(write_create_srq, create_srq),
	[IB_USER_VERBS_CMD_MODIFY_SRQ] = SILENT(write_modify_srq, modify_srq),
	[IB_USER_VERBS_CMD_QUERY_SRQ] = COMMAND(write_query_srq, query_srq),
	[IB_USER_VERBS_CMD_DESTROY_SRQ] = COMMAND(write_destroy_srq, destroy_srq),
	[IB_USER_VERBS_CMD_OPEN_XRCD] = COMMAND(uverbs_write_open_xrcd, open_xrcd),
	[IB_USER_VERBS_CMD_CLOSE_XRCD] = SILENT(uverbs_write_close_xrcd, close_xrcd),
	[IB_USER_VERBS_CMD_CREATE_XSRQ] = {
		.run = uverbs_write_create_xsrq,
		.req = sizeof(struct ib_uverbs_create_xsrq),
		.resp = sizeof(struct ib_uverbs_create_srq_resp),
	},
	[IB_USER_VERBS_CMD_POST_SRQ_RECV] = {
		.run = uverbs_write_post_srq_recv,
		.req = sizeof(struct ib_uverbs_post_srq_recv),
		.resp = sizeof(struct ib_uverbs_post_srq_recv_resp),
		.posts = true,
		.bare = true,
	},
	/* This is the last number that is known. Commands without .run fail with -EOPNOTSUPP. */
	[IB_USER_VERBS_CMD_OPEN_QP] = {
		.run = uverbs_write_open_qp,
		.req = sizeof(struct ib_uverbs_open_qp),
		.resp = sizeof(struct ib_uverbs_create_qp_resp),
	},
};

const struct uverbs_commands uverbs_commands = {
	.list = commands,
	.num = ARRAY_SIZE(commands),
};

/* Extended commands have no .req, because each checks the least length of its request itself. */
static const struct uverbs_command ex_commands[] = {
	[IB_USER_VERBS_EX_CMD_QUERY_DEVICE] = {
		.run = write_query_device_ex,
		.resp = offsetofend(struct ib_uverbs_ex_query_device_resp, response_length),
	},
	[IB_USER_VERBS_EX_CMD_CREATE_CQ] = {
		.run = write_create_cq_ex,
		.resp = sizeof(struct ib_uverbs_ex_create_cq_resp),
	},
	[IB_USER_VERBS_EX_CMD_CREATE_QP] = {
		.run = uverbs_write_create_qp_ex,
		.resp = sizeof(struct ib_uverbs_ex_create_qp_resp),
	},
	[IB_USER_VERBS_EX_CMD_MODIFY_QP] = {
		.run = uverbs_write_modify_qp_ex,
		.resp = sizeof(struct ib_uverbs_ex_modify_qp_resp),
	},
	[IB_USER_VERBS_EX_CMD_CREATE_FLOW] = {
		.run = uverbs_write_create_flow_ex,
		.resp = sizeof(struct ib_uverbs_create_flow_resp),
	},
	[IB_USER_VERBS_EX_CMD_DESTROY_FLOW] = { .run = uverbs_write_destroy_flow_ex },
	[IB_USER_VERBS_EX_CMD_CREATE_WQ] = {
		.run = uverbs_write_create_wq_ex,
		.resp = offsetofend(struct ib_uverbs_ex_create_wq_resp, wqn),
	},
	[IB_USER_VERBS_EX_CMD_MODIFY_WQ] = { .run = uverbs_write_modify_wq_ex },
	[IB_USER_VERBS_EX_CMD_DESTROY_WQ] = {
		.run = uverbs_write_destroy_wq_ex,
		.resp = sizeof(struct ib_uverbs_ex_destroy_wq_resp),
	},
	[IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL] = {
		.run = uverbs_write_create_rwq_ind_table_ex,
		.resp = sizeof(struct ib_uverbs_ex_create_rwq_ind_table_resp),
	},
	[IB_USER_VERBS_EX_CMD_DESTROY_RWQ_IND_TBL] = {
		.run = uverbs_write_destroy_rwq_ind_table_ex,
	},
	[IB_USER_VERBS_EX_CMD_MODIFY_CQ] = { .run = write_modify_cq_ex },
};

const struct uverbs_commands uverbs_ex_commands = {
	.list = ex_commands,
	.num = ARRAY_SIZE(ex_commands),
};
