/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Counters of a device and of sets of QPs, kept per CPU and summed when they are read. A counter
 * of a device counts all its QPs; `rdma statistic` binds QPs to a set. While no QP is bound to a
 * set, a static key keeps the cost of the sets out of the data path. soft_provider.counters has
 * the names of the counters.
 */
#ifndef SOFT_COUNTER_H
#define SOFT_COUNTER_H

#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <rdma/rdma_counter.h>

#include "soft/device.h"
#include "soft/qp.h"

/**
 * struct soft_counter_set - counters of a set of QPs
 * @base: the core's object; has to be at offset 0
 * @stats: values, per CPU; freed an RCU grace period after the last QP was unbound
 */
struct soft_counter_set {
	struct rdma_counter base;
	u64 __percpu *stats;
};

/* Enabled while a QP is bound to a set. */
DECLARE_STATIC_KEY_FALSE(soft_qps_are_bound);

/* Count for the device only; @counter is an index into soft_provider.counters. Any context. */
#define soft_count_add(dev, counter, n)	this_cpu_add((dev)->stats[counter], (n))
#define soft_count(dev, counter)	soft_count_add(dev, counter, 1)

static inline void soft_count_bound(const struct soft_qp *qp, u32 counter, u64 n)
{
	u64 __percpu *stats = READ_ONCE(qp->stats);

	if (stats)
		this_cpu_add(stats[counter], n);
}

/*
 * Counts for the device and, if the QP is bound to a set, for the set; @counter is one of the first
 * soft_provider.num_qp_counters. Called with softirqs disabled.
 */
static inline void soft_qp_count_add(const struct soft_qp *qp, u32 counter, u64 n)
{
	soft_count_add(to_soft_dev(qp->base.device), counter, n);
	if (static_branch_unlikely(&soft_qps_are_bound))
		soft_count_bound(qp, counter, n);
}

static inline void soft_qp_count(const struct soft_qp *qp, u32 counter)
{
	soft_qp_count_add(qp, counter, 1);
}

/* Returns the sum of a counter over all CPUs. */
u64 soft_stats_sum(const u64 __percpu *stats, u32 counter);

/* operations of a device */
struct rdma_hw_stats *soft_alloc_hw_port_stats(struct ib_device *base, u32 port);
int soft_get_hw_stats(struct ib_device *base, struct rdma_hw_stats *stats, u32 port, int index);
int soft_counter_bind_qp(struct rdma_counter *base, struct ib_qp *qp);
int soft_counter_unbind_qp(struct ib_qp *qp);
int soft_counter_dealloc(struct rdma_counter *base);
struct rdma_hw_stats *soft_counter_alloc_stats(struct rdma_counter *base);
int soft_counter_update_stats(struct rdma_counter *base);

#endif /* SOFT_COUNTER_H */
