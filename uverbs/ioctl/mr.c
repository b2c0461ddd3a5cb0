// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ioctl(): memory regions. Regions of a process's own memory are registered by write().
 */
#include <linux/err.h>
#include <linux/mm.h>

#include "uverbs/frame/uverbs.h"
#include "uverbs/ioctl/attr.h"
#include "uverbs/ioctl/ioctl.h"
#include "uverbs/object/mr.h"
#include "uverbs/object/pd.h"

#define ACCESS_FLAGS									\
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |			\
	 IB_UVERBS_ACCESS_REMOTE_READ | IB_UVERBS_ACCESS_REMOTE_ATOMIC |		\
	 IB_UVERBS_ACCESS_MW_BIND | IB_UVERBS_ACCESS_ZERO_BASED |			\
	 IB_UVERBS_ACCESS_ON_DEMAND | IB_UVERBS_ACCESS_HUGETLB |			\
	 IB_UVERBS_ACCESS_OPTIONAL_RANGE)

static int ioctl_mr_destroy(struct uverbs_attr_bundle *call)
{
	return uverbs_dereg_mr(call, uverbs_attr_handle(call, UVERBS_ATTR_DESTROY_MR_HANDLE));
}

static int ioctl_mr_advise(struct uverbs_attr_bundle *call)
{
	u32 handle = uverbs_attr_handle(call, UVERBS_ATTR_ADVISE_MR_PD_HANDLE);
	struct ib_pd *pd = uverbs_get(call, pd, handle);
	u32 advice, flags, num;
	struct ib_sge *ranges;
	int ret;

	BUILD_BUG_ON(sizeof(struct ib_sge) != sizeof(struct ib_uverbs_sge));
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	if (!call->ibdev->ops.advise_mr)
		return -EOPNOTSUPP;
	ret = uverbs_attr_const(call, UVERBS_ATTR_ADVISE_MR_ADVICE, U32_MAX, &advice);
	if (ret)
		return ret;
	ret = uverbs_attr_flags(call, UVERBS_ATTR_ADVISE_MR_FLAGS, IB_UVERBS_ADVISE_MR_FLAG_FLUSH,
				&flags);
	if (ret)
		return ret;
	num = uverbs_attr_len(call, UVERBS_ATTR_ADVISE_MR_SGE_LIST) / sizeof(*ranges);
	if (num * sizeof(*ranges) != uverbs_attr_len(call, UVERBS_ATTR_ADVISE_MR_SGE_LIST))
		return -EINVAL;
	ranges = kvcalloc(num, sizeof(*ranges), GFP_KERNEL_ACCOUNT);
	if (!ranges)
		return -ENOMEM;
	uverbs_attr_read(call, UVERBS_ATTR_ADVISE_MR_SGE_LIST, ranges, num * sizeof(*ranges));
	ret = call->ibdev->ops.advise_mr(pd, (enum ib_uverbs_advise_mr_advice)advice, flags, ranges,
					 num, call);
	kvfree(ranges);
	return ret;
}

static void answer_keys(struct uverbs_attr_bundle *call, const struct ib_mr *mr, u16 lkey, u16 rkey)
{
	uverbs_attr_answer(call, lkey, &mr->lkey, sizeof(mr->lkey));
	uverbs_attr_answer(call, rkey, &mr->rkey, sizeof(mr->rkey));
}

static int ioctl_mr_query(struct uverbs_attr_bundle *call)
{
	u32 handle = uverbs_attr_handle(call, UVERBS_ATTR_QUERY_MR_HANDLE);
	struct ib_mr *mr = uverbs_get(call, mr, handle);

	if (IS_ERR(mr))
		return PTR_ERR(mr);
	answer_keys(call, mr, UVERBS_ATTR_QUERY_MR_RESP_LKEY, UVERBS_ATTR_QUERY_MR_RESP_RKEY);
	uverbs_attr_answer(call, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, &mr->length, sizeof(mr->length));
	uverbs_attr_answer(call, UVERBS_ATTR_QUERY_MR_RESP_IOVA, &mr->iova, sizeof(mr->iova));
	return 0;
}

static int ioctl_mr_reg_dmabuf(struct uverbs_attr_bundle *call)
{
	struct uverbs_mr_args args = {
		.pd = uverbs_attr_handle(call, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE),
		.start = uverbs_attr_u64(call, UVERBS_ATTR_REG_DMABUF_MR_OFFSET),
		.length = uverbs_attr_u64(call, UVERBS_ATTR_REG_DMABUF_MR_LENGTH),
		.iova = uverbs_attr_u64(call, UVERBS_ATTR_REG_DMABUF_MR_IOVA),
		.fd = uverbs_attr_u32(call, UVERBS_ATTR_REG_DMABUF_MR_FD),
	};
	struct ib_mr *mr;
	int ret;

	/* For a negative descriptor, uverbs_reg_mr() would register the process's own memory. */
	if (args.fd < 0)
		return -EBADF;
	ret = uverbs_attr_flags(call, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, ACCESS_FLAGS,
				&args.access);
	if (ret)
		return ret;
	ret = uverbs_reg_mr(call, &args, &mr);
	if (ret)
		return ret;
	answer_keys(call, mr, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY,
		    UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY);
	return 0;
}

