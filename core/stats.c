// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Hardware counters: the sets of a device and its ports, and when the provider is asked for them.
 */
#include <linux/bitmap.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "core/core.h"

static unsigned long lifespan_to_jiffies(unsigned long ms)
{
	/* Providers ask for the default with -1. */
	if (ms > INT_MAX)
		ms = RDMA_HW_STATS_DEFAULT_LIFESPAN;
	return msecs_to_jiffies(ms);
}

/*
 * One piece of memory: the structure with its values, room for whichever of descs and names the
 * caller does not bring, and the bitmap.
 */
static struct rdma_hw_stats *alloc_stats(int num_counters, size_t room, unsigned long lifespan,
					 void **rest)
{
	size_t values = offsetof(struct rdma_hw_stats, value) + num_counters * sizeof(u64);
	size_t disabled = BITS_TO_LONGS(num_counters) * sizeof(long);
	struct rdma_hw_stats *stats;

	stats = kzalloc(values + room + disabled, GFP_KERNEL);
	if (!stats)
		return NULL;
	mutex_init(&stats->lock);
	stats->num_counters = num_counters;
	stats->lifespan = lifespan_to_jiffies(lifespan);
	stats->is_disabled = (void *)stats + values + room;
	*rest = (void *)stats + values;
	return stats;
}

struct rdma_hw_stats *__rdma_alloc_hw_stats_descs(const struct rdma_stat_desc *descs,
						  int num_counters, unsigned long lifespan)
{
	struct rdma_hw_stats *stats;
	const char **names;
	void *rest;
	int i;

	if (num_counters <= 0)
		return NULL;
	stats = alloc_stats(num_counters, num_counters * sizeof(*names), lifespan, &rest);
	if (!stats)
		return NULL;
	names = rest;
	for (i = 0; i < num_counters; i++) {
		names[i] = descs[i].name;
		/* Optional ones wait until somebody asks for them. */
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
	void *rest;
	int i;

	if (num_counters <= 0)
		return NULL;
	stats = alloc_stats(num_counters, num_counters * sizeof(*descs), lifespan, &rest);
	if (!stats)
		return NULL;
	descs = rest;
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

/* Reads from the provider what has outlived its time: one counter or, with num_counters, all. */
static int refresh(struct ib_device *dev, u32 port, int index, struct rdma_hw_stats *stats)
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

static int read_index(struct ib_device *dev, u32 port, int index, struct rdma_hw_stats **result)
{
	struct rdma_hw_stats *stats;
	int ret;

	if (port != IB_CORE_STATS_DEVICE && !rdma_is_port_valid(dev, port))
		return -EINVAL;
	stats = ib_core_stats_of(dev, port);
	if (!stats)
		return -EOPNOTSUPP;
	if (index >= stats->num_counters)
		return -EINVAL;
	mutex_lock(&stats->lock);
	ret = refresh(dev, port, index < 0 ? stats->num_counters : index, stats);
	if (ret) {
		mutex_unlock(&stats->lock);
		return ret;
	}
	*result = stats;
	return 0;
}

int ib_core_stats_read(struct ib_device *dev, u32 port, struct rdma_hw_stats **stats)
{
	return read_index(dev, port, -1, stats);
}

int ib_core_stats_read_one(struct ib_device *dev, u32 port, unsigned int index,
			   struct rdma_hw_stats **stats)
{
	return index > INT_MAX ? -EINVAL : read_index(dev, port, index, stats);
}

static int enable_locked(struct ib_device *dev, u32 port, unsigned int index, bool enable,
			 struct rdma_hw_stats *stats)
{
	int ret;

	lockdep_assert_held(&stats->lock);
	if (test_bit(index, stats->is_disabled) == !enable)
		return 0;
	ret = dev->ops.modify_hw_stat(dev, port == IB_CORE_STATS_DEVICE ? 0 : port, index, enable);
	if (!ret)
		__assign_bit(index, stats->is_disabled, !enable);
	return ret;
}

int ib_core_stats_enable(struct ib_device *dev, u32 port, unsigned int index, bool enable)
{
	struct rdma_hw_stats *stats;
	int ret;

	if (port != IB_CORE_STATS_DEVICE && !rdma_is_port_valid(dev, port))
		return -EINVAL;
	stats = ib_core_stats_of(dev, port);
	if (!stats || !dev->ops.modify_hw_stat)
		return -EOPNOTSUPP;
	if (index >= stats->num_counters || !(stats->descs[index].flags & IB_STAT_FLAG_OPTIONAL))
		return -EINVAL;
	mutex_lock(&stats->lock);
	ret = enable_locked(dev, port, index, enable, stats);
	mutex_unlock(&stats->lock);
	return ret;
}

/* A provider that has made up its set by itself may have left things out. */
static int complete_stats(struct ib_device *dev, u32 port, struct rdma_hw_stats *stats)
{
	int ret;

	if (!stats->descs || stats->num_counters <= 0)
		return -EINVAL;
	if (stats->lifespan > msecs_to_jiffies(INT_MAX))
		stats->lifespan = msecs_to_jiffies(RDMA_HW_STATS_DEFAULT_LIFESPAN);
	mutex_lock(&stats->lock);
	/* Old enough to be read now. */
	stats->timestamp = jiffies - stats->lifespan - 1;
	ret = refresh(dev, port, stats->num_counters, stats);
	mutex_unlock(&stats->lock);
	return ret;
}

static int alloc_device_stats(struct ib_device *dev)
{
	if (!dev->ops.alloc_hw_device_stats)
		return 0;
	dev->hw_stats = dev->ops.alloc_hw_device_stats(dev);
	if (!dev->hw_stats)
		return -ENOMEM;
	return complete_stats(dev, IB_CORE_STATS_DEVICE, dev->hw_stats);
}

static int alloc_port_stats(struct ib_device *dev, u32 port)
{
	struct ib_port_data *data = &dev->port_data[port];

	if (!dev->ops.alloc_hw_port_stats)
		return 0;
	data->hw_stats = dev->ops.alloc_hw_port_stats(dev, port);
	if (!data->hw_stats)
		return -ENOMEM;
	return complete_stats(dev, port, data->hw_stats);
}

int ib_core_stats_alloc(struct ib_device *dev)
{
	u32 port;
	int ret;

	if (!dev->ops.get_hw_stats)
		return 0;
	ret = alloc_device_stats(dev);
	if (ret)
		goto out_free;
	rdma_for_each_port(dev, port) {
		ret = alloc_port_stats(dev, port);
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
