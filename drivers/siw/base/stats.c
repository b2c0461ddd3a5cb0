// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The names of the counters.
 */
#include <rdma/ib_verbs.h>

#include "drivers/siw/base/stats.h"

/* The names are ABI: scripts and exporters use them. */
const struct rdma_stat_desc siw_counter_descs[SIW_NUM_COUNTERS] = {
	[SIW_TX_FPDUS]		 = { .name = "tx_packets" },
	[SIW_TX_BYTES]		 = { .name = "tx_bytes" },
	[SIW_TX_SENDS]		 = { .name = "tx_sends" },
	[SIW_TX_WRITES]		 = { .name = "tx_writes" },
	[SIW_TX_READ_REQS]	 = { .name = "tx_read_requests" },
	[SIW_TX_READ_RESPS]	 = { .name = "tx_read_responses" },
	[SIW_TX_IMMEDIATES]	 = { .name = "tx_immediates" },
	[SIW_TX_ATOMIC_REQS]	 = { .name = "tx_atomic_requests" },
	[SIW_TX_ATOMIC_RESPS]	 = { .name = "tx_atomic_responses" },
	[SIW_TX_TERMINATES]	 = { .name = "tx_terminates" },
	[SIW_TX_MARKERS]	 = { .name = "tx_markers" },
	[SIW_RX_FPDUS]		 = { .name = "rx_packets" },
	[SIW_RX_BYTES]		 = { .name = "rx_bytes" },
	[SIW_RX_SENDS]		 = { .name = "rx_sends" },
	[SIW_RX_WRITES]		 = { .name = "rx_writes" },
	[SIW_RX_READ_REQS]	 = { .name = "rx_read_requests" },
	[SIW_RX_READ_RESPS]	 = { .name = "rx_read_responses" },
	[SIW_RX_IMMEDIATES]	 = { .name = "rx_immediates" },
	[SIW_RX_ATOMIC_REQS]	 = { .name = "rx_atomic_requests" },
	[SIW_RX_ATOMIC_RESPS]	 = { .name = "rx_atomic_responses" },
	[SIW_RX_TERMINATES]	 = { .name = "rx_terminates" },
	[SIW_RX_MARKERS]	 = { .name = "rx_markers" },
	[SIW_RX_CRC_ERRORS]	 = { .name = "rx_crc_errors" },
	[SIW_RX_PROTOCOL_ERRORS] = { .name = "rx_protocol_errors" },
	[SIW_CONNECTS]		 = { .name = "connects" },
	[SIW_ACCEPTS]		 = { .name = "accepts" },
	[SIW_REJECTS_SENT]	 = { .name = "rejects_sent" },
	[SIW_REJECTS_RECEIVED]	 = { .name = "rejects_received" },
	[SIW_CONNECT_ERRORS]	 = { .name = "connect_errors" },
	[SIW_MPA_FALLBACKS]	 = { .name = "mpa_fallbacks" },
	[SIW_HANDSHAKE_TIMEOUTS] = { .name = "handshake_timeouts" },
	[SIW_HANDSHAKE_ERRORS]	 = { .name = "handshake_errors" },
	[SIW_DISCONNECTS]	 = { .name = "disconnects" },
	[SIW_BACKLOG_DROPS]	 = { .name = "backlog_drops" },
	[SIW_LINGER_DROPS]	 = { .name = "linger_drops" },
	[SIW_FOREIGN_SOCKETS]	 = { .name = "foreign_sockets" },
	[SIW_CQ_OVERFLOWS]	 = { .name = "cq_overflows" },
	[SIW_RX_MEMORY_ERRORS]	 = { .name = "rx_memory_errors" },
};
