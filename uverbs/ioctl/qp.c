// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ioctl(): creation and destruction of queue pairs, which are modified and queried by write().
 */
#include "uverbs/frame/uverbs.h"
#include "uverbs/ioctl/attr.h"
#include "uverbs/ioctl/ioctl.h"
#include "uverbs/object/qp.h"

#define QP_CREATE_FLAGS									\
	(IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK | IB_UVERBS_QP_CREATE_SCATTER_FCS |	\
	 IB_UVERBS_QP_CREATE_CVLAN_STRIPPING | IB_UVERBS_QP_CREATE_PCI_WRITE_END_PADDING |	\
	 IB_UVERBS_QP_CREATE_SQ_SIG_ALL)

/*
 * Returns whether the process has passed all objects that QPs of this type must have, and no
 * others. An XRC target QP has its XRC domain. An XRC initiator QP has a PD and the CQ of its send
 * queue. A QP with an indirection table has a PD, and may have a CQ for its send queue. All other
 * QPs have a PD and two CQs, and may have an SRQ.
 */
static bool has_parents(struct uverbs_attr_bundle *call, u32 type)
{
	bool xrcd = uverbs_attr_given(call, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE);
	bool pd = uverbs_attr_given(call, UVERBS_ATTR_CREATE_QP_PD_HANDLE);
	bool send_cq = uverbs_attr_given(call, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE);
	bool recv_cq = uverbs_attr_given(call, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE);
	bool srq = uverbs_attr_given(call, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE);

	if (type == IB_UVERBS_QPT_XRC_TGT)
		return xrcd && !pd && !send_cq && !recv_cq && !srq;
	if (type == IB_UVERBS_QPT_XRC_INI)
		return !xrcd && pd && send_cq && !recv_cq && !srq;
	if (uverbs_attr_given(call, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE))
		return !xrcd && pd && !recv_cq && !srq;
	return !xrcd && pd && send_cq && recv_cq;
}

/* Decodes the type and the flags of a new QP, and refuses those that are not supported. */
static int get_qp_type(struct uverbs_attr_bundle *call, struct uverbs_qp_args *args)
{
	int ret;

	ret = uverbs_attr_const(call, UVERBS_ATTR_CREATE_QP_TYPE, IB_UVERBS_QPT_DRIVER,
				&args->type);
	if (ret)
		return ret;
	if (args->has_table && !call->ibdev->ops.create_rwq_ind_table)
		return -EOPNOTSUPP;
	if (args->type >= IB_UVERBS_QPT_XRC_INI && args->type <= IB_UVERBS_QPT_XRC_TGT &&
	    !call->ibdev->ops.alloc_xrcd)
		return -EOPNOTSUPP;
	if (!has_parents(call, args->type))
		return -EINVAL;
	ret = uverbs_attr_flags(call, UVERBS_ATTR_CREATE_QP_FLAGS, QP_CREATE_FLAGS, &args->flags);
	if (ret)
		return ret;
	args->signal_all = args->flags & IB_UVERBS_QP_CREATE_SQ_SIG_ALL;
	args->flags &= ~IB_UVERBS_QP_CREATE_SQ_SIG_ALL;
	if (uverbs_attr_given(call, UVERBS_ATTR_CREATE_QP_SOURCE_QPN))
		args->flags |= IB_QP_CREATE_SOURCE_QPN;
	return 0;
}

