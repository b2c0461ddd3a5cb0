// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The commands of write() on contexts, devices and ports.
 */
#include "uverbs/write/commands.h"

#include "uverbs/frame/channel.h"
#include "uverbs/frame/context.h"
#include "uverbs/frame/uverbs.h"
#include "uverbs/object/device.h"
#include "uverbs/write/write.h"

int uverbs_write_get_context(struct uverbs_attr_bundle *call)
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

int uverbs_write_query_device(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_query_device_resp resp = {};
	int ret;

	ret = uverbs_query_device(call, &resp);
	return ret ?: RESPOND(call, resp);
}

int uverbs_write_query_device_ex(struct uverbs_attr_bundle *call)
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

int uverbs_write_query_port(struct uverbs_attr_bundle *call)
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
