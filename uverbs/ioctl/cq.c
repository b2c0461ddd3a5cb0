// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ioctl(): completion queues.
 */
#include "uverbs/frame/uverbs.h"
#include "uverbs/ioctl/attr.h"
#include "uverbs/ioctl/ioctl.h"
#include "uverbs/object/cq.h"

#define CQ_CREATE_FLAGS									\
	(IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION | IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN)

static int ioctl_cq_create(struct uverbs_attr_bundle *call)
{
	struct uverbs_cq_args args = {
		.user_handle = uverbs_attr_u64(call, UVERBS_ATTR_CREATE_CQ_USER_HANDLE),
		.cqe = uverbs_attr_u32(call, UVERBS_ATTR_CREATE_CQ_CQE),
		.comp_vector = uverbs_attr_u32(call, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR),
		.channel = uverbs_attr_fd(call, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL),
	};
	struct ib_cq *cq;
	u32 cqe;
	int ret;

	ret = uverbs_attr_flags(call, UVERBS_ATTR_CREATE_CQ_FLAGS, CQ_CREATE_FLAGS, &args.flags);
	if (ret)
		return ret;
	ret = uverbs_attr_async(call, UVERBS_ATTR_CREATE_CQ_EVENT_FD, &args.async);
	if (ret)
		return ret;
	ret = uverbs_create_cq(call, &args, &cq);
	if (ret)
		return ret;
	cqe = cq->cqe;
	uverbs_attr_answer(call, UVERBS_ATTR_CREATE_CQ_RESP_CQE, &cqe, sizeof(cqe));
	return 0;
}

static int ioctl_cq_destroy(struct uverbs_attr_bundle *call)
{
	u32 handle = uverbs_attr_handle(call, UVERBS_ATTR_DESTROY_CQ_HANDLE);
	struct ib_uverbs_destroy_cq_resp resp = {};
	int ret;

	ret = uverbs_destroy_cq(call, handle, &resp);
	if (ret)
		return ret;
	uverbs_attr_answer(call, UVERBS_ATTR_DESTROY_CQ_RESP, &resp, sizeof(resp));
	return 0;
}

static const struct uverbs_spec cq_create_specs[] = {
	SPEC_NEW(UVERBS_ATTR_CREATE_CQ_HANDLE),
	SPEC_IN(UVERBS_ATTR_CREATE_CQ_CQE, u32, MUST),
	SPEC_IN(UVERBS_ATTR_CREATE_CQ_USER_HANDLE, u64, MUST),
	SPEC_FD(UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL, MAY),
	SPEC_IN(UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, u32, MUST),
	SPEC_FLAGS(UVERBS_ATTR_CREATE_CQ_FLAGS, MAY),
	SPEC_OUT(UVERBS_ATTR_CREATE_CQ_RESP_CQE, u32, MUST),
	SPEC_FD(UVERBS_ATTR_CREATE_CQ_EVENT_FD, MAY),
	SPEC_UHW_IN,
	SPEC_UHW_OUT,
};

static const struct uverbs_spec cq_destroy_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_DESTROY_CQ_HANDLE, MUST),
	SPEC_OUT(UVERBS_ATTR_DESTROY_CQ_RESP, struct ib_uverbs_destroy_cq_resp, MUST),
};

static const struct uverbs_method cq_methods[] = {
	[UVERBS_METHOD_CQ_CREATE] = METHOD(ioctl_cq_create, cq_create_specs),
	[UVERBS_METHOD_CQ_DESTROY] = METHOD(ioctl_cq_destroy, cq_destroy_specs),
};

const struct uverbs_methods uverbs_cq_methods = METHODS(cq_methods);