static int ioctl_qp_create(struct uverbs_attr_bundle *call)
{
	struct uverbs_qp_args args = {
		.user_handle = uverbs_attr_u64(call, UVERBS_ATTR_CREATE_QP_USER_HANDLE),
		.pd = uverbs_attr_handle(call, UVERBS_ATTR_CREATE_QP_PD_HANDLE),
		.send_cq = uverbs_attr_handle(call, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE),
		.recv_cq = uverbs_attr_handle(call, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE),
		.srq = uverbs_attr_handle(call, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE),
		.has_srq = uverbs_attr_given(call, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE),
		.table = uverbs_attr_handle(call, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE),
		.has_table = uverbs_attr_given(call, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE),
		.source_qpn = uverbs_attr_u32(call, UVERBS_ATTR_CREATE_QP_SOURCE_QPN),
	};
	struct ib_qp *qp;
	u32 number;
	int ret;

	ret = get_qp_type(call, &args);
	if (ret)
		return ret;
	if (args.type == IB_UVERBS_QPT_XRC_TGT)
		args.pd = uverbs_attr_handle(call, UVERBS_ATTR_CREATE_QP_XRCD_HANDLE);
	uverbs_attr_read(call, UVERBS_ATTR_CREATE_QP_CAP, &args.cap, sizeof(args.cap));
	ret = uverbs_attr_async(call, UVERBS_ATTR_CREATE_QP_EVENT_FD, &args.async);
	if (ret)
		return ret;
	ret = uverbs_create_qp(call, &args, &qp);
	if (ret)
		return ret;
	uverbs_attr_answer(call, UVERBS_ATTR_CREATE_QP_RESP_CAP, &args.cap, sizeof(args.cap));
	number = qp->qp_num;
	uverbs_attr_answer(call, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, &number, sizeof(number));
	return 0;
}

static int ioctl_qp_destroy(struct uverbs_attr_bundle *call)
{
	u32 handle = uverbs_attr_handle(call, UVERBS_ATTR_DESTROY_QP_HANDLE);
	struct ib_uverbs_destroy_qp_resp resp = {};
	int ret;

	ret = uverbs_destroy_qp(call, handle, &resp.events_reported);
	if (ret)
		return ret;
	uverbs_attr_answer(call, UVERBS_ATTR_DESTROY_QP_RESP, &resp, sizeof(resp));
	return 0;
}

static const struct uverbs_spec qp_create_specs[] = {
	SPEC_NEW(UVERBS_ATTR_CREATE_QP_HANDLE),
	SPEC_HANDLE(UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, MAY),
	SPEC_HANDLE(UVERBS_ATTR_CREATE_QP_PD_HANDLE, MAY),
	SPEC_HANDLE(UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, MAY),
	SPEC_HANDLE(UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, MAY),
	SPEC_HANDLE(UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, MAY),
	SPEC_HANDLE(UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE, MAY),
	SPEC_IN(UVERBS_ATTR_CREATE_QP_USER_HANDLE, u64, MUST),
	SPEC_STRUCT(UVERBS_ATTR_CREATE_QP_CAP, struct ib_uverbs_qp_cap, MUST),
	SPEC_CONST(UVERBS_ATTR_CREATE_QP_TYPE, MUST),
	SPEC_FLAGS(UVERBS_ATTR_CREATE_QP_FLAGS, MAY),
	SPEC_IN(UVERBS_ATTR_CREATE_QP_SOURCE_QPN, u32, MAY),
	SPEC_FD(UVERBS_ATTR_CREATE_QP_EVENT_FD, MAY),
	SPEC_OUT(UVERBS_ATTR_CREATE_QP_RESP_CAP, struct ib_uverbs_qp_cap, MUST),
	SPEC_OUT(UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, u32, MUST),
	SPEC_UHW_IN,
	SPEC_UHW_OUT,
};

static const struct uverbs_spec qp_destroy_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_DESTROY_QP_HANDLE, MUST),
	SPEC_OUT(UVERBS_ATTR_DESTROY_QP_RESP, struct ib_uverbs_destroy_qp_resp, MUST),
};

static const struct uverbs_method qp_methods[] = {
	[UVERBS_METHOD_QP_CREATE] = METHOD(ioctl_qp_create, qp_create_specs),
	[UVERBS_METHOD_QP_DESTROY] = METHOD(ioctl_qp_destroy, qp_destroy_specs),
};

const struct uverbs_methods uverbs_qp_methods = METHODS(qp_methods);
