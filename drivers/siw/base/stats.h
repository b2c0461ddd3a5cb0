/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The counters of siw. soft/counter.h has the functions that count.
 */
#ifndef SIW_STATS_H
#define SIW_STATS_H

#include <rdma/ib_verbs.h>

#include "soft/counter.h"

/*
 * Each counter has its name in stats.c, its description in Documentation/siw.rst and, when it is
 * new, a line in CHANGELOG.md. A counter of faults also has lines in siw(4) and, if users have to
 * act on the fault, in Documentation/troubleshooting.rst or security.rst.
 *
 * The wire scripts of the tests (siw/wire) compare all counters except those of traffic, which
 * wrong_counters() in tools/testing/wire_script/leak_check.c recognises by their names. If a new
 * counter does not count traffic, each script that changes the counter has to name the counter.
 */
enum siw_counter {
	SIW_TX_FPDUS,
	SIW_TX_BYTES,
	SIW_TX_SENDS,
	SIW_TX_WRITES,
	SIW_TX_READ_REQS,
	SIW_TX_READ_RESPS,
	SIW_TX_IMMEDIATES,
	SIW_TX_ATOMIC_REQS,
	SIW_TX_ATOMIC_RESPS,
	SIW_TX_TERMINATES,
	SIW_TX_MARKERS,
	SIW_RX_FPDUS,
	SIW_RX_BYTES,
	SIW_RX_SENDS,
	SIW_RX_WRITES,
	SIW_RX_READ_REQS,
	SIW_RX_READ_RESPS,
	SIW_RX_IMMEDIATES,
	SIW_RX_ATOMIC_REQS,
	SIW_RX_ATOMIC_RESPS,
	SIW_RX_TERMINATES,
	SIW_RX_MARKERS,
	SIW_RX_CRC_ERRORS,
	SIW_RX_PROTOCOL_ERRORS,
	/* The counters up to here are also kept for sets of QPs, by soft_qp_count(). */
	SIW_NUM_QP_COUNTERS,
	SIW_CONNECTS = SIW_NUM_QP_COUNTERS,
	SIW_ACCEPTS,
	SIW_REJECTS_SENT,
	SIW_REJECTS_RECEIVED,
	SIW_CONNECT_ERRORS,
	SIW_MPA_FALLBACKS,
	SIW_HANDSHAKE_TIMEOUTS,
	SIW_HANDSHAKE_ERRORS,
	SIW_DISCONNECTS,
	SIW_BACKLOG_DROPS,
	SIW_LINGER_DROPS,
	SIW_FOREIGN_SOCKETS,
	SIW_CQ_OVERFLOWS,
	SIW_RX_MEMORY_ERRORS,
	SIW_NUM_COUNTERS
};

/* Counts for the device only, not for a set of QPs. Any context. */
#define siw_count(dev, counter)		soft_count(&(dev)->soft, counter)

extern const struct rdma_stat_desc siw_counter_descs[SIW_NUM_COUNTERS];

#endif /* SIW_STATS_H */
