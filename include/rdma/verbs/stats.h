/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Hardware counters, which user space reads through sysfs and netlink.
 */
#ifndef _RDMA_VERBS_STATS_H_
#define _RDMA_VERBS_STATS_H_

#include <linux/mutex.h>
#include <rdma/verbs/types.h>

/**
 * enum ib_stat_flag - properties of a counter
 * @IB_STAT_FLAG_OPTIONAL: the counter is off until it is switched on, and has no file in sysfs
 */
enum ib_stat_flag {
	IB_STAT_FLAG_OPTIONAL = 1 << 0,
};

/**
 * struct rdma_stat_desc - a counter
 * @name: name, also of its file in hw_counters/
 * @flags: bits of enum ib_stat_flag
 * @priv: for the provider's use
 */
struct rdma_stat_desc {
	const char *name;
	unsigned int flags;
	const void *priv;
};

/* Default lifespan of counters, in milliseconds. */
#define RDMA_HW_STATS_DEFAULT_LIFESPAN 10

/**
 * struct rdma_hw_stats - a set of counters and their values
 *
 * Allocated by rdma_alloc_hw_stats_struct(), which sets all members; the values are 0.
 *
 * @lock: protects @value, @timestamp, @lifespan and @is_disabled; held while get_hw_stats() runs
 * @timestamp: time in jiffies at which all values were read last; set by the core
 * @lifespan: age in jiffies above which values are read again
 * @descs: the counters
 * @names: their names
 * @is_disabled: bitmap of the counters that are switched off
 * @num_counters: number of counters, and of elements of @descs, @names and @value
 * @value: the values, filled by the provider's get_hw_stats()
 */
struct rdma_hw_stats {
	struct mutex			lock;	/* protects @value, its age, and @is_disabled */
	unsigned long			timestamp;
	unsigned long			lifespan;
	const struct rdma_stat_desc	*descs;
	const char * const		*names;
	unsigned long			*is_disabled;
	int				num_counters;
	u64				value[];
};

/* The variants of rdma_alloc_hw_stats_struct(), by the type of its first argument. */
struct rdma_hw_stats *__rdma_alloc_hw_stats_descs(const struct rdma_stat_desc *descs,
						  int num_counters, unsigned long lifespan);
struct rdma_hw_stats *__rdma_alloc_hw_stats_names(const char * const *names,
						  int num_counters, unsigned long lifespan);

/**
 * rdma_alloc_hw_stats_struct - allocate a set of counters
 * @counters: array of struct rdma_stat_desc, or of names; must outlive the set
 * @num_counters: number of elements
 * @lifespan: age in milliseconds above which values are read again; -1 for the default
 *
 * Process context. Called by the provider's alloc_hw_device_stats() and alloc_hw_port_stats(); the
 * core owns the set that they return.
 *
 * Return: the set, with values of 0 and its optional counters switched off; NULL if there is no
 * memory or @num_counters is not positive.
 */
#define rdma_alloc_hw_stats_struct(counters, num_counters, lifespan)		\
	_Generic((counters),							\
		 const char * const *: __rdma_alloc_hw_stats_names,		\
		 const char **: __rdma_alloc_hw_stats_names,			\
		 default: __rdma_alloc_hw_stats_descs)				\
		((void *)(counters), (num_counters), (lifespan))

/**
 * rdma_free_hw_stats_struct - free a set of counters that the core does not own
 * @stats: the set, or NULL
 */
void rdma_free_hw_stats_struct(struct rdma_hw_stats *stats);

#endif /* _RDMA_VERBS_STATS_H_ */
