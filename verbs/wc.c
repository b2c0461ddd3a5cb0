// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Completion statuses as text.
 */
#include "verbs/verbs.h"

static const char * const messages[] = {
	[IB_WC_SUCCESS]			= "success",
	[IB_WC_LOC_LEN_ERR]		= "message longer than its buffer",
	[IB_WC_LOC_QP_OP_ERR]		= "operation failed in the local QP",
	[IB_WC_LOC_EEC_OP_ERR]		= "operation failed in the local EE context",
	[IB_WC_LOC_PROT_ERR]		= "local memory not covered by its key",
	[IB_WC_WR_FLUSH_ERR]		= "flushed: the QP is in error",
	[IB_WC_MW_BIND_ERR]		= "memory window not bound",
	[IB_WC_BAD_RESP_ERR]		= "unexpected response",
	[IB_WC_LOC_ACCESS_ERR]		= "remote access refused here",
	[IB_WC_REM_INV_REQ_ERR]		= "peer: invalid request",
	[IB_WC_REM_ACCESS_ERR]		= "peer: access refused",
	[IB_WC_REM_OP_ERR]		= "peer: operation failed",
	[IB_WC_RETRY_EXC_ERR]		= "no acknowledgment, retries used up",
	[IB_WC_RNR_RETRY_EXC_ERR]	= "peer not ready to receive, retries used up",
	[IB_WC_LOC_RDD_VIOL_ERR]	= "RD domain mismatch",
	[IB_WC_REM_INV_RD_REQ_ERR]	= "peer: invalid RD request",
	[IB_WC_REM_ABORT_ERR]		= "peer: operation aborted",
	[IB_WC_INV_EECN_ERR]		= "no such EE context",
	[IB_WC_INV_EEC_STATE_ERR]	= "EE context in the wrong state",
	[IB_WC_FATAL_ERR]		= "fatal error of the connection or device",
	[IB_WC_RESP_TIMEOUT_ERR]	= "no response in time",
	[IB_WC_GENERAL_ERR]		= "unspecified error",
};

const char *ib_wc_status_msg(enum ib_wc_status status)
{
	if ((unsigned int)status >= ARRAY_SIZE(messages))
		return "no such completion status";
	return messages[status];
}
EXPORT_SYMBOL(ib_wc_status_msg);
