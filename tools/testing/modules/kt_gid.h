/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A provider with GIDs and P_Keys, and helpers by which the tests run commands and wait.
 */
#ifndef _KRDMA_TESTING_KT_GID_H_
#define _KRDMA_TESTING_KT_GID_H_

#include <rdma/ib_verbs.h>

#include "ktap.h"

#define KTG_GIDS	8	/* the longest GID table of a device */
#define KTG_PKEYS	4

/**
 * struct ktg_device - a device with two ports
 * @ibdev: the device
 * @caps: core_cap_flags of its ports
 * @gid_tbl_len: length of its GID tables, up to KTG_GIDS
 * @gids: results of query_gid, by port number and index
 * @pkeys: results of query_pkey, by port number and index
 * @attr: result of query_port
 * @fail_gid: errno of query_gid, 0 for success
 * @fail_pkey: errno of query_pkey, 0 for success
 * @fail_add: errno of add_gid, 0 for success
 * @held: number of GIDs in the device: calls of add_gid less those of del_gid
 * @wrong: number of calls of add_gid or del_gid with wrong arguments
 * @events: number of IB_EVENT_GID_CHANGE events of port 1
 * @seen: first GID of port 1 at the last such event, zero if there was none
 * @handler: counts @events
 */
struct ktg_device {
	struct ib_device ibdev;
	u32 caps;
	int gid_tbl_len;
	union ib_gid gids[3][KTG_GIDS];
	u16 pkeys[3][KTG_PKEYS];
	struct ib_port_attr attr;
	int fail_gid;
	int fail_pkey;
	int fail_add;
	atomic_t held;
	atomic_t wrong;
	atomic_t events;
	union ib_gid seen;
	struct ib_event_handler handler;
};

static inline struct ktg_device *to_ktg(struct ib_device *ibdev)
{
	return container_of(ibdev, struct ktg_device, ibdev);
}

/* Allocates a device with these capabilities of its ports, not registered. NULL without memory. */
struct ktg_device *ktg_alloc(u32 caps);
/* Registers a device, whose port 1 is on @ndev. Returns NULL and fails the test on error. */
struct ktg_device *ktg_create(struct ktap *t, u32 caps, struct net_device *ndev);
void ktg_destroy(struct ktg_device *ktg);
int ktg_register(struct ktg_device *ktg);

/* Dispatches an event of port 1; returns when all handlers have run. */
void ktg_dispatch(struct ktg_device *ktg, enum ib_event_type type);

/* Runs a line of bash, not of busybox, which would run its own ip; returns the line's status. */
int ktg_sh(const char *line);

/* Waits up to ten seconds until a condition holds; fails the test if it does not. */
#define KTG_WAIT(t, condition)							\
({										\
	unsigned long __end = jiffies + 10 * HZ;				\
										\
	while (!(condition) && time_before(jiffies, __end))			\
		usleep_range(2000, 4000);					\
	KT_EXPECT(t, condition);						\
})

extern const struct ktap_suite kt_gid_ib_suite;
extern const struct ktap_suite kt_gid_roce_suite;
extern const struct ktap_suite kt_gid_upper_suite;

#endif /* _KRDMA_TESTING_KT_GID_H_ */
