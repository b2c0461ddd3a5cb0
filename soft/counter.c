// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Counters of sets of QPs: the operations with which the core creates such a set, for
 * `rdma statistic`, and binds QPs to it. stats.c has the counters of a device.
 */
#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include "soft/counter.h"
#include "drivers/siw/base/stats.h"
#include "drivers/siw/queue/qp_state.h"

DEFINE_STATIC_KEY_FALSE(siw_qps_are_bound);

static struct siw_counter_set *to_counter_set(struct rdma_counter *base)
{
	return container_of(base, struct siw_counter_set, base);
}

struct rdma_hw_stats *siw_counter_alloc_stats(struct rdma_counter *base)
{
	struct siw_counter_set *set = to_counter_set(base);
	struct rdma_hw_stats *stats;

	set->stats = alloc_percpu(struct siw_stats);
	if (!set->stats)
		return NULL;
	stats = rdma_alloc_hw_stats_struct(siw_counter_descs, SIW_NUM_QP_COUNTERS,
					   RDMA_HW_STATS_DEFAULT_LIFESPAN);
	if (!stats)
		free_percpu(set->stats);
	return stats;
}

int siw_counter_dealloc(struct rdma_counter *base)
{
	/*
	 * The context that owns a QP's stream (stream.c) may still add to the counters of the set
	 * from which the QP was just unbound. The context runs with softirqs disabled, which is an
	 * RCU read-side section.
	 */
	synchronize_rcu();
	free_percpu(to_counter_set(base)->stats);
	return 0;
}

int siw_counter_bind_qp(struct rdma_counter *base, struct ib_qp *qp)
{
	WRITE_ONCE(to_siw_qp(qp)->stats, to_counter_set(base)->stats);
	static_branch_inc(&siw_qps_are_bound);
	return 0;
}

int siw_counter_unbind_qp(struct ib_qp *qp)
{
	static_branch_dec(&siw_qps_are_bound);
	WRITE_ONCE(to_siw_qp(qp)->stats, NULL);
	return 0;
}

int siw_counter_update_stats(struct rdma_counter *base)
{
	int i;

	lockdep_assert_held(&base->lock);
	for (i = 0; i < SIW_NUM_QP_COUNTERS; i++)
		base->stats->value[i] = siw_stats_sum(to_counter_set(base)->stats, i);
	return 0;
}
