// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The commands of write() on SRQs.
 */
#include "uverbs/write/commands.h"

#include "uverbs/frame/uverbs.h"
#include "uverbs/object/srq.h"
#include "uverbs/write/write.h"

/* Creates an SRQ of any type, and responds with its handle and attributes. */
static int create_srq(struct uverbs_attr_bundle *call, struct uverbs_srq_args *args)
{
	struct ib_uverbs_create_srq_resp resp = {};
	struct ib_srq *srq;
	int ret;

	ret = uverbs_create_srq(call, args, &srq);
	if (ret)
		return ret;
	resp.srq_handle = call->uobject->id;
	resp.max_wr = args->max_wr;
	resp.max_sge = args->max_sge;
	resp.srqn = args->number;
	return RESPOND(call, resp);
}

int uverbs_write_create_srq(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_create_srq cmd;
	struct uverbs_srq_args args;
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
	return create_srq(call, &args);
}

int uverbs_write_modify_srq(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_modify_srq cmd;
	int ret;

	ret = REQUEST(call, cmd);
	return ret ?: uverbs_modify_srq(call, cmd.srq_handle, cmd.attr_mask, cmd.max_wr,
					cmd.srq_limit);
}

int uverbs_write_query_srq(struct uverbs_attr_bundle *call)
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

int uverbs_write_destroy_srq(struct uverbs_attr_bundle *call)
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

int uverbs_write_create_xsrq(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_create_xsrq cmd;
	struct uverbs_srq_args args;
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
		.type = cmd.srq_type,
		.xrcd = cmd.xrcd_handle,
		.cq = cmd.cq_handle,
		.max_num_tags = cmd.max_num_tags,
	};
	return create_srq(call, &args);
}
