/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A provider whose verbs do nothing, and which can make each step of a device's registration fail.
 */
#ifndef _KRDMA_TESTING_KT_PROVIDER_H_
#define _KRDMA_TESTING_KT_PROVIDER_H_

#include <rdma/ib_verbs.h>

#include "../support/ktap.h"

#define KTP_DRIVER	((enum rdma_driver_id)1000)
#define KTP_STATS	3	/* number of counters; the last counter is optional */

/**
 * struct ktp_device - a device of this provider
 * @ibdev: the device
 * @caps: core_cap_flags of the ports; 0 means iWARP
 * @fail_query: negative errno that query_device returns, or 0
 * @fail_immutable: negative errno that get_port_immutable returns for the last port, or 0
 * @fail_enable: negative errno that enable_driver returns, or 0
 * @queue_in_enable: enable_driver queues the device's unregistration
 * @fail_device_stats: alloc_hw_device_stats returns NULL
 * @fail_port_stats: alloc_hw_port_stats returns NULL for the last port
 * @fail_get_stats: negative errno that get_hw_stats returns, or 0
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

/*
 * ktp_ops has all operations but dealloc_driver. ktp_bare_ops in addition lacks the operations for
 * counters and the sysfs groups.
 */
extern const struct ib_device_ops ktp_ops;
extern const struct ib_device_ops ktp_bare_ops;

/*
 * ktp_dealloc_ops is ktp_ops plus dealloc_driver, which makes the core free the devices.
 * ktp_deallocs is the number of calls of dealloc_driver.
 */
extern const struct ib_device_ops ktp_dealloc_ops;
extern atomic_t ktp_deallocs;

/* Allocates a device with two ports, without registering it. Returns NULL if there is no memory. */
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
