// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kscript: names of enumerators in reports and commands.
 */
#include <linux/string.h>

#include "tools/testing/modules/kscript/kscript.h"

#define NAME(prefix, name) [prefix##name] = #name

static const char *const events[] = {
	NAME(IB_EVENT_, CQ_ERR), NAME(IB_EVENT_, QP_FATAL), NAME(IB_EVENT_, QP_REQ_ERR),
	NAME(IB_EVENT_, QP_ACCESS_ERR), NAME(IB_EVENT_, COMM_EST), NAME(IB_EVENT_, SQ_DRAINED),
	NAME(IB_EVENT_, PATH_MIG), NAME(IB_EVENT_, PATH_MIG_ERR), NAME(IB_EVENT_, DEVICE_FATAL),
	NAME(IB_EVENT_, PORT_ACTIVE), NAME(IB_EVENT_, PORT_ERR), NAME(IB_EVENT_, LID_CHANGE),
	NAME(IB_EVENT_, PKEY_CHANGE), NAME(IB_EVENT_, SM_CHANGE), NAME(IB_EVENT_, SRQ_ERR),
	NAME(IB_EVENT_, SRQ_LIMIT_REACHED), NAME(IB_EVENT_, QP_LAST_WQE_REACHED),
	NAME(IB_EVENT_, CLIENT_REREGISTER), NAME(IB_EVENT_, GID_CHANGE), NAME(IB_EVENT_, WQ_FATAL),
};

static const char *const cm_events[] = {
	NAME(IW_CM_EVENT_, CONNECT_REQUEST), NAME(IW_CM_EVENT_, CONNECT_REPLY),
	NAME(IW_CM_EVENT_, ESTABLISHED), NAME(IW_CM_EVENT_, DISCONNECT), NAME(IW_CM_EVENT_, CLOSE),
};

static const char *const rdma_cm_events[] = {
	NAME(RDMA_CM_EVENT_, ADDR_RESOLVED), NAME(RDMA_CM_EVENT_, ADDR_ERROR),
	NAME(RDMA_CM_EVENT_, ROUTE_RESOLVED), NAME(RDMA_CM_EVENT_, ROUTE_ERROR),
	NAME(RDMA_CM_EVENT_, CONNECT_REQUEST), NAME(RDMA_CM_EVENT_, CONNECT_RESPONSE),
	NAME(RDMA_CM_EVENT_, CONNECT_ERROR), NAME(RDMA_CM_EVENT_, UNREACHABLE),
	NAME(RDMA_CM_EVENT_, REJECTED), NAME(RDMA_CM_EVENT_, ESTABLISHED),
	NAME(RDMA_CM_EVENT_, DISCONNECTED), NAME(RDMA_CM_EVENT_, DEVICE_REMOVAL),
	NAME(RDMA_CM_EVENT_, ADDR_CHANGE),
};

static const char *const statuses[] = {
	NAME(IB_WC_, SUCCESS), NAME(IB_WC_, LOC_LEN_ERR), NAME(IB_WC_, LOC_QP_OP_ERR),
	NAME(IB_WC_, LOC_EEC_OP_ERR), NAME(IB_WC_, LOC_PROT_ERR), NAME(IB_WC_, WR_FLUSH_ERR),
	NAME(IB_WC_, MW_BIND_ERR), NAME(IB_WC_, BAD_RESP_ERR), NAME(IB_WC_, LOC_ACCESS_ERR),
	NAME(IB_WC_, REM_INV_REQ_ERR), NAME(IB_WC_, REM_ACCESS_ERR), NAME(IB_WC_, REM_OP_ERR),
	NAME(IB_WC_, RETRY_EXC_ERR), NAME(IB_WC_, RNR_RETRY_EXC_ERR),
	NAME(IB_WC_, LOC_RDD_VIOL_ERR), NAME(IB_WC_, REM_INV_RD_REQ_ERR),
	NAME(IB_WC_, REM_ABORT_ERR), NAME(IB_WC_, INV_EECN_ERR), NAME(IB_WC_, INV_EEC_STATE_ERR),
	NAME(IB_WC_, FATAL_ERR), NAME(IB_WC_, RESP_TIMEOUT_ERR), NAME(IB_WC_, GENERAL_ERR),
};

static const char *const states[] = {
	NAME(IB_QPS_, RESET), NAME(IB_QPS_, INIT), NAME(IB_QPS_, RTR), NAME(IB_QPS_, RTS),
	NAME(IB_QPS_, SQD), NAME(IB_QPS_, SQE), NAME(IB_QPS_, ERR),
};

static const struct {
	const char *const *names;
	unsigned int num;
} tables[] = {
	[KS_EVENTS] = { events, ARRAY_SIZE(events) },
	[KS_CM_EVENTS] = { cm_events, ARRAY_SIZE(cm_events) },
	[KS_RDMA_CM_EVENTS] = { rdma_cm_events, ARRAY_SIZE(rdma_cm_events) },
	[KS_STATUSES] = { statuses, ARRAY_SIZE(statuses) },
	[KS_STATES] = { states, ARRAY_SIZE(states) },
};

const char *ks_name(enum ks_names table, unsigned int value)
{
	const char *name = NULL;

	if (value < tables[table].num)
		name = tables[table].names[value];
	return name ?: "UNKNOWN";
}

int ks_state_of(const char *text)
{
	return text ? match_string(states, ARRAY_SIZE(states), text) : -EINVAL;
}
