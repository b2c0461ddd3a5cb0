// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The commands of write() for XRC: domains, SRQs of every type, and handles of target QPs.
 */
#include "uverbs/write/xrc.h"

#include "uverbs/frame/uverbs.h"
#include "uverbs/object/qp.h"
#include "uverbs/object/srq.h"
#include "uverbs/object/xrcd.h"
#include "uverbs/write/write.h"

int uverbs_write_open_xrcd(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_open_xrcd_resp resp = {};
	struct ib_uverbs_open_xrcd cmd;
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	ret = uverbs_open_xrcd(call, cmd.fd, cmd.oflags, &resp.xrcd_handle);
	return ret ?: RESPOND(call, resp);
}

int uverbs_write_close_xrcd(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_close_xrcd cmd;
	int ret;

	ret = REQUEST(call, cmd);
	return ret ?: uverbs_close_xrcd(call, cmd.xrcd_handle);
}

int uverbs_write_create_xsrq(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_create_srq_resp resp = {};
	struct ib_uverbs_create_xsrq cmd;
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
		.type = cmd.srq_type,
		.xrcd = cmd.xrcd_handle,
		.cq = cmd.cq_handle,
		.max_num_tags = cmd.max_num_tags,
	};
	ret = uverbs_create_srq(call, &args, &srq);
	if (ret)
		return ret;
	resp.srq_handle = call->uobject->id;
	resp.max_wr = args.max_wr;
	resp.max_sge = args.max_sge;
	resp.srqn = args.number;
	return RESPOND(call, resp);
}

int uverbs_write_open_qp(struct uverbs_attr_bundle *call)
{
	struct ib_uverbs_create_qp_resp resp = {};
	struct ib_uverbs_open_qp cmd;
	struct ib_qp *qp;
	int ret;

	ret = REQUEST(call, cmd);
	if (ret)
		return ret;
	/* The domain's handle is in the field for the PD's. */
	ret = uverbs_open_qp(call, &(struct uverbs_open_qp_args) {
		.user_handle = cmd.user_handle,
		.xrcd = cmd.pd_handle,
		.number = cmd.qpn,
		.type = cmd.qp_type,
	}, &qp);
	if (ret)
		return ret;
	resp.qp_handle = call->uobject->id;
	resp.qpn = qp->qp_num;
	return RESPOND(call, resp);
}