static int ioctl_mr_reg_dm(struct uverbs_attr_bundle *call)
{
	u32 pd = uverbs_attr_handle(call, UVERBS_ATTR_REG_DM_MR_PD_HANDLE);
	u32 dm = uverbs_attr_handle(call, UVERBS_ATTR_REG_DM_MR_DM_HANDLE);
	struct ib_dm_mr_attr attr = {
		.length = uverbs_attr_u64(call, UVERBS_ATTR_REG_DM_MR_LENGTH),
		.offset = uverbs_attr_u64(call, UVERBS_ATTR_REG_DM_MR_OFFSET),
	};
	struct ib_mr *mr;
	int ret;

	ret = uverbs_attr_flags(call, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, ACCESS_FLAGS,
				&attr.access_flags);
	if (ret)
		return ret;
	ret = uverbs_reg_dm_mr(call, pd, dm, &attr, &mr);
	if (ret)
		return ret;
	answer_keys(call, mr, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, UVERBS_ATTR_REG_DM_MR_RESP_RKEY);
	return 0;
}

static const struct uverbs_spec mr_destroy_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_DESTROY_MR_HANDLE, MUST),
};

static const struct uverbs_spec advise_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_ADVISE_MR_PD_HANDLE, MUST),
	SPEC_CONST(UVERBS_ATTR_ADVISE_MR_ADVICE, MUST),
	SPEC_FLAGS(UVERBS_ATTR_ADVISE_MR_FLAGS, MAY),
	SPEC_IN_BYTES(UVERBS_ATTR_ADVISE_MR_SGE_LIST, sizeof(struct ib_uverbs_sge), MUST),
};

static const struct uverbs_spec query_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_QUERY_MR_HANDLE, MUST),
	SPEC_OUT(UVERBS_ATTR_QUERY_MR_RESP_LKEY, u32, MUST),
	SPEC_OUT(UVERBS_ATTR_QUERY_MR_RESP_RKEY, u32, MUST),
	SPEC_OUT(UVERBS_ATTR_QUERY_MR_RESP_LENGTH, u64, MUST),
	SPEC_OUT(UVERBS_ATTR_QUERY_MR_RESP_IOVA, u64, MAY),
};

static const struct uverbs_spec reg_dmabuf_specs[] = {
	SPEC_NEW(UVERBS_ATTR_REG_DMABUF_MR_HANDLE),
	SPEC_HANDLE(UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, MUST),
	SPEC_IN(UVERBS_ATTR_REG_DMABUF_MR_OFFSET, u64, MUST),
	SPEC_IN(UVERBS_ATTR_REG_DMABUF_MR_LENGTH, u64, MUST),
	SPEC_IN(UVERBS_ATTR_REG_DMABUF_MR_IOVA, u64, MUST),
	SPEC_IN(UVERBS_ATTR_REG_DMABUF_MR_FD, u32, MUST),
	SPEC_FLAGS(UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, MUST),
	SPEC_OUT(UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, u32, MUST),
	SPEC_OUT(UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, u32, MUST),
};

static const struct uverbs_spec reg_dm_specs[] = {
	SPEC_NEW(UVERBS_ATTR_REG_DM_MR_HANDLE),
	SPEC_IN(UVERBS_ATTR_REG_DM_MR_OFFSET, u64, MUST),
	SPEC_IN(UVERBS_ATTR_REG_DM_MR_LENGTH, u64, MUST),
	SPEC_HANDLE(UVERBS_ATTR_REG_DM_MR_PD_HANDLE, MUST),
	SPEC_FLAGS(UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, MUST),
	SPEC_HANDLE(UVERBS_ATTR_REG_DM_MR_DM_HANDLE, MUST),
	SPEC_OUT(UVERBS_ATTR_REG_DM_MR_RESP_LKEY, u32, MUST),
	SPEC_OUT(UVERBS_ATTR_REG_DM_MR_RESP_RKEY, u32, MUST),
};

static const struct uverbs_method mr_methods[] = {
	[UVERBS_METHOD_DM_MR_REG] = METHOD(ioctl_mr_reg_dm, reg_dm_specs),
	[UVERBS_METHOD_MR_DESTROY] = METHOD(ioctl_mr_destroy, mr_destroy_specs),
	[UVERBS_METHOD_ADVISE_MR] = METHOD(ioctl_mr_advise, advise_specs),
	[UVERBS_METHOD_QUERY_MR] = METHOD(ioctl_mr_query, query_specs),
	[UVERBS_METHOD_REG_DMABUF_MR] = METHOD(ioctl_mr_reg_dmabuf, reg_dmabuf_specs),
};

const struct uverbs_methods uverbs_mr_methods = METHODS(mr_methods);
