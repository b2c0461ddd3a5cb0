// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The extended commands of write() on flows.
 */
#include "uverbs/write/commands.h"

#include "uverbs/frame/uverbs.h"
#include "uverbs/object/flow.h"
#include "uverbs/write/write.h"

/* The specifications follow the head of the request. Bytes behind them have to be 0. */
int uverbs_write_create_flow_ex(struct uverbs_attr_bundle *call)
{
	const struct ib_uverbs_create_flow *cmd = call->ucore.in;
	struct ib_uverbs_create_flow_resp resp = {};
	size_t used;
	int ret;

	if (cmd->comp_mask)
		return -EINVAL;
	used = sizeof(*cmd) + cmd->flow_attr.size;
	if (call->ucore.inlen < used)
		return -EINVAL;
	if (!ib_is_udata_cleared(&call->ucore, used, call->ucore.inlen - used))
		return -EOPNOTSUPP;
	ret = uverbs_create_flow(call, cmd->qp_handle, &cmd->flow_attr);
	if (ret)
		return ret;
	resp.flow_handle = call->uobject->id;
	return RESPOND(call, resp);
}

int uverbs_write_destroy_flow_ex(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_destroy_flow cmd;
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	if (cmd.comp_mask)
		return -EINVAL;
	return uverbs_destroy_flow(call, cmd.flow_handle);
}
