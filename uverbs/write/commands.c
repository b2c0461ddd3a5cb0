// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The tables of the commands of write().
 */
#include "uverbs/write/commands.h"

#include "uverbs/frame/uverbs.h"
#include "uverbs/write/write.h"

#define COMMAND(fn, name)							\
	{ .run = (fn), .req = sizeof(struct ib_uverbs_##name),			\
	  .resp = sizeof(struct ib_uverbs_##name##_resp) }

#define SILENT(fn, name)							\
	{ .run = (fn), .req = sizeof(struct ib_uverbs_##name) }

static const struct uverbs_command commands[] = {
	[IB_USER_VERBS_CMD_GET_CONTEXT] = {
		.run = uverbs_write_get_context,
		.req = sizeof(struct ib_uverbs_get_context),
		.resp = sizeof(struct ib_uverbs_get_context_resp),
		.without_context = true,
	},
	[IB_USER_VERBS_CMD_QUERY_DEVICE] = COMMAND(uverbs_write_query_device, query_device),
	[IB_USER_VERBS_CMD_QUERY_PORT] = COMMAND(uverbs_write_query_port, query_port),
	[IB_USER_VERBS_CMD_ALLOC_PD] = COMMAND(uverbs_write_alloc_pd, alloc_pd),
	[IB_USER_VERBS_CMD_DEALLOC_PD] = SILENT(uverbs_write_dealloc_pd, dealloc_pd),
	[IB_USER_VERBS_CMD_CREATE_AH] = COMMAND(uverbs_write_create_ah, create_ah),
	[IB_USER_VERBS_CMD_DESTROY_AH] = SILENT(uverbs_write_destroy_ah, destroy_ah),
	[IB_USER_VERBS_CMD_REG_MR] = COMMAND(uverbs_write_reg_mr, reg_mr),
	[IB_USER_VERBS_CMD_REREG_MR] = COMMAND(uverbs_write_rereg_mr, rereg_mr),
	[IB_USER_VERBS_CMD_DEREG_MR] = SILENT(uverbs_write_dereg_mr, dereg_mr),
	[IB_USER_VERBS_CMD_ALLOC_MW] = COMMAND(uverbs_write_alloc_mw, alloc_mw),
	[IB_USER_VERBS_CMD_DEALLOC_MW] = SILENT(uverbs_write_dealloc_mw, dealloc_mw),
	[IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL] =
		COMMAND(uverbs_write_create_comp_channel, create_comp_channel),
	[IB_USER_VERBS_CMD_CREATE_CQ] = COMMAND(uverbs_write_create_cq, create_cq),
	[IB_USER_VERBS_CMD_RESIZE_CQ] = {
		.run = uverbs_write_resize_cq,
		.req = sizeof(struct ib_uverbs_resize_cq),
		/* Older callers have no room for the fields that were added after cqe. */
		.resp = offsetofend(struct ib_uverbs_resize_cq_resp, cqe),
	},
	[IB_USER_VERBS_CMD_DESTROY_CQ] = COMMAND(uverbs_write_destroy_cq, destroy_cq),
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
	[IB_USER_VERBS_CMD_CREATE_SRQ] = COMMAND(uverbs_write_create_srq, create_srq),
	[IB_USER_VERBS_CMD_MODIFY_SRQ] = SILENT(uverbs_write_modify_srq, modify_srq),
	[IB_USER_VERBS_CMD_QUERY_SRQ] = COMMAND(uverbs_write_query_srq, query_srq),
	[IB_USER_VERBS_CMD_DESTROY_SRQ] = COMMAND(uverbs_write_destroy_srq, destroy_srq),
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
	/*
	 * OPEN_QP has the highest known number; higher numbers fail with -EINVAL. Lower numbers
	 * without .run fail with -EOPNOTSUPP.
	 */
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

/*
 * Most extended commands have no .req, because they check the least length of their requests
 * themselves.
 */
static const struct uverbs_command ex_commands[] = {
	[IB_USER_VERBS_EX_CMD_QUERY_DEVICE] = {
		.run = uverbs_write_query_device_ex,
		.resp = offsetofend(struct ib_uverbs_ex_query_device_resp, response_length),
	},
	[IB_USER_VERBS_EX_CMD_CREATE_CQ] = {
		.run = uverbs_write_create_cq_ex,
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
		.req = sizeof(struct ib_uverbs_create_flow),
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
		.req = sizeof(struct ib_uverbs_ex_create_rwq_ind_table),
		.resp = sizeof(struct ib_uverbs_ex_create_rwq_ind_table_resp),
	},
	[IB_USER_VERBS_EX_CMD_DESTROY_RWQ_IND_TBL] = {
		.run = uverbs_write_destroy_rwq_ind_table_ex,
	},
	[IB_USER_VERBS_EX_CMD_MODIFY_CQ] = { .run = uverbs_write_modify_cq_ex },
};

const struct uverbs_commands uverbs_ex_commands = {
	.list = ex_commands,
	.num = ARRAY_SIZE(ex_commands),
};
