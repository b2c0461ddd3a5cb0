/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The counters of a device; those of its port are in the fabric (model.h). */
#ifndef SIB_STATS_H
#define SIB_STATS_H

#include "soft/counter.h"

/**
 * enum sib_stat - counters of a device
 * @SIB_TX_DATAGRAMS: datagrams that were sent, SMPs included
 * @SIB_RX_DATAGRAMS: datagrams that were received, SMPs included
 * @SIB_NUM_QP_STATS: number of counters that are also kept for sets of QPs
 * @SIB_RX_NO_QP: dropped: there is no such QP, or it is not ready to receive
 * @SIB_RX_NO_GROUP: dropped: no QP of the port is in the multicast group
 * @SIB_RX_BAD_GID: dropped: the GRH has a GID that the port has not
 * @SIB_RX_NO_RECEIVE: dropped: no receive was posted
 * @SIB_RX_TOO_LONG: dropped: the receive that was posted is too short
 * @SIB_RX_BAD_PKEY: dropped: not a partition of the QP
 * @SIB_RX_BAD_QKEY: dropped: wrong Q_Key
 * @SIB_RX_MEMORY_ERRORS: receives that ended, because their memory cannot be written
 * @SIB_TX_BAD_MADS: sends of QP 0 that are not an SMP
 * @SIB_TX_SMPS_DROPPED: SMPs that were dropped, because too many wait
 * @SIB_CQ_OVERFLOWS: completions that found no room in their CQ
 * @SIB_NUM_STATS: number of counters
 */
enum sib_stat {
	SIB_TX_DATAGRAMS,
	SIB_RX_DATAGRAMS,
	SIB_NUM_QP_STATS,
	SIB_RX_NO_QP = SIB_NUM_QP_STATS,
	SIB_RX_NO_GROUP,
	SIB_RX_BAD_GID,
	SIB_RX_NO_RECEIVE,
	SIB_RX_TOO_LONG,
	SIB_RX_BAD_PKEY,
	SIB_RX_BAD_QKEY,
	SIB_RX_MEMORY_ERRORS,
	SIB_TX_BAD_MADS,
	SIB_TX_SMPS_DROPPED,
	SIB_CQ_OVERFLOWS,
	SIB_NUM_STATS
};

extern const struct rdma_stat_desc sib_stat_descs[SIB_NUM_STATS];

#endif /* SIB_STATS_H */
