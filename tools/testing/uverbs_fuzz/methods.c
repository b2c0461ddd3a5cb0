// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: the methods of ioctl() and their attributes.
 */
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "uverbs_fuzz.h"
#include "methods.h"

#define A(ID, CONTENT, LEN)	.id = UVERBS_ATTR_##ID, .content = (CONTENT), .len = (LEN)
#define A_VALUE(ID, LEN, LOW, HIGH)	{ A(ID, VALUE, LEN), .low = (LOW), .high = (HIGH) }
#define A_CONST(ID, LOW, HIGH)		A_VALUE(ID, 8, LOW, HIGH)
#define A_SELDOM(ID, LEN, LOW, HIGH)							\
	{ A(ID, VALUE, LEN), .low = (LOW), .high = (HIGH), .seldom = true }
#define A_ROOM(ID, LEN)			{ A(ID, ROOM, LEN) }
#define A_SELDOM_ROOM(ID, LEN)		{ A(ID, ROOM, LEN), .seldom = true }
#define A_HANDLE(ID, KIND)		{ A(ID, HANDLE, 0), .kind = (KIND) }
#define A_HANDLE_SELDOM(ID, KIND)	{ A(ID, HANDLE, 0), .kind = (KIND), .seldom = true }
#define A_NEW(ID, KIND)			{ A(ID, NEW, 0), .kind = (KIND) }
#define A_DRIVER(LEN)			{ A(UHW_OUT, DRIVER, LEN) }
#define A_DRIVER_IN(LEN)		{ A(UHW_IN, BYTES, LEN), .seldom = true }
#define A_OTHER(ID, CONTENT, LEN)	{ A(ID, CONTENT, LEN) }

static const struct attr_plan info_handles_attrs[] = {
	A_CONST(INFO_OBJECT_ID, 0, UVERBS_OBJECT_ASYNC_EVENT),
	A_ROOM(INFO_TOTAL_HANDLES, 4),
	A_ROOM(INFO_HANDLES_LIST, 64),
};

static const struct attr_plan query_port_attrs[] = {
	A_CONST(QUERY_PORT_PORT_NUM, 1, 1),
	A_ROOM(QUERY_PORT_RESP, sizeof(struct ib_uverbs_query_port_resp_ex)),
};

static const struct attr_plan get_context_attrs[] = {
	A_ROOM(GET_CONTEXT_NUM_COMP_VECTORS, 4),
	A_ROOM(GET_CONTEXT_CORE_SUPPORT, 8),
	A_DRIVER_IN(16),
	A_DRIVER(sizeof(struct siw_uresp_alloc_ctx)),
};

static const struct attr_plan query_context_attrs[] = {
	A_ROOM(QUERY_CONTEXT_NUM_COMP_VECTORS, 4),
	A_ROOM(QUERY_CONTEXT_CORE_SUPPORT, 8),
};

static const struct attr_plan query_gid_table_attrs[] = {
	A_CONST(QUERY_GID_TABLE_ENTRY_SIZE, sizeof(struct ib_uverbs_gid_entry), 64),
	A_SELDOM(QUERY_GID_TABLE_FLAGS, 4, 0, 0),
	A_ROOM(QUERY_GID_TABLE_RESP_ENTRIES, 32 * sizeof(struct ib_uverbs_gid_entry)),
	A_ROOM(QUERY_GID_TABLE_RESP_NUM_ENTRIES, 8),
};

static const struct attr_plan query_gid_entry_attrs[] = {
	A_CONST(QUERY_GID_ENTRY_PORT, 1, 1),
	A_CONST(QUERY_GID_ENTRY_GID_INDEX, 0, 0),
	A_SELDOM(QUERY_GID_ENTRY_FLAGS, 4, 0, 0),
	A_ROOM(QUERY_GID_ENTRY_RESP_ENTRY, sizeof(struct ib_uverbs_gid_entry)),
};

static const struct attr_plan alloc_async_attrs[] = {
	A_OTHER(ASYNC_EVENT_ALLOC_FD_HANDLE, NEW_FD, 0),
};

static const struct attr_plan destroy_pd_attrs[] = {
	A_HANDLE(DESTROY_PD_HANDLE, PD),
};

