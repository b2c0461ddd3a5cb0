// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Counters of a device and of sets of QPs: the operations by which the core reads the counters,
 * creates a set for `rdma statistic`, and binds QPs to a set.
 */
#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include "soft/counter.h"
#include "soft/device.h"
#include "soft/qp.h"

DEFINE_STATIC_KEY_FALSE(soft_qps_are_bound);

u64 soft_stats_sum(const u64 __percpu *stats, u32 counter)
{
	u64 total = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		total += READ_ONCE(per_cpu_ptr(stats, cpu)[counter]);
	return total;
}

struct rdma_hw_stats *soft_alloc_hw_port_stats(struct ib_device *base, u32 port)
{
	const struct soft_provider *provider = to_soft_dev(base)->provider;

	return rdma_alloc_hw_stats_struct(provider->counters, provider->num_counters,
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

int soft_get_hw_stats(struct ib_device *base, struct rdma_hw_stats *stats, u32 port, int index)
{
	const struct soft_device *dev = to_soft_dev(base);
	int i;

	for (i = 0; i < dev->provider->num_counters; i++)
		stats->value[i] = soft_stats_sum(dev->stats, i);
	return dev->provider->num_counters;
}

static struct soft_counter_set *to_counter_set(struct rdma_counter *base)
{
	return container_of(base, struct soft_counter_set, base);
}

struct rdma_hw_stats *soft_counter_alloc_stats(struct rdma_counter *base)
{
	const struct soft_provider *provider = to_soft_dev(base->device)->provider;
	struct soft_counter_set *set = to_counter_set(base);
	struct rdma_hw_stats *stats;

	set->stats = __alloc_percpu(provider->num_qp_counters * sizeof(u64), sizeof(u64));
	if (!set->stats)
		return NULL;
	stats = rdma_alloc_hw_stats_struct(provider->counters, provider->num_qp_counters,
					   RDMA_HW_STATS_DEFAULT_LIFESPAN);
	if (!stats)
		free_percpu(set->stats);
	return stats;
}

int soft_counter_dealloc(struct rdma_counter *base)
{
	/*
	 * A context that moves data of a QP may still add to the counters of the set from which the
	 * QP was just unbound. The context runs with softirqs disabled, which is an RCU read-side
	 * section.
	 */
	synchronize_rcu();
	free_percpu(to_counter_set(base)->stats);
	return 0;
}

int soft_counter_bind_qp(struct rdma_counter *base, struct ib_qp *qp)
{
	WRITE_ONCE(to_soft_qp(qp)->stats, to_counter_set(base)->stats);
	static_branch_inc(&soft_qps_are_bound);
	return 0;
}

int soft_counter_unbind_qp(struct ib_qp *qp)
{
	static_branch_dec(&soft_qps_are_bound);
	WRITE_ONCE(to_soft_qp(qp)->stats, NULL);
	return 0;
}

int soft_counter_update_stats(struct rdma_counter *base)
{
	int i;

	lockdep_assert_held(&base->lock);
	for (i = 0; i < to_soft_dev(base->device)->provider->num_qp_counters; i++)
		base->stats->value[i] = soft_stats_sum(to_counter_set(base)->stats, i);
	return 0;
}
