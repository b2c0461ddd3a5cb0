// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The extended commands of write() on work queues and indirection tables.
 */
#include "uverbs/write/commands.h"

#include "uverbs/frame/uverbs.h"
#include "uverbs/object/wq.h"
#include "uverbs/write/write.h"

int uverbs_write_create_wq_ex(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_ex_create_wq_resp resp = {};
	struct ib_uverbs_ex_create_wq cmd;
	struct uverbs_wq_args args;
	struct ib_wq *wq;
	int ret;

	ret = uverbs_request(call, &cmd, offsetofend(struct ib_uverbs_ex_create_wq, max_sge),
			     sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask)
		return -EOPNOTSUPP;
	args = (struct uverbs_wq_args) {
		.user_handle = cmd.user_handle,
		.pd = cmd.pd_handle,
		.cq = cmd.cq_handle,
		.type = cmd.wq_type,
		.max_wr = cmd.max_wr,
		.max_sge = cmd.max_sge,
		.flags = cmd.create_flags,
	};
	ret = uverbs_create_wq(call, &args, &wq);
	if (ret)
		return ret;
	resp.wq_handle = call->uobject->id;
	resp.max_wr = args.max_wr;
	resp.max_sge = args.max_sge;
	resp.wqn = wq->wq_num;
	resp.response_length = uverbs_response_length(call, sizeof(resp));
	return RESPOND(call, resp);
}

int uverbs_write_modify_wq_ex(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_ex_modify_wq cmd;
	int ret;

	ret = uverbs_request(call, &cmd, offsetofend(struct ib_uverbs_ex_modify_wq, curr_wq_state),
			     sizeof(cmd));
	if (ret)
		return ret;
	return uverbs_modify_wq(call, cmd.wq_handle, &(struct ib_wq_attr) {
		.wq_state = (enum ib_wq_state)cmd.wq_state,
		.curr_wq_state = (enum ib_wq_state)cmd.curr_wq_state,
		.flags = cmd.flags,
		.flags_mask = cmd.flags_mask,
	}, cmd.attr_mask);
}

int uverbs_write_destroy_wq_ex(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_ex_destroy_wq_resp resp = {};
	struct ib_uverbs_ex_destroy_wq cmd;
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	if (cmd.comp_mask)
		return -EOPNOTSUPP;
	ret = uverbs_destroy_wq(call, cmd.wq_handle, &resp.events_reported);
	if (ret)
		return ret;
	resp.response_length = uverbs_response_length(call, sizeof(resp));
	return RESPOND(call, resp);
}

/*
 * The handles of the WQs follow the head of the request. Bytes behind the handles, such as those
 * that pad the request to 8 bytes, have to be 0.
 */
int uverbs_write_create_rwq_ind_table_ex(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp resp = {};
	struct ib_uverbs_ex_create_rwq_ind_table cmd;
	struct ib_rwq_ind_table *table;
	size_t used;
	int ret;

	memcpy(&cmd, call->ucore.in, sizeof(cmd));
	if (cmd.comp_mask)
		return -EOPNOTSUPP;
	if (cmd.log_ind_tbl_size > IB_USER_VERBS_MAX_LOG_IND_TBL_SIZE)
		return -EINVAL;
	used = sizeof(cmd) + (sizeof(cmd.wq_handles[0]) << cmd.log_ind_tbl_size);
	if (call->ucore.inlen < used)
		return -EINVAL;
	if (!ib_is_udata_cleared(&call->ucore, used, call->ucore.inlen - used))
		return -EOPNOTSUPP;
	ret = uverbs_create_rwq_ind_table(call, cmd.log_ind_tbl_size,
					  call->ucore.in + sizeof(cmd), &table);
	if (ret)
		return ret;
	resp.ind_tbl_handle = call->uobject->id;
	resp.ind_tbl_num = table->ind_tbl_num;
	resp.response_length = uverbs_response_length(call, sizeof(resp));
	return RESPOND(call, resp);
}

int uverbs_write_destroy_rwq_ind_table_ex(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_ex_destroy_rwq_ind_table cmd;
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	if (cmd.comp_mask)
		return -EOPNOTSUPP;
	return uverbs_destroy_rwq_ind_table(call, cmd.ind_tbl_handle);
}
