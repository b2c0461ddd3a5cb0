// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The commands of write() on CQs and completion channels.
 */
#include "uverbs/write/commands.h"

#include "uverbs/frame/channel.h"
#include "uverbs/frame/uverbs.h"
#include "uverbs/object/cq.h"
#include "uverbs/write/write.h"

int uverbs_write_create_comp_channel(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_create_comp_channel_resp resp = {};
	int fd;

	fd = uverbs_channel_new(call, true);
	if (fd < 0)
		return fd;
	resp.fd = fd;
	return RESPOND(call, resp);
}

int uverbs_write_create_cq(struct uverbs_attr_bundle *call)
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

int uverbs_write_create_cq_ex(struct uverbs_attr_bundle *call)
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

int uverbs_write_resize_cq(struct uverbs_attr_bundle *call)
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

int uverbs_write_modify_cq_ex(struct uverbs_attr_bundle *call)
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

int uverbs_write_destroy_cq(struct uverbs_attr_bundle *call)
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