static const struct attr_plan create_cq_attrs[] = {
	A_NEW(CREATE_CQ_HANDLE, CQ),
	A_VALUE(CREATE_CQ_CQE, 4, 8 * QUEUE_DEPTH, 16 * QUEUE_DEPTH),
	A_CONST(CREATE_CQ_USER_HANDLE, 0, 1000),
	A_OTHER(CREATE_CQ_COMP_CHANNEL, CHANNEL, 0),
	A_VALUE(CREATE_CQ_COMP_VECTOR, 4, 0, 0),
	A_SELDOM(CREATE_CQ_FLAGS, 4, 0, 3),
	A_ROOM(CREATE_CQ_RESP_CQE, 4),
	A_OTHER(CREATE_CQ_EVENT_FD, ASYNC, 0),
	A_DRIVER_IN(16),
	A_DRIVER(sizeof(struct siw_uresp_create_cq)),
};

static const struct attr_plan destroy_cq_attrs[] = {
	A_HANDLE(DESTROY_CQ_HANDLE, CQ),
	A_ROOM(DESTROY_CQ_RESP, sizeof(struct ib_uverbs_destroy_cq_resp)),
};

static const struct attr_plan create_qp_attrs[] = {
	A_NEW(CREATE_QP_HANDLE, QP),
	A_HANDLE(CREATE_QP_PD_HANDLE, PD),
	A_HANDLE_SELDOM(CREATE_QP_SRQ_HANDLE, SRQ),
	A_HANDLE_SELDOM(CREATE_QP_XRCD_HANDLE, PD),
	A_HANDLE_SELDOM(CREATE_QP_IND_TABLE_HANDLE, PD),
	A_HANDLE(CREATE_QP_SEND_CQ_HANDLE, CQ),
	A_HANDLE(CREATE_QP_RECV_CQ_HANDLE, CQ),
	A_CONST(CREATE_QP_USER_HANDLE, 0, 1000),
	A_OTHER(CREATE_QP_CAP, CAP, sizeof(struct ib_uverbs_qp_cap)),
	A_CONST(CREATE_QP_TYPE, RC, RC),
	A_SELDOM(CREATE_QP_FLAGS, 4, 0, 0xffff),
	A_SELDOM(CREATE_QP_SOURCE_QPN, 4, 0, 100),
	A_OTHER(CREATE_QP_EVENT_FD, ASYNC, 0),
	A_ROOM(CREATE_QP_RESP_CAP, sizeof(struct ib_uverbs_qp_cap)),
	A_ROOM(CREATE_QP_RESP_QP_NUM, 4),
	A_DRIVER_IN(16),
	A_DRIVER(sizeof(struct siw_uresp_create_qp)),
};

static const struct attr_plan destroy_qp_attrs[] = {
	A_HANDLE(DESTROY_QP_HANDLE, QP),
	A_ROOM(DESTROY_QP_RESP, sizeof(struct ib_uverbs_destroy_qp_resp)),
};

static const struct attr_plan create_srq_attrs[] = {
	A_NEW(CREATE_SRQ_HANDLE, SRQ),
	A_HANDLE(CREATE_SRQ_PD_HANDLE, PD),
	A_HANDLE_SELDOM(CREATE_SRQ_XRCD_HANDLE, PD),
	A_HANDLE_SELDOM(CREATE_SRQ_CQ_HANDLE, CQ),
	A_CONST(CREATE_SRQ_USER_HANDLE, 0, 1000),
	A_VALUE(CREATE_SRQ_MAX_WR, 4, 1, QUEUE_DEPTH),
	A_VALUE(CREATE_SRQ_MAX_SGE, 4, 1, SIW_MAX_SGE),
	A_VALUE(CREATE_SRQ_LIMIT, 4, 0, 4),
	A_SELDOM(CREATE_SRQ_MAX_NUM_TAGS, 4, 0, 4),
	A_CONST(CREATE_SRQ_TYPE, IB_UVERBS_SRQT_BASIC, IB_UVERBS_SRQT_BASIC),
	A_OTHER(CREATE_SRQ_EVENT_FD, ASYNC, 0),
	A_ROOM(CREATE_SRQ_RESP_MAX_WR, 4),
	A_ROOM(CREATE_SRQ_RESP_MAX_SGE, 4),
	A_SELDOM_ROOM(CREATE_SRQ_RESP_SRQ_NUM, 4),
	A_DRIVER_IN(16),
	A_DRIVER(sizeof(struct siw_uresp_create_srq)),
};

