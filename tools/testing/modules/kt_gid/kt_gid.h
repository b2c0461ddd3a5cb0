/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A provider with GIDs and P_Keys.
 */
#ifndef _KRDMA_TESTING_KT_GID_H_
#define _KRDMA_TESTING_KT_GID_H_

#include <rdma/ib_verbs.h>

#include "../support/ktap.h"

#define KTG_GIDS	8	/* number of entries of the longest GID table */
#define KTG_PKEYS	4

/**
 * struct ktg_device - a device with two ports
 * @ibdev: the device
 * @caps: core_cap_flags of the ports
 * @gid_tbl_len: number of entries of each GID table, KTG_GIDS at most
 * @gids: GIDs, by port number and index; query_gid returns them, add_gid and del_gid change them
 * @pkeys: P_Keys that query_pkey returns, by port number and index
 * @attr: attributes that query_port returns for each port
 * @fail_gid: negative errno that query_gid returns, or 0
 * @fail_pkey: negative errno that query_pkey returns, or 0
 * @fail_add: negative errno that add_gid returns, or 0
 * @held: number of GIDs that add_gid has added and del_gid has not deleted
 * @wrong: number of calls of add_gid or del_gid with wrong arguments
 * @events: number of IB_EVENT_GID_CHANGE events that were delivered for port 1
 * @seen: first GID of port 1 when the last of @events was delivered; zero if the entry was empty
 * @handler: event handler that sets @events and @seen
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

/*
 * Allocates a device whose ports have the core_cap_flags @caps, and does not register the device.
 * Returns NULL if there is no memory.
 */
struct ktg_device *ktg_alloc(u32 caps);
/*
 * Allocates and registers a device whose port 1 is on @ndev. On error, fails the test and returns
 * NULL.
 */
struct ktg_device *ktg_create(struct ktap *t, u32 caps, struct net_device *ndev);
void ktg_destroy(struct ktg_device *ktg);
int ktg_register(struct ktg_device *ktg);

/* Dispatches an event of port 1, and returns when all handlers have run. */
void ktg_dispatch(struct ktg_device *ktg, enum ib_event_type type);

extern const struct ktap_suite kt_gid_ib_suite;
extern const struct ktap_suite kt_gid_roce_suite;
extern const struct ktap_suite kt_gid_upper_suite;

#endif /* _KRDMA_TESTING_KT_GID_H_ */
