/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Counters of processes: an object whose values the provider counts, of whatever the process has
 * attached it to.
 */
#ifndef _RDMA_VERBS_COUNTERS_H_
#define _RDMA_VERBS_COUNTERS_H_

#include <linux/atomic.h>
#include <linux/types.h>

struct ib_device;
struct ib_uobject;
struct uverbs_attr_bundle;

/**
 * struct ib_counters - counters
 * @device: device of the counters
 * @uobject: handle of the process
 * @usecnt: number of objects that the counters are attached to; kept by the provider
 */
struct ib_counters {
	struct ib_device	*device;
	struct ib_uobject	*uobject;
	atomic_t		usecnt;
};

/**
 * struct ib_counters_read_attr - what is to be read
 * @counters_buff: is filled with the values
 * @ncounters: number of values
 * @flags: &enum ib_uverbs_read_counters_flags
 */
struct ib_counters_read_attr {
	u64			*counters_buff;
	u32			ncounters;
	u32			flags;
};

/**
 * ib_create_counters_user - make counters for a process
 * @device: device to make them on
 * @uobject: handle of the process
 * @attrs: the process's call
 *
 * Process context, may sleep.
 *
 * Return: the counters; or an ERR_PTR: -EOPNOTSUPP if the device has none; -ENODEV if the device is
 * being unregistered; -ENOMEM; or the provider's error.
 */
struct ib_counters *ib_create_counters_user(struct ib_device *device, struct ib_uobject *uobject,
					    struct uverbs_attr_bundle *attrs);
/**
 * ib_destroy_counters - destroy counters
 * @counters: the counters
 *
 * Process context, may sleep.
 *
 * Return: 0; -EBUSY if they are attached to objects; or the provider's error. After an error the
 * counters are as before.
 */
int ib_destroy_counters(struct ib_counters *counters);
/**
 * ib_read_counters - read counters
 * @counters: the counters
 * @attr: what is to be read
 * @attrs: the process's call
 *
 * Process context, may sleep.
 *
 * Return: 0; -EOPNOTSUPP if the provider cannot read them; -EINVAL if they are not attached to any
 * object; or the provider's error.
 */
int ib_read_counters(struct ib_counters *counters, struct ib_counters_read_attr *attr,
		     struct uverbs_attr_bundle *attrs);

#endif /* _RDMA_VERBS_COUNTERS_H_ */