static const struct attr_plan destroy_srq_attrs[] = {
	A_HANDLE(DESTROY_SRQ_HANDLE, SRQ),
	A_ROOM(DESTROY_SRQ_RESP, sizeof(struct ib_uverbs_destroy_srq_resp)),
};

/* siw has none of these objects: handles are those of other kinds. */
static const struct attr_plan destroy_ah_attrs[] = {
	A_HANDLE(DESTROY_AH_HANDLE, PD),
};

static const struct attr_plan destroy_xrcd_attrs[] = {
	A_HANDLE(DESTROY_XRCD_HANDLE, PD),
};

static const struct attr_plan create_wq_attrs[] = {
	{ A(CREATE_WQ_HANDLE, VALUE, 0) },
	A_HANDLE(CREATE_WQ_PD_HANDLE, PD),
	A_HANDLE(CREATE_WQ_CQ_HANDLE, CQ),
	A_CONST(CREATE_WQ_USER_HANDLE, 0, 1000),
	A_CONST(CREATE_WQ_TYPE, 0, 1),
	A_VALUE(CREATE_WQ_MAX_WR, 4, 1, QUEUE_DEPTH),
	A_VALUE(CREATE_WQ_MAX_SGE, 4, 1, SIW_MAX_SGE),
	A_VALUE(CREATE_WQ_FLAGS, 4, 0, 16),
	A_OTHER(CREATE_WQ_EVENT_FD, ASYNC, 0),
	A_ROOM(CREATE_WQ_RESP_MAX_WR, 4),
	A_ROOM(CREATE_WQ_RESP_MAX_SGE, 4),
	A_SELDOM_ROOM(CREATE_WQ_RESP_WQ_NUM, 4),
};

static const struct attr_plan alloc_dm_attrs[] = {
	{ A(ALLOC_DM_HANDLE, VALUE, 0) },
	A_CONST(ALLOC_DM_LENGTH, 0, 4096),
	A_VALUE(ALLOC_DM_ALIGNMENT, 4, 0, 12),
	A_DRIVER_IN(16),
};

static const struct attr_plan reg_dm_attrs[] = {
	{ A(REG_DM_MR_HANDLE, VALUE, 0) },
	A_CONST(REG_DM_MR_OFFSET, 0, 4096),
	A_CONST(REG_DM_MR_LENGTH, 0, 4096),
	A_HANDLE(REG_DM_MR_PD_HANDLE, PD),
	A_VALUE(REG_DM_MR_ACCESS_FLAGS, 4, 0, 127),
	A_HANDLE(REG_DM_MR_DM_HANDLE, PD),
	A_ROOM(REG_DM_MR_RESP_LKEY, 4),
	A_ROOM(REG_DM_MR_RESP_RKEY, 4),
};

static const struct attr_plan create_counters_attrs[] = {
	{ A(CREATE_COUNTERS_HANDLE, VALUE, 0) },
};

static const struct attr_plan read_counters_attrs[] = {
	A_HANDLE(READ_COUNTERS_HANDLE, PD),
	A_ROOM(READ_COUNTERS_BUFF, 64),
	A_SELDOM(READ_COUNTERS_FLAGS, 4, 0, 3),
};

static const struct attr_plan destroy_mr_attrs[] = {
	A_HANDLE(DESTROY_MR_HANDLE, MR),
};

static const struct attr_plan advise_mr_attrs[] = {
	A_HANDLE(ADVISE_MR_PD_HANDLE, PD),
	A_CONST(ADVISE_MR_ADVICE, 0, 2),
	A_SELDOM(ADVISE_MR_FLAGS, 4, 0, 1),
	A_OTHER(ADVISE_MR_SGE_LIST, BYTES, 16),
};

