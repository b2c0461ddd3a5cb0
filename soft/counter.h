/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Counters of sets of QPs: `rdma statistic` binds QPs to a set. stats.h has the counters of a
 * device, which count all QPs of the device. While no QP is bound to a set, a static key keeps the
 * cost of the sets out of the data path.
 */
#ifndef SIW_COUNTER_H
#define SIW_COUNTER_H

#include <linux/jump_label.h>
#include <rdma/rdma_counter.h>

#include "drivers/siw/queue/qp_state.h"

/**
 * struct siw_counter_set - counters of a set of QPs
 * @base: the core's object; has to be at offset 0
 * @stats: values, per CPU; freed an RCU grace period after the last QP was unbound
 */
struct siw_counter_set {
	struct rdma_counter base;
	struct siw_stats __percpu *stats;
};

/* Enabled while a QP is bound to a set. */
DECLARE_STATIC_KEY_FALSE(siw_qps_are_bound);

static inline void siw_count_bound(const struct siw_qp *qp, enum siw_counter counter, u64 n)
{
	struct siw_stats __percpu *stats = READ_ONCE(qp->stats);

	if (stats)
		this_cpu_add(stats->value[counter], n);
}

/*
 * Counts for the device and, if the QP is bound to a set, for the set. Called by the owner of the
 * stream, with softirqs disabled.
 */
#define siw_qp_count_add(qp, counter, n)					\
do {										\
	siw_count_add((qp)->dev, counter, n);					\
	if (static_branch_unlikely(&siw_qps_are_bound))				\
		siw_count_bound(qp, counter, n);				\
} while (0)
#define siw_qp_count(qp, counter)	siw_qp_count_add(qp, counter, 1)

int siw_counter_bind_qp(struct rdma_counter *base, struct ib_qp *qp);
int siw_counter_unbind_qp(struct ib_qp *qp);
int siw_counter_dealloc(struct rdma_counter *base);
struct rdma_hw_stats *siw_counter_alloc_stats(struct rdma_counter *base);
int siw_counter_update_stats(struct rdma_counter *base);

#endif /* SIW_COUNTER_H */
