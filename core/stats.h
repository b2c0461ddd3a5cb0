/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The hardware counters of a device and of its ports.
 */
#ifndef _KRDMA_CORE_STATS_H_
#define _KRDMA_CORE_STATS_H_

#include <linux/limits.h>
#include <linux/types.h>

struct ib_device;
struct rdma_hw_stats;

/* The port argument that means the counters of the device as a whole. */
#define IB_CORE_STATS_DEVICE U32_MAX

/*
 * Allocates the sets of counters of the device and of its ports, and reads their values. Returns 0;
 * -ENOMEM: the provider returned no set; -EINVAL: a set has no counters or no descs; or an error of
 * get_hw_stats(). On error all sets have been freed.
 */
int ib_core_stats_alloc(struct ib_device *dev);
void ib_core_stats_free(struct ib_device *dev);

/* Returns the set of a port, or of the device; NULL if there is none. */
struct rdma_hw_stats *ib_core_stats_of(struct ib_device *dev, u32 port);

/**
 * ib_core_stats_read_lock - lock the counters of a port, and refresh them if they are too old
 * @dev: a registered device; the caller ensures that it stays registered during the call
 * @port: number of one of its ports, or IB_CORE_STATS_DEVICE
 * @stats: result
 *
 * Process context. On success the caller holds (*stats)->lock, under which the values are stable,
 * and releases it with mutex_unlock().
 *
 * Return: 0; -EOPNOTSUPP: the port, or the device, has no counters; or the error of the provider's
 * get_hw_stats(). On error no lock is held.
 */
int ib_core_stats_read_lock(struct ib_device *dev, u32 port, struct rdma_hw_stats **stats);

/*
 * Does the same as ib_core_stats_read_lock(), but refreshes only the counter with number @index,
 * which exists.
 */
int ib_core_stats_read_one_lock(struct ib_device *dev, u32 port, int index,
				struct rdma_hw_stats **stats);

/**
 * ib_core_stats_enable - switch an optional counter on or off
 * @dev: a registered device; the caller ensures that it stays registered during the call
 * @port: number of one of its ports, or IB_CORE_STATS_DEVICE; the port, or the device, has counters
 * @index: number of a counter that exists and is optional
 * @enable: the wanted state
 *
 * Process context.
 *
 * Return: 0, also when the counter was in that state already; -EOPNOTSUPP: the provider cannot
 * switch counters on and off; or the error of the provider's modify_hw_stat().
 */
int ib_core_stats_enable(struct ib_device *dev, u32 port, int index, bool enable);

#endif /* _KRDMA_CORE_STATS_H_ */
