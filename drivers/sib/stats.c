// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The names of the counters, which are ABI: scripts and exporters use them. */
#include <rdma/ib_verbs.h>

#include "drivers/sib/stats.h"

const struct rdma_stat_desc sib_stat_descs[SIB_NUM_STATS] = {
	[SIB_TX_DATAGRAMS]	= { .name = "tx_datagrams" },
	[SIB_RX_DATAGRAMS]	= { .name = "rx_datagrams" },
	[SIB_RX_NO_QP]		= { .name = "rx_no_qp" },
	[SIB_RX_NO_GROUP]	= { .name = "rx_no_group" },
	[SIB_RX_BAD_GID]	= { .name = "rx_bad_gid" },
	[SIB_RX_NO_RECEIVE]	= { .name = "rx_no_receive" },
	[SIB_RX_TOO_LONG]	= { .name = "rx_too_long" },
	[SIB_RX_BAD_PKEY]	= { .name = "rx_bad_pkey" },
	[SIB_RX_BAD_QKEY]	= { .name = "rx_bad_qkey" },
	[SIB_RX_MEMORY_ERRORS]	= { .name = "rx_memory_errors" },
	[SIB_TX_BAD_MADS]	= { .name = "tx_bad_mads" },
	[SIB_TX_SMPS_DROPPED]	= { .name = "tx_smps_dropped" },
	[SIB_CQ_OVERFLOWS]	= { .name = "cq_overflows" },
};
