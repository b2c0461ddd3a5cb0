// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ioctl(): work queues, and the destruction of indirection tables, which are created by write().
 */
#include "uverbs/frame/uverbs.h"
#include "uverbs/ioctl/attr.h"
#include "uverbs/ioctl/ioctl.h"
#include "uverbs/object/wq.h"

#define WQ_CREATE_FLAGS									\
	(IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING | IB_UVERBS_WQ_FLAGS_SCATTER_FCS |		\
	 IB_UVERBS_WQ_FLAGS_DELAY_DROP | IB_UVERBS_WQ_FLAGS_PCI_WRITE_END_PADDING)

static int ioctl_wq_create(struct uverbs_attr_bundle *call)
{
	struct uverbs_wq_args args = {
		.user_handle = uverbs_attr_u64(call, UVERBS_ATTR_CREATE_WQ_USER_HANDLE),
		.pd = uverbs_attr_handle(call, UVERBS_ATTR_CREATE_WQ_PD_HANDLE),
		.cq = uverbs_attr_handle(call, UVERBS_ATTR_CREATE_WQ_CQ_HANDLE),
		.max_wr = uverbs_attr_u32(call, UVERBS_ATTR_CREATE_WQ_MAX_WR),
		.max_sge = uverbs_attr_u32(call, UVERBS_ATTR_CREATE_WQ_MAX_SGE),
	};
	struct ib_wq *wq;
	u32 number;
	int ret;

	ret = uverbs_attr_const(call, UVERBS_ATTR_CREATE_WQ_TYPE, IB_UVERBS_WQT_RQ, &args.type);
	if (ret)
		return ret;
	ret = uverbs_attr_flags(call, UVERBS_ATTR_CREATE_WQ_FLAGS, WQ_CREATE_FLAGS, &args.flags);
	if (ret)
		return ret;
	ret = uverbs_attr_async(call, UVERBS_ATTR_CREATE_WQ_EVENT_FD, &args.async);
	if (ret)
		return ret;
	ret = uverbs_create_wq(call, &args, &wq);
	if (ret)
		return ret;
	uverbs_attr_answer(call, UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, &args.max_wr,
			   sizeof(args.max_wr));
	uverbs_attr_answer(call, UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, &args.max_sge,
			   sizeof(args.max_sge));
	number = wq->wq_num;
	uverbs_attr_answer(call, UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, &number, sizeof(number));
	return 0;
}

static int ioctl_wq_destroy(struct uverbs_attr_bundle *call)
{
	u32 handle = uverbs_attr_handle(call, UVERBS_ATTR_DESTROY_WQ_HANDLE);
	u32 events_reported;
	int ret;

	ret = uverbs_destroy_wq(call, handle, &events_reported);
	if (ret)
		return ret;
	uverbs_attr_answer(call, UVERBS_ATTR_DESTROY_WQ_RESP, &events_reported,
			   sizeof(events_reported));
	return 0;
}

static int ioctl_rwq_ind_table_destroy(struct uverbs_attr_bundle *call)
{
	u32 handle = uverbs_attr_handle(call, UVERBS_ATTR_DESTROY_RWQ_IND_TBL_HANDLE);

	return uverbs_destroy_rwq_ind_table(call, handle);
}

static const struct uverbs_spec wq_create_specs[] = {
	SPEC_NEW(UVERBS_ATTR_CREATE_WQ_HANDLE),
	SPEC_HANDLE(UVERBS_ATTR_CREATE_WQ_PD_HANDLE, MUST),
	SPEC_HANDLE(UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, MUST),
	SPEC_IN(UVERBS_ATTR_CREATE_WQ_USER_HANDLE, u64, MUST),
	SPEC_CONST(UVERBS_ATTR_CREATE_WQ_TYPE, MUST),
	SPEC_FD(UVERBS_ATTR_CREATE_WQ_EVENT_FD, MAY),
	SPEC_IN(UVERBS_ATTR_CREATE_WQ_MAX_WR, u32, MUST),
	SPEC_IN(UVERBS_ATTR_CREATE_WQ_MAX_SGE, u32, MUST),
	SPEC_FLAGS(UVERBS_ATTR_CREATE_WQ_FLAGS, MUST),
	SPEC_OUT(UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, u32, MUST),
	SPEC_OUT(UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, u32, MUST),
	SPEC_OUT(UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, u32, MAY),
	SPEC_UHW_IN,
	SPEC_UHW_OUT,
};

static const struct uverbs_spec wq_destroy_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_DESTROY_WQ_HANDLE, MUST),
	SPEC_OUT(UVERBS_ATTR_DESTROY_WQ_RESP, u32, MUST),
};

static const struct uverbs_spec destroy_table_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_DESTROY_RWQ_IND_TBL_HANDLE, MUST),
};

static const struct uverbs_method wq_methods[] = {
	[UVERBS_METHOD_WQ_CREATE] = METHOD(ioctl_wq_create, wq_create_specs),
	[UVERBS_METHOD_WQ_DESTROY] = METHOD(ioctl_wq_destroy, wq_destroy_specs),
};

static const struct uverbs_method table_methods[] = {
	[UVERBS_METHOD_RWQ_IND_TBL_DESTROY] =
		METHOD(ioctl_rwq_ind_table_destroy, destroy_table_specs),
};

const struct uverbs_methods uverbs_wq_methods = METHODS(wq_methods);
const struct uverbs_methods uverbs_rwq_ind_table_methods = METHODS(table_methods);
