// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Hardware counters: a set for the device and one for each port. Values are read from the provider
 * when they are older than the set's lifespan. struct rdma_hw_stats says what its lock protects.
 */
#include <linux/bitmap.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "core/stats.h"

/*
 * Allocates one piece of memory for the structure, which ends with the values; for @room bytes
 * behind it; and for the bitmap of disabled counters. Sets *@array to the start of the @room bytes.
 * If the provider passed descs, the caller makes an array of names there; if the provider passed
 * names, an array of descs. @lifespan is in milliseconds; a value above INT_MAX, such as -1, stands
 * for the default.
 */
static struct rdma_hw_stats *alloc_stats(int num_counters, size_t room, unsigned long lifespan,
					 void **array)
{
	size_t values = offsetof(struct rdma_hw_stats, value) + num_counters * sizeof(u64);
	size_t disabled = BITS_TO_LONGS(num_counters) * sizeof(long);
	struct rdma_hw_stats *stats;

	stats = kzalloc(values + room + disabled, GFP_KERNEL_ACCOUNT);
	if (!stats)
		return NULL;
	mutex_init(&stats->lock);
	stats->num_counters = num_counters;
	if (lifespan > INT_MAX)
		lifespan = RDMA_HW_STATS_DEFAULT_LIFESPAN;
	stats->lifespan = msecs_to_jiffies(lifespan);
	stats->is_disabled = (void *)stats + values + room;
	*array = (void *)stats + values;
	return stats;
}

struct rdma_hw_stats *__rdma_alloc_hw_stats_descs(const struct rdma_stat_desc *descs,
						  int num_counters, unsigned long lifespan)
{
	struct rdma_hw_stats *stats;
	const char **names;
	void *array;
	int i;

	if (num_counters <= 0)
		return NULL;
	stats = alloc_stats(num_counters, num_counters * sizeof(*names), lifespan, &array);
	if (!stats)
		return NULL;
	names = array;
	for (i = 0; i < num_counters; i++) {
		names[i] = descs[i].name;
		/* Optional counters are disabled until ib_core_stats_enable(). */
		if (descs[i].flags & IB_STAT_FLAG_OPTIONAL)
			__set_bit(i, stats->is_disabled);
	}
	stats->descs = descs;
	stats->names = names;
	return stats;
}
EXPORT_SYMBOL(__rdma_alloc_hw_stats_descs);

struct rdma_hw_stats *__rdma_alloc_hw_stats_names(const char * const *names, int num_counters,
						  unsigned long lifespan)
{
	struct rdma_stat_desc *descs;
	struct rdma_hw_stats *stats;
	void *array;
	int i;

	if (num_counters <= 0)
		return NULL;
	stats = alloc_stats(num_counters, num_counters * sizeof(*descs), lifespan, &array);
	if (!stats)
		return NULL;
	descs = array;
	for (i = 0; i < num_counters; i++)
		descs[i].name = names[i];
	stats->descs = descs;
	stats->names = names;
	return stats;
}
EXPORT_SYMBOL(__rdma_alloc_hw_stats_names);

void rdma_free_hw_stats_struct(struct rdma_hw_stats *stats)
{
	kfree(stats);
}
EXPORT_SYMBOL(rdma_free_hw_stats_struct);

struct rdma_hw_stats *ib_core_stats_of(struct ib_device *dev, u32 port)
{
	return port == IB_CORE_STATS_DEVICE ? dev->hw_stats : dev->port_data[port].hw_stats;
}

/*
 * Asks the provider to read counter @index, or all counters if @index is num_counters, unless the
 * values are younger than their lifespan.
 */
static int refresh_stats(struct ib_device *dev, u32 port, int index, struct rdma_hw_stats *stats)
{
	u32 provider_port = port == IB_CORE_STATS_DEVICE ? 0 : port;
	int ret;

	lockdep_assert_held(&stats->lock);
	if (time_is_after_jiffies(stats->timestamp + stats->lifespan))
		return 0;
	ret = dev->ops.get_hw_stats(dev, stats, provider_port, index);
	if (ret < 0)
		return ret;
	if (ret == stats->num_counters)
		stats->timestamp = jiffies;
	return 0;
}

