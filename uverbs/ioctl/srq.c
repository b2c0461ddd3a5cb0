// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ioctl(): shared receive queues.
 */
#include "uverbs/frame/uverbs.h"
#include "uverbs/ioctl/attr.h"
#include "uverbs/ioctl/ioctl.h"
#include "uverbs/object/srq.h"

static int ioctl_srq_create(struct uverbs_attr_bundle *call)
{
	struct uverbs_srq_args args = {
		.user_handle = uverbs_attr_u64(call, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE),
		.pd = uverbs_attr_handle(call, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE),
		.max_wr = uverbs_attr_u32(call, UVERBS_ATTR_CREATE_SRQ_MAX_WR),
		.max_sge = uverbs_attr_u32(call, UVERBS_ATTR_CREATE_SRQ_MAX_SGE),
		.limit = uverbs_attr_u32(call, UVERBS_ATTR_CREATE_SRQ_LIMIT),
		.xrcd = uverbs_attr_handle(call, UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE),
		.cq = uverbs_attr_handle(call, UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE),
		.max_num_tags = uverbs_attr_u32(call, UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS),
	};
	struct ib_srq *srq;
	int ret;

	ret = uverbs_attr_const(call, UVERBS_ATTR_CREATE_SRQ_TYPE, IB_UVERBS_SRQT_TM, &args.type);
	if (ret)
		return ret;
	if (args.type != IB_UVERBS_SRQT_BASIC && !call->ibdev->ops.alloc_xrcd)
		return -EOPNOTSUPP;
	if (ib_srq_has_cq(args.type) && !uverbs_attr_given(call, UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE))
		return -EINVAL;
	if (args.type == IB_UVERBS_SRQT_XRC &&
	    !uverbs_attr_given(call, UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE))
		return -EINVAL;
	ret = uverbs_attr_async(call, UVERBS_ATTR_CREATE_SRQ_EVENT_FD, &args.async);
	if (ret)
		return ret;
	ret = uverbs_create_srq(call, &args, &srq);
	if (ret)
		return ret;
	uverbs_attr_answer(call, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, &args.max_wr,
			   sizeof(args.max_wr));
	uverbs_attr_answer(call, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, &args.max_sge,
			   sizeof(args.max_sge));
	if (args.type == IB_UVERBS_SRQT_XRC)
		uverbs_attr_answer(call, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, &args.number,
				   sizeof(args.number));
	return 0;
}

static int ioctl_srq_destroy(struct uverbs_attr_bundle *call)
{
	u32 handle = uverbs_attr_handle(call, UVERBS_ATTR_DESTROY_SRQ_HANDLE);
	struct ib_uverbs_destroy_srq_resp resp = {};
	int ret;

	ret = uverbs_destroy_srq(call, handle, &resp.events_reported);
	if (ret)
		return ret;
	uverbs_attr_answer(call, UVERBS_ATTR_DESTROY_SRQ_RESP, &resp, sizeof(resp));
	return 0;
}

static const struct uverbs_spec srq_create_specs[] = {
	SPEC_NEW(UVERBS_ATTR_CREATE_SRQ_HANDLE),
	SPEC_HANDLE(UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, MUST),
	SPEC_HANDLE(UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE, MAY),
	SPEC_HANDLE(UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, MAY),
	SPEC_IN(UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, u64, MUST),
	SPEC_IN(UVERBS_ATTR_CREATE_SRQ_MAX_WR, u32, MUST),
	SPEC_IN(UVERBS_ATTR_CREATE_SRQ_MAX_SGE, u32, MUST),
	SPEC_IN(UVERBS_ATTR_CREATE_SRQ_LIMIT, u32, MUST),
	SPEC_IN(UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS, u32, MAY),
	SPEC_CONST(UVERBS_ATTR_CREATE_SRQ_TYPE, MUST),
	SPEC_FD(UVERBS_ATTR_CREATE_SRQ_EVENT_FD, MAY),
	SPEC_OUT(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, u32, MUST),
	SPEC_OUT(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, u32, MUST),
	/* Only an XRC SRQ has a number. */
	SPEC_OUT(UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, u32, MAY),
	SPEC_UHW_IN,
	SPEC_UHW_OUT,
};

static const struct uverbs_spec srq_destroy_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_DESTROY_SRQ_HANDLE, MUST),
	SPEC_OUT(UVERBS_ATTR_DESTROY_SRQ_RESP, struct ib_uverbs_destroy_srq_resp, MUST),
};

static const struct uverbs_method srq_methods[] = {
	[UVERBS_METHOD_SRQ_CREATE] = METHOD(ioctl_srq_create, srq_create_specs),
	[UVERBS_METHOD_SRQ_DESTROY] = METHOD(ioctl_srq_destroy, srq_destroy_specs),
};

const struct uverbs_methods uverbs_srq_methods = METHODS(srq_methods);
