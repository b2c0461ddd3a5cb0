// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The commands of write() on memory windows.
 */
#include "uverbs/write/commands.h"

#include "uverbs/frame/uverbs.h"
#include "uverbs/object/mw.h"
#include "uverbs/write/write.h"

int uverbs_write_alloc_mw(struct uverbs_attr_bundle *call)
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

int uverbs_write_dealloc_mw(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_dealloc_mw cmd;
	int ret;

	ret = REQUEST(call, cmd);
	return ret ?: uverbs_dealloc_mw(call, cmd.mw_handle);
}
