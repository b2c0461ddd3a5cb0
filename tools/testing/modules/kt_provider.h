/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A provider whose verbs do nothing, and that can make any step of its registration fail.
 */
#ifndef _KRDMA_TESTING_KT_PROVIDER_H_
#define _KRDMA_TESTING_KT_PROVIDER_H_

#include <rdma/ib_verbs.h>

#include "ktap.h"

#define KTP_DRIVER	((enum rdma_driver_id)1000)
#define KTP_STATS	3	/* the last one is optional */

/**
 * struct ktp_device - a device of this provider
 * @ibdev: the device
 * @caps: core_cap_flags of its ports, 0 for iWARP
 * @fail_query: errno of query_device, 0 for success
 * @fail_immutable: errno of get_port_immutable of the last port, 0 for success
 * @fail_enable: errno of enable_driver, 0 for success
 * @queue_in_enable: enable_driver queues the device's unregistration
 * @fail_device_stats: alloc_hw_device_stats returns NULL
 * @fail_port_stats: alloc_hw_port_stats returns NULL for the last port
 * @fail_get_stats: errno of get_hw_stats, 0 for success
 * @enabled: number of calls of enable_driver
 * @reads: number of successful calls of get_hw_stats
 */
struct ktp_device {
	struct ib_device ibdev;
	u32 caps;
	int fail_query;
	int fail_immutable;
	int fail_enable;
	bool queue_in_enable;
	bool fail_device_stats;
	bool fail_port_stats;
	int fail_get_stats;
	unsigned int enabled;
	unsigned int reads;
};

static inline struct ktp_device *to_ktp(struct ib_device *ibdev)
{
	return container_of(ibdev, struct ktp_device, ibdev);
}

/* All operations but dealloc_driver; the bare ones also without counters and sysfs groups. */
extern const struct ib_device_ops ktp_ops;
extern const struct ib_device_ops ktp_bare_ops;

/* ktp_ops with dealloc_driver: the core frees the devices, and ktp_deallocs counts them. */
extern const struct ib_device_ops ktp_dealloc_ops;
extern atomic_t ktp_deallocs;

/* Allocates a device with two ports, not registered. Returns NULL without memory. */
struct ktp_device *ktp_alloc(const struct ib_device_ops *ops);

/* Allocates and registers a device. Returns NULL and fails the test on error. */
struct ktp_device *ktp_create(struct ktap *t, const char *name, const struct ib_device_ops *ops);
void ktp_destroy(struct ktp_device *ktp);

/* The suites of kt_device.ko. */
extern const struct ktap_suite kt_register_suite;
extern const struct ktap_suite kt_unregister_suite;
extern const struct ktap_suite kt_client_suite;
extern const struct ktap_suite kt_event_suite;
extern const struct ktap_suite kt_port_suite;
extern const struct ktap_suite kt_restrack_suite;

#endif /* _KRDMA_TESTING_KT_PROVIDER_H_ */
