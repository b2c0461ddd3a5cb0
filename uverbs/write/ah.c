// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The commands of write() on address handles.
 */
#include "uverbs/write/commands.h"

#include "uverbs/frame/uverbs.h"
#include "uverbs/object/ah.h"
#include "uverbs/object/path.h"
#include "uverbs/write/write.h"

int uverbs_write_create_ah(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_create_ah_resp resp = {};
	struct ib_uverbs_create_ah cmd;
	struct rdma_ah_attr attr = {};
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	uverbs_path_get_ah(call->ibdev, &attr, &cmd.attr);
	ret = uverbs_create_ah(call, cmd.user_handle, cmd.pd_handle, &attr, &resp.ah_handle);
	return ret ?: RESPOND(call, resp);
}

int uverbs_write_destroy_ah(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_destroy_ah cmd;
	int ret;

	ret = REQUEST(call, cmd);
	return ret ?: uverbs_destroy_ah(call, cmd.ah_handle);
}