/*
 * Refreshes counter @index, or all counters if @index is negative. On success returns 0 with
 * (*@result)->lock held.
 */
static int read_stats_lock(struct ib_device *dev, u32 port, int index,
			   struct rdma_hw_stats **result)
{
	struct rdma_hw_stats *stats = ib_core_stats_of(dev, port);
	int ret;

	if (!stats)
		return -EOPNOTSUPP;
	mutex_lock(&stats->lock);
	ret = refresh_stats(dev, port, index < 0 ? stats->num_counters : index, stats);
	if (ret) {
		mutex_unlock(&stats->lock);
		return ret;
	}
	*result = stats;
	return 0;
}

int ib_core_stats_read_lock(struct ib_device *dev, u32 port, struct rdma_hw_stats **stats)
{
	return read_stats_lock(dev, port, -1, stats);
}

int ib_core_stats_read_one_lock(struct ib_device *dev, u32 port, int index,
				struct rdma_hw_stats **stats)
{
	return read_stats_lock(dev, port, index, stats);
}

int ib_core_stats_enable(struct ib_device *dev, u32 port, int index, bool enable)
{
	struct rdma_hw_stats *stats = ib_core_stats_of(dev, port);
	u32 provider_port = port == IB_CORE_STATS_DEVICE ? 0 : port;
	int ret = 0;

	if (!dev->ops.modify_hw_stat)
		return -EOPNOTSUPP;
	mutex_lock(&stats->lock);
	if (test_bit(index, stats->is_disabled) == enable) {
		ret = dev->ops.modify_hw_stat(dev, provider_port, index, enable);
		if (!ret)
			__assign_bit(index, stats->is_disabled, !enable);
	}
	mutex_unlock(&stats->lock);
	return ret;
}

/*
 * Checks a set that the provider has just allocated, replaces an invalid lifespan by the default,
 * and reads the values for the first time. The provider may have allocated the set without
 * rdma_alloc_hw_stats_struct().
 */
static int complete_stats(struct ib_device *dev, u32 port, struct rdma_hw_stats *stats)
{
	int ret;

	if (!stats)
		return -ENOMEM;
	if (!stats->descs || stats->num_counters <= 0)
		return -EINVAL;
	if (stats->lifespan > msecs_to_jiffies(INT_MAX))
		stats->lifespan = msecs_to_jiffies(RDMA_HW_STATS_DEFAULT_LIFESPAN);
	mutex_lock(&stats->lock);
	/* Make the values older than their lifespan, so that refresh_stats() reads them. */
	stats->timestamp = jiffies - stats->lifespan - 1;
	ret = refresh_stats(dev, port, stats->num_counters, stats);
	mutex_unlock(&stats->lock);
	return ret;
}

int ib_core_stats_alloc(struct ib_device *dev)
{
	struct rdma_hw_stats *stats;
	u32 port;
	int ret;

	if (!dev->ops.get_hw_stats)
		return 0;
	if (dev->ops.alloc_hw_device_stats) {
		dev->hw_stats = dev->ops.alloc_hw_device_stats(dev);
		ret = complete_stats(dev, IB_CORE_STATS_DEVICE, dev->hw_stats);
		if (ret)
			goto out_free;
	}
	if (!dev->ops.alloc_hw_port_stats)
		return 0;
	rdma_for_each_port(dev, port) {
		stats = dev->ops.alloc_hw_port_stats(dev, port);
		dev->port_data[port].hw_stats = stats;
		ret = complete_stats(dev, port, stats);
		if (ret)
			goto out_free;
	}
	return 0;

out_free:
	ib_core_stats_free(dev);
	return ret;
}

void ib_core_stats_free(struct ib_device *dev)
{
	u32 port;

	rdma_free_hw_stats_struct(dev->hw_stats);
	dev->hw_stats = NULL;
	rdma_for_each_port(dev, port) {
		rdma_free_hw_stats_struct(dev->port_data[port].hw_stats);
		dev->port_data[port].hw_stats = NULL;
	}
}
