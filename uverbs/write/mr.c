// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The commands of write() on memory regions.
 */
#include "uverbs/write/commands.h"

#include "uverbs/frame/uverbs.h"
#include "uverbs/object/mr.h"
#include "uverbs/write/write.h"

/* The arguments from a REG_MR or REREG_MR command. Both have fields with the same names. */
#define MR_ARGS(cmd) {								\
	.pd = (cmd).pd_handle,							\
	.start = (cmd).start,							\
	.length = (cmd).length,							\
	.iova = (cmd).hca_va,							\
	.access = (cmd).access_flags,						\
	.fd = -1,								\
}

int uverbs_write_reg_mr(struct uverbs_attr_bundle *call)
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

int uverbs_write_rereg_mr(struct uverbs_attr_bundle *call)
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

int uverbs_write_dereg_mr(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_dereg_mr cmd;
	int ret;

	ret = REQUEST(call, cmd);
	return ret ?: uverbs_dereg_mr(call, cmd.mr_handle);
}
