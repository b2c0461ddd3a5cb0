/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A provider with GIDs and P_Keys, and how its tests make network interfaces do things.
 */
#ifndef _KRDMA_TESTING_KT_GID_H_
#define _KRDMA_TESTING_KT_GID_H_

#include <rdma/ib_verbs.h>

#include "ktap.h"

#define KTG_GIDS	8	/* room for more is in nobody's table */
#define KTG_PKEYS	4

/**
 * struct ktg_device - its device, with two ports
 * @ibdev: the device
 * @caps: core_cap_flags of its ports
 * @gid_tbl_len: length of its GID tables, up to KTG_GIDS
 * @gids: what query_gid answers, by port
 * @pkeys: what query_pkey answers, by port
 * @attr: what query_port answers
 * @fail_gid: errno of query_gid
 * @fail_pkey: errno of query_pkey
 * @fail_add: errno of add_gid
 * @held: how many GIDs add_gid put into the device, and del_gid did not take out yet
 * @wrong: calls of add_gid or del_gid that no provider should see
 * @events: IB_EVENT_GID_CHANGE of port 1 so far
 * @seen: first GID of port 1 that a handler saw last
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

/* Not registered yet; of InfiniBand, or RoCE with a network interface for port 1. */
struct ktg_device *ktg_alloc(u32 caps);
/* Registered, or NULL, which fails the test. */
struct ktg_device *ktg_create(struct ktap *t, u32 caps, struct net_device *ndev);
void ktg_destroy(struct ktg_device *ktg);
int ktg_register(struct ktg_device *ktg);

/* Tells the core; returns when handlers have heard. */
void ktg_dispatch(struct ktg_device *ktg, enum ib_event_type type);

/* Runs a line of bash; its status. That of busybox would take its own ip. */
int ktg_sh(const char *line);

/* Up to ten seconds for a condition. */
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