static const struct attr_plan query_mr_attrs[] = {
	A_HANDLE(QUERY_MR_HANDLE, MR),
	A_ROOM(QUERY_MR_RESP_LKEY, 4),
	A_ROOM(QUERY_MR_RESP_RKEY, 4),
	A_ROOM(QUERY_MR_RESP_LENGTH, 8),
	A_ROOM(QUERY_MR_RESP_IOVA, 8),
};

static const struct attr_plan reg_dmabuf_attrs[] = {
	A_NEW(REG_DMABUF_MR_HANDLE, MR),
	A_HANDLE(REG_DMABUF_MR_PD_HANDLE, PD),
	A_CONST(REG_DMABUF_MR_OFFSET, 0, 4096),
	A_CONST(REG_DMABUF_MR_LENGTH, 1, 4096),
	A_CONST(REG_DMABUF_MR_IOVA, 0, 4096),
	A_VALUE(REG_DMABUF_MR_FD, 4, 0, 20),
	A_VALUE(REG_DMABUF_MR_ACCESS_FLAGS, 4, 0, 7),
	A_ROOM(REG_DMABUF_MR_RESP_LKEY, 4),
	A_ROOM(REG_DMABUF_MR_RESP_RKEY, 4),
};

#define PLAN(OBJECT, METHOD, list, what, often)					\
	{ UVERBS_OBJECT_##OBJECT, UVERBS_METHOD_##METHOD, list, ARRAY_SIZE(list), what, often }

/* INVOKE_WRITE is missing, because commands.c calls this method. */
const struct method_plan method_plans[] = {
	PLAN(DEVICE, INFO_HANDLES, info_handles_attrs, NONE, 2),
	PLAN(DEVICE, QUERY_PORT, query_port_attrs, NONE, 1),
	PLAN(DEVICE, GET_CONTEXT, get_context_attrs, NONE, 1),
	PLAN(DEVICE, QUERY_CONTEXT, query_context_attrs, NONE, 1),
	PLAN(DEVICE, QUERY_GID_TABLE, query_gid_table_attrs, NONE, 1),
	PLAN(DEVICE, QUERY_GID_ENTRY, query_gid_entry_attrs, NONE, 1),
	PLAN(ASYNC_EVENT, ASYNC_EVENT_ALLOC, alloc_async_attrs, NONE, 1),
	PLAN(PD, PD_DESTROY, destroy_pd_attrs, DESTROYS, 2),
	PLAN(CQ, CQ_CREATE, create_cq_attrs, CREATES, 5),
	PLAN(CQ, CQ_DESTROY, destroy_cq_attrs, DESTROYS, 3),
	PLAN(QP, QP_CREATE, create_qp_attrs, CREATES, 4),
	PLAN(QP, QP_DESTROY, destroy_qp_attrs, DESTROYS, 1),
	PLAN(SRQ, SRQ_CREATE, create_srq_attrs, CREATES, 3),
	PLAN(SRQ, SRQ_DESTROY, destroy_srq_attrs, DESTROYS, 2),
	PLAN(AH, AH_DESTROY, destroy_ah_attrs, NONE, 1),
	PLAN(XRCD, XRCD_DESTROY, destroy_xrcd_attrs, NONE, 1),
	PLAN(WQ, WQ_CREATE, create_wq_attrs, NONE, 1),
	PLAN(DM, DM_ALLOC, alloc_dm_attrs, NONE, 1),
	PLAN(MR, DM_MR_REG, reg_dm_attrs, NONE, 1),
	PLAN(COUNTERS, COUNTERS_CREATE, create_counters_attrs, NONE, 1),
	PLAN(COUNTERS, COUNTERS_READ, read_counters_attrs, NONE, 1),
	PLAN(MR, MR_DESTROY, destroy_mr_attrs, DESTROYS, 3),
	PLAN(MR, ADVISE_MR, advise_mr_attrs, NONE, 1),
	PLAN(MR, QUERY_MR, query_mr_attrs, NONE, 2),
	PLAN(MR, REG_DMABUF_MR, reg_dmabuf_attrs, NONE, 1),
};

const unsigned int num_method_plans = ARRAY_SIZE(method_plans);
